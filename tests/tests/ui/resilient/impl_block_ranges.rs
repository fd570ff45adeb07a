use resilience::resilient;

struct A;

#[resilient(circuit_breaker(failure_rate = 1.5), retry(max_attempts = 0))]
impl A {
    async fn a(&self) -> std::io::Result<u32> {
        Ok(1)
    }

    async fn b(&self) -> std::io::Result<u32> {
        Ok(1)
    }
}

fn main() {}
