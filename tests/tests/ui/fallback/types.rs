use resilience::{Fallible, fallback, timeout};

#[fallback(|_| 3)]
async fn no_result() -> std::io::Result<u8> {
    Ok(1)
}

#[fallback(value = "3")]
async fn another_value() -> std::io::Result<u8> {
    Ok(1)
}

fn blocking(_: std::io::Error) -> std::io::Result<u8> {
    Ok(1)
}

#[fallback(blocking)]
async fn not_async() -> std::io::Result<u8> {
    Ok(1)
}

async fn without_error() -> std::io::Result<u8> {
    Ok(1)
}

#[fallback(without_error)]
async fn no_parameter() -> std::io::Result<u8> {
    Ok(1)
}

#[fallback(|error: String| Ok(error.len() as u8))]
async fn another_error() -> std::io::Result<u8> {
    Ok(1)
}

#[fallback(|_| -> Result<u8, ()> { Ok(1) })]
async fn another_return_type() -> std::io::Result<u8> {
    Ok(1)
}

#[fallback(|_| { let _: u8 = "a".parse()?; Ok(1) })]
async fn question_mark() -> std::io::Result<u8> {
    Ok(1)
}

struct NoClone;

#[fallback(|_| { drop(one); Ok(1) })]
async fn not_clone(one: NoClone) -> std::io::Result<u8> {
    drop(one);
    Ok(1)
}

#[fallback(|_| Ok(1))]
#[timeout("1s")]
async fn not_fallible() -> Option<u8> {
    None
}

struct Answer;

impl Fallible for Answer {
    type Value = ();
    type Error = ();
    fn result(&self) -> Result<&(), &()> {
        Ok(&())
    }
    fn success((): ()) -> Self {
        Answer
    }
    fn refused(_: resilience::Error) -> Self {
        Answer
    }
}

#[fallback(|()| Answer)]
async fn not_recoverable() -> Answer {
    Answer
}

fn main() {}
