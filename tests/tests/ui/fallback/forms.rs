use resilience::fallback;

#[fallback]
async fn none() -> std::io::Result<()> {
    Ok(())
}

#[fallback(when = |_| true)]
async fn only_when() -> std::io::Result<()> {
    Ok(())
}

#[fallback(offline, value = ())]
async fn two() -> std::io::Result<()> {
    Ok(())
}

#[fallback(value = (), |_| Ok(()))]
async fn two_the_other_way() -> std::io::Result<()> {
    Ok(())
}

#[fallback(self.queue(error))]
async fn call() -> std::io::Result<()> {
    Ok(())
}

#[fallback("offline")]
async fn string() -> std::io::Result<()> {
    Ok(())
}

#[fallback(|| Ok(()))]
async fn no_parameter() -> std::io::Result<()> {
    Ok(())
}

#[fallback(|error, order| Ok(()))]
async fn two_parameters(order: u8) -> std::io::Result<()> {
    let _ = order;
    Ok(())
}

#[fallback(function = offline)]
async fn key() -> std::io::Result<()> {
    Ok(())
}

#[fallback(value)]
async fn no_value() -> std::io::Result<()> {
    Ok(())
}

#[fallback(with = offline, max_attempts = 3)]
async fn unknown() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
