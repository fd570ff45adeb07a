//! The clients: each asks, waits for its answer, does something else, and asks again.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use resilience::retry::ByClass;
use resilience::{CircuitBreaker, Class, Classify, Retry, timeout};
use resilience_examples::clock::Clock;

use crate::record::Record;
use crate::script::{FAILURE, RECOVERY};
use crate::server::Server;

/// How long a client does something else between two requests, on average.
pub(crate) const BETWEEN_REQUESTS: Duration = Duration::from_secs(10);

/// A program of the fleet. Its clients share what a program shares: options, a retry budget, a circuit breaker.
pub(crate) struct Program {
    pub(crate) clock: Clock,
    pub(crate) server: Arc<Server>,
    pub(crate) record: Arc<Record>,
    /// The budget is in it.
    pub(crate) retry: Retry<ByClass>,
    pub(crate) breaker: Option<CircuitBreaker>,
}

impl Program {
    /// A request: as many calls as the policies allow.
    async fn request(&self) -> Result<(), CallError> {
        self.retry.call(|| self.attempt()).await
    }

    async fn attempt(&self) -> Result<(), CallError> {
        match self.breaker {
            Some(breaker) => breaker.call_classified(self.call()).await?,
            None => self.call().await,
        }
    }

    /// No client waits longer for an answer.
    #[timeout("1s")]
    async fn call(&self) -> Result<(), CallError> {
        self.server.call().await
    }
}

/// One client.
pub(crate) struct Client {
    program: Arc<Program>,
    random: Xoshiro256PlusPlus,
    /// It has had an answer since the recovery.
    back: bool,
}

impl Client {
    /// The same seed makes a client that does the same things, as long as it is treated the same.
    pub(crate) fn new(program: Arc<Program>, seed: u64) -> Self {
        Self { program, random: Xoshiro256PlusPlus::seed_from_u64(seed), back: false }
    }

    /// Lives until it is dropped.
    pub(crate) async fn live(mut self) {
        let mut now = Duration::ZERO;
        loop {
            let asked = self.next_request(now);
            let Program { clock, record, .. } = &*self.program;
            clock.until(asked).await;
            record.begin();
            let answered = self.program.request().await.is_ok();
            now = clock.elapsed();
            record.end(now - asked, answered);
            if answered && now >= RECOVERY && !self.back {
                self.back = true;
                record.back(now);
            }
        }
    }

    /// A Poisson process. But each client holds a connection, and the loss of that is noticed: all ask at once then.
    fn next_request(&mut self, now: Duration) -> Duration {
        let next = now + BETWEEN_REQUESTS.mul_f64(-(1.0 - self.random.random::<f64>()).ln());
        if now < FAILURE { next.min(FAILURE) } else { next }
    }
}

/// Why a call had no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The server failed, or had no room.
    Unreachable,
    /// A policy refused the call, or cut it short.
    Refused(resilience::Error),
}

impl From<resilience::Error> for CallError {
    fn from(error: resilience::Error) -> Self {
        Self::Refused(error)
    }
}

impl Classify for CallError {
    fn classify(&self) -> Class {
        match self {
            Self::Unreachable => Class::Transient,
            Self::Refused(error) => error.classify(),
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable => f.write_str("the server cannot be reached"),
            Self::Refused(error) => error.fmt(f),
        }
    }
}
