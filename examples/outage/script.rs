//! The script of the outage: what the upstream goes through, and when.

use std::time::Duration;

/// A part of the run in which the upstream behaves in one way.
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    pub(crate) begin: Duration,
    pub(crate) end: Duration,
    pub(crate) behaviour: Behaviour,
}

/// How the upstream treats the calls it works on.
#[derive(Clone, Copy)]
pub(crate) enum Behaviour {
    Healthy,
    /// Every call takes so many times its usual time.
    Slow(f64),
    /// This part of the calls fails, as fast as others succeed.
    Erroring(f64),
    /// No call ends before the phase does.
    Hanging,
    /// Slow as given at first, then better and better: caches are cold, connections have to be made.
    Recovering(f64),
}

/// Name, share of the run in thirtieths (seconds, at the default length), behaviour.
const PHASES: [(&str, u32, Behaviour); 6] = [
    ("healthy", 3, Behaviour::Healthy),
    ("slow", 4, Behaviour::Slow(6.0)),
    ("erroring", 5, Behaviour::Erroring(0.25)),
    ("hanging", 5, Behaviour::Hanging),
    ("recovering", 3, Behaviour::Recovering(3.0)),
    ("healthy again", 10, Behaviour::Healthy),
];

pub(crate) struct Script {
    phases: Vec<Phase>,
}

impl Script {
    /// The script, stretched or squeezed to `length`.
    pub(crate) fn new(length: Duration) -> Self {
        let mut begin = Duration::ZERO;
        let phases = PHASES.map(|(name, share, behaviour)| {
            let end = begin + length * share / 30;
            let phase = Phase { name, begin, end, behaviour };
            begin = end;
            phase
        });
        Self { phases: phases.into() }
    }

    pub(crate) fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// The phase at that time; after the end it is the last one.
    pub(crate) fn at(&self, time: Duration) -> &Phase {
        let running = |phase: &&Phase| time < phase.end;
        self.phases.iter().find(running).unwrap_or(&self.phases[self.phases.len() - 1])
    }

    /// When the upstream began to answer again.
    pub(crate) fn recovery(&self) -> Duration {
        let recovering = |phase: &&Phase| matches!(phase.behaviour, Behaviour::Recovering(_));
        self.phases.iter().find(recovering).expect("every outage ends").begin
    }

    pub(crate) fn length(&self) -> Duration {
        self.phases[self.phases.len() - 1].end
    }
}

impl Phase {
    /// How many times its usual time a call takes that is begun at that time.
    pub(crate) fn slowness(&self, time: Duration) -> f64 {
        match self.behaviour {
            Behaviour::Slow(factor) => factor,
            Behaviour::Recovering(factor) => {
                let done = time.saturating_sub(self.begin).div_duration_f64(self.end - self.begin);
                factor + (1.0 - factor) * done.min(1.0)
            }
            Behaviour::Healthy | Behaviour::Erroring(_) | Behaviour::Hanging => 1.0,
        }
    }

    pub(crate) fn error_rate(&self) -> f64 {
        if let Behaviour::Erroring(rate) = self.behaviour { rate } else { 0.0 }
    }

    pub(crate) fn hangs(&self) -> bool {
        matches!(self.behaviour, Behaviour::Hanging)
    }
}
