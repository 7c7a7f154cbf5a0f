//! Converts between the messages of the protocol and the types of the engine.
//!
//! Both versions of the protocol have equal messages, except for schemas, so the messages of protocol 6 are
//! used for both.

mod declare;
mod message;
mod method;
mod schema;
mod value;

/// The code generated from the `.proto` files. Not all of the protocol is used.
#[allow(
    dead_code,
    missing_debug_implementations,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    rustdoc::all
)]
mod proto {
    include!(concat!(env!("OUT_DIR"), "/protocol.rs"));
}

pub(crate) use declare::{
    write_identities, write_metadata, write_metadata_5, write_schemas, write_schemas_5,
};
pub(crate) use message::{
    client_capabilities, deferral_allowed, read_deferred, read_diagnostics, read_path, write_deferred,
    write_diagnostics, write_path,
};
pub(crate) use method::Method;
pub(crate) use proto::{plugin, tfplugin5, tfplugin6};
pub(crate) use schema::{read_identities, read_metadata, read_metadata_5, read_schemas, read_schemas_5};
pub(crate) use value::{
    read_identity, read_value, read_value_or_null, write_answer, write_identity, write_value,
};

/// The longest message that is sent or read, in bytes. Providers have the same limit.
// terraform-plugin-go has this limit in both directions. Terraform reads schemas of at most 64 MiB.
pub(crate) const MAX_MESSAGE: usize = 256 << 20;

/// The services of a version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    V5,
    V6,
}

impl Protocol {
    pub(crate) fn from_version(version: u32) -> Option<Self> {
        match version {
            5 => Some(Self::V5),
            6 => Some(Self::V6),
            _ => None,
        }
    }

    pub(crate) fn version(self) -> u32 {
        match self {
            Self::V5 => 5,
            Self::V6 => 6,
        }
    }

    pub(crate) fn service(self) -> &'static str {
        match self {
            Self::V5 => "tfplugin5.Provider",
            Self::V6 => "tfplugin6.Provider",
        }
    }
}
