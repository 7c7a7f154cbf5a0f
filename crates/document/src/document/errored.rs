//! Plans whose planning ended with an error.

use memchr::memmem;

use super::{DocumentError, open};

/// Whether the text is a plan with `"errored": true`. Such a plan lacks everything after the error.
///
/// It reads the first level of the document alone, so that a gate can ask before it evaluates anything.
///
/// # Errors
///
/// The text is not JSON, or `errored` is not a boolean.
///
/// ```
/// assert!(objchange_document::is_errored_plan(r#"{"format_version":"1.2","errored":true}"#)?);
/// assert!(!objchange_document::is_errored_plan(r#"{"format_version":"1.2","errored":false}"#)?);
/// # Ok::<(), objchange_document::DocumentError>(())
/// ```
pub fn is_errored_plan(text: &str) -> Result<bool, DocumentError> {
    // Most documents hold neither the name nor an escape in which one of its letters may hide: finding that out is
    // several times faster than reading them.
    let has = |part: &str| memmem::find(text.as_bytes(), part.as_bytes()).is_some();
    if !has("errored") && !has("\\u006") && !has("\\u007") {
        return Ok(false);
    }
    let mut is_errored = false;
    let read = open(text)?.members(|key, reader| {
        if &*key == "errored" {
            is_errored |= crate::json::field::flag(reader)?.unwrap_or_default();
            return Ok(());
        }
        reader.raw().map(|_| ())
    });
    read.map_err(|error| DocumentError::from_json(&error, text, ""))?;
    Ok(is_errored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_flag_of_the_document_counts() {
        for (text, expected) in [
            (r#"{"errored":true}"#, true),
            (r#"{"\u0065\u0072\u0072\u006fred":true}"#, true),
            (r#"{"err\u006Fred" : true}"#, true),
            (r#"{"errored":false,"errored":true,"errored":false}"#, true),
            (r#"{"errored":null}"#, false),
            (r#"{"resource_changes":[{"errored":true}],"planned_values":{"errored":true}}"#, false),
            (r#"{"a":"errored"}"#, false),
            ("{}", false),
        ] {
            assert_eq!(is_errored_plan(text).unwrap(), expected, "{text}");
        }
        for text in [r#"{"errored":1}"#, r#"{"errored":true"#, r#"["errored"]"#] {
            assert!(is_errored_plan(text).is_err(), "{text}");
        }
    }
}
