//! Tells plan files from documents.

use serde::Deserialize;

use crate::archive;
use crate::error::SavedPlanError;

/// How a plan file of Terraform 0.11 or older begins.
const ANCIENT: &[u8] = b"tfplan";

/// The longest bookmark, in bytes.
const MAX_BOOKMARK: usize = 1 << 16;

/// Whether bytes begin as a plan file does, and no text.
///
/// ```
/// assert!(objchange_saved::is_saved_plan(b"PK\x03\x04\x14\0"));
/// assert!(!objchange_saved::is_saved_plan(br#"{"format_version":"1.2"}"#));
/// ```
pub fn is_saved_plan(bytes: &[u8]) -> bool {
    bytes.starts_with(archive::MAGIC) || is_ancient(bytes)
}

pub(crate) fn is_ancient(bytes: &[u8]) -> bool {
    bytes.starts_with(ANCIENT)
}

/// Why a text that cannot be read as a document stands for a plan that cannot be read either: the bookmark of a plan that
/// HCP Terraform has, or a plan file that OpenTofu has encrypted.
///
/// ```
/// let text = r#"{"remote_plan_format":1,"run_id":"run-a1","hostname":"app.terraform.io"}"#;
/// let error = objchange_saved::refusal(text).unwrap();
/// assert!(error.to_string().contains("run run-a1 on app.terraform.io"));
/// assert!(objchange_saved::refusal("{}").is_none());
/// ```
pub fn refusal(text: &str) -> Option<SavedPlanError> {
    #[derive(Deserialize)]
    struct Bookmark {
        #[serde(rename = "remote_plan_format")]
        _format: u64,
        run_id: String,
        hostname: String,
    }
    #[derive(Deserialize)]
    struct Encrypted {
        #[serde(rename = "encrypted_data")]
        _data: serde::de::IgnoredAny,
        #[serde(rename = "encryption_version")]
        _version: serde::de::IgnoredAny,
        /// Only an encrypted state has one.
        lineage: Option<serde::de::IgnoredAny>,
    }
    // Most texts are documents of megabytes, which need not be parsed for this.
    if text.len() <= MAX_BOOKMARK
        && let Ok(Bookmark { run_id, hostname, .. }) = serde_json::from_str(text)
    {
        return Some(SavedPlanError::Bookmark { run: run_id, host: hostname });
    }
    let is_encrypted = text.contains("\"encryption_version\"")
        && serde_json::from_str::<Encrypted>(text).is_ok_and(|file| file.lineage.is_none());
    is_encrypted.then_some(SavedPlanError::Encrypted)
}
