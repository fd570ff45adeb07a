use resilience::Classify;

#[derive(Classify)]
enum Twice {
    #[transient]
    #[permanent]
    A,
    #[caller]
    #[classify(transparent)]
    B(std::io::Error),
}

#[derive(Classify)]
#[permanent]
enum OnTheEnum {
    A,
}

#[derive(Classify)]
enum OnAField {
    A {
        #[caller]
        field: u8,
    },
}

#[derive(Classify)]
union Union {
    a: u8,
}

#[derive(Classify)]
enum Words {
    #[transient(1)]
    A,
    #[permanent = "yes"]
    B,
    #[classify]
    C(u8),
    #[classify(transparant)]
    D(u8),
    #[classify(caller)]
    E,
    #[classify(other)]
    F,
    #[classify(transparent = 1)]
    G(u8),
}

#[derive(Classify)]
enum Hints {
    #[overloaded(retry = after)]
    Key { after: std::time::Duration },
    #[overloaded(after)]
    NoKey { after: std::time::Duration },
    #[overloaded(retry_after)]
    NoValue { after: std::time::Duration },
    #[overloaded(retry_after = )]
    HalfTyped { after: std::time::Duration },
    #[overloaded(retry_after = "after")]
    Text { after: std::time::Duration },
    #[overloaded(retry_after = later)]
    Unknown { after: std::time::Duration, other: u8 },
    #[overloaded(retry_after = 1)]
    Position(std::time::Duration),
    #[overloaded(retry_after = after)]
    NameOfPosition(std::time::Duration),
    #[overloaded(retry_after = 0)]
    Unit,
    #[overloaded(retry_after = after.sum())]
    Expression { after: std::time::Duration },
}

#[derive(Classify)]
enum Transparent {
    #[classify(transparent)]
    None,
    #[classify(transparent)]
    Two(u8, u8),
}

fn main() {}
