//! Medians and quartiles: the mean of a noisy machine is the noise.

/// The middle of many values, and the middle half of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    pub(crate) fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let at = |part: f64| sorted.get((sorted.len() as f64 * part) as usize).copied().unwrap_or(f64::NAN);
        Self { low: at(0.25), median: at(0.5), high: at(0.75) }
    }
}

/// The middle one; not a number where there is none.
pub(crate) fn median(values: Vec<f64>) -> f64 {
    Spread::of(&values).median
}
