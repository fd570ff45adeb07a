//! `#[derive(Classify)]`.

mod two_classes {
    #[derive(resilience::Classify)]
    enum Error {
        #[transient]
        #[permanent]
        //^^^^^^^^^ error: a variant has one class, and this one has `#[transient]` already; remove one
        A,
    }
}

mod a_class_of_the_enum {
    #[derive(resilience::Classify)]
    #[permanent]
    //^^^^^^^^^ error: `#[permanent]` goes on the variants: an unmarked one is `Transient`
    enum Error {
        A,
    }
}

mod a_class_of_a_field {
    #[derive(resilience::Classify)]
    enum Error {
        A {
            #[caller]
            //^^^^^^ error: `#[caller]` goes on the variant, not on its field
            field: u8,
        },
    }
}

mod a_union {
    #[derive(resilience::Classify)]
    union Error {
  //^^^^^ error: `Classify` is derived for enums and structs: implement it by hand for a union
        a: u8,
    }
}

mod a_class_with_an_option {
    #[derive(resilience::Classify)]
    enum Error {
        #[transient(1)]
        //          ^ error: `#[transient]` takes no options
        A,
    }
}

mod a_class_with_a_value {
    #[derive(resilience::Classify)]
    enum Error {
        #[permanent = "yes"]
        //            ^^^^^ error: write `#[permanent]`, without a value
        A,
    }
}

mod classify_alone {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify]
        //^^^^^^^^ error: `#[classify]` is written `#[classify(transparent)]`: the one field inside decides; or `#[classify(with = path)]`: a function decides
        A(u8),
    }
}

mod a_misspelt_word {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(transparant)]
        //         ^^^^^^^^^^^ error: there is no `transparant`; did you mean `transparent`?
        A(u8),
    }
}

mod a_class_inside_classify {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(caller)]
        //         ^^^^^^ error: a class stands by itself: `#[caller]`
        A,
    }
}

mod an_unknown_class {
    #[derive(resilience::Classify)]
    enum Error {
        #[fatal]
        //^^^^^ error: cannot find attribute `fatal` in this scope
        A,
    }
}

mod transparent_without_a_field {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(transparent)]
        //         ^^^^^^^^^^^ error: `#[classify(transparent)]` asks the one field inside, and here are 0: mark it with a class
        A,
    }
}

mod transparent_with_two_fields {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(transparent)]
        //         ^^^^^^^^^^^ error: `#[classify(transparent)]` asks the one field inside, and here are 2: mark it with a class
        A(u8, u8),
    }
}

mod local_with_an_option {
    #[derive(resilience::Classify)]
    enum Error {
        #[local(true)]
        //      ^^^^ error: `#[local]` takes no options
        A,
    }
}

mod refused_and_caller {
    #[derive(resilience::Classify)]
    enum Error {
        #[refused]
        #[caller]
        //^^^^^^ error: a variant has one class, and this one has `#[refused]` already; remove one
        A,
    }
}

mod a_source_with_a_class {
    #[derive(resilience::Classify)]
    enum Error {
        A {
            #[local]
            //^^^^^ error: `#[local]` goes on the variant, not on its field
            field: u8,
        },
    }
}

mod with_misspelt {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(wit = class_of)]
        //         ^^^ error: there is no `wit`; did you mean `with`?
        A(u8),
    }
}

mod with_alone {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with)]
        //         ^^^^ error: `with` needs a function: `#[classify(with = path)]`, a function from `&Field` to `Class`
        A(u8),
    }
}

mod with_nothing {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with = )]
        //         ^^^^ error: `with` needs a function: `#[classify(with = path)]`, a function from `&Field` to `Class`
        A(u8),
    }
}

mod with_in_parentheses {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with(class_of))]
        //         ^^^^ error: `with` is written with `=`: `#[classify(with = path)]`, a function from `&Field` to `Class`
        A(u8),
    }
}

mod with_a_string {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with = "class_of")]
        //                ^^^^^^^^^^ error: `with` takes a path, not a string: `with = class_of`
        A(u8),
    }
}

mod with_a_closure {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with = |number| resilience::Class::Caller)]
        //                ^ error: `with` takes the path of a function: `#[classify(with = path)]`, a function from `&Field` to `Class`
        A(u8),
    }
}

mod with_two_functions {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with = one, two)]
        //                     ^^^ error: `with` takes one function: `#[classify(with = path)]`, a function from `&Field` to `Class`
        A(u8),
    }
}

mod with_two_fields {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with = class_of)]
        //         ^^^^ error: `#[classify(with = …)]` hands its function the one field inside, and here are 2: mark it with a class
        A(u8, u8),
    }
}

mod with_no_field {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with = class_of)]
        //         ^^^^ error: `#[classify(with = …)]` hands its function the one field inside, and here are 0: mark it with a class
        A,
    }
}

mod with_an_unknown_function {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with = class_of)]
        //                ^^^^^^^^ error[E0425]: cannot find function `class_of` in this scope
        A(u8),
    }
}

mod with_a_function_of_another_type {
    fn class_of(_: &str) -> resilience::Class {
        resilience::Class::Caller
    }

    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with = class_of)]
        //                ^^^^^^^^ error[E0308]: mismatched types
        // | expected `&str`, found `&u8`
        A(u8),
    }
}

mod with_a_function_that_gives_no_class {
    fn class_of(number: &u8) -> bool {
        *number > 0
    }

    #[derive(resilience::Classify)]
    enum Error {
        #[classify(with = class_of)]
        //                ^^^^^^^^ error[E0308]: mismatched types
        // | expected `Class`, found `bool`
        A(u8),
    }
}

mod transparent_with_a_field_that_has_no_class {
    struct Inner;

    #[derive(resilience::Classify)]
    enum Error {
        #[classify(transparent)]
        A(Inner),
        //^^^^^ error[E0277]: the trait bound `Inner: Classify` is not satisfied
    }
}

mod transparent_with_anyhow {
    #[derive(resilience::Classify)]
    enum Error {
        #[classify(transparent)]
        A(anyhow::Error),
        //^^^^^^ error[E0277]: the trait bound `anyhow::Error: Classify` is not satisfied
        // | `anyhow::Error` has classes with the feature `anyhow` of `resilience`
    }
}

mod transparent_with_a_foreign_error {
    #[derive(resilience::Classify)]
    struct Error {
        #[allow(unused)]
        inner: u8,
    }

    #[derive(resilience::Classify)]
    #[classify(transparent)]
    struct Outer(std::num::ParseIntError);
    //           ^^^ error[E0277]: the trait bound `ParseIntError: Classify` is not satisfied
}

mod a_hint_under_another_name {
    #[derive(resilience::Classify)]
    enum Error {
        #[overloaded(retry = after)]
        //           ^^^^^ error: `overloaded` has no option `retry`; did you mean `retry_after`?
        A { after: std::time::Duration },
    }
}

mod a_hint_without_its_key {
    #[derive(resilience::Classify)]
    enum Error {
        #[overloaded(after)]
        //           ^^^^^ error: `overloaded` has no option `after`; did you mean `retry_after`?
        A { after: std::time::Duration },
    }
}

mod a_hint_without_a_field {
    #[derive(resilience::Classify)]
    enum Error {
        #[overloaded(retry_after)]
        //           ^^^^^^^^^^^ error: `retry_after` needs a field: `#[overloaded(retry_after = field)]`
        A { after: std::time::Duration },
    }
}

mod a_hint_in_quotes {
    #[derive(resilience::Classify)]
    enum Error {
        #[overloaded(retry_after = "after")]
        //                         ^^^^^^^ error: `retry_after` takes a field, not a string: `retry_after = after`
        A { after: std::time::Duration },
    }
}

mod a_hint_of_an_unknown_field {
    #[derive(resilience::Classify)]
    enum Error {
        #[overloaded(retry_after = later)]
        //                         ^^^^^ error: there is no field `later`; there are `after`, `other`
        A { after: std::time::Duration, other: u8 },
    }
}

mod a_hint_of_a_position_that_is_not_there {
    #[derive(resilience::Classify)]
    enum Error {
        #[overloaded(retry_after = 1)]
        //                         ^ error: there is no field `1`: these have positions, `0`
        A(std::time::Duration),
    }
}

mod a_hint_of_a_unit {
    #[derive(resilience::Classify)]
    enum Error {
        #[overloaded(retry_after = 0)]
        //                         ^ error: there is no field to take `retry_after` from: write `#[overloaded]`
        A,
    }
}

mod a_hint_that_is_computed {
    #[derive(resilience::Classify)]
    enum Error {
        #[overloaded(retry_after = after.sum())]
        //                              ^ error: `retry_after` takes the name of a field: `#[overloaded(retry_after = field)]`
        A { after: std::time::Duration },
    }
}

mod a_hint_of_another_type {
    #[derive(resilience::Classify)]
    enum Error {
        #[overloaded(retry_after = seconds)]
        A { seconds: u64 },
        //           ^^^ error[E0277]: `retry_after` takes a field of type `Duration` or `Option<Duration>`, and this one is a `u64`
        // | neither `Duration` nor `Option<Duration>`
    }
}

mod a_crate_that_is_no_path {
    #[derive(resilience::Classify)]
    #[classify(crate = "guards")]
    //                 ^^^^^^^^ error: `crate` takes a path, not a string: `crate = ::guards`
    enum Error {
        A,
    }
}

mod a_crate_that_is_not_absolute {
    #[derive(resilience::Classify)]
    #[classify(crate = guards)]
    //                 ^^^^^^ error: `crate` takes an absolute path: `crate = ::guards`
    enum Error {
        A,
    }
}
