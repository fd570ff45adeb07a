//! The service's own error, and all that the policies need to know about it.

use std::fmt;

use axum::http::{StatusCode, header::RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use resilience::{Class, Classify, ErrorKind};

/// Why there is no price.
#[derive(Debug)]
pub(crate) enum PriceError {
    /// The call was made and failed.
    Http(reqwest::Error),
    /// A policy refused the call, or cut it short.
    Refused(resilience::Error),
}

impl From<reqwest::Error> for PriceError {
    fn from(error: reqwest::Error) -> Self {
        Self::Http(error)
    }
}

/// All that a function needs from its error type to be guarded.
impl From<resilience::Error> for PriceError {
    fn from(error: resilience::Error) -> Self {
        Self::Refused(error)
    }
}

/// Tells the policies what a failure means. Without it every error would be retried and counted.
impl Classify for PriceError {
    fn classify(&self) -> Class {
        match self {
            Self::Refused(error) => error.classify(),
            // "Not found" or "not allowed": the upstream is well, and will say the same again.
            Self::Http(error) if error.status().is_some_and(|status| status.is_client_error()) => Class::Caller,
            Self::Http(_) => Class::Transient,
        }
    }
}

impl fmt::Display for PriceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(error) => error.fmt(f),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PriceError {}

/// What the service's own callers see of it: a refusal says when to come back.
impl IntoResponse for PriceError {
    fn into_response(self) -> Response {
        let text = self.to_string();
        let Self::Refused(refusal) = self else {
            return (StatusCode::BAD_GATEWAY, text).into_response();
        };
        match (refusal.kind(), refusal.retry_after_secs()) {
            (ErrorKind::TimedOut | ErrorKind::DeadlineExceeded, _) => {
                (StatusCode::GATEWAY_TIMEOUT, text).into_response()
            }
            (_, Some(seconds)) => {
                (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, seconds.to_string())], text).into_response()
            }
            (_, None) => (StatusCode::SERVICE_UNAVAILABLE, text).into_response(),
        }
    }
}
