use resilience::retry;

struct Service(String);

impl Service {
    #[retry]
    async fn by_value(self) -> std::io::Result<String> {
        Ok(self.0)
    }
}

#[retry(borrow(text))]
async fn borrowed(text: String) -> std::io::Result<String> {
    Ok(text)
}

fn main() {}
