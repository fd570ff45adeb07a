::core::compile_error! {
    "`#[stale_if_error]` needs the feature `stale` of `resilience`: add `features = [\"stale\"]` in Cargo.toml"
}
#[stale_if_error(__anchor)]
const _: () = ();
#[allow(unused)]
async fn weather(city: &str) -> Result<Weather, Error> {
    fetch(city).await
}
