//! Reads any bytes as a plan or state: an answer or an error, and never a control character in the error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use objchange_document::Document;
use objchange_document::json::Json;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Err(error) = Document::parse(text) {
        assert!(!error.to_string().chars().any(char::is_control));
        assert!(error.line <= text.len() + 1);
    }
    // Parsing a text twice gives equal values.
    if let Ok(value) = Json::parse(text) {
        assert_eq!(Json::parse(text).ok(), Some(value));
    }
});
