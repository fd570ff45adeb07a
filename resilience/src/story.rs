//! What the earlier attempts of a call ended with, where a policy then ends the call: the cause is not lost.
//!
//! An [`Error`](crate::Error) is two words that are copied from layer to layer and dropped without a trace; one with a
//! destructor costs every call up to a fifth more, most of which never fail. So the text stands here, and the error has its
//! number. There is room for the newest [`ROOM`] of them: who formats an error later than that reads all but the story.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What earlier attempts ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Story {
    /// The text of the last one's error, cut to [`LONGEST`] bytes; empty if none has failed.
    pub(crate) text: Box<str>,
    /// How many attempts have begun.
    pub(crate) attempts: u32,
}

/// The longest text that is kept, in bytes.
const LONGEST: usize = 512;

/// How many stories are kept: two megabytes at most, where more errors are not held at once before somebody reads them.
const ROOM: usize = 4096;

/// A story by its number, and the time that the error had in the number's place.
struct Slot {
    number: u64,
    time: u64,
    story: Story,
}

/// Room for so many stories, of which the oldest gives way.
struct Stories<const N: usize> {
    slots: [Mutex<Option<Slot>>; N],
    next: AtomicU64,
}

static STORIES: Stories<ROOM> = Stories::new();

thread_local! {
    /// That of a retry which is being dropped, for the timeout that ends it.
    static LEFT: RefCell<Option<Story>> = const { RefCell::new(None) };
}

impl Story {
    pub(crate) fn new(text: &str, attempts: u32) -> Self {
        let mut end = text.len().min(LONGEST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Self { text: text[..end].into(), attempts }
    }

    /// Leaves it for the timeout that is dropping the retry right now.
    pub(crate) fn leave(self) {
        // While the thread ends there is nobody to tell.
        let _ = LEFT.try_with(|left| left.replace(Some(self)));
    }

    /// Keeps it, beside `time`; returns its number.
    pub(crate) fn keep(self, time: u64) -> u64 {
        STORIES.keep(self, time)
    }
}

/// Takes what a retry has left that was dropped on this thread.
pub(crate) fn left() -> Option<Story> {
    LEFT.try_with(RefCell::take).ok().flatten()
}

/// The time beside the story of that number, if it is still kept.
pub(crate) fn time_beside(number: u64) -> Option<u64> {
    STORIES.get(number, |slot| slot.time)
}

/// The story of that number, if it is still kept.
pub(crate) fn of(number: u64) -> Option<Story> {
    STORIES.get(number, |slot| slot.story.clone())
}

impl<const N: usize> Stories<N> {
    const fn new() -> Self {
        Self { slots: [const { Mutex::new(None) }; N], next: AtomicU64::new(0) }
    }

    fn keep(&self, story: Story, time: u64) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        *self.slot(number) = Some(Slot { number, time, story });
        number
    }

    fn get<T>(&self, number: u64, part: impl FnOnce(&Slot) -> T) -> Option<T> {
        self.slot(number).as_ref().filter(|slot| slot.number == number).map(part)
    }

    fn slot(&self, number: u64) -> MutexGuard<'_, Option<Slot>> {
        self.slots[(number % N as u64) as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_letter() {
        let long = "ä".repeat(LONGEST);
        assert_eq!(Story::new(&long, 2).text.len(), LONGEST);
        assert_eq!(*Story::new(&format!("x{long}"), 2).text, format!("x{}", "ä".repeat(255)));
    }

    #[test]
    fn the_newest_are_kept_and_none_is_taken_for_another() {
        let stories = Stories::<3>::new();
        let story = |number: u64| Story::new(&number.to_string(), 1);
        let numbers: Vec<_> = (0..4).map(|time| stories.keep(story(time), time)).collect();
        let kept = |number| stories.get(number, |slot| (slot.story.clone(), slot.time));
        assert_eq!(kept(numbers[0]), None);
        assert_eq!(kept(numbers[1]), Some((story(1), 1)));
        assert_eq!(kept(numbers[3]), Some((story(3), 3)));
    }

    #[test]
    fn what_a_dropped_retry_leaves_is_taken_once() {
        assert_eq!(left(), None);
        Story::new("refused", 3).leave();
        assert_eq!(left(), Some(Story::new("refused", 3)));
        assert_eq!(left(), None);
    }
}
