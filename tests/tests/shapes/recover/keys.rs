//! Keys of remembered values.

use super::*;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Region {
    North,
}

struct Cache<T> {
    item: T,
}

impl<T: Clone + Send + Sync + Hash + Eq + 'static> Cache<T> {
    #[stale_if_error("1m", key = (&self.item, key, (region, number), text, &*text, slice, [1_u8]), capacity = CAPACITY)]
    #[retry(base_delay = 0ms)]
    #[timeout("1s")]
    async fn get<K: Hash + Eq + Clone + Send + Sync + 'static>(
        &self,
        key: &K,
        region: Region,
        number: &u32,
        text: &str,
        slice: &[u8],
        fails: bool,
    ) -> Result<Arc<T>> {
        let _ = (key, region, number, text, slice);
        yield_now().await;
        if fails { down() } else { Ok(Arc::new(self.item.clone())) }
    }
}

const CAPACITY: u32 = 100;

#[stale_if_error(limit)]
async fn no_key(limit: std::time::Duration, fails: bool) -> Result<u32> {
    if fails { down() } else { Ok(1) }
}

#[stale_if_error("1m", key = format!("{text}-{}", tags.len()))]
async fn computed(text: &str, tags: Vec<u8>, fails: bool) -> Result<Vec<u8>> {
    if fails { down() } else { Ok(text.bytes().chain(tags).collect()) }
}

#[tokio::test]
async fn every_key() {
    for fails in [false, true] {
        let cache = Cache { item: 7 };
        let got = spawned(async move { cache.get(&"k", Region::North, &1, "x", &[1], fails).await.unwrap() });
        assert_eq!(*got.await, 7);
        assert_eq!(spawned(no_key(std::time::Duration::from_secs(9), fails)).await.unwrap(), 1);
        assert_eq!(spawned(computed("x", vec![1], fails)).await.unwrap(), [120, 1]);
    }
}
