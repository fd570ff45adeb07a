//! Which errors it is used for, where errors are of kinds within kinds, as in the scenarios of other libraries.

use resilience::{fallback, retry};
use resilience_tests::{Answer, Fault, Script, Step, ms};

/// C31: E0 ⊃ E1 ⊃ E2 ⊃ E2S, E1S ⊂ E1, E0S ⊂ E0; and errors outside of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::enum_variant_names, reason = "the names are those of the scenario")]
enum E {
    Other,
    E0,
    E1,
    E2,
    E2S,
    E1S,
    E0S,
    Runtime,
}

impl From<resilience::Error> for E {
    fn from(_: resilience::Error) -> Self {
        Self::Other
    }
}

impl E {
    fn is_a(self, kind: Self) -> bool {
        use E::*;
        self == kind
            || match kind {
                E0 => matches!(self, E1 | E2 | E2S | E1S | E0S),
                E1 => matches!(self, E2 | E2S | E1S),
                E2 => self == E2S,
                // "Exception", of which all are.
                Other => true,
                _ => false,
            }
    }

    fn any(self, kinds: &[Self]) -> bool {
        kinds.iter().any(|kind| self.is_a(*kind))
    }
}

#[fallback(value = "instead", when = |error: &E| error.any(apply) && !error.any(skip))]
async fn filtered(apply: &[E], skip: &[E], error: E) -> Result<&'static str, E> {
    Err(error)
}

#[tokio::test(start_paused = true)]
async fn c31_skip_beats_apply_and_both_match_kinds_within() {
    use E::*;
    let all = [Other, E0, E1, E2, E2S, E1S, E0S, Runtime];
    for (apply, skip, used) in [
        (&[E0, E2][..], &[E1][..], &[E0, E0S][..]),
        (&[Other, E1], &[E0, E2], &[Other, Runtime]),
        (&[E1, E2], &[E0], &[]),
    ] {
        for error in all {
            let expected = if used.contains(&error) { Ok("instead") } else { Err(error) };
            assert_eq!(filtered(apply, skip, error).await, expected, "apply {apply:?}, skip {skip:?}: {error:?}");
        }
    }
}

/// C33, as it is told here: returned or failed, with or without the fallback.
#[tokio::test(start_paused = true)]
async fn c33_each_call_is_one_of_four() {
    #[fallback(|error| if works { Ok(0) } else { Err(error) }, name = "hierarchy-c33")]
    async fn call(works: bool, body: &Script) -> Answer {
        body.run().await
    }
    let log = resilience_tests::EventLog::of(["hierarchy-c33"]);
    for (body, works, answer, applied) in [
        (Script::ok(), true, Ok(1), false),
        (Script::down(), true, Ok(0), true),
        (Script::down(), false, Err(Fault::Down), true),
        (Script::new([Step::Err(Fault::NotFound)]), true, Err(Fault::NotFound), false),
    ] {
        assert_eq!(call(works, &body).await, answer);
        assert_eq!(!log.take().is_empty(), applied);
    }
}

/// C55: the first that fits is a `match`; what does not fit is the very same error; what fails is not wrapped.
#[tokio::test(start_paused = true)]
async fn c55_a_closure_chooses_by_the_error() {
    #[fallback(|error| match error {
        Fault::Busy(_) => Ok(1),
        Fault::Down => Ok(2),
        Fault::Broken => Err(Fault::NotFound),
        other => Err(other),
    })]
    async fn chosen(body: &Script) -> Answer {
        body.run().await
    }
    let call = async |fault: Fault| chosen(&Script::new([Step::Err(fault)])).await;
    assert_eq!(call(Fault::Busy(Some(ms(1)))).await, Ok(1));
    assert_eq!(call(Fault::Down).await, Ok(2));
    assert_eq!(call(Fault::Broken).await, Err(Fault::NotFound));
    assert_eq!(call(Fault::NotFound).await, Err(Fault::NotFound));

    /// An error is handed over and back, not copied: it need not be `Clone`.
    #[derive(Debug)]
    struct Unique(Box<u32>);
    impl From<resilience::Error> for Unique {
        fn from(_: resilience::Error) -> Self {
            Self(Box::new(0))
        }
    }
    #[fallback(|error| Err(error))]
    #[retry(max_attempts = 2, base_delay = "0ms")]
    async fn same(address: &mut usize) -> Result<(), Unique> {
        let made = Box::new(7);
        *address = &raw const *made as usize;
        Err(Unique(made))
    }
    let mut address = 0;
    let error = same(&mut address).await.unwrap_err();
    assert_eq!((*error.0, &raw const *error.0 as usize), (7, address));
}
