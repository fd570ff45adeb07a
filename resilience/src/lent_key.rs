//! Keys that still borrow once they are owned: `to_owned` of an `Option<&str>` is another one.
//!
//! The macro cannot know an expression's type, so it asks [`Lent`] for `into_owned`. Methods of the type itself come before
//! those of a trait: where a shape below fits, what it refers to is copied, and any other key stays as it is.

use std::borrow::Cow;

/// A key that `to_owned` has given.
#[doc(hidden)]
#[derive(Debug)]
pub struct Lent<K>(pub K);

/// What any other key is: owned.
#[doc(hidden)]
pub trait IntoOwned {
    type Key;

    fn into_owned(self) -> Self::Key;
}

impl<K> IntoOwned for Lent<K> {
    type Key = K;

    fn into_owned(self) -> K {
        self.0
    }
}

impl<B: ToOwned + ?Sized> Lent<&B> {
    pub fn into_owned(self) -> B::Owned {
        self.0.to_owned()
    }
}

impl<B: ToOwned + ?Sized> Lent<Cow<'_, B>> {
    pub fn into_owned(self) -> B::Owned {
        self.0.into_owned()
    }
}

impl<B: ToOwned + ?Sized> Lent<Option<&B>> {
    pub fn into_owned(self) -> Option<B::Owned> {
        self.0.map(ToOwned::to_owned)
    }
}

impl<B: ToOwned + ?Sized> Lent<Option<Cow<'_, B>>> {
    pub fn into_owned(self) -> Option<B::Owned> {
        self.0.map(Cow::into_owned)
    }
}

impl<B: ToOwned + ?Sized> Lent<Vec<&B>> {
    pub fn into_owned(self) -> Vec<B::Owned> {
        self.0.into_iter().map(ToOwned::to_owned).collect()
    }
}
