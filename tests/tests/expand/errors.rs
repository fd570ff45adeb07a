::core::compile_error! {
    "`max_attempts` is a number; write it without quotes: `max_attempts = 3`"
}
::core::compile_error! {
    "a duration needs a unit: write `\"5s\"` or `\"5ms\"`"
}
#[resilience::timeout(__anchor)]
const _: () = ();
#[allow(unused)]
#[must_use]
async fn fetch() -> Result<(), Error> {
    send().await
}
