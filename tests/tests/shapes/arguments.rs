//! What is passed, and how often it is passed.

use super::*;

/// `Clone`, but no `Copy`; `Send`, but no `Sync`.
#[derive(Clone)]
struct Tags(Vec<&'static str>, PhantomData<Cell<u32>>);

fn tags(n: usize) -> Tags {
    Tags(vec!["t"; n], PhantomData)
}

struct NoClone;

#[in_every_stack]
mod owned {
    use super::*;

    // Every attempt sees it as passed.
    #[guarded]
    async fn changed(mut tags: Tags, seen: &Mutex<Vec<usize>>, attempts: &Attempts) -> Result<usize> {
        tags.0.push("added");
        seen.lock().unwrap().push(tags.0.len());
        yield_now().await;
        attempts.next()?;
        Ok(tags.0.into_iter().count())
    }

    #[guarded]
    async fn consumed(tags: Tags, attempts: &Attempts) -> Result<usize> {
        let list = tags.0;
        yield_now().await;
        attempts.next()?;
        Ok(list.into_iter().count())
    }

    #[guarded]
    async fn shadowed(tags: Tags, attempts: &Attempts) -> Result<usize> {
        let mut tags = tags;
        tags.0.push("more");
        let tags: Vec<_> = tags.0.into_iter().map(str::len).collect();
        yield_now().await;
        attempts.next()?;
        Ok(tags.len())
    }

    // What the body does not name need not be cloned.
    #[guarded]
    async fn unmentioned(kept: Arc<NoClone>, _unused: NoClone, _: NoClone, attempts: &Attempts) -> Result<usize> {
        yield_now().await;
        attempts.next()?;
        Ok(Arc::strong_count(&kept))
    }

    #[guarded]
    async fn in_a_format_string(tags: String, width: usize, attempts: &Attempts) -> Result<String> {
        let shown = format!("{tags:>width$}");
        yield_now().await;
        attempts.next()?;
        Ok(shown)
    }

    #[guarded]
    async fn array<const N: usize>(mut bytes: [u8; N], more: [String; N], attempts: &Attempts) -> Result<usize> {
        bytes[0] += 1;
        yield_now().await;
        attempts.next()?;
        Ok(usize::from(bytes[0]) + more.concat().len())
    }

    #[guarded]
    async fn raw(r#type: String, r#match: &Attempts) -> Result<String> {
        yield_now().await;
        r#match.next()?;
        Ok(format!("{type}{}", r#type))
    }

    #[guarded]
    async fn r#fn(mut r#mut: String, r#match: &Attempts) -> Result<String> {
        r#mut.push('!');
        yield_now().await;
        r#match.next()?;
        Ok(r#mut)
    }

    #[tokio::test(start_paused = true)]
    async fn cloned_where_it_must_be() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        assert_eq!(call(ATTEMPTS, |n| async move { changed(tags(1), &log, n).await }).await, 2);
        assert_eq!(*seen.lock().unwrap(), vec![2; ATTEMPTS as usize]);
        assert_eq!(call(ATTEMPTS, |n| consumed(tags(2), n)).await, 2);
        assert_eq!(call(ATTEMPTS, |n| shadowed(tags(1), n)).await, 2);
        assert!(call(ATTEMPTS, |n| unmentioned(Arc::new(NoClone), NoClone, NoClone, n)).await >= 1);
        assert_eq!(call(ATTEMPTS, |n| in_a_format_string("x".to_owned(), 3, n)).await, "  x");
        assert_eq!(call(ATTEMPTS, |n| array([1, 0], ["a".to_owned(), "b".to_owned()], n)).await, 4);
        assert_eq!(call(ATTEMPTS, |n| raw("x".to_owned(), n)).await, "xx");
        assert_eq!(call(ATTEMPTS, |n| r#fn("x".to_owned(), n)).await, "x!");
    }
}

#[in_every_stack]
mod borrowed {
    use super::*;

    #[guarded]
    async fn moved(log: &mut Vec<u32>, mut rest: &[u8], mut buffer: &mut [u8], attempts: &Attempts) -> Result<usize> {
        let log = log;
        log.push(1);
        rest = &rest[1..];
        buffer[0] += 1;
        buffer = &mut buffer[1..];
        yield_now().await;
        attempts.next()?;
        Ok(log.len() + rest.len() + buffer.len())
    }

    #[guarded]
    async fn callback(each: &mut (dyn FnMut() + Send), next: fn(u32) -> u32, attempts: &Attempts) -> Result<u32> {
        each();
        yield_now().await;
        attempts.next().map(next)
    }

    #[guarded(borrow(log))]
    async fn option(mut log: Option<&mut Vec<u32>>, attempts: &Attempts) -> Result<usize> {
        if let Some(log) = log.as_mut() {
            log.push(0);
        }
        yield_now().await;
        attempts.next()?;
        Ok(log.as_ref().map_or(0, |log| log.len()))
    }

    type Log<'a> = &'a mut Vec<u32>;

    // A name that hides a reference.
    #[guarded(borrow(log))]
    async fn alias(log: Log<'_>, attempts: &Attempts) -> Result<usize> {
        log.push(0);
        yield_now().await;
        attempts.next()?;
        Ok(log.len())
    }

    #[guarded(borrow(job, kept))]
    async fn listed(job: Box<dyn Fn() -> u32 + Send + Sync>, kept: NoCloneEither, attempts: &Attempts) -> Result<u32> {
        yield_now().await;
        attempts.next()?;
        Ok(job() + kept.0)
    }

    struct NoCloneEither(u32);

    #[tokio::test(start_paused = true)]
    async fn lent_again() {
        let made = ATTEMPTS as usize;
        let sum = call(ATTEMPTS, |n| async move { moved(&mut vec![], &[1, 2], &mut [0, 0], n).await });
        assert_eq!(sum.await, made + 2);
        let (sum, called) = call(ATTEMPTS, |n| async move {
            let mut called = 0;
            Ok((callback(&mut || called += 1, |n| n * 2, n).await?, called))
        })
        .await;
        assert_eq!((sum, called), (2 * ATTEMPTS, ATTEMPTS));
        assert_eq!(call(ATTEMPTS, |n| async move { option(Some(&mut vec![]), n).await }).await, made);
        assert_eq!(call(ATTEMPTS, |n| async move { alias(&mut vec![], n).await }).await, made);
        assert_eq!(call(ATTEMPTS, |n| listed(Box::new(|| 1), NoCloneEither(2), n)).await, 3);
    }
}

#[in_every_stack]
mod generic {
    use super::*;

    #[guarded]
    async fn into(text: impl Into<String> + Clone, attempts: &Attempts) -> Result<String> {
        yield_now().await;
        attempts.next()?;
        Ok(text.into())
    }

    #[guarded]
    async fn nested(lists: Vec<impl IntoIterator<Item = impl Into<u32>> + Clone>, attempts: &Attempts) -> Result<u32> {
        attempts.next()?;
        yield_now().await;
        Ok(lists.into_iter().flatten().map(Into::into).sum())
    }

    #[guarded]
    async fn by_reference(shown: &impl ToString, all: &mut impl Extend<u32>, attempts: &Attempts) -> Result<String> {
        all.extend([1]);
        let shown = shown.to_string();
        yield_now().await;
        attempts.next()?;
        Ok(shown)
    }

    #[guarded]
    async fn function(each: impl Fn(u32) -> u32 + Clone, attempts: &Attempts) -> Result<u32> {
        yield_now().await;
        attempts.next().map(each)
    }

    #[guarded(borrow(each))]
    async fn mutable_function(mut each: impl FnMut() -> u32, attempts: &Attempts) -> Result<u32> {
        let n = each();
        yield_now().await;
        attempts.next()?;
        Ok(n)
    }

    #[guarded(borrow(each))]
    async fn async_function<F, R>(each: F, attempts: &Attempts) -> Result<u32>
    where
        F: Fn(u32) -> R,
        R: Future<Output = u32>,
    {
        let n = each(1).await;
        attempts.next()?;
        Ok(n)
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_name() {
        assert_eq!(call(ATTEMPTS, |n| into("x", n)).await, "x");
        assert_eq!(call(ATTEMPTS, |n| nested(vec![vec![1_u8], vec![2]], n)).await, 3);
        let (shown, all) = call(ATTEMPTS, |n| async move {
            let mut all = Vec::new();
            Ok((by_reference(&7, &mut all, n).await?, all.len()))
        })
        .await;
        assert_eq!((shown.as_str(), all), ("7", ATTEMPTS as usize));
        assert_eq!(call(ATTEMPTS, |n| function(|n| n * 2, n)).await, 2 * ATTEMPTS);
        let mut called = 0;
        let each = move || {
            called += 1;
            called
        };
        assert_eq!(call(ATTEMPTS, |n| mutable_function(each, n)).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| async_function(|n| async move { n + 1 }, n)).await, 2);
    }
}

#[in_every_stack]
mod configured {
    use super::*;

    #[guarded]
    async fn here_or_gone(
        #[cfg(not(any()))] here: Tags,
        #[cfg(any())] gone: Missing,
        #[cfg(not(any()))] mut changed: Tags,
        #[cfg_attr(any(), cfg(any()))] kept: Tags,
        attempts: &Attempts,
    ) -> Result<usize> {
        #[cfg(any())]
        drop(gone);
        changed.0.push("x");
        yield_now().await;
        attempts.next()?;
        Ok(here.0.into_iter().chain(changed.0).chain(kept.0).count())
    }

    #[guarded]
    async fn one_of_two(
        #[cfg(any())] value: Missing,
        #[cfg(not(any()))] mut value: Tags,
        attempts: &Attempts,
    ) -> Result<usize> {
        value.0.push("x");
        yield_now().await;
        attempts.next()?;
        Ok(value.0.len())
    }

    #[guarded]
    async fn by_an_attribute(
        #[cfg_attr(all(), cfg(any()))] gone: Missing,
        #[cfg_attr(all(), allow(unused_variables))] unused: Tags,
        #[allow(unused_mut)] mut here: Tags,
        attempts: &Attempts,
    ) -> Result<usize> {
        #[cfg(any())]
        drop(gone);
        yield_now().await;
        attempts.next()?;
        Ok(here.0.into_iter().count())
    }

    #[tokio::test(start_paused = true)]
    async fn parameters() {
        assert_eq!(call(ATTEMPTS, |n| here_or_gone(tags(1), tags(1), tags(1), n)).await, 4);
        assert_eq!(call(ATTEMPTS, |n| one_of_two(tags(0), n)).await, 1);
        assert_eq!(call(ATTEMPTS, |n| by_an_attribute(tags(0), tags(1), n)).await, 1);
    }
}

/// A body that runs once may take what has no copy.
mod once {
    use super::*;

    #[timeout("1s")]
    async fn send_but_not_sync(job: Box<dyn FnOnce() -> u32 + Send>) -> Result<u32> {
        yield_now().await;
        Ok(job())
    }

    #[circuit_breaker]
    #[timeout("2s")]
    #[bulkhead]
    #[timeout("1s")]
    async fn in_many(kept: NoClone, mut text: String, log: &mut Vec<u32>) -> Result<(NoClone, String)> {
        text.push('!');
        log.push(1);
        yield_now().await;
        Ok((kept, text))
    }

    #[circuit_breaker(when = |_| !tags.0.is_empty())]
    #[timeout("2s")]
    #[bulkhead]
    #[timeout("1s")]
    async fn asked_and_consumed(tags: Tags, other: Tags, mut text: String) -> Result<(Tags, Tags, String)> {
        text.push('!');
        yield_now().await;
        Ok((tags, other, text))
    }

    #[tokio::test(start_paused = true)]
    async fn moved() {
        assert_eq!(call(0, |_| send_but_not_sync(Box::new(|| 1))).await, 1);
        assert_eq!(call(0, |_| async { in_many(NoClone, "x".to_owned(), &mut vec![]).await }).await.1, "x!");
        assert_eq!(call(0, |_| asked_and_consumed(tags(0), tags(0), "x".to_owned())).await.2, "x!");
    }
}
