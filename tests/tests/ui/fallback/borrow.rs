use resilience::fallback;

struct Client(String);

impl Client {
    #[fallback(|_| Ok(&self.0))]
    async fn call(&mut self) -> std::io::Result<&str> {
        self.0.push('a');
        Ok(&self.0)
    }

    #[fallback(|_| Ok(&self.0))]
    async fn shared(&self) -> std::io::Result<&str> {
        Ok(&self.0)
    }
}

struct NoSend(std::rc::Rc<u8>);

fn spawned<T: Send>(_: T) {}

#[fallback(|_| { let held = NoSend(Default::default()); std::future::ready(()).await; Ok(*held.0) })]
async fn not_send() -> std::io::Result<u8> {
    Ok(1)
}

fn main() {
    spawned(not_send());
}
