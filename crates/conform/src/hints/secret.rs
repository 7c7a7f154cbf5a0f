//! What a hints file calls secret.

use objchange::Value;
use objchange::value::{Descend, Kind};

use super::Hints;
use super::given::Given;

impl Hints {
    /// What the file calls secret, each marked. Of a text in which `{seq}` or the like is replaced these are its parts.
    pub fn secrets(&self) -> Vec<Value> {
        let values = self.values.iter().chain(self.types.iter().flat_map(|of| &of.values));
        let given = values.flat_map(|(_, given)| match given {
            Given::Value(value) => std::slice::from_ref(value),
            Given::OneOf(values) => values,
            Given::Matching(_) | Given::Absent => &[],
        });
        let updates = self.types.iter().flat_map(|of| &of.update).map(|(_, value)| value);
        let mut secrets = Vec::new();
        for value in self.provider.iter().chain(given).chain(updates) {
            value.visit(|_, part| {
                if part.is_marked() {
                    secrets.push(part.clone());
                    parts(part, &mut secrets);
                }
                if part.is_marked() { Descend::Over } else { Descend::Into }
            });
        }
        secrets
    }
}

/// What stays of texts in which something is replaced.
fn parts(secret: &Value, parts: &mut Vec<Value>) {
    secret.unmark_deep().0.visit(|_, part| {
        if let Kind::String(text) = part.kind() {
            let split = text.split(['{', '}']).filter(|part| !part.is_empty() && *part != text);
            let split = split.filter(|part| !matches!(*part, "seq" | "seed"));
            parts.extend(split.map(|part| Value::from(part).sensitive()));
        }
        Descend::Into
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_their_parts() {
        let hints = Hints::parse(
            br#"{"provider": {"host": "h", "token": {"$sensitive": "t0k"}},
                "values": {"key": {"$sensitive": "abc-{seq}-def"}, "name": "n-{seq}"}}"#,
        );
        let secrets = hints.unwrap().secrets();
        let secrets: Vec<_> = secrets.iter().map(|secret| secret.unmark_deep().0).collect();
        assert_eq!(secrets, ["t0k", "abc-{seq}-def", "abc-", "-def"].map(Value::from));
    }
}
