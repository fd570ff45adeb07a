use resilience::fallback;

struct Client;

impl Client {
    #[fallback(self.queue)]
    async fn method(&self) -> std::io::Result<u8> {
        Ok(1)
    }

    #[fallback(self.queue(error).await)]
    async fn call(&self) -> std::io::Result<u8> {
        Ok(1)
    }
}

async fn bare(_: resilience::Error) -> u8 {
    1
}

#[fallback(bare)]
async fn bare_value() -> Result<u8, resilience::Error> {
    Ok(1)
}

#[fallback(missing)]
async fn unknown() -> std::io::Result<u8> {
    Ok(1)
}

fn main() {}
