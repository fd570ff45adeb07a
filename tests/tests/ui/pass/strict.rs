#![forbid(unsafe_code, unused_must_use)]
#![deny(warnings)]

use resilience::{retry, timeout};

struct Unsend(std::rc::Rc<u8>);

#[retry(borrow(one))]
#[timeout("1s")]
async fn local(one: Unsend) -> std::io::Result<u8> {
    Ok(*one.0)
}

fn main() {
    drop(local(Unsend(std::rc::Rc::new(1))));
}
