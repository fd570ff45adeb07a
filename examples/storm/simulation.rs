//! A run: one fleet, one server and one strategy, on virtual time.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use resilience::{CircuitBreaker, Retry, RetryBudget, retry};
use resilience_examples::clock::Clock;
use tokio::runtime::Builder;

use crate::client::{BETWEEN_REQUESTS, Client, Program};
use crate::record::{Pages, Record};
use crate::server::Server;
use crate::strategies::Strategy;

/// The share of the server's capacity that the clients use while all is well.
const UTILISATION: f64 = 0.65;

/// So many clients are one program.
pub(crate) const CLIENTS_PER_PROGRAM: u32 = 100;

/// What is the same for all strategies.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) clients: u32,
    pub(crate) seed: u64,
    pub(crate) length: Duration,
    pub(crate) max_delay: Duration,
}

impl Plan {
    /// The calls a second that the server can do.
    pub(crate) fn capacity(&self) -> f64 {
        f64::from(self.clients) / BETWEEN_REQUESTS.as_secs_f64() / UTILISATION
    }

    /// Plays the script with that strategy.
    ///
    /// Time stands still while there is anything to do, and jumps to the next moment at which there is. One thread, one
    /// clock that nobody else moves, and chance that comes from the seed: the same plan always ends the same.
    pub(crate) fn run(&self, strategy: &Strategy) -> Result<Pages, Box<dyn Error>> {
        retry::seed_jitter(self.seed);
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build()?;
        runtime.block_on(async {
            let clock = Clock::start();
            let record = Arc::new(Record::new(self.length));
            let server = Arc::new(Server::new(clock, self.capacity(), record.clone()));
            for first in (0..self.clients).step_by(CLIENTS_PER_PROGRAM as usize) {
                let program = Arc::new(self.program(strategy, first, clock, &server, &record)?);
                for client in first..self.clients.min(first + CLIENTS_PER_PROGRAM) {
                    tokio::spawn(Client::new(program.clone(), self.seed_of(client)).live());
                }
            }
            clock.until(self.length).await;
            Ok(record.take())
        })
    }

    /// Policies with state live as long as the process, under their names: each run has its own.
    fn program(
        &self,
        strategy: &Strategy,
        first: u32,
        clock: Clock,
        server: &Arc<Server>,
        record: &Arc<Record>,
    ) -> Result<Program, Box<dyn Error>> {
        let name = format!("{} of {}: {first}", strategy.name, self.clients);
        let mut retry = Retry::new(strategy.retry.max_delay(self.max_delay)).classified();
        if let Some(config) = strategy.budget {
            retry = retry.budget(RetryBudget::register(&name, config)?);
        }
        let breaker = strategy.breaker.map(|config| CircuitBreaker::register(&name, config)).transpose()?;
        Ok(Program { clock, server: server.clone(), record: record.clone(), retry, breaker })
    }

    fn seed_of(&self, client: u32) -> u64 {
        self.seed.wrapping_mul(1 << 32).wrapping_add(client.into())
    }
}
