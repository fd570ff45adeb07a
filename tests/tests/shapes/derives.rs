//! Types that derive their classes.

use resilience::{Class, Classify};
use std::fmt::Debug;
use std::time::Duration;

#[derive(Classify)]
enum Generic<'a, T: Debug, const N: usize>
where
    T: Clone,
{
    #[classify(transparent)]
    Inner(T),
    #[classify(transparent)]
    Boxed { source: Box<T> },
    #[permanent]
    #[allow(dead_code)]
    Borrowed(&'a str, [u8; N]),
}

#[derive(Classify)]
enum Never {}

#[derive(Classify)]
#[allow(non_camel_case_types)]
enum Raw {
    #[overloaded(retry_after = r#type)]
    r#struct { r#type: Option<Duration> },
}

#[derive(Debug, Clone, Classify)]
#[caller]
struct Marked;

#[derive(Classify)]
#[classify(crate = ::resilience)]
#[classify(transparent)]
struct Transparent(Marked);

#[test]
fn every_derive() {
    assert_eq!(Generic::<Marked, 0>::Inner(Marked).classify(), Class::Caller);
    let boxed: Generic<'_, Marked, 0> = Generic::Boxed { source: Box::new(Marked) };
    assert_eq!(boxed.classify(), Class::Caller);
    assert_eq!(Generic::<Marked, 1>::Borrowed("", [0]).classify(), Class::Permanent);
    assert_eq!(Transparent(Marked).classify(), Class::Caller);
    let raw = Raw::r#struct { r#type: None };
    assert_eq!(raw.classify(), Class::Overloaded { retry_after: None });
    let never: Option<Never> = None;
    assert!(never.is_none_or(|never| never.is_failure()));
}
