//! One event after the other, also where a listener causes more: they are told after the present one, by the same thread.
//!
//! A listener that uses a policy whose events it listens to would otherwise call itself, deeper and deeper, just when what it
//! reports to is down. It is bounded, too.

use super::turn::{self, News};
use super::{Event, Outbox, aside, isolated, listener, trace};

/// Tells it now, and after it what that leads to; or later, where this thread is telling something already.
pub(super) fn deliver(news: News) {
    let Some((first, end)) = turn::begin(news) else { return };
    tell(first);
    while let Some(news) = turn::next() {
        tell(news);
    }
    let dropped = turn::dropped();
    if dropped > 0 {
        // In the same turn still: what a subscriber causes by this is not told either.
        aside(|| trace::dropped(dropped));
    }
    drop(end);
}

fn tell(news: News) {
    match news {
        News::Event(event) if turn::one_more() => tell_event(&event),
        News::Event(_) => turn::drop_one(),
        // What is left in there is for whoever delivers it next.
        News::Outbox(outbox) => outbox.deliver_each(turn::one_more, tell_event),
    }
}

fn tell_event(event: &Event) {
    isolated(event, || trace::record(event));
    listener::call_all(event);
}

impl Outbox {
    /// The caller holds no lock.
    pub(crate) fn deliver(&self) {
        if !self.is_empty() {
            deliver(News::Outbox(self.clone()));
        }
    }
}
