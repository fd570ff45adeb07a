//! Names that two sites configure differently. A program of its own: `verify` looks at all of it.

use futures::executor::block_on;
use resilience::{Bulkhead, CircuitBreaker, Error, ErrorKind, bulkhead, circuit_breaker};

type Answer = Result<(), Error>;

#[circuit_breaker("quarrel", cooldown = "1s")]
async fn one_second() -> Answer {
    Ok(())
}

#[circuit_breaker("quarrel", cooldown = "2s")]
async fn two_seconds() -> Answer {
    Ok(())
}

#[circuit_breaker("quarrel")]
async fn bystander() -> Answer {
    Ok(())
}

#[bulkhead("quarrel-of-three", max_concurrent = 1)]
async fn one_slot() -> Answer {
    Ok(())
}

#[bulkhead("quarrel-of-three", max_concurrent = 2)]
async fn two_slots() -> Answer {
    Ok(())
}

#[bulkhead("quarrel-of-three", max_concurrent = 1, max_wait = "1s")]
async fn three_ways() -> Answer {
    Ok(())
}

#[circuit_breaker("peace", cooldown = "1s", when = |_| true)]
async fn first_at_peace() -> Answer {
    Ok(())
}

#[circuit_breaker("peace", cooldown = "1s", when = |_| false)]
async fn second_at_peace() -> Answer {
    Ok(())
}

#[circuit_breaker("peace")]
async fn third_at_peace() -> Answer {
    Ok(())
}

/// Also one kind's name that another kind has with other options.
#[bulkhead("peace", max_concurrent = 3)]
async fn another_kind() -> Answer {
    Ok(())
}

#[test]
fn verify_lists_every_conflict_with_both_places() {
    let error = resilience::verify().unwrap_err();
    let text = error.to_string();
    let functions = |name: &str| {
        let mut places: Vec<_> = error
            .conflicts()
            .iter()
            .filter(|conflict| conflict.name() == name)
            .flat_map(|conflict| conflict.places().map(|place| (place.line(), place.function())))
            .collect();
        for place in error.conflicts().iter().flat_map(|conflict| conflict.places()) {
            assert_eq!((place.file(), place.module()), (file!(), module_path!()));
            assert!(text.contains(&format!("{}:{}", place.file(), place.line())), "{text}");
        }
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|(_, function)| function).collect::<Vec<_>>()
    };
    assert_eq!(functions("quarrel"), ["one_second", "two_seconds"]);
    assert_eq!(functions("quarrel-of-three"), ["one_slot", "two_slots", "three_ways"]);
    assert!(functions("peace").is_empty());
    let kinds: Vec<_> = error.conflicts().iter().map(|conflict| (conflict.kind(), conflict.name())).collect();
    assert!(kinds.is_sorted() && kinds.contains(&("circuit_breaker", "quarrel")), "{kinds:?}");
    // Asked again, it answers the same.
    assert_eq!(resilience::verify(), Err(error));
}

#[test]
fn calls_through_any_of_them_are_refused() {
    let by_hand = CircuitBreaker::get("quarrel").unwrap();
    let slots = Bulkhead::get("quarrel-of-three").unwrap();
    for _ in 0..2 {
        for (name, answer) in [
            ("quarrel", block_on(one_second())),
            ("quarrel", block_on(two_seconds())),
            ("quarrel", block_on(bystander())),
            ("quarrel", by_hand.try_acquire().map(drop)),
            ("quarrel-of-three", block_on(one_slot())),
            ("quarrel-of-three", block_on(two_slots())),
            ("quarrel-of-three", block_on(three_ways())),
            ("quarrel-of-three", slots.try_acquire().map(drop)),
            ("quarrel-of-three", block_on(slots.acquire()).map(drop)),
        ] {
            let error = answer.unwrap_err();
            assert_eq!((error.kind(), error.policy()), (ErrorKind::Misconfigured, name));
            let text = error.to_string();
            let places = text.matches(file!()).count();
            assert!(places >= 2, "both places: {text}");
        }
    }
}

#[test]
fn names_that_agree_work() {
    for call in
        [block_on(first_at_peace()), block_on(second_at_peace()), block_on(third_at_peace()), block_on(another_kind())]
    {
        call.unwrap();
    }
}

/// The run-time API does not mend what the attributes say against each other.
#[test]
fn registering_over_a_conflict_leaves_it() {
    let registered = CircuitBreaker::register("quarrel", circuit_breaker::Config::new()).unwrap();
    assert_eq!(registered.try_acquire().unwrap_err().kind(), ErrorKind::Misconfigured);
    assert!(resilience::verify().is_err());
}
