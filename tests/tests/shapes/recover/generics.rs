//! Generic functions and methods of traits that recover.

use super::*;

trait Service {
    fn call(&self, name: &str) -> impl Future<Output = Result<String>> + Send;
}

impl Service for u32 {
    #[fallback(|_| Ok(format!("{name}{self}")))]
    #[stale_if_error("1m", key = name)]
    #[rate_limit("recover-service", limit = 100)]
    #[timeout("1s")]
    async fn call(&self, name: &str) -> Result<String> {
        let _ = name;
        down()
    }
}

trait WithDefault {
    #[resilient(fallback(|_| Ok(size_of_val(self))), retry(base_delay = 0ms))]
    async fn call(&self) -> Result<usize> {
        down()
    }
}

impl WithDefault for u64 {}

#[fallback(|_| Ok(fallback.clone()))]
#[retry(base_delay = 0ms)]
async fn generic<T, const N: usize>(items: [T; N], fallback: &T) -> Result<T>
where
    T: Clone + Send + Sync,
{
    let _ = items;
    down()
}

#[resilient(fallback(|_| Ok(0)), bulkhead)]
async fn recursive(n: u32) -> Result<u32> {
    if n == 0 { down() } else { Ok(n + Box::pin(recursive(n - 1)).await?) }
}

#[tokio::test(start_paused = true)]
async fn generic_functions() {
    assert_eq!(spawned(async { Service::call(&3_u32, "x").await.unwrap() }).await, "x3");
    assert_eq!(WithDefault::call(&1_u64).await.unwrap(), 8);
    assert_eq!(spawned(async { generic(["a"], &"b").await.unwrap() }).await, "b");
    assert_eq!(spawned(recursive(3)).await.unwrap(), 6);
}
