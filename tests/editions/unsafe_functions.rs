//! `unsafe` functions under the attributes, in every edition. They have a package of their own, as the workspace's lints
//! forbid them elsewhere.
#![deny(warnings)]

use std::future::Future;
use std::io::{Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};

use resilience_tests_every_stack::in_every_stack;

#[in_every_stack]
mod functions {
    use super::*;

    struct Client(AtomicU32);

    impl Client {
        /// # Safety
        ///
        /// The pointer must be valid for reads.
        // An unsafe function's body is an unsafe context up to edition 2021, and of its own block since.
        #[allow(unsafe_op_in_unsafe_fn, reason = "edition 2024 asks for a block, the others call it unused")]
        #[guarded]
        async unsafe fn read(&self, byte: SendPtr) -> Result<u8> {
            tokio::task::yield_now().await;
            let n = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            if n < ATTEMPTS {
                return Err(Error::other("again"));
            }
            Ok(*byte.0)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn unsafe_methods() {
        static BYTE: u8 = 7;
        let read = sent(async {
            let client = Client(AtomicU32::new(0));
            let byte = unsafe { client.read(SendPtr(&BYTE)).await }?;
            Ok((byte, client.0.into_inner()))
        });
        assert_eq!(tokio::spawn(read).await.unwrap().unwrap(), (7, ATTEMPTS));
    }
}

/// A pointer that may be sent to another thread.
#[derive(Clone, Copy)]
struct SendPtr(*const u8);

unsafe impl Send for SendPtr {}
unsafe impl Sync for SendPtr {}

fn sent<F: Future<Output = Result<(u8, u32)>> + Send + 'static>(future: F) -> F {
    future
}
