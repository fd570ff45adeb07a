//! Stacks in both forms: in the second, the innermost policy has a harmless word of the user's, so all is spelled out.

use std::time::Duration;

use resilience::retry::RetryAttempt;
use resilience::{Classify, bulkhead, circuit_breaker, rate_limit, retry, timeout};
use resilience_tests::{Answer, Fault, ms};

use super::body::{Body, Guarded};

/// A list of policies.
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) name: &'static str,
    /// As one future, and spelled out.
    pub(crate) forms: [Form; 2],
}

/// A guarded function, and the one that its body asks; each with the name that its policies show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) call: Guarded,
    pub(crate) asks_name: &'static str,
    pub(crate) asks: Guarded,
}

fn quiet(_attempt: &RetryAttempt<'_, Fault>) {}

fn is_failure(fault: &Fault) -> bool {
    fault.is_failure()
}

fn one() -> u32 {
    1
}

fn shorter() -> Duration {
    ms(7)
}

fn short() -> Duration {
    ms(9)
}

fn long() -> Duration {
    ms(31)
}

/// One function in both forms, from a letter for each policy, outermost first.
///
/// Of a policy there is what it always says, what it says without words of the user's, and what it says with them.
macro_rules! both_forms {
    ($name:ident $run:ident $fused:tt $spelled:tt r $($more:tt)*) => { both_forms! {
        $name $run $fused $spelled
        retry [max_attempts = 3, base_delay = "4ms", jitter = "none"] [] [, on_retry = quiet] $($more)*
    }};
    // Spread by chance, and bounded in time.
    ($name:ident $run:ident $fused:tt $spelled:tt j $($more:tt)*) => { both_forms! {
        $name $run $fused $spelled
        retry [max_attempts = 4, base_delay = "6ms", max_elapsed = "25ms"] [] [, on_retry = quiet] $($more)*
    }};
    // Bounded by a budget.
    ($name:ident $run:ident $fused:tt $spelled:tt q $($more:tt)*) => { both_forms! {
        $name $run $fused $spelled
        retry [max_attempts = 4, base_delay = "3ms", jitter = "none", budget = NAME] [] [, on_retry = quiet] $($more)*
    }};
    // Without a pause.
    ($name:ident $run:ident $fused:tt $spelled:tt z $($more:tt)*) => { both_forms! {
        $name $run $fused $spelled retry [max_attempts = 3, base_delay = "0ms"] [] [, on_retry = quiet] $($more)*
    }};
    ($name:ident $run:ident $fused:tt $spelled:tt c $($more:tt)*) => { both_forms! {
        $name $run $fused $spelled
        circuit_breaker [window_calls = 6, min_calls = 3, cooldown = "12ms", success_threshold = 1, slow_call = "8ms"]
        [] [, when = is_failure] $($more)*
    }};
    // A window of time; one trial at once.
    ($name:ident $run:ident $fused:tt $spelled:tt w $($more:tt)*) => { both_forms! {
        $name $run $fused $spelled
        circuit_breaker
        [
            window = "30ms", min_calls = 2, consecutive_failures = 2,
            cooldown = "7ms", success_threshold = 2, max_probes = 1
        ]
        [] [, when = is_failure] $($more)*
    }};
    // With words in both forms: what is below is one future, or spelled out, and these stand in the function around it.
    ($name:ident $run:ident $fused:tt $spelled:tt y $($more:tt)+) => { both_forms! {
        $name $run $fused $spelled
        retry [max_attempts = 3, base_delay = "5ms", jitter = "equal", on_retry = quiet] [] [] $($more)+
    }};
    ($name:ident $run:ident $fused:tt $spelled:tt k $($more:tt)+) => { both_forms! {
        $name $run $fused $spelled
        circuit_breaker [window_calls = 4, cooldown = "9ms", success_threshold = 2, when = is_failure] [] [] $($more)+
    }};
    // Takes no words, so something that does must stand below it.
    ($name:ident $run:ident $fused:tt $spelled:tt b $($more:tt)+) => { both_forms! {
        $name $run $fused $spelled bulkhead [max_concurrent = 1, max_wait = "6ms", max_queue = 2] [] [] $($more)+
    }};
    ($name:ident $run:ident $fused:tt $spelled:tt l $($more:tt)*) => { both_forms! {
        $name $run $fused $spelled
        rate_limit [limit = 2, per = "16ms", max_wait = "5ms"] [] [, permits = one()] $($more)*
    }};
    ($name:ident $run:ident $fused:tt $spelled:tt t $($more:tt)*) => { both_forms! {
        $name $run $fused $spelled timeout [] ["9ms"] [short()] $($more)*
    }};
    ($name:ident $run:ident $fused:tt $spelled:tt s $($more:tt)*) => { both_forms! {
        $name $run $fused $spelled timeout [] ["7ms"] [shorter()] $($more)*
    }};
    ($name:ident $run:ident $fused:tt $spelled:tt T $($more:tt)*) => { both_forms! {
        $name $run $fused $spelled timeout [] ["31ms"] [long()] $($more)*
    }};
    (
        $name:ident $run:ident [$($fused:tt)*] [$($spelled:tt)*]
        $policy:ident [$($always:tt)*] [$($constant:tt)*] [$($words:tt)*]
    ) => {
        pub(super) mod $name {
            pub(crate) mod fused {
                use super::super::*;

                $($fused)* #[$policy($($always)* $($constant)*)]
                pub(crate) async fn call(body: &Body) -> Answer {
                    body.$run().await
                }

                pub(crate) const NAME: &str = concat!(module_path!(), "::call");
            }

            pub(crate) mod spelled {
                use super::super::*;

                $($spelled)* #[$policy($($always)* $($words)*)]
                pub(crate) async fn call(body: &Body) -> Answer {
                    body.$run().await
                }

                pub(crate) const NAME: &str = concat!(module_path!(), "::call");
            }
        }
    };
    (
        $name:ident $run:ident [$($fused:tt)*] [$($spelled:tt)*]
        $policy:ident [$($always:tt)*] [$($constant:tt)*] [$($words:tt)*] $($more:tt)+
    ) => { both_forms! {
        $name $run
        [$($fused)* #[$policy($($always)* $($constant)*)]] [$($spelled)* #[$policy($($always)* $($constant)*)]]
        $($more)+
    }};
}

/// Stacks that a test has to itself, with a function that all their bodies ask.
macro_rules! stacks {
    ($test:ident: $($name:ident: $($policy:ident)+;)+) => {
        pub(crate) mod $test {
            use super::*;

            both_forms! { asked run_asked [] [] r c l t }
            $(both_forms! { $name run [] [] $($policy)+ })+

            pub(crate) const STACKS: &[Stack] = &[$(
                Stack {
                    name: stringify!($($policy)+),
                    forms: [
                        Form {
                            name: $name::fused::NAME,
                            call: |body| Box::pin($name::fused::call(body)),
                            asks_name: asked::fused::NAME,
                            asks: |body| Box::pin(asked::fused::call(body)),
                        },
                        Form {
                            name: $name::spelled::NAME,
                            call: |body| Box::pin($name::spelled::call(body)),
                            asks_name: asked::spelled::NAME,
                            asks: |body| Box::pin(asked::spelled::call(body)),
                        },
                    ],
                },
            )+];
        }
    };
}

stacks! { small:
    r: r; c: c; bx: b T; l: l; t: t; j: j; z: z; w: w; x: T; rc: r c; rbx: r b T; rl: r l; rt: r t; cr: c r;
    cbx: c b T; cl: c l; ct: c t; br: b r; bc: b c; bl: b l; bt: b t; lr: l r; lc: l c; lbx: l b T; lt: l t; tr: t r;
    tc: t c; tbs: t b s; tl: t l;
}

stacks! { threes:
    rcl: r c l; rbc: r b c; rbt: r b t; rlbx: r l b T; rtc: r t c; rtl: r t l; crbx: c r b T; crt: c r t; cbl: c b l;
    clr: c l r; clt: c l t; ctbs: c t b s; brl: b r l; bcr: b c r; bct: b c t; blc: b l c; btr: b t r; btl: b t l;
    lrc: l r c; lrt: l r t; lcbx: l c b T; lbr: l b r; lbt: l b t; ltc: l t c; trbs: t r b s; tcr: t c r; tcl: t c l;
    tbc: t b c; tlr: t l r; tlbs: t l b s;
}

stacks! { large:
    rclbt: r c l b t; trclbs: t r c l b s; cblrt: c b l r t; blctr: b l c t r; tcrbl: t c r b l; lbtrc: l b t r c;
    crtbl: c r t b l; rtbcl: r t b c l; btlcr: b t l c r; lrcbt: l r c b t; rbtlc: r b t l c; ctblr: c t b l r;
    trcs: t r c s; xrt: T r t; xjwlbt: T j w l b t; xzcbt: T z c b t; jwblt: j w b l t; zlct: z l c t; wjbt: w j b t;
    xcrt: T c r t; brxct: b r T c t; xbjt: T b j t; jlw: j l w; xcbt: T c b t; q: q; qlt: q l t; xqct: T q c t;
    yct: y c t; ylbt: y l b t; kbt: k b t; ktl: k t l; tykl: t y k l; ykblt: y k b l t; xkyt: T k y t; bkrlt: b k r l t;
}
