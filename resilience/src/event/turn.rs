//! What this thread has to tell: an event, and after it those that listeners cause meanwhile.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::{Event, Outbox};

/// How many events are told because of one, itself included.
const MOST: usize = 64;

/// What is told now, or later.
pub(super) enum News {
    Event(Event),
    /// Whatever is in there by then.
    Outbox(Outbox),
}

struct Turn {
    later: VecDeque<News>,
    /// How many more events.
    left: usize,
    dropped: usize,
}

thread_local! {
    static TURN: RefCell<Option<Turn>> = const { RefCell::new(None) };
}

/// Begins a turn with that; where one is under way it is told in that one, later. (A thread that has nothing of its own any
/// more, because it ends, tells nothing.)
pub(super) fn begin(first: News) -> Option<(News, End)> {
    let begun = TURN.try_with(|turn| match &mut *turn.borrow_mut() {
        Some(turn) => {
            turn.put(first);
            None
        }
        none => {
            *none = Some(Turn { later: VecDeque::new(), left: MOST, dropped: 0 });
            Some((first, End))
        }
    });
    begun.ok().flatten()
}

/// What was put off.
pub(super) fn next() -> Option<News> {
    with(|turn| turn.later.pop_front()).flatten()
}

/// Whether one more event may be told in this turn.
pub(super) fn one_more() -> bool {
    let left = with(|turn| {
        let left = turn.left > 0;
        turn.left = turn.left.saturating_sub(1);
        left
    });
    left.unwrap_or(false)
}

/// An event is not told.
pub(super) fn drop_one() {
    with(|turn| turn.dropped += 1);
}

/// How many events were not told in this turn.
pub(super) fn dropped() -> usize {
    with(|turn| turn.dropped).unwrap_or(0)
}

/// Whether this thread is telling an event: a listener runs.
pub(super) fn is_under_way() -> bool {
    with(|_| ()).is_some()
}

fn with<T>(work: impl FnOnce(&mut Turn) -> T) -> Option<T> {
    TURN.try_with(|turn| turn.borrow_mut().as_mut().map(work)).ok().flatten()
}

impl Turn {
    fn put(&mut self, news: News) {
        if self.later.len() < MOST {
            self.later.push_back(news);
        } else if let News::Event(_) = news {
            self.dropped += 1;
        }
    }
}

/// Ends the turn when it is dropped.
pub(super) struct End;

impl Drop for End {
    fn drop(&mut self) {
        let _ = TURN.try_with(RefCell::take);
    }
}
