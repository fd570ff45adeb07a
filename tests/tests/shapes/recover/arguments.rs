//! Arguments in what stands in for a failed result, also those that the body has consumed.

use super::*;

/// `Clone`, but no `Copy`; `Send`, but no `Sync`.
#[derive(Clone, Default)]
struct Tags(Vec<&'static str>, PhantomData<Cell<u32>>);

struct Pair {
    left: Tags,
    right: u32,
}

fn tags(n: usize) -> Tags {
    Tags(vec!["t"; n], PhantomData)
}

#[fallback(|error| {
    tags.0.push("fallback");
    drop(error);
    Ok((tags, other))
})]
#[retry(base_delay = 0ms)]
#[timeout("1s")]
async fn as_passed(mut tags: Tags, other: Tags) -> Result<(Tags, Tags)> {
    tags.0.push("body");
    yield_now().await;
    drop((tags, other));
    down()
}

#[fallback(|_| Ok(tags.0.len()))]
async fn not_changed(mut tags: Tags) -> Result<usize> {
    tags.0.push("body");
    down()
}

#[fallback(|_| Ok(a.0.len() + b.0.len() + left.0.len() + renamed as usize + u.len() + named_by_fallback_only.0.len()))]
#[circuit_breaker(when = |_| !b.0.is_empty())]
#[timeout("1s")]
async fn patterns(
    (a, mut b): (Tags, Tags),
    Pair { left, right: renamed }: Pair,
    (u, v): &mut (Vec<u8>, Vec<u8>),
    named_by_fallback_only: Tags,
) -> Result<usize> {
    b.0.push("b");
    u.push(1);
    v.push(1);
    yield_now().await;
    drop((a, b, left));
    down()
}

#[fallback(|_| Ok(job() + 1))]
#[timeout("1s")]
async fn send_but_not_sync(job: Box<dyn Fn() -> u32 + Send>, consumed: Box<dyn Fn() -> u32 + Send>) -> Result<u32> {
    yield_now().await;
    down::<u32>().map(|_| consumed())
}

#[fallback(|_| handler(0).await)]
async fn impl_arguments(handler: impl AsyncFnOnce(u32) -> Result<String>, text: impl Into<String>) -> Result<String> {
    let text = text.into();
    down::<()>().map(|()| text)
}

#[fallback(handler)]
async fn path_of_an_argument<H: AsyncFnOnce(Error) -> Result<u32>>(handler: H) -> Result<u32> {
    down()
}

#[resilient(
    retry(max_attempts = 2, base_delay = 0ms),
    fallback(|_| Ok(tags)),
    bulkhead,
    timeout("1s"),
    order = "as_written"
)]
async fn below_a_retry(tags: Tags) -> Result<Tags> {
    yield_now().await;
    drop(tags);
    down()
}

#[fallback(|_| Ok(__ret + __error + &__out + error))]
async fn named_like_ours(__ret: String, __error: &str, __out: String, error: &str) -> Result<String> {
    drop(__out);
    down()
}

#[fallback(|_| Ok(here.0.len()))]
#[stale_if_error("1m", key = here.0.len())]
#[retry(base_delay = 0ms)]
async fn configured(#[cfg(not(any()))] here: Tags, #[cfg(any())] gone: Missing) -> Result<usize> {
    #[cfg(any())]
    drop(gone);
    drop(here);
    down()
}

#[tokio::test(start_paused = true)]
async fn arguments_as_passed() {
    let (one, other) = spawned(as_passed(tags(1), tags(2))).await.unwrap();
    assert_eq!((one.0, other.0.len()), (vec!["t", "fallback"], 2));
    assert_eq!(spawned(not_changed(tags(1))).await.unwrap(), 1);
    let mut vectors = (vec![], vec![]);
    let pair = Pair { left: tags(1), right: 10 };
    assert_eq!(patterns((tags(1), tags(1)), pair, &mut vectors, tags(1)).await.unwrap(), 15);
    assert_eq!(spawned(send_but_not_sync(Box::new(|| 1), Box::new(|| 1))).await.unwrap(), 2);
    assert_eq!(impl_arguments(async |n| Ok(n.to_string()), "x").await.unwrap(), "0");
    assert_eq!(path_of_an_argument(async |_| Ok(3)).await.unwrap(), 3);
    assert_eq!(spawned(below_a_retry(tags(1))).await.unwrap().0.len(), 1);
    assert_eq!(named_like_ours("a".into(), "b", "c".into(), "d").await.unwrap(), "abcd");
    assert_eq!(spawned(configured(tags(2))).await.unwrap(), 2);
}
