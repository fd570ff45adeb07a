//! Policies together: the table of results, and what their order does.

mod order;
mod table;
