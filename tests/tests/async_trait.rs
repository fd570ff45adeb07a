//! Methods under `#[async_trait]`, which turns them into functions that return a box before our attributes see them.
//!
//! Their shapes are in `tests/tests/shapes/boxed_methods.rs`; here is what only they do.
#![deny(warnings)]

use std::io::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use resilience::{circuit_breaker, fallback, resilient, retry, timeout};

fn third(attempts: &AtomicU32) -> Result<u32> {
    match attempts.fetch_add(1, Ordering::SeqCst) + 1 {
        n @ 3.. => Ok(n),
        n => Err(Error::other(format!("attempt {n}"))),
    }
}

#[async_trait]
trait Store: Send + Sync {
    async fn put(&mut self, mut tags: Vec<u8>) -> Result<Vec<u8>>;
    async fn share(self: Arc<Self>, name: String) -> Result<String>;
}

#[derive(Default)]
struct Memory {
    attempts: AtomicU32,
    puts: u32,
    retries: u32,
}

#[async_trait]
impl Store for Memory {
    #[retry(base_delay = 0ms, max_attempts = self.retries)]
    async fn put(&mut self, mut tags: Vec<u8>) -> Result<Vec<u8>> {
        tags.push(2);
        third(&self.attempts).map(|_| tags)
    }

    #[fallback(|error| Ok(format!("{error} of {name} {}", self.puts)))]
    #[retry(base_delay = 0ms, max_attempts = 2)]
    async fn share(self: Arc<Self>, name: String) -> Result<String> {
        Err(Error::other(format!("failure {}", third(&self.attempts)?)))
    }
}

#[tokio::test(start_paused = true)]
async fn expressions_may_name_self_and_the_arguments() {
    let mut store = Memory { puts: 7, retries: 3, ..Memory::default() };
    assert_eq!(store.put(vec![1]).await.unwrap(), [1, 2]);
    store.attempts.store(0, Ordering::SeqCst);
    assert_eq!(Arc::new(store).share("name".to_owned()).await.unwrap(), "attempt 2 of name 7");
}

/// With `#[instrument]`.
#[async_trait]
trait Traced: Send + Sync {
    async fn above(&self, name: String) -> Result<String>;
    async fn below(&mut self, name: String) -> Result<String>;
}

#[async_trait]
impl Traced for Memory {
    #[tracing::instrument(skip(self))]
    #[retry(base_delay = 0ms, max_attempts = self.retries)]
    #[timeout("3s")]
    async fn above(&self, name: String) -> Result<String> {
        third(&self.attempts).map(|_| name)
    }

    #[retry(base_delay = 0ms)]
    #[tracing::instrument(skip(self))]
    async fn below(&mut self, name: String) -> Result<String> {
        third(&self.attempts).map(|_| name)
    }
}

#[derive(Default)]
struct Listed(AtomicU32);

#[resilient(retry(base_delay = 0ms))]
#[async_trait]
impl Traced for Listed {
    #[tracing::instrument(skip(self))]
    async fn above(&self, name: String) -> Result<String> {
        third(&self.0).map(|_| name)
    }

    #[timeout("3s")]
    #[tracing::instrument(skip(self))]
    async fn below(&mut self, name: String) -> Result<String> {
        third(&self.0).map(|_| name)
    }
}

#[tokio::test(start_paused = true)]
async fn with_instrument_above_and_below() {
    let mut memory = Memory { retries: 3, ..Memory::default() };
    assert_eq!(memory.above("a".to_owned()).await.unwrap(), "a");
    memory.attempts.store(0, Ordering::SeqCst);
    assert_eq!(memory.below("b".to_owned()).await.unwrap(), "b");
    assert_eq!(Listed::default().above("a".to_owned()).await.unwrap(), "a");
    assert_eq!(Listed::default().below("b".to_owned()).await.unwrap(), "b");
}

#[async_trait]
trait LeftOut: Send + Sync {
    async fn guarded(&self) -> Result<u32>;
    async fn left_out(&self) -> u32;
}

#[async_trait]
#[resilient(retry(base_delay = 0ms))]
impl LeftOut for Listed {
    async fn guarded(&self) -> Result<u32> {
        third(&self.0)
    }

    #[cfg_attr(all(), resilient(skip))]
    async fn left_out(&self) -> u32 {
        0
    }
}

#[tokio::test(start_paused = true)]
async fn a_configuration_may_leave_a_method_out() {
    let listed: Box<dyn LeftOut> = Box::new(Listed::default());
    assert_eq!((listed.guarded().await.unwrap(), listed.left_out().await), (3, 0));
}

/// Counts how it was dropped.
struct Armed<'a> {
    armed: bool,
    fired: &'a AtomicU32,
}

impl Drop for Armed<'_> {
    fn drop(&mut self) {
        self.fired.fetch_add(u32::from(self.armed), Ordering::SeqCst);
    }
}

#[async_trait]
trait Odd: Send + Sync {
    async fn lent(&self, parts: (&mut Vec<u32>, String)) -> Result<String>;
    async fn named(&mut self, id: String) -> Result<String>;
    async fn disarmed(&self, early: bool, armed: Armed<'_>) -> Result<()>;
}

#[async_trait]
impl Odd for Memory {
    #[retry(base_delay = 0ms)]
    async fn lent(&self, (log, name): (&mut Vec<u32>, String)) -> Result<String> {
        log.push(self.puts);
        let taken = name;
        third(&self.attempts)?;
        Ok(taken)
    }

    #[fallback(|error| Ok(format!("{error} {self:?} {{self}} {id}")))]
    #[timeout("3s")]
    async fn named(&mut self, id: String) -> Result<String> {
        self.puts += 1;
        Err(Error::other(id))
    }

    /// What only a destructor reads is no assignment without a use.
    #[circuit_breaker]
    #[timeout("3s")]
    async fn disarmed(&self, early: bool, mut armed: Armed<'_>) -> Result<()> {
        if early {
            return Ok(());
        }
        armed.armed = false;
        Ok(())
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "memory of {}", self.puts)
    }
}

#[timeout("3s")]
async fn disarmed(first: Armed<'_>, mut second: Armed<'_>) -> Result<()> {
    drop(first);
    second.armed = false;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_part_of_an_argument_may_be_lent() {
    let (memory, mut log) = (Memory { puts: 7, ..Memory::default() }, Vec::new());
    assert_eq!(memory.lent((&mut log, "a".to_owned())).await.unwrap(), "a");
    assert_eq!(log, [7, 7, 7]);
}

#[tokio::test(start_paused = true)]
async fn a_format_string_may_name_self() {
    assert_eq!(Memory::default().named("a".to_owned()).await.unwrap(), "a memory of 1 {self} a");
}

#[tokio::test(start_paused = true)]
async fn a_change_for_the_destructor_is_one() {
    let (memory, fired) = (Memory::default(), AtomicU32::new(0));
    let armed = || Armed { armed: true, fired: &fired };
    memory.disarmed(false, armed()).await.unwrap();
    assert_eq!(fired.load(Ordering::SeqCst), 0);
    memory.disarmed(true, armed()).await.unwrap();
    assert_eq!(fired.load(Ordering::SeqCst), 1);
    disarmed(armed(), armed()).await.unwrap();
    assert_eq!(fired.load(Ordering::SeqCst), 2);
}
