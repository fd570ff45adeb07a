#![deny(warnings)]

/// # Safety
/// None needed.
#[resilience::retry]
pub async unsafe fn dangerous() -> std::io::Result<u8> {
    Ok(1)
}

fn main() {
    let _ = unsafe { dangerous() };
}
