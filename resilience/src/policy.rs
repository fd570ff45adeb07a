//! What a kind of policy is to the sites and to the registry.

use std::time::Duration;

use crate::error::Error;
use crate::name::Name;
use crate::options::Options;
use crate::registry::{Entry, Live, PolicySnapshot, Registry};
use crate::site::Site;

/// A kind of policy.
#[doc(hidden)]
pub trait Policy: Sized + Send + Sync + 'static {
    type Config: Options;
    /// What a site holds on to after its first call.
    type Bound: Copy + Send + Sync;
    /// The kind, as the attribute is called.
    const KIND: &'static str;

    fn bind(site: &'static Site<Self>) -> Result<Self::Bound, Error>;
    fn link(site: &'static Site<Self>);
    fn describe(site: &Site<Self>) -> Option<PolicySnapshot>;
    /// In whose name a call that comes after so long is refused, as far as that can be told now.
    fn would_refuse(_bound: Self::Bound, _after: Duration) -> Option<&'static Name> {
        None
    }
}

/// A kind of policy whose state is shared by all sites that use its name.
#[doc(hidden)]
pub trait Shared: Policy<Bound = &'static Entry<Self>> {
    fn registry() -> &'static Registry<Self>;
    /// Both are given effective options: every default filled in, every value in range.
    fn create(config: &Self::Config) -> Self;
    fn apply(&self, config: &Self::Config);
    fn live(entry: &'static Entry<Self>) -> Live;
    /// Whether a call that comes after so long is refused, as far as that can be told now.
    fn refuses_for(_entry: &'static Entry<Self>, _after: Duration) -> bool {
        false
    }
    /// The option without which the policy cannot work, if it is not given.
    fn missing(_config: &Self::Config) -> Option<&'static str> {
        None
    }
}

/// Implements [`Policy`] for a kind with shared state.
macro_rules! shared {
    ($policy:ty, $config:ty, $kind:literal) => {
        impl $crate::policy::Policy for $policy {
            type Config = $config;
            type Bound = &'static $crate::registry::Entry<Self>;
            const KIND: &'static str = $kind;

            fn bind(site: &'static $crate::site::Site<Self>) -> Result<Self::Bound, $crate::Error> {
                $crate::registry::bind(site)
            }

            fn link(site: &'static $crate::site::Site<Self>) {
                $crate::registry::link(site);
            }

            fn describe(_site: &$crate::site::Site<Self>) -> Option<$crate::registry::PolicySnapshot> {
                None
            }

            fn would_refuse(bound: Self::Bound, after: ::std::time::Duration) -> Option<&'static $crate::name::Name> {
                <Self as $crate::policy::Shared>::refuses_for(bound, after).then(|| bound.named())
            }
        }
    };
}
pub(crate) use shared;

/// Implements [`Policy`] for a kind without shared state: a site is bound to the name it shows.
macro_rules! per_call {
    ($policy:ty, $config:ty, $kind:literal) => {
        impl $crate::policy::Policy for $policy {
            type Config = $config;
            type Bound = &'static $crate::name::Name;
            const KIND: &'static str = $kind;

            fn bind(site: &'static $crate::site::Site<Self>) -> Result<Self::Bound, $crate::Error> {
                Ok(site.name.unwrap_or_else(|| site.place.shown().leak()).into())
            }

            fn link(_site: &'static $crate::site::Site<Self>) {}

            fn describe(site: &$crate::site::Site<Self>) -> Option<$crate::registry::PolicySnapshot> {
                Some($crate::registry::PolicySnapshot::of_site(site))
            }
        }
    };
}
pub(crate) use per_call;

/// Declares the handle of a kind with shared state, and what all handles can do.
///
/// `kept` says what of the live state a change of options keeps, as the end of a sentence.
macro_rules! handle {
    (
        $(#[$meta:meta])*
        $handle:ident over $policy:ty, called $noun:literal, kept: $kept:literal
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub struct $handle(&'static $crate::registry::Entry<$policy>);

        impl $handle {
            #[doc = concat!("Returns the ", $noun, " of that name; it never creates one.")]
            ///
            /// A name exists if an attribute somewhere in the program gives it, or `register` has. One that an attribute
            /// leaves without a name is found by the name it shows: `module::path::function`, or `module::Type::function`
            /// under an `impl` block's list. Where several show the same, it takes the place as well, as a snapshot prints
            /// it: `module::function@src/file.rs:7:3`.
            #[must_use]
            pub fn get(name: &str) -> Option<Self> {
                <$policy as $crate::policy::Shared>::registry().get(name).map(Self)
            }

            #[doc = concat!("Creates a ", $noun, ", or reconfigures the live one of that name.")]
            ///
            /// The options are stronger than an attribute's, and replace what `register` and `reconfigure` gave before.
            #[doc = concat!("A live one keeps its state: ", $kept, ".")]
            ///
            /// # Errors
            ///
            /// Names the option, the value and the range where a value cannot be used; nothing has changed then.
            pub fn register(name: &str, config: Config) -> Result<Self, $crate::ConfigError> {
                <$policy as $crate::policy::Shared>::registry().register(name, config).map(Self)
            }

            /// Changes the options that `change` gives, under the live state.
            ///
            /// `change` is handed a configuration without any option; what it does not set stays as it is.
            #[doc = concat!("The state is kept: ", $kept, ".")]
            ///
            /// # Errors
            ///
            /// Names the option, the value and the range where a value cannot be used; nothing has changed then.
            pub fn reconfigure(&self, change: impl FnOnce(Config) -> Config) -> Result<(), $crate::ConfigError> {
                self.0.edit_runtime(change)
            }

            /// Returns the name.
            #[must_use]
            #[inline]
            pub fn name(&self) -> &'static str {
                self.0.name()
            }
        }

        impl std::fmt::Debug for $handle {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_tuple(stringify!($handle)).field(&self.name()).finish()
            }
        }
    };
}
pub(crate) use handle;
