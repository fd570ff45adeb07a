#![deny(warnings)]

use resilience::{retry, timeout};
use tracing::instrument;

struct Service(u8);

impl Service {
    #[retry]
    #[timeout("1s")]
    #[instrument(skip(self))]
    async fn below(&mut self, text: String) -> std::io::Result<u8> {
        self.0 += text.len() as u8;
        Ok(self.0)
    }

    #[instrument(skip(self))]
    #[retry]
    async fn above(&self, text: String) -> std::io::Result<u8> {
        Ok(self.0 + text.len() as u8)
    }
}

#[retry]
#[tokio::test]
async fn tested() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(Service(0).below(String::new()));
    drop(Service(0).above(String::new()));
}
