//! Who is blamed, counted, told and asked again: one call is one result, whoever ends it and wherever it is polled.

mod forms;
mod one_call;
mod one_slot;
mod one_trial;
