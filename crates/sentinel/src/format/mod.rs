//! Formats the source text of a policy.
//!
//! The formatter keeps all tokens and comments in order, and only decides the space between them. It walks the
//! syntax tree only to find the role of each token.

mod align;
mod expression;
#[cfg(test)]
mod laws;
mod layout;
mod statement;

use objchange_text::Diagnostic;

use crate::syntax::{lex, parse};
use layout::Layout;

/// Formats a source text in the common style of policies.
///
/// * Each level is indented by a tab, as are the continuation lines of an expression.
/// * Each statement has its own line, without a semicolon. So do the blocks of `if`, `for` and `case`.
/// * A function, a rule or a quantifier on one line stays on one line.
/// * Lists, maps, arguments and operators keep their line breaks. A closing bracket on a line of its own
///   has a comma before it. The values of a map are aligned.
/// * Consecutive blank lines become one. They are removed after the colon of a clause, and in brackets other than braces.
/// * In a rule, the continuation lines of a chain that begins with a name are not indented.
/// * Comments keep their place between the words, and literals their spelling.
///
/// Line ends become `\n`. Formatting keeps the meaning, and formatting twice changes nothing more.
///
/// # Errors
///
/// All syntax errors, in the order of the text.
///
/// # Examples
///
/// ```
/// let text = "main=rule{ // all of them\n a and not b }";
/// assert_eq!(
///     objchange_sentinel::format(text).unwrap(),
///     "main = rule { // all of them\n\ta and not b\n}\n"
/// );
/// assert_eq!(objchange_sentinel::format("main = ").unwrap_err().len(), 1);
/// ```
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let (program, comments) = parse(text)?;
    // The parser keeps no tokens, so the text is split again. It has been parsed, so this finds no errors.
    let lexed = lex(text);
    let mut layout = Layout::new(text, &lexed.tokens, &comments);
    layout.program(&program);
    Ok(layout.finish())
}
