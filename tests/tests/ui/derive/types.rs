use resilience::Classify;

#[derive(Classify)]
enum Hint {
    #[overloaded(retry_after = seconds)]
    Busy { seconds: u64 },
}

struct Opaque;

#[derive(Classify)]
enum Inner<T> {
    #[classify(transparent)]
    Opaque(Opaque),
    #[classify(transparent)]
    Generic(T),
}

fn ask(inner: &Inner<Opaque>) {
    inner.classify();
}

fn main() {
    ask(&Inner::Opaque(Opaque));
}
