//! Where the chance in a pause comes from.

use std::cell::RefCell;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

thread_local! {
    /// The generator of a thread that was given a seed.
    static SEEDED: RefCell<Option<Xoshiro256PlusPlus>> = const { RefCell::new(None) };
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
    SEEDED.set(Some(Xoshiro256PlusPlus::seed_from_u64(seed)));
}

/// The next draw, uniform in `[0, 1)`.
pub(super) fn unit() -> f64 {
    SEEDED.with_borrow_mut(|seeded| seeded.as_mut().map_or_else(rand::random, |generator| generator.random()))
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
        seed_jitter(1);
        let thousandths = |unit: f64| (unit * 1e3) as u32;
        assert_eq!([unit(), unit(), unit()].map(thousandths), [811, 747, 100]);
    }

    #[test]
    fn draws_are_in_the_unit_interval() {
        seed_jitter(3);
        assert!(draws().into_iter().all(|draw| (0.0..1.0).contains(&draw)));
    }
}
