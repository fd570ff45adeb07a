//! Which pairs of places have been told of: code has as many as it has nested calls.

use std::sync::OnceLock;

/// A list that only grows, without a lock: who finds the end adds to it, or goes on where somebody else was faster.
pub(crate) struct Pairs(OnceLock<Box<Pair>>);

struct Pair {
    pair: (usize, usize),
    more: Pairs,
}

impl Pairs {
    pub(crate) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Whether the pair is seen for the first time.
    pub(crate) fn is_new(&self, pair: (usize, usize)) -> bool {
        let mut at = self;
        loop {
            match at.0.get() {
                Some(known) if known.pair == pair => return false,
                Some(known) => at = &known.more,
                None => {
                    if at.0.set(Box::new(Pair { pair, more: Self::new() })).is_ok() {
                        return true;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_is_new_once_whoever_asks() {
        let pairs = Pairs::new();
        let new: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| (0..100).filter(|number| pairs.is_new((*number, number % 7))).count()))
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(new, 100);
        assert!(!pairs.is_new((8, 1)) && pairs.is_new((1, 8)));
    }
}
