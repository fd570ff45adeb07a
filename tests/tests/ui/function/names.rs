use resilience::{retry, timeout};

#[retry]
#[timeout("1s")]
async fn unknown_type() -> Result<Missing, resilience::Error> {
    todo!()
}

#[retry]
async fn unknown_argument(text: Missing) -> Result<(), resilience::Error> {
    drop(text);
    Ok(())
}

#[timeout(self.limit)]
async fn no_receiver() -> Result<(), resilience::Error> {
    Ok(())
}

fn main() {}
