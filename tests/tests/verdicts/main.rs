//! Who is blamed, counted, told and asked again: one call is one result, whoever ends it and wherever it is polled.

mod attempts;
mod budgets;
mod cut;
mod forms;
mod given_back;
mod learnt;
mod moved;
mod one_call;
mod one_slot;
mod one_trial;
mod slow_calls;
mod trees;
mod up;
