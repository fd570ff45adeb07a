use resilience::{fallback, resilient, retry, timeout};

#[resilient(timeout("1s"), retry)]
#[retry]
#[timeout("1s")]
async fn with_what_is_below() -> std::io::Result<()> {
    Ok(())
}

#[resilient(retry)]
#[resilient(fallback(value = ()), retry)]
async fn two_lists() -> std::io::Result<()> {
    Ok(())
}

#[retry]
#[fallback(value = ())]
#[timeout("1s")]
async fn stacked() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
