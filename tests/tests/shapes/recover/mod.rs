//! The attributes that recover, and lists.

mod arguments;
mod closures;
mod generics;
mod keys;
mod receivers;

use super::*;
use std::fmt::Debug;
use std::hash::Hash;

use resilience::{fallback, rate_limit, resilient, stale_if_error};

/// `tokio::spawn` wants what production code wants: `Send + 'static`.
async fn spawned<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    tokio::spawn(future).await.expect("the task ends")
}

fn down<T>() -> Result<T> {
    Err(Error::other("down"))
}
