//! The promises of the formats of values: they read what they write, take any bytes without harm, and never
//! show content in an error.

mod bad_input;
mod generate;
mod known_bytes;
mod round_trip;
mod secrets;
