use std::future::Future;
use std::pin::Pin;

use resilience::{retry, timeout};

#[retry]
fn blocking() -> std::io::Result<()> {
    Ok(())
}

#[retry]
#[timeout("1s")]
fn future() -> impl Future<Output = std::io::Result<()>> {
    async { Ok(()) }
}

#[retry]
fn boxed() -> Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>> {
    Box::pin(async { Ok(()) })
}

#[retry]
const fn constant() -> std::io::Result<()> {
    Ok(())
}

#[retry]
async extern "C" fn foreign() -> std::io::Result<()> {
    Ok(())
}

#[tokio::main]
#[retry]
async fn start() -> std::io::Result<()> {
    Ok(())
}

trait Service {
    #[retry]
    async fn no_body(&self) -> std::io::Result<()>;
}

fn main() {
    drop((blocking(), future(), boxed()));
}
