use resilience::{retry, timeout};

#[retry]
#[timeout("1s")]
async fn wrong_type() -> Result<u8, resilience::Error> {
    "text"
}

#[retry]
async fn wrong_tail() -> Result<u8, resilience::Error> {
    "text";
}

#[timeout("1s")]
async fn unknown_name() -> Result<u8, resilience::Error> {
    Ok(missing)
}

#[timeout("1s")]
async fn question_mark() -> Result<u8, resilience::Error> {
    let n: u8 = "1".parse()?;
    Ok(n)
}

fn main() {}
