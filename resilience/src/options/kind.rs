//! The kinds of option: the type, what is in range, the nearest valid value.
//!
//! A kind is a module so that constant functions can use it: trait methods are not `const`.

#![allow(non_snake_case, reason = "a kind reads like a type in an option table")]

/// The rest of the sentence "`option` …", a literal because constant evaluation cannot format.
macro_rules! sentence {
    (Count) => {
        "must be at least 1"
    };
    (CountOrZero) => {
        "may be any count"
    };
    (Rate) => {
        "must be at least 0 and below 1 (`\"50%\"` and `0.5` are the same rate)"
    };
    (Ratio) => {
        "must be a number of at least 0"
    };
    (Factor) => {
        "must be a number of at least 1"
    };
    (Time) => {
        "must be longer than zero"
    };
    (TimeOrZero) => {
        "may be any duration"
    };
    ($choice:ident) => {
        "must be one of the choices"
    };
}
pub(crate) use sentence;

macro_rules! kind {
    ($kind:ident: $type:ty, $value:ident, $range:literal, |$given:ident| $valid:expr, $nearest:expr) => {
        pub(crate) mod $kind {
            use crate::options::Value;

            pub(crate) type Type = $type;
            pub(crate) const RANGE: &str = $range;
            pub(crate) const fn valid($given: Type) -> bool {
                $valid
            }
            pub(crate) const fn nearest($given: Type) -> Type {
                if valid($given) { $given } else { $nearest }
            }
            pub(crate) const fn value(given: Type) -> Value {
                Value::$value(given)
            }
        }
    };
}

kind!(Count: u32, Count, "at least 1", |given| given >= 1, 1);
kind!(CountOrZero: u32, Count, "any count", |_given| true, _given);
// The largest rate below 1, and 0 for NaN, which compares false with everything.
kind!(Rate: f64, Number, "at least 0 and below 1", |given| given >= 0.0 && given < 1.0, if given >= 1.0 { 1.0 - f64::EPSILON / 2.0 } else { 0.0 });
kind!(Factor: f64, Number, "a number of at least 1", |given| given >= 1.0 && given < f64::INFINITY, if given >= 1.0 { f64::MAX } else { 1.0 });
kind!(Ratio: f64, Number, "a number of at least 0", |given| given >= 0.0 && given < f64::INFINITY, if given >= 0.0 { f64::MAX } else { 0.0 });
kind!(Time: std::time::Duration, Duration, "longer than zero", |given| !given.is_zero(), std::time::Duration::from_nanos(1));
kind!(TimeOrZero: std::time::Duration, Duration, "any duration", |_given| true, _given);

/// The kind of an enum of choices: the module has the enum's name, and every value is in range.
macro_rules! choice_kind {
    ($choice:ident) => {
        pub(crate) mod $choice {
            use crate::options::Value;

            pub(crate) type Type = crate::retry::$choice;
            pub(crate) const RANGE: &str = "one of the choices";
            pub(crate) const fn valid(_given: Type) -> bool {
                true
            }
            pub(crate) const fn nearest(given: Type) -> Type {
                given
            }
            pub(crate) const fn value(given: Type) -> Value {
                Value::Choice(given.name())
            }
        }
    };
}

choice_kind!(Backoff);
choice_kind!(Jitter);

#[cfg(test)]
mod tests {
    use super::{Factor, Rate, Ratio};

    #[test]
    fn every_number_has_a_nearest_valid_one() {
        for given in [f64::NAN, f64::NEG_INFINITY, -0.1, 0.0, 0.5, 1.0, 7.0, f64::INFINITY] {
            assert!(Rate::valid(Rate::nearest(given)), "rate {given}");
            assert!(Ratio::valid(Ratio::nearest(given)), "ratio {given}");
            assert!(Factor::valid(Factor::nearest(given)), "factor {given}");
        }
        assert!((Rate::nearest(0.25) - 0.25).abs() < f64::EPSILON);
    }
}
