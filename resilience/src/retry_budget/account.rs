//! What first attempts have earned, and a reserve that is always there. Pure: time comes in as an argument.
//!
//! Deposits are kept in ten slices of `ttl` and forgotten with their slice; a retry spends from the reserve first, then from
//! the oldest deposits. The reserve is refilled continuously, to at most a second's worth.

use std::collections::VecDeque;

use super::config::Settings;
use crate::time::{self, Instant};

const SLICES: u64 = 10;

/// Tokens are counted in billionths: a ratio like 0.34 is then exact, sums do not drift, and a token a second is one a
/// nanosecond.
const TOKEN: i128 = 1_000_000_000;

#[derive(Clone, Debug)]
pub(super) struct Account {
    settings: Settings,
    start: Instant,
    /// Slice number and what is left of its deposits; numbers ascend.
    deposits: VecDeque<(u64, i128)>,
    /// The sum of the deposits.
    earned: i128,
    reserve: i128,
    /// When `reserve` was right.
    at: Instant,
}

impl Account {
    /// Nothing earned, and the reserve full.
    pub(super) fn new(settings: Settings, now: Instant) -> Self {
        let reserve = full_reserve(&settings);
        Self { settings, start: now, deposits: VecDeque::new(), earned: 0, reserve, at: now }
    }

    /// Lets time pass: forgets old deposits, refills the reserve. Returns the number of the present slice.
    fn look(&mut self, now: Instant) -> u64 {
        let elapsed = i128::from(time::nanos(now.saturating_duration_since(self.at)));
        let refilled = self.reserve.saturating_add(elapsed.saturating_mul(i128::from(self.settings.min_per_second)));
        self.reserve = refilled.min(full_reserve(&self.settings));
        if now < self.at {
            // Another runtime's clock: what is there counts as of now.
            self.renumber(now);
        }
        self.at = now;
        let slice = (time::nanos(self.settings.ttl) / SLICES).max(1);
        let current = time::nanos(now.saturating_duration_since(self.start)) / slice;
        while let Some((number, held)) = self.deposits.front().copied() {
            if number.saturating_add(SLICES) > current {
                break;
            }
            self.earned -= held;
            self.deposits.pop_front();
        }
        current
    }

    /// Takes all deposits for deposits of now.
    fn renumber(&mut self, now: Instant) {
        self.start = now;
        self.deposits.clear();
        self.deposits.push_back((0, self.earned));
    }

    /// A first attempt earns `ratio` tokens.
    pub(super) fn deposit(&mut self, now: Instant) {
        let current = self.look(now);
        // Bounded such that no number of calls overflows the sum.
        let tokens = (self.settings.ratio * TOKEN as f64).min(1e18).round() as i128;
        self.earned += tokens;
        match self.deposits.back_mut() {
            Some((number, held)) if *number == current => *held += tokens,
            _ => self.deposits.push_back((current, tokens)),
        }
    }

    /// A retry spends a token, if there is one.
    pub(super) fn withdraw(&mut self, now: Instant) -> bool {
        self.look(now);
        if self.reserve + self.earned < TOKEN {
            return false;
        }
        let from_reserve = self.reserve.min(TOKEN);
        self.reserve -= from_reserve;
        let mut due = TOKEN - from_reserve;
        self.earned -= due;
        while let Some((_, held)) = self.deposits.front_mut() {
            let spent = due.min(*held);
            *held -= spent;
            due -= spent;
            if *held > 0 {
                break;
            }
            self.deposits.pop_front();
        }
        true
    }

    /// Retries that would be allowed at once.
    pub(super) fn available(&mut self, now: Instant) -> u32 {
        // A reader on another runtime, whose clock is behind, changes nothing.
        if now >= self.at {
            self.look(now);
        }
        u32::try_from((self.reserve + self.earned) / TOKEN).unwrap_or(u32::MAX)
    }

    /// Takes on other options; what was earned stays until it is old.
    pub(super) fn reconfigure(&mut self, settings: Settings, now: Instant) {
        self.look(now);
        if settings.ttl != self.settings.ttl {
            // Slices of another length have other numbers.
            self.renumber(now);
        }
        self.settings = settings;
        self.reserve = self.reserve.min(full_reserve(&settings));
    }
}

/// A second's worth.
fn full_reserve(settings: &Settings) -> i128 {
    i128::from(settings.min_per_second) * TOKEN
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn settings(ratio: f64, min_per_second: u32) -> Settings {
        Settings { ratio, min_per_second, ttl: Duration::from_secs(10) }
    }

    #[test]
    fn rb01_the_ratio_is_not_cut() {
        let now = time::now();
        for ratio in [0.1, 0.3, 0.34, 0.5, 0.6, 0.9, 1.5] {
            let mut account = Account::new(settings(ratio, 0), now);
            let mut retries = 0;
            for call in 0..10_000 {
                account.deposit(now);
                if call % 2 == 0 {
                    // Each failed call would retry as often as it may.
                    while account.withdraw(now) {
                        retries += 1;
                    }
                }
            }
            let most = (ratio * 10_000.0).ceil() as u32;
            assert!(retries <= most && retries + 2 >= most, "{retries} retries at {ratio}");
        }
    }

    #[test]
    fn the_reserve_is_a_rate() {
        let start = time::now();
        let mut account = Account::new(settings(0.0, 2), start);
        let mut spent = |after: u64| {
            let now = start + Duration::from_millis(after);
            (0..100).filter(|_| account.withdraw(now)).count()
        };
        assert_eq!([spent(0), spent(400), spent(500), spent(1000)], [2, 0, 1, 1]);
        assert_eq!(spent(60_000), 2, "never more than a second's worth");
    }

    #[test]
    fn what_is_spent_does_not_come_back_when_it_would_have_expired() {
        let start = time::now();
        let mut account = Account::new(settings(1.0, 0), start);
        account.deposit(start);
        account.deposit(start + Duration::from_secs(5));
        assert!(account.withdraw(start + Duration::from_secs(5)));
        assert_eq!(account.available(start + Duration::from_secs(12)), 1, "the older one was spent");
        assert_eq!(account.available(start + Duration::from_secs(15)), 0);
    }

    #[test]
    fn another_clock_is_taken_as_it_is() {
        let ahead = time::now() + Duration::from_secs(3600);
        let mut account = Account::new(settings(1.0, 1), ahead);
        account.deposit(ahead);
        assert!(account.withdraw(ahead), "from the reserve");
        let back = ahead - Duration::from_secs(3600);
        assert_eq!(account.available(back + Duration::from_secs(60)), 1, "a reader changes nothing");
        account.deposit(back);
        assert_eq!(account.available(back), 2);
        assert_eq!(account.available(back + Duration::from_secs(1)), 3);
        assert_eq!(account.available(back + Duration::from_secs(10)), 1);
    }

    #[test]
    fn deposits_expire() {
        let start = time::now();
        let mut account = Account::new(settings(1.0, 0), start);
        account.deposit(start);
        account.deposit(start + Duration::from_secs(5));
        assert_eq!(account.available(start + Duration::from_secs(9)), 2);
        assert_eq!(account.available(start + Duration::from_secs(10)), 1);
        assert_eq!(account.available(start + Duration::from_secs(15)), 0);
    }

    #[test]
    fn nothing_is_allowed_where_both_are_zero() {
        let now = time::now();
        let mut account = Account::new(settings(0.0, 0), now);
        account.deposit(now);
        assert!(!account.withdraw(now));
    }

    #[test]
    fn other_options_keep_what_was_earned() {
        let now = time::now();
        let mut account = Account::new(settings(1.0, 0), now);
        (0..5).for_each(|_| account.deposit(now));
        account.reconfigure(Settings { ttl: Duration::from_secs(60), ..settings(0.5, 0) }, now);
        assert_eq!(account.available(now), 5);
        account.deposit(now);
        account.deposit(now);
        assert_eq!(account.available(now + Duration::from_secs(59)), 6);
        assert_eq!(account.available(now + Duration::from_secs(60)), 0);
    }
}
