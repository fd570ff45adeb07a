use std::future::Future;
use std::pin::Pin;

use resilience::{retry, timeout};

struct Service;

// What `#[async_trait]` leaves of a method.
impl Service {
    #[retry]
    #[timeout("1s")]
    fn call<'life0, 'async_trait>(
        &'life0 self,
    ) -> Pin<Box<dyn Future<Output = std::io::Result<()>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move { Ok(()) })
    }
}

fn main() {
    drop(Service.call());
}
