//! The policy table: what each attribute is called and how it stands around the block below it.

/// How a policy stands around the block below it; `expand::wrap` has one arm for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Acquire a permit, run, settle the permit.
    Admit {
        /// The permit is awaited.
        waits: bool,
        /// The permit is told how the call ended; otherwise it is dropped.
        judges: bool,
    },
    /// Run with a deadline.
    Bound,
    /// Run again while the policy says so.
    Loop,
}

/// One attribute.
#[derive(Debug)]
pub(crate) struct Policy {
    /// The attribute's name, and the runtime module that holds its `Config`.
    pub(crate) name: &'static str,
    /// Its type in the runtime's `__private::policy`.
    pub(crate) marker: &'static str,
    pub(crate) shape: Shape,
    /// All calls share state under a name, so options are constants; otherwise any expression will do.
    pub(crate) shared: bool,
    /// The option that may be given first, without its key.
    pub(crate) first: Option<First>,
}

/// The value that may stand first, without a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    pub(crate) key: &'static str,
    pub(crate) required: bool,
    /// For messages: how an attribute with this value is written.
    pub(crate) example: &'static str,
}

impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

pub(crate) static RETRY: Policy =
    Policy { name: "retry", marker: "Retry", shape: Shape::Loop, shared: false, first: None };

pub(crate) static CIRCUIT_BREAKER: Policy = Policy {
    name: "circuit_breaker",
    marker: "CircuitBreaker",
    shape: Shape::Admit { waits: false, judges: true },
    shared: true,
    first: Some(First { key: "name", required: false, example: "#[circuit_breaker(\"payments\")]" }),
};

pub(crate) static BULKHEAD: Policy = Policy {
    name: "bulkhead",
    marker: "Bulkhead",
    shape: Shape::Admit { waits: true, judges: false },
    shared: true,
    first: Some(First { key: "name", required: false, example: "#[bulkhead(\"payments\")]" }),
};

pub(crate) static TIMEOUT: Policy = Policy {
    name: "timeout",
    marker: "Timeout",
    shape: Shape::Bound,
    shared: false,
    first: Some(First { key: "duration", required: true, example: "#[timeout(\"2s\")]" }),
};

static ALL: [&Policy; 4] = [&RETRY, &CIRCUIT_BREAKER, &BULKHEAD, &TIMEOUT];

/// The policy of that name.
pub(crate) fn named(name: &str) -> Option<&'static Policy> {
    ALL.into_iter().find(|policy| policy.name == name)
}
