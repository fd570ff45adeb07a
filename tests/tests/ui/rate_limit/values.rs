use resilience::rate_limit;

#[rate_limit(100)]
async fn count_first() -> std::io::Result<()> {
    Ok(())
}

#[rate_limit("a", limit = 0, per = "0s", burst = 0, max_wait = "0s", permits = 0)]
async fn zeros() -> std::io::Result<()> {
    Ok(())
}

#[rate_limit("b", limit = 0, per = "0s", burst = 0, max_wait = "0s")]
async fn ranges() -> std::io::Result<()> {
    Ok(())
}

#[rate_limit("c", limit = self.limit, permits = "3", rate = 3, max_concurrent = 3)]
async fn wrong() -> std::io::Result<()> {
    Ok(())
}

#[rate_limit("d", limit = limit, permits = limit)]
async fn of_one_call(limit: u32) -> std::io::Result<()> {
    let _ = limit;
    Ok(())
}

#[rate_limit("e", permits = tags.len())]
async fn another_type(tags: Vec<String>) -> std::io::Result<()> {
    let _ = tags;
    Ok(())
}

fn main() {}
