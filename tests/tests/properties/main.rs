//! What holds of every guarded function, whatever it does: size, drop order, early ends, places.

mod drops;
mod early_ends;
mod nested;
mod places;
mod sizes;
