use resilience::{retry, timeout};
use tracing::instrument;

struct Service(u8);

impl Service {
    #[instrument(skip(self))]
    #[retry]
    async fn above(&mut self) -> std::io::Result<u8> {
        self.0 += 1;
        Ok(self.0)
    }

    #[instrument(skip(self))]
    #[timeout("1s")]
    #[retry]
    async fn above_both(&mut self) -> std::io::Result<u8> {
        self.0 += 1;
        Ok(self.0)
    }
}

fn main() {}
