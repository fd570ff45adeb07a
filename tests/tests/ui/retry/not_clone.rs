use resilience::retry;

struct Connection;

#[retry]
async fn by_value(name: String, connection: Connection, boxed: Box<dyn Fn() + Send>, many: Vec<Connection>) -> std::io::Result<()> {
    let _ = (name, connection, boxed, many);
    Ok(())
}

#[retry]
async fn generic<T: Send>(text: impl Into<String>, value: T) -> std::io::Result<()> {
    let _ = (text.into(), value);
    Ok(())
}

#[retry]
async fn pattern((a, b): (Connection, u8)) -> std::io::Result<()> {
    let _ = (a, b);
    Ok(())
}

fn main() {}
