//! The language as a whole: OPA's answers, and the law on unknown values.

mod cases;
mod data;
mod law;
mod limits;
mod unknown;
