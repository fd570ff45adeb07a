//! What an error says, as policies hear it: refusals inside of other errors, answers that are errors, predicates beside
//! classes.

mod nested;
mod refusals;
mod when;
