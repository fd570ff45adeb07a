//! A document whose tables are made by programs, and whose words are not.

use std::error::Error;
use std::path::{Path, PathBuf};

/// Each table stands between `<!-- begin KEY -->` and `<!-- end KEY -->`.
pub(crate) struct Document {
    /// None: nothing is written.
    path: Option<PathBuf>,
}

impl Document {
    pub(crate) fn open(path: Option<&Path>) -> Self {
        Self { path: path.map(Path::to_owned) }
    }

    /// Puts `text` into a section, and saves: what is measured is not lost with what comes after it.
    pub(crate) fn replace(&self, key: &str, text: &str) -> Result<(), Box<dyn Error>> {
        let Some(path) = &self.path else { return Ok(()) };
        let document = std::fs::read_to_string(path)?;
        let (begin, end) = (format!("<!-- begin {key} -->"), format!("<!-- end {key} -->"));
        let missing = || format!("{} has no section {begin} … {end}", path.display());
        let (before, rest) = document.split_once(&begin).ok_or_else(missing)?;
        let (_, after) = rest.split_once(&end).ok_or_else(missing)?;
        std::fs::write(path, format!("{before}{begin}\n\n{}\n\n{end}{after}", text.trim_end()))?;
        Ok(())
    }
}
