//! Arguments that are called like something of the expansion.

use super::*;

#[in_every_stack]
mod arguments {
    use super::*;

    // Every local name of an expansion; `every_local_is_among_them` holds the list complete.
    #[guarded]
    async fn named_like_locals(
        __a1: String,
        __a0: String,
        __admitted: String,
        __attempt: String,
        __attempts: String,
        __body: String,
        __class: String,
        __config_0: String,
        __config_3: String,
        __edge: String,
        __error: String,
        __fake: String,
        __impl: String,
        __key: String,
        __kind: String,
        __layer_0: String,
        __like: String,
        __link: String,
        __offered: String,
        __out: String,
        __owner: String,
        __pause: String,
        __permit: String,
        __permits: String,
        __place: String,
        __recovery: String,
        __resilience: String,
        __ret: String,
        __rt: String,
        __self: String,
        __stale: String,
        __text: String,
        __value: String,
        n: &Attempts,
    ) -> Result<String> {
        yield_now().await;
        n.next()?;
        let first = [
            __a1, __a0, __admitted, __attempt, __attempts, __body, __class, __config_0, __config_3, __edge, __error,
            __fake, __impl, __key, __kind, __layer_0,
        ];
        let second = [
            __like,
            __link,
            __offered,
            __out,
            __owner,
            __pause,
            __permit,
            __permits,
            __place,
            __recovery,
            __resilience,
            __ret,
            __rt,
            __self,
            __stale,
            __text,
            __value,
        ];
        Ok(first.concat() + &second.concat())
    }

    #[guarded]
    async fn named_like_paths(
        core: String,
        resilience: String,
        std: String,
        timeout: &str,
        retry: &mut String,
        rt: String,
        error: String,
        mut finish: String,
        n: &Attempts,
    ) -> Result<String> {
        finish.push('!');
        retry.push('r');
        yield_now().await;
        n.next()?;
        Ok([core, resilience, std, timeout.to_owned(), rt, error, finish].concat())
    }

    #[tokio::test(start_paused = true)]
    async fn are_the_users() {
        let s = |text: &str| text.to_owned();
        let called = call(ATTEMPTS, |n| {
            named_like_locals(
                s("a"),
                s("b"),
                s("c"),
                s("d"),
                s("e"),
                s("f"),
                s("g"),
                s("h"),
                s("i"),
                s("j"),
                s("k"),
                s("l"),
                s("m"),
                s("n"),
                s("o"),
                s("p"),
                s("q"),
                s("r"),
                s("s"),
                s("t"),
                s("u"),
                s("v"),
                s("w"),
                s("x"),
                s("y"),
                s("z"),
                s("A"),
                s("B"),
                s("C"),
                s("D"),
                s("E"),
                s("F"),
                s("G"),
                n,
            )
        });
        assert_eq!(called.await, "abcdefghijklmnopqrstuvwxyzABCDEFG");
        let called = call(ATTEMPTS, |n| async move {
            let s = |text: &str| text.to_owned();
            let mut retry = String::new();
            named_like_paths(s("a"), s("b"), s("c"), "d", &mut retry, s("e"), s("f"), s("g"), n).await
        });
        assert_eq!(called.await, "abcdefg!");
    }
}

/// The words of a text that begin with two underscores; numbers count as one.
fn locals(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| letter != '_' && !letter.is_alphanumeric())
        .filter(|word| word.starts_with("__") && word.chars().all(|letter| !letter.is_uppercase()))
        .map(|word| word.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_owned())
        .collect()
}

#[test]
fn every_local_is_among_them() {
    let package = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().find(|folder| folder.join("Cargo.lock").exists()).expect("a workspace");
    let mut used = BTreeSet::new();
    for entry in std::fs::read_dir(root.join("tests/tests/expand")).unwrap() {
        let entry = entry.unwrap();
        // A derive has no arguments.
        if entry.file_name() != "derived.rs" {
            used.append(&mut locals(&std::fs::read_to_string(entry.path()).unwrap()));
        }
    }
    assert!(used.contains("__out") && used.contains("__a"), "{:?}", used);
    // A module of the runtime, the argument of an anchor, and a section of a program.
    for no_local in ["__private", "__anchor", "__mod_init_func"] {
        assert!(used.remove(no_local));
    }
    let arguments = include_str!("names.rs").split("async fn named_like_locals(").nth(1).unwrap();
    let arguments = locals(arguments.split(')').next().unwrap());
    let missing: Vec<_> = used.difference(&arguments).collect();
    assert!(missing.is_empty(), "give `named_like_locals` arguments called {:?}", missing);
}
