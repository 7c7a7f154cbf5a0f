//! Rules that came with a version of Terraform.

use objchange_document::Version;

/// Whether a version is this one or a newer one.
pub(crate) fn since(version: Version, first: &str) -> bool {
    Version::parse(first).is_some_and(|first| version >= first)
}
