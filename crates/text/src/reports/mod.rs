//! Reports of checks for other programs: SARIF 2.1.0, and JUnit's XML.
//!
//! What has been checked makes [`SarifResult`]s and [`JunitCase`]s; [`Sarif`] and `Junit` (feature `junit`) are the forms.

mod case;
#[cfg(feature = "junit")]
mod junit;
mod sarif;

pub use case::{JunitCase, JunitStatus};
#[cfg(feature = "junit")]
pub use junit::Junit;
pub use sarif::{Sarif, SarifResult};
