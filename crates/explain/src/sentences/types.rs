//! Terraform's sentences about values of the wrong type.

use objchange::Type;
use objchange::value::{Path, PathStep, TypeMismatch, TypeMismatchKind};

/// Terraform's whole message about a value that is not of the schema's type; `None` if no such message was
/// seen.
pub fn required(path: &Path, wanted: &Type, parts: Option<[usize; 2]>) -> Option<String> {
    let wanted = match (wanted, parts) {
        (Type::Object(_), Some([wanted, given])) => {
            format!("an object with {wanted} attributes is required ({given} given)")
        }
        (_, Some(_)) | (Type::Tuple(_) | Type::Dynamic, None) => return None,
        (Type::List(_), None) => "a list is required".into(),
        (Type::Set(_), None) => "a set is required".into(),
        (Type::Map(_), None) => "a map is required".into(),
        (Type::Object(_), None) => "an object is required".into(),
        (primitive, None) => format!("{} is required", primitive.friendly_name()),
    };
    Some(match path.steps() {
        [PathStep::Attribute(name)] => format!("[{name:?}]: {wanted}"),
        // How a longer path is written was not seen.
        _ => wanted,
    })
}

/// Terraform's message about one of the parts in which a type differs from the schema.
pub fn mismatched(mismatch: &TypeMismatch, given: &Type, wanted: &Type) -> Option<String> {
    use TypeMismatchKind as K;
    match &mismatch.kind {
        K::OtherType { wanted, .. } => required(&mismatch.path, wanted, None),
        K::MissingAttribute { .. } | K::UnexpectedAttribute { .. } if mismatch.path.is_root() => {
            let (Type::Object(given), Type::Object(attributes)) = (given, wanted) else { return None };
            let counts = [attributes.attributes().len(), given.attributes().len()];
            if counts[0] == counts[1] { None } else { required(&mismatch.path, wanted, Some(counts)) }
        }
        _ => None,
    }
}

/// Terraform's words below its headline about an object that lacks an attribute: one that was sent as an
/// empty map.
pub fn lacking(mismatch: &TypeMismatch) -> Option<String> {
    match &mismatch.kind {
        TypeMismatchKind::MissingAttribute { name } if !mismatch.path.is_root() => {
            Some(format!("missing required attribute {name:?}"))
        }
        _ => None,
    }
}

/// Whether a text is a sentence about a type, without the path in front of it.
pub(crate) fn is_about_type(words: &str) -> bool {
    let is_type = ["string", "number", "bool", "list", "set", "map", "object", "tuple"]
        .iter()
        .any(|ty| words.strip_prefix("a ").unwrap_or(words).starts_with(ty));
    words == "an object is required"
        || (is_type && words.ends_with(" is required"))
        || (words.starts_with("an object with ") && words.contains(" is required ("))
        || words.starts_with("unsupported attribute ")
        || (words.starts_with("attribute ") && words.ends_with(" is required"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_about_types_are_known() {
        for words in [
            "a list is required",
            "string is required",
            "an object is required",
            "an object with 3 attributes is required (2 given)",
            "unsupported attribute \"size\"",
            "attribute \"size\" is required",
        ] {
            assert!(is_about_type(words), "{words}");
        }
        for words in ["a name is required", "an object with 3 attributes", "attribute \"size\" is wrong"] {
            assert!(!is_about_type(words), "{words}");
        }
    }

    /// Only an object within another one is named: Terraform has no words about the outermost.
    #[test]
    fn what_an_object_lacks_is_named() {
        let object = |names: &[&str]| Type::object(names.iter().map(|name| (*name, Type::String)));
        let (given, wanted) = (object(&["a"]), object(&["a", "b"]));
        let lacks = |given: &Type, wanted: &Type| -> Vec<Option<String>> {
            given.mismatches(wanted).iter().map(lacking).collect()
        };
        assert_eq!(lacks(&given, &wanted), [None]);
        let within = |ty: Type| Type::object([("one", ty)]);
        let said = "missing required attribute \"b\"".to_owned();
        assert_eq!(lacks(&within(given), &within(wanted)), [Some(said)]);
    }
}
