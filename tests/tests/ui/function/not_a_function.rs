use resilience::{retry, timeout};

#[retry]
struct Service;

#[retry]
impl Service {
    async fn call(&self) {}
}

#[timeout("1s")]
mod inner {}

#[retry]
pub const LIMIT: u8 = 1;

#[retry]
pub(crate) trait Trait {}

#[retry]
enum Enum {}

fn main() {
    let _ = (Service.call(), LIMIT);
}
