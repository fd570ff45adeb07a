//! What first attempts have earned and retries have spent. Pure: time comes in as an argument.
//!
//! A leaky token bucket with a reserve, as in Finagle's `RetryBudget`: deposits and withdrawals are kept in ten slices of
//! `ttl` and forgotten with their slice; a retry is allowed while the sum and the reserve cover it.

use std::collections::VecDeque;

use super::config::Settings;
use crate::time::{self, Instant};

const SLICES: u64 = 10;

/// Tokens are counted in millionths: a ratio like 0.34 is then exact, and sums do not drift.
const TOKEN: i128 = 1_000_000;

#[derive(Clone, Debug)]
pub(super) struct Account {
    settings: Settings,
    start: Instant,
    /// Slice number and what it holds; numbers ascend.
    slices: VecDeque<(u64, i128)>,
    balance: i128,
}

impl Account {
    pub(super) fn new(settings: Settings, now: Instant) -> Self {
        Self { settings, start: now, slices: VecDeque::new(), balance: 0 }
    }

    fn reserve(&self) -> i128 {
        let seconds = self.settings.ttl.as_secs_f64().min(1e9);
        (f64::from(self.settings.min_per_second) * seconds * TOKEN as f64) as i128
    }

    /// Forgets old slices, and returns the number of the present one.
    fn forget_old(&mut self, now: Instant) -> u64 {
        let slice = (time::nanos(self.settings.ttl) / SLICES).max(1);
        let current = time::nanos(now.saturating_duration_since(self.start)) / slice;
        while let Some((number, held)) = self.slices.front().copied() {
            if number.saturating_add(SLICES) > current {
                break;
            }
            self.balance -= held;
            self.slices.pop_front();
        }
        current
    }

    fn add(&mut self, tokens: i128, now: Instant) {
        let current = self.forget_old(now);
        self.balance += tokens;
        match self.slices.back_mut() {
            Some((number, held)) if *number >= current => *held += tokens,
            _ => self.slices.push_back((current, tokens)),
        }
    }

    /// A first attempt earns `ratio` tokens.
    pub(super) fn deposit(&mut self, now: Instant) {
        // Bounded such that no number of calls overflows the sum.
        self.add((self.settings.ratio * TOKEN as f64).min(1e18) as i128, now);
    }

    /// A retry spends a token, if there is one.
    pub(super) fn withdraw(&mut self, now: Instant) -> bool {
        self.forget_old(now);
        let allowed = self.balance + self.reserve() >= TOKEN;
        if allowed {
            self.add(-TOKEN, now);
        }
        allowed
    }

    /// Retries that would be allowed at once.
    pub(super) fn available(&mut self, now: Instant) -> u32 {
        self.forget_old(now);
        u32::try_from((self.balance + self.reserve()).max(0) / TOKEN).unwrap_or(u32::MAX)
    }

    /// Takes on other options; what was earned and spent stays until it is old.
    pub(super) fn reconfigure(&mut self, settings: Settings, now: Instant) {
        self.forget_old(now);
        if settings.ttl != self.settings.ttl {
            // Slices of another length have other numbers: what is there counts as of now.
            self.slices.clear();
            self.start = now;
            self.settings = settings;
            let kept = std::mem::take(&mut self.balance);
            self.add(kept, now);
        }
        self.settings = settings;
    }
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
    fn a_reserve_is_always_there_and_comes_back() {
        let start = time::now();
        let mut account = Account::new(settings(0.0, 2), start);
        let spent = |account: &mut Account, now| (0..100).filter(|_| account.withdraw(now)).count();
        assert_eq!(spent(&mut account, start), 20, "two a second, for ten seconds");
        assert_eq!(spent(&mut account, start + Duration::from_secs(9)), 0);
        assert_eq!(spent(&mut account, start + Duration::from_secs(10)), 20);
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
