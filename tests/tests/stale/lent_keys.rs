//! Keys that borrow inside of another type are owned too: the value is found again when what they borrowed from is gone.

use std::borrow::Cow;

use resilience::stale_if_error;
use resilience_tests::{Answer, Fault};

async fn answer(value: Option<u32>) -> Answer {
    value.ok_or(Fault::Down)
}

#[stale_if_error("1h", key = id)]
async fn by_option(id: Option<&str>, value: Option<u32>) -> Answer {
    answer(value).await
}

#[stale_if_error("1h", key = id)]
async fn by_cow(id: Cow<'_, str>, value: Option<u32>) -> Answer {
    drop(id);
    answer(value).await
}

#[stale_if_error("1h", key = id)]
async fn by_optional_cow(id: Option<Cow<'_, str>>, value: Option<u32>) -> Answer {
    answer(value).await
}

#[stale_if_error("1h", key = id)]
async fn by_reference_of_reference(id: &&str, value: Option<u32>) -> Answer {
    answer(value).await
}

#[stale_if_error("1h", key = ids)]
async fn by_list(ids: &[&str], value: Option<u32>) -> Answer {
    answer(value).await
}

#[stale_if_error("1h", key = (region, (id, name.as_deref()), &lists))]
async fn by_all(
    region: Option<&str>,
    id: &&[u8],
    name: Option<String>,
    lists: Vec<&str>,
    value: Option<u32>,
) -> Answer {
    answer(value).await
}

#[tokio::test(start_paused = true)]
async fn what_a_key_borrows_is_owned() {
    for text in [String::from("a"), String::from("b")] {
        let value = Some(u32::from(text.as_bytes()[0]));
        by_option(Some(&text), value).await.unwrap();
        by_cow(Cow::Borrowed(&text), value).await.unwrap();
        by_optional_cow(Some(Cow::Borrowed(&text)), value).await.unwrap();
        by_reference_of_reference(&text.as_str(), value).await.unwrap();
        by_list(&[&text, "c"], value).await.unwrap();
        by_all(Some(&text), &text.as_bytes(), Some(text.clone()), vec![&text], value).await.unwrap();
    }
    assert_eq!(by_option(Some("a"), None).await, Ok(97));
    assert_eq!(by_option(None, None).await, Err(Fault::Down));
    assert_eq!(by_cow(Cow::Owned("a".to_owned()), None).await, Ok(97), "an owned one is equal to a borrowed one");
    assert_eq!(by_optional_cow(Some("b".into()), None).await, Ok(98));
    assert_eq!(by_reference_of_reference(&"a", None).await, Ok(97));
    assert_eq!(by_list(&["b", "c"], None).await, Ok(98));
    assert_eq!(by_list(&["b"], None).await, Err(Fault::Down));
    assert_eq!(by_all(Some("a"), &&b"a"[..], Some("a".to_owned()), vec!["a"], None).await, Ok(97));
    assert_eq!(by_all(Some("a"), &&b"a"[..], None, vec!["a"], None).await, Err(Fault::Down));
}

/// No `Clone`: what refers to it for as long as the program runs is a key as it is.
#[derive(PartialEq, Eq, Hash)]
struct Place(u8);

static PLACES: [Place; 2] = [Place(0), Place(1)];

#[stale_if_error("1h", key = place)]
async fn by_static(place: &'static Place, value: Option<u32>) -> Answer {
    answer(value).await
}

#[tokio::test(start_paused = true)]
async fn a_key_that_nothing_can_copy_stays_a_reference() {
    by_static(&PLACES[0], Some(1)).await.unwrap();
    assert_eq!((by_static(&PLACES[0], None).await, by_static(&PLACES[1], None).await), (Ok(1), Err(Fault::Down)));
}
