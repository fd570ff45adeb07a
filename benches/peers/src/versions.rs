//! The contenders' versions, out of the lock file that they were built by.

use std::error::Error;

use cargo_lock::Lockfile;

pub(crate) struct Versions(Lockfile);

impl Versions {
    pub(crate) fn locked() -> Result<Self, Box<dyn Error>> {
        Ok(Self(include_str!("../Cargo.lock").parse()?))
    }

    /// The name with `{crate}` replaced by the version of that crate.
    pub(crate) fn fill(&self, name: &str) -> String {
        let mut filled = name.to_owned();
        for package in &self.0.packages {
            filled = filled.replace(&format!("{{{}}}", package.name), &package.version.to_string());
        }
        filled
    }
}
