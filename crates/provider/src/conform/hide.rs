//! Keeping secrets out of what a provider says.

use objchange::Value;
use objchange::change::Diagnostic;
use objchange::internal::quote_into;
use objchange::value::{Descend, Kind};

/// The diagnostic without the texts that are marked in a value: a provider may well quote what it was given.
///
/// ```
/// use objchange::Value;
/// use objchange::change::{Diagnostic, Severity};
/// use objchange_provider::conform::without_secrets;
///
/// let config = Value::object([("token", Value::from("s3cr3t").sensitive())]);
/// let said = Diagnostic::error(r#"token "s3cr3t" is too short"#);
/// assert_eq!(without_secrets(&said, &config).summary, r#"token "(sensitive value)" is too short"#);
/// ```
pub fn without_secrets(diagnostic: &Diagnostic, value: &Value) -> Diagnostic {
    let mut secrets = Vec::new();
    value.visit(|_, part| {
        if !part.is_marked() {
            return if part.contains_marked() { Descend::Into } else { Descend::Over };
        }
        part.unmark_deep().0.visit(|_, part| {
            match part.kind() {
                Kind::String(text) if !text.is_empty() => {
                    let mut quoted = String::new();
                    quote_into(text, &mut quoted);
                    secrets.push(quoted.trim_matches('"').to_owned());
                    secrets.push(text.to_owned());
                }
                Kind::Number(number) => secrets.push(number.to_string()),
                _ => {}
            }
            Descend::Into
        });
        Descend::Over
    });
    // A secret may be a part of another.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let hidden = |text: &str| {
        secrets
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "(sensitive value)"))
    };
    let mut out = diagnostic.clone();
    out.summary = hidden(&diagnostic.summary);
    out.detail = hidden(&diagnostic.detail);
    out
}
