// While a body is being typed, rustc says of a guarded function what it says of a plain one, and callers have no error.
use resilience::{circuit_breaker, fallback, retry, timeout};

struct Client {
    calls: u32,
}

impl Client {
    #[fallback(value = self.calls)]
    #[retry(max_attempts = 2)]
    #[circuit_breaker("half-typed")]
    #[timeout("1s")]
    async fn one_error(&self) -> Result<u32, resilience::Error> {
        let calls = self.
        ;
        Ok(self.calls)
    }

    async fn plain(&self) -> Result<u32, resilience::Error> {
        let calls = self.
    }

    #[retry(max_attempts = 2)]
    #[timeout("1s")]
    async fn guarded(&self) -> Result<u32, resilience::Error> {
        let calls = self.
    }
}

async fn caller(client: Client) -> Result<u32, resilience::Error> {
    Ok(client.one_error().await? + client.plain().await? + client.guarded().await?)
}

fn main() {
    drop(caller(Client { calls: 1 }));
}
