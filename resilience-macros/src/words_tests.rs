//! What counts as naming the variable `n`.
#![allow(clippy::expect_used, reason = "tests may panic")]

use crate::words::Words;

fn names_n(code: &str) -> bool {
    Words::of(&code.parse().expect(code)).has("n")
}

#[test]
fn what_names_the_variable() {
    for code in [
        "n",
        "n.len()",
        "f(n)",
        "0..n",
        "..n",
        "..=n",
        "Foo { n }",
        "Foo { a: n }",
        "n != 2",
        "!n",
        "&n",
        "r#n",
        "println!(\"{n}\")",
        "println!(\"{n:?}\")",
        "println!(\"{:n$}\", 1)",
        "let n = n; n",
        "let a = n; let n = a;",
        "{ let n = 1; } n",
        "for n in n {}",
        "for n in 0..1 {} n",
        "if let Some(n) = n {}",
        "let mut n = { n };",
        "match n { _ => 1 }",
        "f(|n| n, n)",
        "let f = |n| n; n",
        "|a: u8| n",
        "|| n",
        "a | n",
        "f(a)? | n | b",
        "match a { Some(n) => 1, _ => n }",
        "match a { n if true => {} _ => f(n) }",
        "match a { Some(n) => if b { 1 } else { 2 } None => f(n), }",
        "match a { A => |b, n| b, B => n }",
        "match a { A => f::<B, C>(n), n => 1 }",
        "match { n } { n => 1 }",
        "match if a { n } else { b } { n => 1 }",
        "match a { _ if let Some(n) = b => n, _ => 1 } n",
        "if let Some(n) = a { n } else { n }",
        "if let Some(n) = { n } { 1 }",
        "if let Some(a) = b && n { 1 }",
        "if let Some(n) = n && a { 1 }",
        "while let Some(n) = a {} n",
        "for n in match a { _ => n } {}",
        "for n in unsafe { n } {}",
        "for n in [0..1, n] {}",
        "let (a, b) = (n, 1);",
        "let Some(n) = n else { return };",
        "let Some(n) = a else { return f(n) };",
        "{ let (n, a) = b; } n",
        "format!(\"{n}\", n = n)",
        "format!(\"{n} {a}\", a = 1)",
        "let a: u8 = n;",
        "let a: Vec<u8>= n;",
        "let a = b < n && c > d;",
        "a as u8 + n",
        "a::<u8>(n)",
        "fn f() {} n",
        "const A: u8 = 1; n",
        "|a| -> u8 { n }",
        "select! { n = a => {} }",
        "select! { let n = 1; n }",
        "macro_rules! f { () => { n } }",
        "quote! { #n::a }",
        "call! { fn f(n: u8) }",
        "#[cfg(a)] let n = 1; n",
        "#[cfg(a)] #[allow(b)] let n = 1; n",
        "!n && !(n)",
        "if a { b } else if n { c }",
        "loop { if a { break n } }",
        "x[n]",
        "async move { n }",
        "return n",
    ] {
        assert!(names_n(code), "{code}");
    }
}

#[test]
fn what_is_another_things_name() {
    for code in [
        "a.n",
        "a.n()",
        "a::n",
        "n::a",
        "Foo { n: 1 }",
        "n!()",
        "n! { a }",
        "'n: loop { break 'n; }",
        "\"{n}\"",
        "f(\"{n}\")",
        "println!(\"{{n}}\")",
        "let n = 1; n",
        "let mut n = 1; f(n)",
        "let n: u8 = 1; g(|| n)",
        "let n; n = 1;",
        "for n in 0..1 { f(n) }",
        "let n = 1; { n }",
        "|n: u8| 0",
        "|n: u8| n",
        "f(|n| n + 1)",
        "f(move |a, (n, b)| async move { n })",
        "let f = |&n| n; f(1)",
        "match a { Some(n) if n > 1 => f(n), Foo { n, .. } => n, n => { n } }",
        "match a { n => 1, | [n, ..] | [.., n] => n }",
        "match f::<A, B>(a)? { Ok(n) => g::<A, B>(n), _ => 1 }",
        "match match a { _ => b } { n => n }",
        "if let Some(n) = a { n } else { b }",
        "if let Some(n) = a && n > 1 &&let Ok(m) = n { n + m }",
        "while let Some(Foo { a: n }) = f().await { n }",
        "for (a, n) in b.iter() { n }",
        "for n in unsafe { a } { n }",
        "let (n, a) = b; n",
        "let Foo { n, .. } = a; n",
        "let Some(n) = a else { return b }; n",
        "#[allow(unused)] let n = 1; n",
        "let n = 1; format!(\"{n}\")",
        "format!(\"{n}\", n = 1)",
        "let a: n = b;",
        "let a: Vec<n> = b;",
        "let a: [u8; n] = b;",
        "a as n",
        "a::<n>()",
        "|a: &n| -> n { a }",
        "fn f(n: u8) -> n { n }",
        "async fn f() { n } f()",
        "impl Foo { fn n(self) -> n { n } }",
        "struct Foo { a: n }",
        "use n;",
        "const A: n = n;",
        "\"n\"",
    ] {
        assert!(!names_n(code), "{code}");
    }
}

#[test]
fn words_name_variables() {
    let words = Words::of(
        &r##"a.field(b); S { c, ..d }; e..=f; format!("{g:>h$} {{i}} j {k.l}", m = n); r#type"##
            .parse()
            .expect("tokens"),
    );
    for word in ["a", "b", "c", "d", "e", "f", "g", "h", "n", "type"] {
        assert!(words.has(word), "{word}");
    }
    for word in ["field", "j"] {
        assert!(!words.has(word), "{word}");
    }
}
