//! The Sentinel policy language: from text to verdicts.
//!
//! ```text
//! text ── Policy::parse ──▶ policy, compiled once ── Run::new, with data ──▶ verdict, values of rules, print log
//! ```
//!
//! ```
//! use objchange_sentinel::{Policy, Run, Setup, Source, Verdict};
//! use serde_json::json;
//!
//! let policy = Policy::parse("ports.sentinel", r#"
//!     import "servers"
//!     param limit default 1024
//!
//!     // Only root may listen there.
//!     low = rule { all servers.list as s { s.port else 0 < limit } }
//!     main = rule { low }
//! "#)
//! .unwrap();
//!
//! let mut setup = Setup::default();
//! let data = json!({ "list": [{ "port": 80 }, { "name": "no port" }, { "port": 8080 }] });
//! setup.imports.insert("servers".to_owned(), Source::Data(data.into()));
//! let mut run = Run::new(&policy, &setup);
//! assert_eq!(run.verdict(), Verdict::Fail);
//! assert_eq!(run.rules()[0].doc.as_deref(), Some("Only root may listen there."));
//! // Why: the element for which it does not hold.
//! let witnesses = run.witnesses().unwrap();
//! assert_eq!(format!("{:?}", witnesses.list[0].elements), r#"[Element { key: 2, value: {"port": 8080} }]"#);
//!
//! setup.params.insert("limit".to_owned(), json!(9000));
//! assert_eq!(Run::new(&policy, &setup).verdict(), Verdict::Pass);
//! ```
//!
//! # Scope of this crate
//!
//! The language as it is documented and as public policies and their tests use it, with its standard
//! imports except `http`. It knows nothing of plans: data comes from the host, as JSON, as a module of the
//! language, or from an [`Import`] that makes values on demand.
//!
//! There is no file, no network, no environment and no clock.
//!
//! # What it costs
//!
//! A policy is compiled once, names to slots. A run takes little of the stack, however deep calls and values nest, and
//! is limited in steps, depth and memory ([`Limits`]), so that no policy hangs or fills the memory.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod builtins;
mod compile;
mod format;
mod imports;
mod lint;
mod policy;
mod run;
mod source;
mod syntax;
mod value;

pub use format::format;
pub use imports::Object;
pub use lint::{Fields, ImportShapes, LintContext, LintKind, Shape, lint};
pub use objchange_text::{Diagnostic, LineIndex, Position, Severity, Span};
pub use policy::Policy;
pub use run::{
    Element, Evaluated, Import, Reason, Run, Setup, Source, UnknownRead, UnknownReads, Verdict, Witness,
    Witnesses,
};
pub use value::{Function, HostError, List, Map, Members, RuleValue, SourcePlace, Text, Unknown, Value};
pub use value::{Interrupt, Limits, Location, RunError, RunErrorKind};
