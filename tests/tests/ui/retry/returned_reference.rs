use resilience::retry;

struct Pool(Vec<String>);

impl Pool {
    #[retry]
    async fn first(&mut self) -> std::io::Result<&str> {
        Ok(&self.0[0])
    }

    #[retry]
    async fn named<'a>(&'a mut self, other: &str) -> std::io::Result<std::slice::Iter<'a, String>> {
        let _ = other;
        Ok(self.0.iter())
    }
}

#[retry]
async fn argument(pool: &mut Pool) -> std::io::Result<&mut String> {
    Ok(&mut pool.0[0])
}

fn main() {}
