impl<T> my::Orders<T> {
    const LIMIT: u32 = 3;
    #[::resilience::resilient(
        __impl("Orders" checks),
        retry(max_attempts = 3),
        circuit_breaker("{type}")
    )]
    /// Documented.
    #[cfg(feature = "reads")]
    async fn get(&self) -> Result<T, Error> {
        self.read().await
    }
    #[instrument]
    #[::resilience::resilient(
        __impl("Orders" checks),
        retry(max_attempts = 3),
        circuit_breaker("{type}")
    )]
    #[timeout("1s")]
    async fn put(&self, value: T) -> Result<(), Error> {
        self.write(value).await
    }
    async fn ping(&self) {}
    fn len(&self) -> u32 {
        0
    }
}
