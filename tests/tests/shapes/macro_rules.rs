//! Functions that a `macro_rules` writes.

use super::*;

/// Every fragment that may stand in a function; what a macro is handed arrives in invisible groups.
macro_rules! function {
    (
        $(#[$meta:meta])* $vis:vis $name:ident, $argument:ident: $ty:ty, $pattern:pat => $of:ty, $limit:literal,
        $max:expr, $returned:ty, $path:path, $body:block
    ) => {
        $(#[$meta])*
        #[retry(max_attempts = $max, base_delay = 0ms, when = $path)]
        #[circuit_breaker]
        #[timeout($limit)]
        $vis async fn $name($argument: $ty, $pattern: $of) -> $returned $body
    };
}

function!(
    /// Documented.
    #[must_use]
    pub(super) fragments, text: String, (attempts, mut more) => (&Attempts, Vec<u32>), "1s", 3, Result<usize>, any, {
        more.push(1);
        yield_now().await;
        attempts.next()?;
        Ok(text.len() + more.len())
    }
);

fn any(_: &Error) -> bool {
    true
}

macro_rules! expression {
    ($name:ident, $lifetime:lifetime, $attempts:ident, $returned:ty, $value:expr) => {
        #[retry(base_delay = 0ms)]
        async fn $name<$lifetime>($attempts: &$lifetime Attempts) -> $returned {
            $value
        }
    };
}

expression!(expressions, 'a, n, Result<u32>, n.next());

/// The names of a macro are its own: its `attempts` and the body's are two.
macro_rules! hygienic {
    ($name:ident, $body:expr) => {
        #[retry(base_delay = 0ms, borrow(attempts))]
        #[timeout("1s")]
        async fn $name(attempts: &Attempts, mut text: String) -> Result<(String, u32)> {
            text.push('!');
            yield_now().await;
            attempts.next()?;
            let attempts = 1;
            Ok((text, $body + attempts))
        }
    };
}

fn attempts() -> u32 {
    10
}

hygienic!(two_of_a_name, attempts());

macro_rules! method {
    ($name:ident $(, $more:tt)*) => {
        #[retry(base_delay = 0ms)]
        #[timeout("1s")]
        async fn $name(&mut self, text: String) -> Result<u32> {
            self.0 += 1;
            yield_now().await;
            self.1.next().map(|_| self.0 + text.len() as u32 $(+ $more)*)
        }
    };
}

struct Made(u32, &'static Attempts);

impl Made {
    method!(called);
}

/// A whole `impl`, the attributes handed in.
macro_rules! implementation {
    ($ty:ident { $($(#[$attribute:meta])* async fn $name:ident(&$me:ident) -> $returned:ty { $($body:tt)* })* }) => {
        impl $ty {
            $(
                $(#[$attribute])*
                async fn $name(&$me) -> $returned { $($body)* }
            )*
        }
    };
}

implementation! {
    Made {
        #[retry(base_delay = 0ms)]
        #[bulkhead]
        #[timeout("1s")]
        async fn repeated(&self) -> Result<u32> {
            yield_now().await;
            self.1.next()
        }
    }
}

/// Through two macros: a group in a group.
macro_rules! outer {
    ($body:block, $returned:ty, $limit:expr) => {
        inner!($body, $returned, $limit);
    };
}

macro_rules! inner {
    ($body:block, $returned:ty, $limit:expr) => {
        #[timeout($limit)]
        async fn nested() -> $returned $body
    };
}

outer!({ Ok(7) }, Result<u32>, std::time::Duration::from_secs(1));

/// An item as it is.
macro_rules! item {
    ($item:item) => {
        $item
    };
}

item! {
    #[retry(base_delay = 0ms)]
    #[timeout("1s")]
    async fn whole(n: &Attempts) -> Result<u32> {
        yield_now().await;
        n.next()
    }
}

#[tokio::test(start_paused = true)]
async fn functions_made_by_macros() {
    assert_eq!(call(3, |n| fragments("xx".to_owned(), (n, vec![]))).await, 3);
    assert_eq!(call(3, expressions).await, 3);
    assert_eq!(call(3, |n| two_of_a_name(n, "x".to_owned())).await, ("x!".to_owned(), 11));
    assert_eq!(call(3, |n| async move { Made(0, n).called("x".to_owned()).await }).await, 4);
    assert_eq!(call(3, |n| async move { Made(0, n).repeated().await }).await, 3);
    assert_eq!(call(0, |_| nested()).await, 7);
    assert_eq!(call(3, whole).await, 3);
}
