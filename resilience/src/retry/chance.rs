//! Where the chance in a pause comes from.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher, RandomState};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

thread_local! {
    /// This thread's generator. It begins anywhere: the keys of std's hash maps come from the system. What it draws from a seed is
    /// promised by its crate.
    static GENERATOR: RefCell<Xoshiro256PlusPlus> = RefCell::new(seeded(RandomState::new().build_hasher().finish()));
}

fn seeded(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
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
    GENERATOR.set(seeded(seed));
}

/// The next draw, uniform in `[0, 1)`.
pub(super) fn unit() -> f64 {
    // As many bits as the significand has: each of them is exact.
    const ULP: f64 = 1.0 / (1_u64 << 53) as f64;
    let word = GENERATOR.with_borrow_mut(Xoshiro256PlusPlus::next_u64);
    (word >> 11) as f64 * ULP
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

    /// A program that stores results counts on it.
    #[test]
    fn a_seed_means_the_same_on_every_machine() {
        seed_jitter(1_234_567);
        let words: Vec<_> = (0..3).map(|_| (unit() * (1_u64 << 53) as f64) as u64).collect();
        // Worked out by hand from the published generators: xoshiro256++, its state filled by splitmix64.
        assert_eq!(words, [213_425_690_749_621, 3_968_340_339_836_159, 8_851_889_813_974_390]);
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
