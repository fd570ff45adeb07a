//! Nothing: what there is to see is in the tests.
