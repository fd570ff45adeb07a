impl Orders {
    #[::facade::resilience::resilient(
        __impl("Orders" checks),
        ..,
        bulkhead("{type}"),
        crate = ::facade::resilience
    )]
    async fn get(&self) -> Result<Order, Error> {
        self.read().await
    }
}
