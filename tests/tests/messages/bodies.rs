//! Functions that rustc has something to say about. With an attribute in the place of `#[guard]` it says the same at the same
//! place; where it cannot, a line `// but for NAME: why` names the attribute.

use std::io;

struct Page {
    text: String,
}

impl Page {
    fn text(&self) -> &str {
        &self.text
    }
}

async fn send(text: String) -> io::Result<usize> {
    Ok(text.len())
}

mod another_type_at_the_end {
    #[guard]
    async fn call() -> super::io::Result<String> {
        Ok(7)
    }
}

mod no_result_at_the_end {
    #[guard]
    async fn call() -> super::io::Result<u8> {
        7
    }
}

mod a_semicolon_at_the_end {
    #[guard]
    async fn call(text: String) -> super::io::Result<usize> {
        super::send(text).await;
    }
}

mod a_missing_await {
    #[guard]
    async fn call(text: String) -> super::io::Result<usize> {
        super::send(text)
    }
}

mod another_error_at_a_question_mark {
    #[guard]
    async fn call(text: &str) -> super::io::Result<usize> {
        let number: usize = text.parse::<usize>()?;
        Ok(number)
    }
}

mod an_early_return_of_another_type {
    #[guard]
    async fn call(ready: bool) -> super::io::Result<u8> {
        if ready {
            return Ok("ready");
        }
        Ok(1)
    }
}

mod a_borrowed_local {
    #[guard]
    async fn call() -> super::io::Result<&'static str> {
        let page = super::Page { text: String::new() };
        Ok(page.text())
    }
}

mod the_wrong_lifetime {
    #[guard]
    async fn call<'a>(one: &'a str, other: &str) -> super::io::Result<&'a str> {
        let _ = one;
        Ok(other)
    }
}

mod a_borrowed_local_under_an_impl_trait {
    #[guard]
    async fn call() -> super::io::Result<impl Iterator<Item = char>> {
        let text = String::from("text");
        Ok(text.chars())
    }
}

mod used_after_a_move_of_a_local {
    #[guard]
    async fn call() -> super::io::Result<usize> {
        let text = String::new();
        let sent = super::send(text).await?;
        Ok(sent + text.len())
    }
}

mod a_match_that_is_not_exhaustive {
    #[guard]
    async fn call(number: Option<u8>) -> super::io::Result<u8> {
        match number {
            Some(number) => Ok(number),
        }
    }
}

mod an_unused_local {
    #[guard]
    async fn call() -> super::io::Result<u8> {
        let unused = 1;
        Ok(2)
    }
}

mod an_unused_mut {
    #[guard]
    async fn call() -> super::io::Result<u8> {
        let mut number = 1;
        Ok(number)
    }
}

mod an_unused_argument {
    #[guard]
    async fn call(unused: u8) -> super::io::Result<u8> {
        Ok(1)
    }
}

mod an_argument_that_another_one_shadows {
    #[guard]
    async fn call(number: u8) -> super::io::Result<u8> {
        let number = 1;
        Ok(number)
    }
}

mod an_unused_result {
    #[guard]
    async fn call(text: String) -> super::io::Result<u8> {
        super::send(text).await;
        Ok(1)
    }
}

mod unreachable_code {
    #[guard]
    async fn call() -> super::io::Result<u8> {
        return Ok(1);
        Ok(2)
    }
}

mod an_unknown_name {
    #[guard]
    async fn call() -> super::io::Result<u8> {
        Ok(unknown)
    }
}

mod an_unknown_method {
    #[guard]
    async fn call(page: &super::Page) -> super::io::Result<u8> {
        Ok(page.length())
    }
}

mod assigned_while_borrowed {
    #[guard]
    async fn call() -> super::io::Result<usize> {
        let mut text = String::new();
        let borrowed = &text;
        text = String::from("other");
        Ok(borrowed.len())
    }
}

mod two_unique_borrows {
    #[guard]
    async fn call(text: &mut String) -> super::io::Result<usize> {
        let one = &mut *text;
        let other = &mut *text;
        one.push('a');
        other.push('b');
        Ok(1)
    }
}

mod not_declared_mut {
    #[guard]
    async fn call() -> super::io::Result<usize> {
        let text = String::new();
        text.push('a');
        Ok(text.len())
    }
}

mod a_moved_field {
    #[guard]
    async fn call(page: &super::Page) -> super::io::Result<String> {
        Ok(page.text)
    }
}

mod two_branches_of_different_types {
    #[guard]
    async fn call(ready: bool) -> super::io::Result<u8> {
        let number = if ready { 1 } else { "two" };
        Ok(number)
    }
}

mod a_type_that_nothing_tells {
    #[guard]
    async fn call() -> super::io::Result<u8> {
        let all = Vec::new();
        Ok(all.len() as u8)
    }
}

mod another_things_words {
    // Each argument is mentioned by another thing's name only; a page cannot be copied for an attempt.
    #[guard]
    async fn call(a: super::Page, b: super::Page, c: super::Page, d: super::Page, e: super::Page, f: super::Page) -> super::io::Result<u8> {
        let sum: u8 = (0..3u8).map(|a| a + 1).sum();
        let (b, _) = (sum, 1);
        let taken = match Some(b) {
            Some(c) if c > 1 => c,
            None | Some(_) => 1,
        };
        let last = if let Some(d) = Some(taken) && d > 0 { d } else { 1 };
        for (e, other) in [(last, 1)] {
            let _ = e + other;
        }
        fn double(f: u8) -> u8 {
            f * 2
        }
        Ok(double(last))
    }
}

mod words_of_types_and_texts {
    #[guard]
    async fn call(str: super::Page, usize: super::Page, a: super::Page, b: super::Page, vec: super::Page) -> super::io::Result<String> {
        let text: &str = "text";
        let length = text.chars().map(|letter| letter as usize).sum::<usize>();
        let a = vec![length];
        'b: loop {
            break 'b;
        }
        Ok(format!("{a:?} {b}", b = "{b}"))
    }
}

mod an_item_called_like_an_argument {
    // but for timeout: who calls `number` may mean the argument; what is counted as used too much only costs a warning
    // but for circuit_breaker: the same
    // but for fallback: the same
    // but for resilient: the same
    #[guard]
    async fn call(number: u8) -> super::io::Result<u8> {
        fn number() -> u8 {
            1
        }
        Ok(number())
    }
}

mod used_after_a_move_of_an_argument {
    #[guard]
    async fn call(text: String) -> super::io::Result<usize> {
        let sent = super::send(text).await?;
        Ok(sent + text.len())
    }
}

mod moved_in_a_loop {
    #[guard]
    async fn call(text: String) -> super::io::Result<u8> {
        for _ in 0..2 {
            super::send(text).await?;
        }
        Ok(1)
    }
}

mod an_argument_not_declared_mut {
    #[guard]
    async fn call(text: String) -> super::io::Result<usize> {
        text.push('a');
        Ok(text.len())
    }
}

mod an_argument_that_need_not_be_mut {
    #[guard]
    async fn call(mut text: String) -> super::io::Result<usize> {
        Ok(text.len())
    }
}

mod an_argument_that_is_assigned {
    // but for every one: a block cannot assign what it captures, which has another code
    #[guard]
    async fn call(number: u8) -> super::io::Result<u8> {
        number = 2;
        Ok(number)
    }
}

mod a_borrowed_argument {
    #[guard]
    async fn call(text: String) -> super::io::Result<&'static str> {
        return Ok(text.as_str());
    }
}

mod the_wrong_lifetime_without_a_name {
    // but for every one: a lifetime without a name cannot be written in the body, and the compiler finds it at the end only
    impl super::Page {
        #[guard]
        async fn call(&self, other: &str) -> super::io::Result<&str> {
            Ok(other)
        }
    }
}

mod a_lifetime_that_ends_too_early {
    #[guard]
    async fn call(text: &str) -> super::io::Result<&'static str> {
        if text.is_empty() {
            return Ok("");
        }
        Ok(text)
    }
}

mod a_method_of_another_mutability {
    // but for retry: the block of an attempt borrows `self`, and is found to want too much of it
    // but for hooked: the same
    impl super::Page {
        #[guard]
        async fn call(&self) -> super::io::Result<u8> {
            self.text.push('a');
            Ok(1)
        }
    }
}

mod a_field_of_self_that_is_moved {
    impl super::Page {
        #[guard]
        async fn call(&self) -> super::io::Result<String> {
            Ok(self.text)
        }
    }
}

mod a_break_of_no_loop {
    #[guard]
    async fn call(ready: bool) -> super::io::Result<u8> {
        if ready {
            break;
        }
        continue;
    }
}

mod an_unused_label {
    #[guard]
    async fn call() -> super::io::Result<u8> {
        'once: loop {
            break;
        }
        Ok(1)
    }
}

mod an_option_at_a_question_mark {
    #[guard]
    async fn call(number: Option<u8>) -> super::io::Result<u8> {
        Ok(number?)
    }
}

mod a_question_mark_at_the_end {
    #[guard]
    async fn call(text: String) -> super::io::Result<u8> {
        super::send(text).await?
    }
}

mod an_if_without_else {
    #[guard]
    async fn call(ready: bool) -> super::io::Result<u8> {
        if ready { Ok(1) }
    }
}

mod a_return_of_nothing {
    #[guard]
    async fn call(ready: bool) -> super::io::Result<u8> {
        if ready {
            return;
        }
        Ok(1)
    }
}

mod no_iterator {
    #[guard]
    async fn call() -> super::io::Result<impl Iterator<Item = char>> {
        Ok(1)
    }
}

mod a_box_of_another_closure {
    #[guard]
    async fn call() -> super::io::Result<Box<dyn Fn() -> usize>> {
        Ok(Box::new(|| "a"))
    }
}

mod unreachable_after_a_panic {
    #[guard]
    async fn call() -> super::io::Result<u8> {
        panic!("never");
        Ok(1)
    }
}

mod an_unsafe_call {
    unsafe fn number() -> u8 {
        1
    }

    #[guard]
    async fn call() -> super::io::Result<u8> {
        Ok(number())
    }
}

mod a_needless_unsafe_block {
    #[guard]
    async fn call() -> super::io::Result<u8> {
        unsafe { Ok(1) }
    }
}

mod a_future_that_nobody_awaits {
    #[guard]
    async fn call(text: String) -> super::io::Result<u8> {
        super::send(text);
        Ok(1)
    }
}

mod a_bound_that_is_missing {
    #[guard]
    async fn call<T>(value: &T) -> super::io::Result<String> {
        Ok(format!("{value:?}"))
    }
}
