//! Policies together: the table of results, and what their order does.

mod copies;
mod deadline;
mod order;
mod table;
mod worst;
