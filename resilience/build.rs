//! Does nothing: with it cargo heeds `links`, which keeps two copies of the crate, with two states behind each name, out of one
//! program.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
