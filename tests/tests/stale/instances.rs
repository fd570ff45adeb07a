//! Every instance of a function remembers for itself, however alike two of them look in print.

#![allow(
    clippy::extra_unused_type_parameters,
    reason = "what a function does with its types is not what tells instances apart"
)]

use std::future::Future;
use std::marker::PhantomData;

use async_trait::async_trait;
use resilience::stale_if_error;
use resilience_tests::{Answer, Fault};

/// Gives that value, or fails.
async fn answer(value: Option<u32>) -> Answer {
    value.ok_or(Fault::Down)
}

/// Calls both with a value of their own, and then without: each gets its own back.
macro_rules! apart {
    ($one:expr, $other:expr) => {{
        assert_eq!($one(Some(1)).await, Ok(1));
        assert_eq!($other(None).await, Err(Fault::Down), "what the other one has");
        assert_eq!($other(Some(2)).await, Ok(2));
        assert_eq!(($one(None).await, $other(None).await), (Ok(1), Ok(2)));
    }};
}

mod acme {
    pub(super) struct Tenant;
}

mod globex {
    pub(super) struct Tenant;
}

#[stale_if_error("1h")]
async fn of_type<T>(value: Option<u32>) -> Answer {
    answer(value).await
}

#[stale_if_error("1h", key = id)]
async fn of_types<T: ?Sized, U: ?Sized>(id: u32, value: Option<u32>) -> Answer {
    let _ = id;
    answer(value).await
}

#[stale_if_error("1h")]
async fn of_number<const N: usize>(value: Option<u32>) -> Answer {
    answer(value).await
}

#[stale_if_error("1h")]
async fn of_argument(name: impl AsRef<str>, value: Option<u32>) -> Answer {
    let _ = name.as_ref();
    answer(value).await
}

#[stale_if_error("1h")]
async fn of_closure<F: Fn() -> u32>(_closure: F, value: Option<u32>) -> Answer {
    answer(value).await
}

#[stale_if_error("1h")]
fn of_future<T>(value: Option<u32>) -> impl Future<Output = Answer> {
    async move { answer(value).await }
}

#[tokio::test(start_paused = true)]
async fn instances_of_a_generic_function() {
    apart!(of_type::<acme::Tenant>, of_type::<globex::Tenant>);
    apart!(|value| of_types::<u8, str>(7, value), |value| of_types::<str, u8>(7, value));
    apart!(|value| of_types::<[u8], u8>(7, value), |value| of_types::<dyn Send, u8>(7, value));
    apart!(of_number::<1>, of_number::<2>);
    apart!(|value| of_argument("a", value), |value| of_argument(String::from("a"), value));
    apart!(of_future::<u8>, of_future::<u16>);
}

/// `{closure}`, or the name of a type of the same function: text does not tell these from each other.
#[tokio::test(start_paused = true)]
async fn types_that_print_alike() {
    let (one, other) = (|| 1, || 2);
    apart!(|value| of_closure(one, value), |value| of_closure(other, value));
    let one = {
        struct Tenant;
        fn call(value: Option<u32>) -> impl Future<Output = Answer> {
            of_type::<Tenant>(value)
        }
        call
    };
    let other = {
        struct Tenant;
        fn call(value: Option<u32>) -> impl Future<Output = Answer> {
            of_type::<Tenant>(value)
        }
        call
    };
    apart!(one, other);

    struct Method<T>(PhantomData<T>);
    impl<T: Send + Sync> Method<T> {
        #[stale_if_error("1h")]
        async fn of_self(&self, value: Option<u32>) -> Answer {
            answer(value).await
        }
    }
    fn method<T>(_of: T) -> Method<T> {
        Method(PhantomData)
    }
    let (one, other) = (method(|| 1), method(|| 2));
    apart!(|value| one.of_self(value), |value| other.of_self(value));
}

struct Store<T>(PhantomData<T>);

impl<T: Send + Sync> Store<T> {
    #[stale_if_error("1h")]
    async fn without_self(value: Option<u32>) -> Answer {
        answer(value).await
    }

    #[stale_if_error("1h")]
    async fn with_self(&self, value: Option<u32>) -> Answer {
        answer(value).await
    }

    #[stale_if_error("1h", key = id)]
    async fn generic<U>(&self, id: u32, value: Option<u32>) -> Answer {
        let _ = id;
        answer(value).await
    }
}

trait Api {
    #[stale_if_error("1h")]
    async fn native(&self, value: Option<u32>) -> Answer {
        answer(value).await
    }

    #[stale_if_error("1h")]
    fn returned(value: Option<u32>) -> impl Future<Output = Answer> + Send {
        async move { answer(value).await }
    }
}

impl<T> Api for Store<T> {}

#[async_trait]
trait Boxed: Sync {
    #[stale_if_error("1h")]
    async fn boxed(&self, value: Option<u32>) -> Answer {
        answer(value).await
    }

    #[stale_if_error("1h")]
    async fn boxed_without_self(value: Option<u32>) -> Answer
    where
        Self: Sized,
    {
        answer(value).await
    }
}

impl<T: Sync> Boxed for Store<T> {}

#[tokio::test(start_paused = true)]
async fn methods_and_functions_of_a_type() {
    let (one, other) = (Store::<acme::Tenant>(PhantomData), Store::<globex::Tenant>(PhantomData));
    apart!(Store::<acme::Tenant>::without_self, Store::<globex::Tenant>::without_self);
    apart!(|value| one.with_self(value), |value| other.with_self(value));
    apart!(|value| one.generic::<u8>(1, value), |value| one.generic::<u16>(1, value));
    apart!(|value| one.native(value), |value| other.native(value));
    apart!(<Store<acme::Tenant> as Api>::returned, <Store<globex::Tenant> as Api>::returned);
    let (one, other): (&dyn Boxed, &dyn Boxed) = (&one, &other);
    apart!(|value| one.boxed(value), |value| other.boxed(value));
    apart!(Store::<acme::Tenant>::boxed_without_self, Store::<globex::Tenant>::boxed_without_self);
}

/// A lifetime makes no other instance: what is remembered borrows from nobody.
#[tokio::test(start_paused = true)]
async fn lifetimes_are_one_instance() {
    #[stale_if_error("1h")]
    async fn borrowing<'a, T: AsRef<str> + ?Sized>(text: &'a T, more: &'a [&'a str], value: Option<u32>) -> Answer {
        let _ = (text.as_ref(), more);
        answer(value).await
    }
    borrowing::<str>("static", &["a"], Some(1)).await.unwrap();
    let local = String::from("local");
    assert_eq!(borrowing::<str>(&local, &[&local], None).await, Ok(1));
    assert_eq!(borrowing::<String>(&local, &[&local], None).await, Err(Fault::Down));
}
