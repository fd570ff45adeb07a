//! HTTP on the loopback device: what the upstream, the services and the driver have in common.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use tokio::net::TcpListener;

/// Serves on a free port until the program ends.
pub(crate) async fn serve(routes: Router) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, routes).await });
    Ok(address)
}

/// A client as it comes: no timeout, as many connections as it needs. (A proxy would only be in the way here.)
pub(crate) fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().expect("there is no TLS to set up, so nothing can fail")
}
