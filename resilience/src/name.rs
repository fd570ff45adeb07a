//! A policy's name as one word, so that an error is small.

use std::sync::{Mutex, PoisonError};

/// The name of a policy, and what is wrong with it where it cannot be used. Errors refer to it.
#[derive(Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Name {
    text: &'static str,
    explanation: &'static str,
}

impl Name {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self { text, explanation: "" }
    }

    #[inline]
    pub(crate) const fn as_str(&self) -> &'static str {
        self.text
    }

    pub(crate) const fn explanation(&self) -> &'static str {
        self.explanation
    }

    /// The one of these two texts; made, and kept for good, when it is first asked for. There are as many as the code has
    /// names, and mistakes.
    pub(crate) fn interned(text: &'static str, explanation: &str) -> &'static Self {
        // Sorted.
        static KNOWN: Mutex<Vec<&'static Name>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        match known.binary_search_by(|name| (name.text, name.explanation).cmp(&(text, explanation))) {
            Ok(at) => known[at],
            Err(at) => {
                let name = Box::leak(Box::new(Self { text, explanation: explanation.to_owned().leak() }));
                known.insert(at, name);
                name
            }
        }
    }
}

/// For those who have no [`Name`] to refer to, and are seldom asked. It takes a look-up.
impl From<&'static str> for &'static Name {
    fn from(text: &'static str) -> Self {
        Name::interned(text, "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_one_name() {
        let name = Name::interned("a", "");
        assert!(std::ptr::eq(name, <&Name>::from("a")));
        assert!(std::ptr::eq(Name::interned("a", "why"), Name::interned("a", "why")));
        assert_eq!((Name::interned("a", "why").as_str(), Name::interned("a", "why").explanation()), ("a", "why"));
        assert_eq!((name.as_str(), name.explanation()), ("a", ""));
    }
}
