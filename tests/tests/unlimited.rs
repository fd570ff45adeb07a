//! A rate limit that nobody gives a limit: `verify` looks at the whole program, so this is a program of its own.

use resilience::rate_limit::Config;
use resilience::{ErrorKind, RateLimiter, rate_limit};
use resilience_tests::{Answer, Script, ms};

#[rate_limit("unlimited", per = "10s", max_wait = "1s")]
async fn first(body: &Script) -> Answer {
    body.run().await
}

const NAME: &str = "unlimited";

/// A name that is a constant is one: its limit may be given elsewhere.
#[rate_limit(name = NAME)]
async fn second(body: &Script) -> Answer {
    body.run().await
}

#[rate_limit("limited", limit = 1)]
async fn limited(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn it_is_found_before_any_call_and_refuses_every_call() {
    let error = resilience::verify().unwrap_err();
    assert!(error.conflicts().is_empty());
    let missing: Vec<_> = error.incomplete().iter().map(|one| (one.kind(), one.name(), one.option())).collect();
    assert_eq!(missing, [("rate_limit", "unlimited", "limit")]);
    let text = error.to_string();
    for said in ["`unlimited`", "`limit`", "first", "second", file!()] {
        assert!(text.contains(said), "{said} in {text}");
    }

    let body = Script::ok();
    for answer in [first(&body).await, second(&body).await] {
        let error = answer.unwrap_err().refusal().cloned().unwrap();
        assert_eq!((error.kind(), error.policy()), (ErrorKind::Misconfigured, "unlimited"));
        assert!(error.to_string().contains("`limit`"), "{error}");
    }
    let limiter = RateLimiter::get("unlimited").unwrap();
    assert_eq!(limiter.try_acquire(1).unwrap_err().kind(), ErrorKind::Misconfigured);
    assert_eq!((body.entered(), limiter.snapshot().available, limiter.snapshot().rejected), (0, 0, 0));
    assert!(limited(&body).await.is_ok());

    // Given at run time it is one like any other; what the site declares stays.
    RateLimiter::register("unlimited", Config::new().limit(1)).unwrap();
    assert!(resilience::verify().is_ok());
    assert!(first(&body).await.is_ok());
    let error = second(&body).await.unwrap_err().refusal().cloned().unwrap();
    assert_eq!((error.kind(), error.retry_after()), (ErrorKind::RateLimited, Some(ms(10_000))));
}
