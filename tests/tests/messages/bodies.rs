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
