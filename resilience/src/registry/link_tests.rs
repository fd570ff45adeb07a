//! Code that is loaded after the first look at the registry.

use super::registry;
use crate::bulkhead::{Config, Slots};
use crate::linked::Linked;
use crate::site::{Place, Site};

type OneSite = Linked<(Site<Slots>, ())>;

const fn site(max_concurrent: u32) -> Site<Slots> {
    Site::new(Place::new("loaded", "late"), Config::new().max_concurrent(max_concurrent)).named("linked-late")
}

static FIRST: OneSite = Linked::new(&START_FIRST, (site(1), ()));
static START_FIRST: extern "C" fn() = start_first;
static SECOND: OneSite = Linked::new(&START_SECOND, (site(2), ()));
static START_SECOND: extern "C" fn() = start_second;

extern "C" fn start_first() {
    FIRST.link();
}

extern "C" fn start_second() {
    SECOND.link();
}

fn sites_of_the_name() -> Option<usize> {
    let snapshot = registry().snapshot();
    snapshot.policies().iter().find(|policy| policy.name() == "linked-late").map(|policy| policy.sites().len())
}

#[test]
fn a_site_that_is_linked_after_a_look_is_found_by_the_next() {
    assert_eq!(sites_of_the_name(), None);
    START_FIRST();
    START_FIRST();
    assert_eq!(sites_of_the_name(), Some(1));
    START_SECOND();
    assert_eq!(sites_of_the_name(), Some(2));
    let error = crate::verify().expect_err("they give different options");
    assert!(error.conflicts().iter().any(|conflict| conflict.name() == "linked-late"));
}
