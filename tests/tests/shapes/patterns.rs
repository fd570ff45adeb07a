//! Arguments that are patterns.

use super::*;

/// `Clone`, but no `Copy`; `Send`, but no `Sync`.
#[derive(Clone)]
struct Tags(Vec<&'static str>, PhantomData<Cell<u32>>);

fn tags(n: usize) -> Tags {
    Tags(vec!["t"; n], PhantomData)
}

struct Pair {
    left: Tags,
    right: u32,
}

#[derive(Clone)]
struct Wrapper(Tags);

#[derive(Clone, Copy)]
struct Unit;

#[in_every_stack]
mod owned {
    use super::*;

    #[guarded]
    async fn tuple((a, mut b): (Tags, Tags), attempts: &Attempts) -> Result<usize> {
        b.0.push("b");
        yield_now().await;
        attempts.next()?;
        Ok([a, b].iter().map(|tags| tags.0.len()).sum())
    }

    #[guarded]
    async fn fields(Pair { left, right: mut renamed }: Pair, attempts: &Attempts) -> Result<usize> {
        renamed += 1;
        yield_now().await;
        attempts.next()?;
        Ok(left.0.into_iter().count() + renamed as usize)
    }

    #[guarded]
    async fn rest(Pair { left, .. }: Pair, (first, ..): (Tags, Tags), attempts: &Attempts) -> Result<usize> {
        yield_now().await;
        attempts.next()?;
        Ok(left.0.into_iter().chain(first.0).count())
    }

    #[guarded]
    async fn array([first, .., mut last]: [Tags; 3], attempts: &Attempts) -> Result<usize> {
        last.0.push("last");
        yield_now().await;
        attempts.next()?;
        Ok(first.0.into_iter().chain(last.0).count())
    }

    #[guarded]
    async fn bound(whole @ Wrapper(_): Wrapper, mut other @ [_, _]: [u8; 2], attempts: &Attempts) -> Result<usize> {
        other[0] += 1;
        yield_now().await;
        attempts.next()?;
        let Wrapper(Tags(tags, _)) = whole;
        Ok(tags.into_iter().count() + usize::from(other[0]))
    }

    #[guarded]
    async fn nested(
        (Wrapper(Tags(list, _)), Pair { left: Tags(mut more, _), right }): (Wrapper, Pair),
        attempts: &Attempts,
    ) -> Result<usize> {
        more.push("more");
        yield_now().await;
        attempts.next()?;
        Ok(list.into_iter().chain(more).count() + right as usize)
    }

    #[guarded]
    async fn nothing(
        _: Tags,
        Unit: Unit,
        (): (),
        _unnamed: Tags,
        (_, n): (Tags, u32),
        attempts: &Attempts,
    ) -> Result<u32> {
        yield_now().await;
        attempts.next()?;
        Ok(n)
    }

    #[guarded]
    async fn parenthesised(#[allow(unused_parens)] (n): (u32), attempts: &Attempts) -> Result<u32> {
        yield_now().await;
        attempts.next()?;
        Ok(n)
    }

    #[tokio::test(start_paused = true)]
    async fn taken_apart() {
        let pair = |left, right| Pair { left: tags(left), right };
        assert_eq!(call(ATTEMPTS, |n| async move { tuple((tags(1), tags(2)), n).await }).await, 4);
        assert_eq!(call(ATTEMPTS, |n| fields(pair(2, 3), n)).await, 6);
        assert_eq!(call(ATTEMPTS, |n| rest(pair(1, 0), (tags(2), tags(0)), n)).await, 3);
        assert_eq!(call(ATTEMPTS, |n| array([tags(1), tags(0), tags(2)], n)).await, 4);
        assert_eq!(call(ATTEMPTS, |n| bound(Wrapper(tags(2)), [3, 0], n)).await, 6);
        assert_eq!(call(ATTEMPTS, |n| nested((Wrapper(tags(1)), pair(1, 10)), n)).await, 13);
        assert_eq!(call(ATTEMPTS, |n| nothing(tags(1), Unit, (), tags(1), (tags(1), 7), n)).await, 7);
        assert_eq!(call(ATTEMPTS, |n| parenthesised(5, n)).await, 5);
    }
}

#[in_every_stack]
mod borrowed {
    use super::*;

    #[guarded]
    async fn copied(&(x, y): &(u8, u8), &[first, ..]: &[u8; 2], attempts: &Attempts) -> Result<u8> {
        yield_now().await;
        attempts.next()?;
        Ok(x + y + first)
    }

    #[guarded]
    async fn shared((s, t): &(Wrapper, Pair), Pair { left, right }: &Pair, attempts: &Attempts) -> Result<usize> {
        yield_now().await;
        attempts.next()?;
        Ok(s.0.0.len() + t.left.0.len() + left.0.len() + *right as usize)
    }

    #[guarded]
    async fn unique((u, v): &mut (Vec<u8>, Vec<u8>), [w, ..]: &mut [Vec<u8>; 2], attempts: &Attempts) -> Result<usize> {
        u.push(1);
        v.push(1);
        w.push(1);
        yield_now().await;
        attempts.next()?;
        Ok(u.len() + v.len() + w.len())
    }

    #[guarded]
    async fn inside((a, b): (&mut Vec<u8>, &Vec<u8>), attempts: &Attempts) -> Result<usize> {
        a.push(1);
        yield_now().await;
        attempts.next()?;
        Ok(a.len() + b.len())
    }

    #[guarded]
    async fn by_ref(ref kept: u32, ref mut changed: u32, attempts: &Attempts) -> Result<u32> {
        *changed += 1;
        yield_now().await;
        attempts.next()?;
        Ok(*kept + *changed)
    }

    #[tokio::test(start_paused = true)]
    async fn looked_through() {
        let pair = |left, right| Pair { left: tags(left), right };
        let list = Vec::new;
        let made = ATTEMPTS as usize;
        assert_eq!(call(ATTEMPTS, |n| copied(&(1, 2), &[3, 0], n)).await, 6);
        let sum = call_here(ATTEMPTS, |n| async move { shared(&(Wrapper(tags(1)), pair(2, 0)), &pair(3, 4), n).await });
        assert_eq!(sum.await, 10);
        let sum = call(ATTEMPTS, |n| async move { unique(&mut (list(), list()), &mut [list(), list()], n).await });
        assert_eq!(sum.await, 3 * made);
        assert_eq!(call(ATTEMPTS, |n| async move { inside((&mut list(), &list()), n).await }).await, made);
        // What is bound by reference is the function's own: attempts share it.
        assert_eq!(call(ATTEMPTS, |n| by_ref(10, 0, n)).await, 10 + ATTEMPTS);
    }
}
