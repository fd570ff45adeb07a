use resilience::circuit_breaker;

const NAME: &str = "payments";
const CALLS: u32 = 0;

struct Service(u32);

impl Service {
    #[circuit_breaker(NAME, window_calls = self.0)]
    async fn of_self(&self) -> std::io::Result<()> {
        Ok(())
    }
}

#[circuit_breaker(NAME, window_calls = CALLS)]
async fn out_of_range() -> std::io::Result<()> {
    Ok(())
}

#[circuit_breaker(CALLS)]
async fn not_a_name() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
