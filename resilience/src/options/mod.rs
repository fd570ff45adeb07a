//! What all policies' options have in common: kinds, values, ranges, layers and where a value came from.
//!
//! A policy declares its options once, with [`config!`]; setters, range checks, layering and the listing
//! in the registry all come from that declaration.

pub(crate) mod kind;
mod value;

use std::fmt;

pub use value::{Setting, Source, Value};

use crate::text::OneLine;

/// A value outside the range of its option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Invalid {
    pub(crate) option: &'static str,
    pub(crate) value: Value,
    pub(crate) range: &'static str,
    /// The whole sentence, for constant evaluation, which cannot format.
    pub(crate) sentence: &'static str,
}

/// A configuration that cannot be used: which option of which policy, its value, and what is allowed.
///
/// The running configuration is untouched by an attempt that ends in this error.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigError {
    kind: &'static str,
    name: String,
    invalid: Invalid,
}

impl ConfigError {
    pub(crate) fn new(kind: &'static str, name: &str, invalid: Invalid) -> Self {
        Self { kind, name: name.to_owned(), invalid }
    }

    /// Returns the kind of policy, as the attribute is called: `"circuit_breaker"`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the name of the policy.
    #[must_use]
    pub fn policy(&self) -> &str {
        &self.name
    }

    /// Returns the option that was refused.
    #[must_use]
    pub fn option(&self) -> &'static str {
        self.invalid.option
    }

    /// Returns the value that was refused.
    #[must_use]
    pub fn value(&self) -> Value {
        self.invalid.value
    }

    /// Returns what would have been accepted, in words: `"at least 1"`.
    #[must_use]
    pub fn range(&self) -> &'static str {
        self.invalid.range
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, invalid: Invalid { option, value, range, .. } } = self;
        write!(f, "{kind} `{}`: `{option}` is {value}, but must be {range}", OneLine(name))
    }
}

impl std::error::Error for ConfigError {}

/// Options by name, with their values where they are given.
pub(crate) type Listed = Vec<(&'static str, Option<Value>)>;

/// What the registry needs to know of a policy's `Config`.
pub trait Options: Copy + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// No option given.
    #[doc(hidden)]
    const EMPTY: Self;
    /// These options, and where `over` gives one, that one.
    #[doc(hidden)]
    fn overlay(self, over: Self) -> Self;
    /// All options at their effective values: defaults filled in, values out of range at the nearest valid one.
    #[doc(hidden)]
    fn effective(self) -> Self;
    /// Every option with its value, in the order of the documentation.
    #[doc(hidden)]
    fn list(&self) -> Listed;
    #[doc(hidden)]
    fn error(&self, name: &str) -> Option<ConfigError>;
}

/// `a == b` for strings in constant evaluation.
pub(crate) const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The complaint about one option's value, if there is one.
macro_rules! out_of_range {
    ($config:ident, $option:ident: $kind:ident) => {
        match $config.$option {
            Some(value) if !$crate::options::kind::$kind::valid(value) => Some($crate::options::Invalid {
                option: stringify!($option),
                value: $crate::options::kind::$kind::value(value),
                range: $crate::options::kind::$kind::RANGE,
                sentence: concat!("`", stringify!($option), "` ", $crate::options::kind::sentence!($kind)),
            }),
            _ => None,
        }
    };
}
pub(crate) use out_of_range;

/// Declares a policy's `Config`: one line per option, `name: Kind`, with its documentation.
///
/// The values are kept as given. `problem()` finds the first one out of range and then asks `conflict()`, which the
/// policy writes by hand for rules between options; `filled()`, also by hand, knows the defaults.
macro_rules! config {
    (
        $(#[$meta:meta])*
        $policy:literal {
            $( $(#[$doc:meta])* $option:ident: $kind:ident, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[must_use = "a configuration does nothing until it is registered or used"]
        pub struct Config {
            $( pub(crate) $option: Option<$crate::options::kind::$kind::Type>, )*
        }

        impl Config {
            /// Returns a configuration that gives no option: every one has its default.
            pub const fn new() -> Self {
                Self { $( $option: None, )* }
            }

            $(
                $(#[$doc])*
                pub const fn $option(mut self, value: $crate::options::kind::$kind::Type) -> Self {
                    self.$option = Some(value);
                    self
                }
            )*

            /// The first value out of range, or the first two options at odds.
            pub(crate) const fn problem(&self) -> Option<$crate::options::Invalid> {
                $(
                    if let Some(invalid) = $crate::options::out_of_range!(self, $option: $kind) {
                        return Some(invalid);
                    }
                )*
                self.conflict()
            }

            /// Every value out of range, and the first two options at odds.
            pub(crate) fn problems(&self) -> impl Iterator<Item = $crate::options::Invalid> {
                [ $( $crate::options::out_of_range!(self, $option: $kind), )* self.conflict() ].into_iter().flatten()
            }

            /// Fails constant evaluation where the value given to `option` cannot be used.
            #[doc(hidden)]
            #[track_caller]
            pub const fn check(&self, option: &str) {
                $(
                    if $crate::options::same_text(option, stringify!($option)) {
                        if let Some(invalid) = $crate::options::out_of_range!(self, $option: $kind) {
                            panic!("{}", invalid.sentence);
                        }
                    }
                )*
                if let Some(invalid) = self.conflict() {
                    if $crate::options::same_text(option, invalid.option) {
                        panic!("{}", invalid.sentence);
                    }
                }
            }

            /// Checks every value against its range and the options against each other.
            ///
            /// # Errors
            ///
            /// Names the first option that cannot be used, its value, and what is allowed.
            pub fn validate(&self) -> Result<(), $crate::ConfigError> {
                match self.problem() {
                    None => Ok(()),
                    Some(invalid) => Err($crate::ConfigError::new($policy, "unregistered", invalid)),
                }
            }

            /// The same options, each at the nearest valid value.
            const fn in_range(mut self) -> Self {
                $(
                    if let Some(value) = self.$option {
                        self.$option = Some($crate::options::kind::$kind::nearest(value));
                    }
                )*
                self
            }
        }

        impl Default for Config {
            fn default() -> Self {
                Self::new()
            }
        }

        impl $crate::options::Options for Config {
            const EMPTY: Self = Self::new();

            fn overlay(self, over: Self) -> Self {
                let base = self.yield_to(&over);
                Self { $( $option: over.$option.or(base.$option), )* }
            }

            fn effective(self) -> Self {
                self.in_range().filled()
            }

            fn list(&self) -> $crate::options::Listed {
                vec![ $( (stringify!($option), self.$option.map($crate::options::kind::$kind::value)), )* ]
            }

            fn error(&self, name: &str) -> Option<$crate::ConfigError> {
                self.problems().next().map(|invalid| $crate::ConfigError::new($policy, name, invalid))
            }
        }
    };
}
pub(crate) use config;
