// An async function, called.
async fn charge(order: u64) -> Result<u64, std::io::Error> {
    if order == 0 { Err(std::io::ErrorKind::InvalidInput.into()) } else { Ok(order) }
}

fn main() {
    let order = std::env::args().count() as u64;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    std::process::exit(runtime.block_on(charge(order)).is_err().into());
}
