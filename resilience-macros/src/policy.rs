//! The policy table: what each attribute is called and how it stands around the block below it.

/// How a policy stands around the block below it; `expand::wrap` has one arm for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Acquire a permit, run, settle the permit.
    Admit {
        /// The permit is awaited.
        waits: bool,
        permit: Permit,
    },
    /// Run with a deadline.
    Bound,
    /// Run again while the policy says so.
    Loop,
    /// Put something in the place of a failed result.
    Recover {
        /// A value of an earlier call; otherwise what the user says.
        remembers: bool,
    },
}

/// What becomes of a permit after the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permit {
    /// It is told how the call ended.
    Judges,
    /// It is given back.
    Held,
    /// There is none: what was taken is gone.
    Spent,
}

/// One attribute.
#[derive(Debug)]
pub(crate) struct Policy {
    pub(crate) name: &'static str,
    /// The runtime's module that holds its `Config`.
    pub(crate) module: &'static str,
    /// The type of its sites in the runtime's `__private`, and the function that makes one.
    pub(crate) site: &'static str,
    pub(crate) new_site: &'static str,
    pub(crate) shape: Shape,
    /// All calls share state under a name, so options are constants; otherwise any expression will do.
    pub(crate) shared: bool,
    /// The option that may be given first, without its key.
    pub(crate) first: Option<First>,
    /// The option without which it refuses all calls, and which nobody else can give where it has no name.
    pub(crate) needs: Option<Needs>,
}

/// An option that has to be given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    pub(crate) key: &'static str,
    /// For messages: how an attribute with it is written.
    pub(crate) example: &'static str,
}

/// The value that may stand first, without a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First {
    pub(crate) key: &'static str,
    /// The same, for messages.
    pub(crate) what: &'static str,
    pub(crate) required: bool,
    /// For messages: how an attribute with this value is written.
    pub(crate) example: &'static str,
}

impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

pub(crate) static RETRY: Policy = Policy {
    name: "retry",
    module: "retry",
    site: "RetrySite",
    new_site: "retry_site",
    shape: Shape::Loop,
    shared: false,
    first: None,
    needs: None,
};

pub(crate) static CIRCUIT_BREAKER: Policy = Policy {
    name: "circuit_breaker",
    module: "circuit_breaker",
    site: "CircuitBreakerSite",
    new_site: "circuit_breaker_site",
    shape: Shape::Admit { waits: false, permit: Permit::Judges },
    shared: true,
    first: Some(First { key: "name", what: "name", required: false, example: "#[circuit_breaker(\"payments\")]" }),
    needs: None,
};

pub(crate) static BULKHEAD: Policy = Policy {
    name: "bulkhead",
    module: "bulkhead",
    site: "BulkheadSite",
    new_site: "bulkhead_site",
    shape: Shape::Admit { waits: true, permit: Permit::Held },
    shared: true,
    first: Some(First { key: "name", what: "name", required: false, example: "#[bulkhead(\"payments\")]" }),
    needs: None,
};

pub(crate) static RATE_LIMIT: Policy = Policy {
    name: "rate_limit",
    module: "rate_limit",
    site: "RateLimitSite",
    new_site: "rate_limit_site",
    shape: Shape::Admit { waits: true, permit: Permit::Spent },
    shared: true,
    first: Some(First {
        key: "name",
        what: "name",
        required: false,
        example: "#[rate_limit(\"payments\", limit = 100)]",
    }),
    needs: Some(Needs { key: "limit", example: "#[rate_limit(limit = 100)]" }),
};

pub(crate) static TIMEOUT: Policy = Policy {
    name: "timeout",
    module: "timeout",
    site: "TimeoutSite",
    new_site: "timeout_site",
    shape: Shape::Bound,
    shared: false,
    first: Some(First { key: "duration", what: "duration", required: true, example: "#[timeout(\"2s\")]" }),
    needs: None,
};

pub(crate) static FALLBACK: Policy = Policy {
    name: "fallback",
    module: "fallback",
    site: "FallbackSite",
    new_site: "fallback_site",
    shape: Shape::Recover { remembers: false },
    shared: false,
    // Required unless there is a `value`: `args` knows.
    first: Some(First { key: "function", what: "function", required: false, example: "#[fallback(|error| …)]" }),
    needs: None,
};

pub(crate) static STALE_IF_ERROR: Policy = Policy {
    name: "stale_if_error",
    module: "stale",
    site: "StaleIfErrorSite",
    new_site: "stale_if_error_site",
    shape: Shape::Recover { remembers: true },
    shared: false,
    first: Some(First { key: "max_age", what: "age", required: true, example: "#[stale_if_error(\"10m\")]" }),
    needs: None,
};

static ALL: [&Policy; 7] = [&RETRY, &CIRCUIT_BREAKER, &BULKHEAD, &RATE_LIMIT, &TIMEOUT, &FALLBACK, &STALE_IF_ERROR];

/// The policy of that name.
pub(crate) fn named(name: &str) -> Option<&'static Policy> {
    ALL.into_iter().find(|policy| policy.name == name)
}

/// The names of all policies.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().map(|policy| policy.name)
}
