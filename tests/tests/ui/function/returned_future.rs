use std::future::Future;
use std::pin::Pin;

use futures::future::{BoxFuture, FutureExt};
use resilience::{retry, timeout};

type R = std::io::Result<()>;
type Alias = Pin<Box<dyn Future<Output = R>>>;

// The block is not where it can be seen.
#[retry]
fn handed_on() -> BoxFuture<'static, R> {
    other()
}

#[timeout("1s")]
fn changed() -> impl Future<Output = R> {
    async move { 1 }.map(|_| Ok(()))
}

fn other() -> BoxFuture<'static, R> {
    Box::pin(async move { Ok(()) })
}

// What it gives is not written here.
#[retry]
fn behind_an_alias() -> AliasFuture {
    Box::pin(async move { Ok(()) })
}

type AliasFuture = Alias;

// No failure among what it gives.
#[retry]
fn nothing() -> BoxFuture<'static, ()> {
    Box::pin(async move {})
}

#[timeout("1s")]
fn a_value() -> impl Future<Output = u32> {
    async move { 1 }
}

#[retry]
fn not_clone(socket: std::net::TcpStream) -> BoxFuture<'static, R> {
    let other = socket.try_clone();
    Box::pin(async move {
        drop(socket);
        other.map(drop)
    })
}

// What `#[async_trait]` leaves of a method.
struct Service(u32);

impl Service {
    #[retry]
    fn unit<'life0, 'async_trait>(&'life0 self) -> Pin<Box<dyn Future<Output = ()> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move {
            let __self = self;
            let _: () = { drop(__self.0) };
        })
    }
}

fn main() {
    drop((handed_on(), changed(), behind_an_alias(), nothing(), a_value(), Service(1).unit()));
}
