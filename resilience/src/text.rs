//! The texts of errors, for events and stories.

use std::any::type_name;
use std::error::Error as StdError;
use std::fmt::{self, Debug, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::chain;

static SHOWS_DEBUG: AtomicBool = AtomicBool::new(false);

/// Says whether events may show the [`Debug`] text of an error that has no `Display`; until then they show its type's name.
///
/// It is off by default: a derived `Debug` shows every field, and with them what should be in no log.
///
/// # Examples
///
/// ```
/// resilience::show_debug(true);
/// ```
pub fn show_debug(shown: bool) {
    SHOWS_DEBUG.store(shown, Ordering::Relaxed);
}

/// What an error says, and what those say that it comes from: `outer: cause: root`.
pub(crate) fn with_sources(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    for cause in error.source().into_iter().flat_map(chain::chain).filter(|cause| !chain::is_marker(*cause)) {
        let cause = cause.to_string();
        // Some say what their source says, or say it too.
        if !text.ends_with(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// The text that the user's code gives, which may panic: that is no reason for the call to.
pub(crate) fn told(text: impl FnOnce() -> String) -> String {
    catch_unwind(AssertUnwindSafe(text)).unwrap_or_else(|payload| {
        // It may panic when it is dropped, too.
        std::mem::forget(payload);
        "(telling the error's text panicked)".to_owned()
    })
}

/// The `Debug` text, where that may be shown.
pub(crate) fn of_debug<E: Debug + ?Sized>(error: &E) -> String {
    if SHOWS_DEBUG.load(Ordering::Relaxed) { format!("{error:?}") } else { type_name::<E>().to_owned() }
}

/// A name or text on one line, whatever is in it: names may come from outside, and what is printed is read as lines.
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| {
            if moves_what_is_printed(letter) { write!(f, "{}", letter.escape_unicode()) } else { f.write_char(letter) }
        })
    }
}

/// Line ends, terminal codes, and the marks that turn the direction of writing.
fn moves_what_is_printed(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Layer(&'static str, Option<Box<Layer>>);

    impl fmt::Display for Layer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl StdError for Layer {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            self.1.as_deref().map(|layer| layer as _)
        }
    }

    fn chain(texts: &[&'static str]) -> Layer {
        let (first, rest) = texts.split_first().expect("a text");
        Layer(first, (!rest.is_empty()).then(|| Box::new(chain(rest))))
    }

    #[test]
    fn what_is_printed_stays_on_its_line() {
        let name = "db\n\u{1b}[31mred\u{202e} \"Größe\"\\";
        assert_eq!(OneLine(name).to_string(), "db\\u{a}\\u{1b}[31mred\\u{202e} \"Größe\"\\");
    }

    #[test]
    fn a_text_has_all_causes_once() {
        let text = |texts: &[&'static str]| with_sources(&chain(texts));
        assert_eq!(text(&["no answer", "connection refused"]), "no answer: connection refused");
        assert_eq!(text(&["no answer: connection refused", "connection refused"]), "no answer: connection refused");
        assert_eq!(text(&["same", "same", "root"]), "same: root");
        assert_eq!(text(&["alone"]), "alone");
    }
}
