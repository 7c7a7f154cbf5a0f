//! A source text in the form in which policies are written.
//!
//! The tokens and comments of the text stay as they are, in order; the formatter only decides the space
//! between them. So it walks over the syntax tree only to find the role of each token.

mod align;
mod expression;
#[cfg(test)]
mod laws;
mod layout;
mod statement;

use objchange_text::Diagnostic;

use crate::syntax::{lex, parse};
use layout::Layout;

/// Writes a source text in the house style of policies.
///
/// * Each level is indented by a tab, and so are the further lines of an expression.
/// * A statement has its line, and no semicolon. The blocks of `if`, `for` and `case` have theirs.
/// * A function, a rule or a quantifier stays on one line if it was on one.
/// * Lists, maps, arguments and operators keep their line breaks. A closing bracket on a line of its own
///   has a comma before it. The values of a map are aligned.
/// * Blank lines stay, one at a place, but not behind the colon of a clause, and not in brackets other than braces.
/// * The further lines of a chain that begins with a name are not indented in a rule.
/// * Comments stay where they are, before or behind the same words, and literals as they are written.
///
/// Line ends become `\n`. Formatted text is not changed by formatting it again, and keeps its meaning.
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
