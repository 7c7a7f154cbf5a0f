//! An embedder's use of these libraries: the programs of `docs/embedding.md`, and the types of an embedder beside
//! ours.

#[cfg(test)]
mod numbers;

/// The programs on the page, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
pub struct Programs;
