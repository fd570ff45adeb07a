//! Nothing here: see the examples.
