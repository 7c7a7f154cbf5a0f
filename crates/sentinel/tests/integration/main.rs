//! The tests of this crate from outside, in one program, which links in a fraction of the time.

mod choices;
mod format;
mod golden;
mod hostile;
mod imports;
mod language;
mod laws;
mod lint;
mod lint_laws;
mod unknown;
mod witnesses;
