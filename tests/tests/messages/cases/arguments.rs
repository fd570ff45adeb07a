//! Arguments: what attempts share, what they copy, and what other code asks for later.

mod not_clone {
    use resilience::retry;

    struct Connection;

    #[retry]
    async fn call(name: String, connection: Connection) -> std::io::Result<()> {
    //                          ^^^^^^^^^^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `Connection` is not `Clone`
    // | take it by reference, derive `Clone`, or share it between attempts with `#[retry(borrow(…))]`
    // | consider annotating `Connection` with `#[derive(Clone)]`
        drop((name, connection));
        Ok(())
    }
}

mod a_box_that_is_not_clone {
    use resilience::retry;

    #[retry]
    async fn call(callback: Box<dyn Fn() + Send>) -> std::io::Result<()> {
    //            ^^^^^^^^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `Box<dyn Fn() + Send>` is not `Clone`
    // | take it by reference, derive `Clone`, or share it between attempts with `#[retry(borrow(…))]`
        callback();
        Ok(())
    }
}

mod a_vector_of_what_is_not_clone {
    use resilience::retry;

    struct Connection;

    #[retry]
    async fn call(many: Vec<Connection>) -> std::io::Result<()> {
    //            ^^^^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `Vec<Connection>` is not `Clone`
        drop(many);
        Ok(())
    }
}

mod a_type_parameter_that_is_not_clone {
    use resilience::retry;

    #[retry]
    async fn call<T: Send>(value: T) -> std::io::Result<()> {
    //                     ^^^^^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `T` is not `Clone`
    // | consider further restricting type parameter `T` with trait `Clone`
        drop(value);
        Ok(())
    }
}

mod a_vector_of_a_type_parameter {
    use resilience::retry;

    #[retry]
    async fn call<T: Send>(values: Vec<T>) -> std::io::Result<()> {
    //                     ^^^^^^ error[E0277]: the trait bound `T: Clone` is not satisfied
    // | consider further restricting type parameter `T` with trait `Clone`
    // | required for `Vec<T>` to implement `resilience::__private::ClonedForEachAttempt`
        drop(values);
        Ok(())
    }
}

mod a_type_parameter_of_the_impl {
    use resilience::retry;

    struct Queue<T>(Vec<T>);

    impl<T> Queue<T> {
        #[retry]
        async fn push(&mut self, value: T) -> std::io::Result<()> {
        //                       ^^^^^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `T` is not `Clone`
        // | consider restricting type parameter `T` with trait `Clone`
            self.0.push(value);
            Ok(())
        }
    }
}

mod a_vector_of_a_type_parameter_of_the_impl {
    use resilience::retry;

    struct Queue<T>(Vec<T>);

    impl<T> Queue<T> {
        #[retry]
        async fn push(&mut self, values: Vec<T>) -> std::io::Result<()> {
        //                       ^^^^^^ error[E0277]: the trait bound `T: Clone` is not satisfied
            self.0.extend(values);
            Ok(())
        }
    }
}

mod a_bare_type_parameter {
    use resilience::retry;

    #[retry]
    async fn call<T>(value: T) -> std::io::Result<()> {
    //               ^^^^^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `T` is not `Clone`
        drop(value);
        Ok(())
    }
}

mod an_opaque_argument_that_is_not_clone {
    use resilience::retry;

    #[retry]
    async fn call(text: impl Into<String>) -> std::io::Result<()> {
    //            ^^^^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `impl Into<String>` is not `Clone`
    // | consider restricting opaque type `impl Into<String>` with trait `Clone`
        drop(text.into());
        Ok(())
    }
}

mod a_part_of_a_pattern_that_is_not_clone {
    use resilience::retry;

    struct Connection;

    #[retry]
    async fn call((a, b): (Connection, u8)) -> std::io::Result<()> {
    //             ^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `Connection` is not `Clone`
        drop((a, b));
        Ok(())
    }
}

mod asked_for_later_and_not_clone {
    use resilience::fallback;

    struct Order;

    #[fallback(|_| { drop(order); Ok(1) })]
    async fn call(order: Order) -> std::io::Result<u8> {
    //            ^^^^^ error[E0277]: the body takes this argument, and a fallback, `when` or `on_retry` asks for it afterwards, but `Order` is not `Clone`
        drop(order);
        Ok(1)
    }
}

mod asked_for_later_and_a_type_parameter {
    use resilience::fallback;

    #[fallback(|_| { drop(order); Ok(1) })]
    async fn call<T>(order: T) -> std::io::Result<u8> {
    //               ^^^^^ error[E0277]: the body takes this argument, and a fallback, `when` or `on_retry` asks for it afterwards, but `T` is not `Clone`
    // | consider restricting type parameter `T` with trait `Clone`
        drop(order);
        Ok(1)
    }
}

mod an_unknown_argument_in_borrow {
    use resilience::retry;

    #[retry(borrow(missing, text))]
    //             ^^^^^^^ error: `borrow` lists arguments of the function, and `missing` is none; they are `text`, `other`
    async fn call(text: String, other: u8) -> std::io::Result<()> {
        drop((&text, other));
        Ok(())
    }
}

mod borrow_without_arguments {
    use resilience::retry;

    #[retry(borrow(text))]
    //             ^^^^ error: `borrow` lists arguments of the function, and `text` is none; it has none
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod borrow_of_nothing {
    use resilience::retry;

    #[retry(borrow())]
    //      ^^^^^^ error: `borrow` needs the names of arguments: `borrow(a, b)`
    async fn call(text: String) -> std::io::Result<()> {
        drop(text);
        Ok(())
    }
}

mod borrow_without_parentheses {
    use resilience::retry;

    #[retry(borrow = text)]
    //      ^^^^^^ error: `borrow` is written `borrow(a, b)`, with the names of arguments
    async fn call(text: String) -> std::io::Result<()> {
        drop(text);
        Ok(())
    }
}

mod borrow_of_a_string {
    use resilience::retry;

    #[retry(borrow("text"))]
    //             ^^^^^^ error: `borrow` takes the names of arguments: `borrow(a, b)`
    async fn call(text: String) -> std::io::Result<()> {
        drop(text);
        Ok(())
    }
}

mod borrow_of_self {
    use resilience::retry;

    struct Service;

    impl Service {
        #[retry(borrow(self))]
        //             ^^^^ error: `self` is always borrowed; leave it out of `borrow`
        async fn call(&self) -> std::io::Result<()> {
            Ok(())
        }
    }
}

mod borrow_twice {
    use resilience::retry;

    #[retry(borrow(text), borrow(text))]
    //                    ^^^^^^ error: `borrow` is given twice
    async fn call(text: String) -> std::io::Result<()> {
        drop(&text);
        Ok(())
    }
}

mod a_borrowed_argument_that_is_moved {
    use resilience::retry;

    #[retry(borrow(text))]
    async fn call(text: String) -> std::io::Result<String> {
    //                                                     ^ error[E0382]: use of moved value: `text`
    // | consider cloning the value if the performance cost is acceptable
        Ok(text)
    }
}

mod self_by_value_that_is_moved {
    use resilience::retry;

    struct Service(String);

    impl Service {
        #[retry]
        async fn call(self) -> std::io::Result<String> {
        //                                             ^ error[E0382]: use of moved value: `self.0`
            Ok(self.0)
        }
    }
}

mod an_unknown_type {
    use resilience::retry;

    #[retry]
    async fn call(text: Missing) -> Result<(), resilience::Error> {
    //                  ^^^^^^^ error[E0425]: cannot find type `Missing` in this scope
        drop(text);
        Ok(())
    }
}

mod a_local_variable_in_front_of_a_block {
    use std::net::TcpStream;

    use resilience::retry;

    #[retry]
    fn call(socket: &TcpStream) -> impl Future<Output = std::io::Result<()>> {
        let other = socket.try_clone();
        //  ^^^^^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `Result<TcpStream, std::io::Error>` is not `Clone`
        async move {
            drop(other);
            Ok(())
        }
    }
}

mod a_generic_part_of_a_pattern {
    use resilience::retry;

    #[retry]
    async fn call<T>((a, b): (T, u8)) -> std::io::Result<()> {
        //            ^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `T` is not `Clone`
        // | consider restricting type parameter `T` with trait `Clone`
        drop((a, b));
        Ok(())
    }
}
