//! Modules in which the usual names mean something else.

use super::{Attempts, call};

/// What a careless expansion would pick up: functions like constructors, types like the prelude's, modules like crates.
mod names {
    use resilience_tests_every_stack::in_every_stack;

    #[in_every_stack]
    mod taken {
        use super::super::{Attempts, call};
        use ::std::io;

        #[allow(non_snake_case, dead_code)]
        fn Ok() {}
        #[allow(non_snake_case, dead_code)]
        fn Err() {}
        #[allow(non_snake_case, dead_code)]
        fn Some() {}
        #[allow(non_upper_case_globals, dead_code)]
        const None: () = ();
        #[allow(dead_code)]
        struct Result;
        #[allow(dead_code)]
        struct Option;
        #[allow(dead_code)]
        trait Clone {}
        #[allow(dead_code)]
        trait ToOwned {}
        #[allow(dead_code)]
        trait Future {}
        #[allow(dead_code, non_camel_case_types)]
        struct str;
        #[allow(dead_code, non_camel_case_types)]
        struct bool;
        #[allow(dead_code)]
        fn drop() {}
        #[allow(dead_code)]
        mod core {}
        #[allow(dead_code)]
        mod std {}
        #[allow(dead_code)]
        mod resilience {}
        #[allow(dead_code)]
        mod tracing {}
        #[allow(unused_macros)]
        macro_rules! module_path {
            () => {
                compile_error!("not the one of core")
            };
        }
        #[allow(unused_macros)]
        macro_rules! submit {
            ($($any:tt)*) => {
                compile_error!("not the one of the runtime")
            };
        }

        #[guarded]
        async fn call_it(mut text: ::std::string::String, n: &Attempts) -> io::Result<::std::string::String> {
            text.push('!');
            tokio::task::yield_now().await;
            n.next()?;
            io::Result::Ok(text)
        }

        #[tokio::test(start_paused = true)]
        async fn by_the_module() {
            let text = || ::std::string::String::from("x");
            assert_eq!(call(ATTEMPTS, |n| call_it(text(), n)).await, "x!");
        }
    }
}

mod nothing {
    use resilience_tests_every_stack::in_every_stack;

    #[in_every_stack]
    mod imported {
        use super::super::call;

        mod without {
            #![no_implicit_prelude]

            use super::super::super::Attempts;
            use ::std::string::String;

            pub(super) struct Client(pub(super) &'static Attempts);

            impl Client {
                #[guarded]
                pub(super) async fn call_it(&mut self, mut text: String) -> ::std::io::Result<String> {
                    text.push('!');
                    ::tokio::task::yield_now().await;
                    self.0.next()?;
                    ::std::result::Result::Ok(text)
                }
            }
        }

        #[tokio::test(start_paused = true)]
        async fn from_a_prelude() {
            let called = call(ATTEMPTS, |n| async move { without::Client(n).call_it("x".to_owned()).await });
            assert_eq!(called.await, "x!");
        }
    }
}

/// The parts that only some policies have: keys, stand-ins, predicates, hooks, budgets.
mod others {
    #![no_implicit_prelude]

    use super::Attempts;
    use ::resilience::{Classify, fallback, rate_limit, resilient, retry, stale_if_error};
    use ::std::io;
    use ::std::primitive::{bool, str, u32};

    #[allow(non_snake_case, dead_code)]
    fn Ok() {}
    #[allow(non_snake_case, dead_code)]
    fn Some() {}
    #[allow(dead_code)]
    mod core {}

    #[fallback(|error| ::std::result::Result::Err(error))]
    #[stale_if_error("1m", key = (text, &number))]
    #[retry(base_delay = 0ms, budget = "shapes-preludes", when = any, on_retry = told)]
    #[rate_limit("shapes-preludes", limit = 100, permits = number)]
    pub(super) async fn recovered(text: &str, number: u32, n: &Attempts) -> io::Result<u32> {
        ::tokio::task::yield_now().await;
        n.next()?;
        ::std::result::Result::Ok(number + text.len() as u32)
    }

    fn any(_: &io::Error) -> bool {
        true
    }

    fn told(_: &::resilience::RetryAttempt<'_, io::Error>) {}

    #[derive(Classify)]
    pub(super) enum Fault {
        #[overloaded(retry_after = 0)]
        Busy(::std::time::Duration),
        #[overloaded]
        Full,
        #[classify(transparent)]
        Io(io::Error),
        Lost,
    }

    #[resilient(fallback(value = 7), retry(base_delay = 0ms))]
    pub(super) async fn listed() -> io::Result<u32> {
        io::Result::Err(io::Error::other("down"))
    }
}

#[tokio::test(start_paused = true)]
async fn others_have_no_names_either() {
    use others::Fault;
    use resilience::{Class, Classify};

    assert_eq!(call(3, |n| async move { others::recovered("x", 1, n).await }).await, 2);
    assert_eq!(call(0, |_| others::listed()).await, 7);
    let second = std::time::Duration::from_secs(1);
    assert_eq!(Fault::Busy(second).classify(), Class::Overloaded { retry_after: Some(second) });
    assert_eq!(Fault::Full.classify(), Class::Overloaded { retry_after: None });
    assert_eq!(Fault::Io(std::io::Error::other("x")).classify(), Class::Transient);
    assert_eq!(Fault::Lost.classify(), Class::Transient);
}
