use resilience::{retry, timeout};

#[retry(crate = resilience)]
async fn relative() -> std::io::Result<()> {
    Ok(())
}

#[retry(crate = "resilience")]
async fn string() -> std::io::Result<()> {
    Ok(())
}

#[retry(crate = self::facade)]
async fn this_module() -> std::io::Result<()> {
    Ok(())
}

#[retry(crate = ::resilience)]
#[timeout("1s", crate = crate::facade)]
async fn two() -> std::io::Result<()> {
    Ok(())
}

#[retry(crate = ::resilience)]
#[timeout("1s", crate)]
async fn no_value() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
