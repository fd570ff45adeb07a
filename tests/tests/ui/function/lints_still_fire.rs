// What rustc says about a plain function, it says about a guarded one.
#![deny(warnings)]

use resilience::{circuit_breaker, retry, timeout};

#[retry]
#[timeout("1s")]
async fn run_again(unused: String, mut unchanged: String, used: String) -> Result<(), resilience::Error> {
    let local = 1;
    drop((unchanged, used));
    Ok(())
}

#[circuit_breaker]
#[timeout("1s")]
async fn run_once(unused: String, mut unchanged: String, used: String) -> Result<(), resilience::Error> {
    let local = 1;
    drop((unchanged, used));
    return Ok(());
    drop(1);
}

fn main() {
    drop(run_again(String::new(), String::new(), String::new()));
    drop(run_once(String::new(), String::new(), String::new()));
}
