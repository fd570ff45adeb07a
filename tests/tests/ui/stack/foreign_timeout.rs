use resilience::retry;

#[retry]
#[timeout("1s")]
async fn not_imported() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
