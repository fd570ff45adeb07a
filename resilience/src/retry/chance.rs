//! Where the chance in a pause comes from.

use std::cell::Cell;
use std::hash::{BuildHasher, Hasher, RandomState};

thread_local! {
    /// The state of this thread's generator. It begins anywhere: the keys of std's hash maps come from the system.
    static STATE: Cell<u64> = Cell::new(RandomState::new().build_hasher().finish());
}

/// Makes the jitter of all retries on this thread repeatable: from now on it is drawn from a generator with this seed.
///
/// For tests and simulations on a current-thread runtime; one with several threads deals out the draws by chance. Other
/// threads are not concerned. The same seed gives the same draws on every machine. Never seed what serves real calls:
/// processes with one seed pause alike, which is what jitter is there to prevent.
///
/// # Examples
///
/// ```
/// use std::io;
/// use std::time::Duration;
/// use resilience::{Deadline, Retry, retry};
///
/// async fn time_left() -> Duration {
///     let deadline = Deadline::after(Duration::from_secs(60));
///     let down = || async { Err::<(), _>(io::Error::from(io::ErrorKind::ConnectionRefused)) };
///     assert!(Retry::new(retry::Config::new()).call(down).await.is_err());
///     deadline.remaining()
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// retry::seed_jitter(7);
/// let left = time_left().await;
/// retry::seed_jitter(7);
/// assert_eq!(time_left().await, left);
/// # });
/// ```
pub fn seed_jitter(seed: u64) {
    STATE.set(seed);
}

/// The next draw, uniform in `[0, 1)`.
pub(super) fn unit() -> f64 {
    // As many bits as the significand has: each of them is exact.
    const ULP: f64 = 1.0 / (1_u64 << 53) as f64;
    let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(state);
    (mix(state) >> 11) as f64 * ULP
}

/// The output of splitmix64 (Steele, Lea, Flood 2014): the state counts in steps of the golden ratio, this scatters it.
const fn mix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws() -> Vec<f64> {
        (0..100).map(|_| unit()).collect()
    }

    #[test]
    fn a_seed_repeats_the_draws_of_its_thread_and_of_no_other() {
        let unseeded = draws();
        assert_ne!(draws(), unseeded);
        seed_jitter(7);
        let first = draws();
        assert_ne!(draws(), first, "the generator goes on");
        seed_jitter(7);
        assert_eq!(draws(), first);
        seed_jitter(8);
        assert_ne!(draws(), first);
        let elsewhere = std::thread::spawn(draws).join().expect("no panic");
        seed_jitter(8);
        assert_ne!(draws(), elsewhere);
    }

    /// A program that stores results counts on it. The words are the published ones of splitmix64.
    #[test]
    fn a_seed_means_the_same_on_every_machine() {
        seed_jitter(1_234_567);
        let words = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        for word in words {
            assert_eq!((unit() * (1_u64 << 53) as f64) as u64, word >> 11);
        }
    }

    #[test]
    fn draws_are_in_the_unit_interval() {
        seed_jitter(3);
        assert!(draws().into_iter().all(|draw| (0.0..1.0).contains(&draw)));
    }

    #[test]
    fn draws_fill_the_unit_interval_evenly() {
        seed_jitter(4);
        let mut tenths = [0_u32; 10];
        for _ in 0..10_000 {
            tenths[(unit() * 10.0) as usize] += 1;
        }
        // Five standard deviations.
        assert!(tenths.iter().all(|count| (850..1150).contains(count)), "{tenths:?}");
    }
}
