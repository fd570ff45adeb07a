use resilience::bulkhead;

#[bulkhead(25)]
async fn count_first() -> std::io::Result<()> {
    Ok(())
}

#[bulkhead(max_concurrent = 0, max_wait = 10, max_quue = 3)]
async fn wrong() -> std::io::Result<()> {
    Ok(())
}

#[bulkhead(max_concurrent = 0)]
async fn out_of_range() -> std::io::Result<()> {
    Ok(())
}

#[bulkhead(when = |_| true)]
async fn no_predicate() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(count_first());
}
