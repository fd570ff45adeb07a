use resilience::{retry, timeout, timeout as limit};
use tracing::instrument;

#[retry]
#[instrument]
#[timeout("1s")]
async fn apart() -> std::io::Result<()> {
    Ok(())
}

#[retry]
#[limit("1s")]
async fn renamed() -> std::io::Result<()> {
    Ok(())
}

#[retry]
#[timeout = "1s"]
async fn equals() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(apart());
}
