//! The slots against a naive model, step by step, and in every interleaving.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use super::config::Settings;
use super::slots::{Place, Slots};

fn slots(max_concurrent: u32, max_queue: u32) -> Slots {
    Slots::new(Settings { max_concurrent, max_wait: Duration::from_secs(1), max_queue })
}

#[derive(Default)]
struct Bell(AtomicU32);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn served(place: &mut Place<'_>, bell: &Arc<Bell>) -> bool {
    let waker = Waker::from(Arc::clone(bell));
    Pin::new(place).poll(&mut Context::from_waker(&waker)) == Poll::Ready(())
}

#[cfg(not(resilience_loom))]
mod model {
    use proptest::prelude::*;

    use super::*;

    /// A bulkhead as one would explain it.
    struct Model {
        max: u32,
        max_queue: usize,
        in_flight: u32,
        line: Vec<u64>,
        called: Vec<u64>,
    }

    impl Model {
        fn take(&mut self) -> bool {
            let free = self.line.is_empty() && self.in_flight < self.max;
            self.in_flight += u32::from(free);
            free
        }

        fn join(&mut self, number: u64) -> bool {
            if self.line.len() >= self.max_queue {
                return false;
            }
            self.line.push(number);
            self.serve();
            true
        }

        fn serve(&mut self) {
            while !self.line.is_empty() && self.in_flight < self.max {
                self.called.push(self.line.remove(0));
                self.in_flight += 1;
            }
        }

        fn give_back(&mut self) {
            self.in_flight -= 1;
            self.serve();
        }

        fn leave(&mut self, number: u64) {
            if self.line.contains(&number) {
                self.line.retain(|other| *other != number);
            } else {
                self.give_back();
            }
        }
    }

    struct Waiter<'a> {
        number: u64,
        place: Place<'a>,
        bell: Arc<Bell>,
        polled: bool,
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Take,
        GiveBack,
        Join,
        Poll(usize),
        Leave(usize),
        Resize(u32),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => Just(Step::Take),
            3 => Just(Step::GiveBack),
            4 => Just(Step::Join),
            3 => (0usize..8).prop_map(Step::Poll),
            2 => (0usize..8).prop_map(Step::Leave),
            1 => (1u32..5).prop_map(Step::Resize),
        ]
    }

    proptest! {
        #[test]
        fn slots_do_what_the_model_does(max in 1u32..4, max_queue in 0u32..4, steps in prop::collection::vec(step(), 1..120)) {
            // On a clock that stands still: nobody comes late.
            let clock = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
            let _clock = clock.enter();
            let slots = slots(max, max_queue);
            let mut model =
                Model { max, max_queue: max_queue as usize, in_flight: 0, line: Vec::new(), called: Vec::new() };
            let mut waiters: Vec<Waiter<'_>> = Vec::new();
            let (mut held, mut numbers) = (0u32, 0u64);
            for step in steps {
                match step {
                    Step::Take => {
                        let taken = slots.take_free();
                        prop_assert_eq!(taken, model.take());
                        held += u32::from(taken);
                    }
                    Step::GiveBack if held > 0 => {
                        held -= 1;
                        slots.give_back();
                        model.give_back();
                    }
                    Step::Join => {
                        let place = slots.join_line();
                        prop_assert_eq!(place.is_some(), model.join(numbers));
                        if let Some(place) = place {
                            waiters.push(Waiter { number: numbers, place, bell: Arc::default(), polled: false });
                        }
                        numbers += 1;
                    }
                    Step::Poll(which) if which < waiters.len() => {
                        let waiter = &mut waiters[which];
                        waiter.polled = true;
                        let served = served(&mut waiter.place, &waiter.bell);
                        prop_assert_eq!(served, model.called.contains(&waiter.number));
                        if served {
                            held += 1;
                            waiters.remove(which);
                        }
                    }
                    Step::Leave(which) if which < waiters.len() => model.leave(waiters.remove(which).number),
                    Step::Resize(size) => {
                        let max_wait = Duration::from_secs(1);
                        slots.reconfigure(Settings { max_concurrent: size, max_wait, max_queue });
                        model.max = size;
                        model.serve();
                    }
                    _ => {}
                }
                let now = slots.snapshot();
                prop_assert_eq!(
                    (now.in_flight, now.waiting as usize, now.max_concurrent),
                    (model.in_flight, model.line.len(), model.max)
                );
                for waiter in &waiters {
                    let called = waiter.polled && model.called.contains(&waiter.number);
                    prop_assert!(!called || waiter.bell.0.load(Ordering::SeqCst) > 0, "nobody told {}", waiter.number);
                }
            }
        }
    }
}

#[cfg(resilience_loom)]
mod interleavings {
    use loom::sync::Arc as LoomArc;
    use loom::sync::atomic::AtomicU32 as LoomU32;
    use loom::thread;

    use super::*;

    /// Nobody inside, nobody in line, the mark down, and so many slots.
    fn assert_whole(slots: &Slots, number: u32) {
        assert_eq!(slots.snapshot().in_flight, 0);
        assert_eq!(slots.snapshot().waiting, 0);
        (0..number).for_each(|_| assert!(slots.take_free()));
        assert!(!slots.take_free());
    }

    #[test]
    fn loom_one_slot_is_one_callers() {
        loom::model(|| {
            let (slots, inside) = (LoomArc::new(slots(1, 0)), LoomArc::new(LoomU32::new(0)));
            let visit = |slots: &Slots, inside: &LoomU32| {
                if slots.take_free() {
                    assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
                    inside.fetch_sub(1, Ordering::Relaxed);
                    slots.give_back();
                }
            };
            let other = thread::spawn({
                let (slots, inside) = (slots.clone(), inside.clone());
                move || visit(&slots, &inside)
            });
            visit(&slots, &inside);
            other.join().unwrap();
            assert_whole(&slots, 1);
        });
    }

    /// A slot that comes back while somebody joins the line is theirs, and a waiter that was told to wait is woken.
    #[test]
    fn loom_who_joins_while_a_slot_comes_back_is_served() {
        loom::model(|| {
            let slots = LoomArc::new(slots(1, 1));
            assert!(slots.take_free());
            let back = thread::spawn({
                let slots = slots.clone();
                move || slots.give_back()
            });
            let bell = Arc::default();
            let mut place = slots.join_line().expect("the line is empty");
            let at_once = served(&mut place, &bell);
            back.join().unwrap();
            if !at_once {
                assert_eq!(bell.0.load(Ordering::SeqCst), 1);
                assert!(served(&mut place, &bell));
            }
            drop(place);
            assert_eq!(slots.snapshot().in_flight, 1, "the place has become a slot");
            slots.give_back();
            assert_whole(&slots, 1);
        });
    }

    #[test]
    fn loom_a_head_that_leaves_while_the_slot_comes_back_loses_nothing() {
        loom::model(|| {
            let slots = LoomArc::new(slots(1, 2));
            assert!(slots.take_free());
            let back = thread::spawn({
                let slots = slots.clone();
                move || slots.give_back()
            });
            let head = slots.join_line().expect("two may wait");
            let mut next = slots.join_line().expect("two may wait");
            drop(head);
            back.join().unwrap();
            assert!(served(&mut next, &Arc::default()));
            drop(next);
            slots.give_back();
            assert_whole(&slots, 1);
        });
    }

    #[test]
    fn loom_nobody_overtakes_the_line() {
        loom::model(|| {
            let slots = LoomArc::new(slots(1, 1));
            assert!(slots.take_free());
            let mut place = slots.join_line().expect("the line is empty");
            let newcomer = thread::spawn({
                let slots = slots.clone();
                move || slots.take_free()
            });
            slots.give_back();
            assert!(!newcomer.join().unwrap());
            assert!(served(&mut place, &Arc::default()));
        });
    }

    #[test]
    fn loom_a_shrink_that_races_with_takes_and_returns_keeps_count() {
        loom::model(|| {
            let slots = LoomArc::new(slots(2, 0));
            assert!(slots.take_free());
            let back = thread::spawn({
                let slots = slots.clone();
                move || slots.give_back()
            });
            let taker = thread::spawn({
                let slots = slots.clone();
                move || slots.take_free()
            });
            slots.reconfigure(Settings { max_concurrent: 1, max_wait: Duration::ZERO, max_queue: 0 });
            back.join().unwrap();
            if taker.join().unwrap() {
                assert!(!slots.take_free(), "one is inside, and there is one slot");
                slots.give_back();
            }
            assert_whole(&slots, 1);
        });
    }
}
