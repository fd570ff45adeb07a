//! Who shares what, and under which name it is found.

use futures::FutureExt as _;
use resilience::circuit_breaker::Config;
use resilience::{Bulkhead, CircuitBreaker, Error, ErrorKind, Source, bulkhead, circuit_breaker, retry, timeout};
use resilience_tests::{Answer, Fault, Script, Step, secs, trip, unique};

use super::{option, shown};

// ---- names that are given --------------------------------------------------------------------------------------

#[circuit_breaker("names-shared", window_calls = 10, min_calls = 2, cooldown = "7s")]
async fn declares(body: &Script) -> Answer {
    body.run().await
}

#[circuit_breaker("names-shared")]
async fn names_only(body: &Script) -> Answer {
    body.run().await
}

/// Also where the function that only names it is the first to be called, and where nothing has been called.
#[tokio::test(start_paused = true)]
async fn one_name_is_one_state_whoever_comes_first() {
    assert_eq!(option("circuit_breaker", "names-shared", "cooldown"), Some(("7s".into(), Source::Attribute)));
    let breaker = CircuitBreaker::get("names-shared").unwrap();
    let body = Script::down();
    for _ in 0..2 {
        assert_eq!(names_only(&body).await, Err(Fault::Down));
    }
    assert_eq!(breaker.snapshot().cooldown_remaining, Some(secs(7)));
    let refused = declares(&body).await.unwrap_err();
    assert_eq!(
        refused.refusal().map(|error| (error.kind(), error.policy().to_owned())),
        Some((ErrorKind::CircuitOpen, "names-shared".into()))
    );
    assert_eq!(body.entered(), 2);
    breaker.reset();
}

#[tokio::test(start_paused = true)]
async fn get_never_creates() {
    let name = unique("nobody");
    assert!(CircuitBreaker::get(name).is_none() && Bulkhead::get(name).is_none());
    assert!(CircuitBreaker::get(name).is_none() && CircuitBreaker::get("").is_none());
    assert!(shown("circuit_breaker", name).is_none());
    CircuitBreaker::register(name, Config::new()).unwrap();
    assert_eq!(CircuitBreaker::get(name).map(|breaker| breaker.name()), Some(name));
    assert!(Bulkhead::get(name).is_none(), "names live per kind");
    Bulkhead::register(name, bulkhead::Config::new()).unwrap();
    assert!(shown("circuit_breaker", name).is_some() && shown("bulkhead", name).is_some());
}

/// Names may come from outside: whoever prints them reads lines.
#[test]
fn a_name_is_printed_on_one_line() {
    let name = unique("names-\n\u{1b}[31mred\n");
    let breaker = CircuitBreaker::register(name, Config::new()).unwrap();
    assert_eq!(breaker.name(), name, "as it is");
    breaker.force_open();
    let snapshot = shown("circuit_breaker", name).unwrap().to_string();
    let refusal = breaker.try_acquire().unwrap_err().to_string();
    let misconfigured = breaker.reconfigure(|config| config.min_calls(0)).unwrap_err().to_string();
    for printed in [snapshot, refusal, misconfigured] {
        assert!(printed.contains("names-\\u{a}\\u{1b}[31mred"), "{printed}");
        assert!(!printed.contains(['\n', '\u{1b}']), "{printed:?}");
    }
}

// ---- one name, different functions -----------------------------------------------------------------------------

#[circuit_breaker("names-rg01", min_calls = 2, when = |fault: &Fault| *fault != Fault::NotFound)]
async fn ignores_missing(body: &Script) -> Answer {
    body.run().await
}

struct Text(Result<&'static str, String>);

impl resilience::Fallible for Text {
    type Value = &'static str;
    type Error = String;

    fn result(&self) -> Result<&&'static str, &String> {
        self.0.as_ref()
    }
    fn success(value: &'static str) -> Self {
        Self(Ok(value))
    }
    fn refused(error: Error) -> Self {
        Self(Err(error.to_string()))
    }
}

#[circuit_breaker("names-rg01", when = |_| true)]
async fn another_type(answer: Result<&'static str, String>) -> Text {
    Text(answer)
}

#[tokio::test(start_paused = true)]
async fn rg01_state_is_shared_and_code_is_not() {
    let breaker = CircuitBreaker::get("names-rg01").unwrap();
    assert_eq!(ignores_missing(&Script::new([Step::Err(Fault::NotFound)])).await, Err(Fault::NotFound));
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().failures), (1, 0));
    assert_eq!(another_type(Err("not found".into())).await.0, Err("not found".into()));
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().failures), (2, 1));
    assert_eq!(another_type(Ok("value")).await.0, Ok("value"));
    assert_eq!(ignores_missing(&Script::ok()).await, Ok(1));
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().failures), (4, 1));
    trip(&breaker, 3);
    assert_eq!(another_type(Ok("value")).await.0.unwrap_err(), "circuit breaker `names-rg01` is open; retry after 30s");
}

// ---- names that are not given ----------------------------------------------------------------------------------

mod inner {
    use resilience::resilient;

    use super::{Answer, Script, bulkhead, circuit_breaker};

    #[circuit_breaker(min_calls = 2)]
    pub(super) async fn private(body: &Script) -> Answer {
        body.run().await
    }

    pub(super) struct Client;

    impl Client {
        #[bulkhead(max_concurrent = 3)]
        pub(super) async fn by_ref(&self, body: &Script) -> Answer {
            body.run().await
        }

        #[bulkhead(max_concurrent = 3)]
        pub(super) async fn without_receiver(body: &Script) -> Answer {
            body.run().await
        }
    }

    pub(super) struct Listed;

    #[resilient(bulkhead(max_concurrent = 3))]
    impl Listed {
        pub(super) async fn method(&self, body: &Script) -> Answer {
            body.run().await
        }
    }

    pub(super) struct Generic<T>(pub(super) T);

    impl<T> Generic<T> {
        #[bulkhead(max_concurrent = 3)]
        pub(super) async fn by_value(self, body: &Script) -> Answer {
            let _ = self.0;
            body.run().await
        }
    }
}

/// Before its first call as after it.
#[tokio::test(start_paused = true)]
async fn what_has_no_name_shows_where_it_is() {
    let module = concat!(module_path!(), "::inner");
    let body = Script::ok();
    let private = format!("{module}::private");
    let breaker = CircuitBreaker::get(&private).expect("known before its first call");
    let functions = ["by_ref", "without_receiver", "by_value", "Listed::method"];
    let all_known = || {
        for function in functions {
            let name = format!("{module}::{function}");
            assert_eq!(Bulkhead::get(&name).map(|bulkhead| bulkhead.name()), Some(&*name));
            let site = shown("bulkhead", &name).unwrap().sites()[0];
            assert_eq!((site.module(), site.function(), site.file()), (module, function, file!()));
        }
    };
    all_known();
    breaker.reconfigure(|config| config.cooldown(secs(7))).unwrap();
    CircuitBreaker::register(&private, Config::new().window_calls(5)).unwrap();
    inner::private(&body).await.unwrap();
    inner::Client.by_ref(&body).await.unwrap();
    inner::Client::without_receiver(&body).await.unwrap();
    inner::Generic(vec![1u8]).by_value(&body).await.unwrap();
    inner::Listed.method(&body).await.unwrap();
    all_known();
    assert_eq!((breaker.name(), breaker.snapshot().calls), (&*private, 1));
    assert_eq!(option("circuit_breaker", &private, "window_calls"), Some(("5".into(), Source::Runtime)));
}

fn one() -> futures::future::BoxFuture<'static, Result<(), Error>> {
    #[bulkhead(max_concurrent = 1)]
    async fn same() -> Result<(), Error> {
        std::future::pending().await
    }
    same().boxed()
}

fn two() -> futures::future::BoxFuture<'static, Result<(), Error>> {
    #[bulkhead(max_concurrent = 1)]
    async fn same() -> Result<(), Error> {
        std::future::pending().await
    }
    same().boxed()
}

#[tokio::test(start_paused = true)]
async fn two_that_would_show_one_name_share_nothing() {
    let (mut first, mut second) = (one(), two());
    assert!((&mut first).now_or_never().is_none());
    assert!((&mut second).now_or_never().is_none(), "it has a slot of its own");
    let name = concat!(module_path!(), "::same");
    let snapshot = resilience::registry().snapshot();
    assert_eq!(snapshot.policies().iter().filter(|policy| policy.name() == name).count(), 2, "one key for both");
    // Where it is printed, and where one is meant, the place tells them apart.
    let addressed: Vec<_> = snapshot
        .to_string()
        .lines()
        .filter_map(|line| Some(format!("{name}@{}", line.split_once(&format!("{name}@"))?.1.split_once(": ")?.0)))
        .collect();
    let [one, other] = &addressed[..] else { panic!("{addressed:?}") };
    assert!(one != other && one.starts_with(&format!("{name}@{}:", file!())), "{addressed:?}");
    assert!(Bulkhead::get(name).is_none(), "which one?");
    assert!(Bulkhead::get(one).is_some() && Bulkhead::get(other).is_some());
    let error = Bulkhead::register(name, bulkhead::Config::new().max_concurrent(2)).unwrap_err();
    assert!(error.to_string().contains("name = \"…\""), "{error}");
    Bulkhead::get(one).unwrap().resize(2).unwrap();
    assert_eq!(Bulkhead::get(other).unwrap().snapshot().max_concurrent, 1);
}

// ---- per-call policies are shown too ---------------------------------------------------------------------------

#[timeout("3s", name = "names-timeout")]
#[retry(max_attempts = 7, jitter = "none", name = "names-retry")]
async fn per_call(body: &Script) -> Answer {
    body.run().await
}

#[retry(max_attempts = attempts, base_delay = "1ms", name = "names-computed")]
async fn computed(attempts: u32, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn policies_without_shared_state_are_listed_with_their_options() {
    assert_eq!(option("timeout", "names-timeout", "duration"), Some(("3s".into(), Source::Attribute)));
    assert_eq!(option("retry", "names-retry", "max_attempts"), Some(("7".into(), Source::Attribute)));
    assert_eq!(option("retry", "names-retry", "jitter"), Some(("none".into(), Source::Attribute)));
    assert_eq!(option("retry", "names-retry", "base_delay"), Some(("200ms".into(), Source::Default)));
    assert_eq!(option("retry", "names-retry", "max_elapsed"), None, "not in effect");
    assert_eq!(option("retry", "names-retry", "no such option"), None);
    per_call(&Script::ok()).await.unwrap();
    computed(2, &Script::ok()).await.unwrap();
    assert_eq!(option("retry", "names-computed", "base_delay"), Some(("1ms".into(), Source::Attribute)));
    assert_ne!(
        option("retry", "names-computed", "max_attempts").map(|(value, _)| value),
        Some("2".into()),
        "computed for each call"
    );
}
