use resilience::{circuit_breaker, resilient, retry};

type R = std::io::Result<u32>;

struct A;

#[resilient(retry)]
impl A {
    const X: u32 = 1;

    fn nothing_async(&self) {}
}

// Once, not for each method.
#[resilient(retry(max_atempts = 3), timeout(3), circuit_breaker("{tipe}"))]
impl A {
    async fn b(&self) -> R {
        Ok(1)
    }

    async fn c(&self) -> R {
        Ok(1)
    }

    #[resilient(skip)]
    async fn d(&self) {}
}

#[resilient(retry)]
impl A {
    async fn returns_nothing(&self) {}

    async fn returns_a_value(&self) -> u32 {
        1
    }

    fn returns_no_block(&self) -> std::pin::Pin<Box<dyn Future<Output = R>>> {
        Box::pin(std::future::ready(Ok(1)))
    }

    #[retry]
    async fn twice(&self) -> R {
        Ok(1)
    }

    #[resilient(skip)]
    fn skipped_for_nothing(&self) {}
}

#[resilient(retry)]
#[circuit_breaker]
impl A {
    async fn e(&self) -> R {
        Ok(1)
    }
}

#[resilient(circuit_breaker("{type}"))]
impl Tr for (u8, u8) {
    async fn n(&self) -> R {
        Ok(1)
    }
}

trait Tr {
    async fn n(&self) -> R;
}

#[resilient(retry(borrow(x)))]
impl A {
    async fn o(&self, x: String) -> R {
        drop(x);
        Ok(1)
    }
}

#[retry]
impl A {
    async fn p(&self) -> R {
        Ok(1)
    }
}

#[resilient]
impl A {
    async fn s(&self) -> R {
        Ok(1)
    }
}

fn main() {
    drop((A.b(), A.c(), A.d(), A.e(), A.o(String::new()), A.p(), A.s()));
}
