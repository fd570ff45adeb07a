//! `self` in what stands in for a failed result.

use super::*;

#[derive(Default)]
struct Client {
    calls: u32,
}

impl Client {
    #[fallback(|_| self.offline(key).await)]
    #[retry(base_delay = 0ms)]
    #[circuit_breaker("recover-receivers", min_calls = 50)]
    #[timeout("3s")]
    async fn shared(&self, key: &str) -> Result<String> {
        yield_now().await;
        down::<()>()?;
        Ok(key.to_owned())
    }

    async fn offline(&self, key: &str) -> Result<String> {
        yield_now().await;
        Ok(format!("{key}{}", self.calls))
    }

    #[fallback(|_| {
        self.calls += 10;
        Ok(self.calls)
    })]
    #[retry(base_delay = 0ms, max_attempts = 2)]
    #[timeout("1s")]
    async fn unique(&mut self) -> Result<u32> {
        self.calls += 1;
        yield_now().await;
        down()
    }

    #[timeout("9s")]
    #[fallback(|_| Ok(self.calls + more.len() as u32))]
    #[bulkhead]
    #[timeout("1s")]
    async fn in_a_block(&mut self, more: String) -> Result<u32> {
        self.calls += 1;
        drop(more);
        yield_now().await;
        down()
    }

    #[fallback(Self::handler)]
    #[retry(base_delay = 0ms)]
    async fn consumed(mut self) -> Result<u32> {
        self.calls += 1;
        down()
    }

    async fn handler(_: Error) -> Result<u32> {
        Ok(7)
    }

    #[fallback(|_| Ok(self.calls))]
    #[stale_if_error("1m")]
    async fn arc(self: Arc<Self>) -> Result<u32> {
        down()
    }

    #[stale_if_error("1m", key = (self.calls, key), when = |_| self.calls < 5)]
    #[timeout("1s")]
    async fn remembered(&mut self, key: &str, fails: bool) -> Result<usize> {
        if fails { down() } else { Ok(key.len()) }
    }

    #[rate_limit(limit = 100, permits = tags.len() as u32)]
    #[timeout("1s")]
    async fn limited(&self, tags: Vec<String>) -> Result<Vec<String>> {
        Ok(tags)
    }

    #[resilient(fallback(value = self.calls), retry(base_delay = 0ms), timeout("1s"))]
    async fn listed(&self) -> Result<u32> {
        down()
    }
}

#[tokio::test(start_paused = true)]
async fn every_receiver() {
    let new = Client::default;
    assert_eq!(spawned(async move { new().shared("x").await.unwrap() }).await, "x0");
    assert_eq!(spawned(async move { new().unique().await.unwrap() }).await, 12);
    assert_eq!(spawned(async move { new().in_a_block("abc".into()).await.unwrap() }).await, 4);
    assert_eq!(spawned(async move { new().consumed().await.unwrap() }).await, 7);
    assert_eq!(spawned(Arc::new(new()).arc()).await.unwrap(), 0);
    assert_eq!(spawned(async move { new().remembered("abc", false).await.unwrap() }).await, 3);
    assert_eq!(spawned(async move { new().remembered("abc", true).await.unwrap() }).await, 3);
    assert_eq!(spawned(async move { new().limited(vec!["x".into()]).await.unwrap() }).await, ["x"]);
    assert_eq!(spawned(async move { new().listed().await.unwrap() }).await, 0);
}
