use resilience::retry;

#[retry(borrow(missing, text))]
async fn unknown(text: String, other: u8) -> std::io::Result<()> {
    let _ = (text, other);
    Ok(())
}

#[retry(borrow(text))]
async fn none() -> std::io::Result<()> {
    Ok(())
}

#[retry(borrow = text)]
async fn equals(text: String) -> std::io::Result<()> {
    let _ = &text;
    Ok(())
}

#[retry(borrow())]
async fn empty() -> std::io::Result<()> {
    Ok(())
}

#[retry(borrow("text"))]
async fn quoted(text: String) -> std::io::Result<()> {
    let _ = &text;
    Ok(())
}

struct Service;

impl Service {
    #[retry(borrow(self))]
    async fn receiver(&self) -> std::io::Result<()> {
        Ok(())
    }
}

fn main() {}
