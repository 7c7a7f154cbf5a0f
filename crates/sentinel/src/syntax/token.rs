//! The smallest parts of a source text.

use objchange_text::Span;

/// The kind of a token; its text is at its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name, and any word after a dot.
    Ident,
    /// A reserved word, including the operators that are words.
    Keyword,
    Int,
    Float,
    /// With its quotes.
    String,
    Punct,
    /// The end of a statement, which a newline may be.
    Semicolon,
    /// The end of the text.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// The kind of a word that does not follow a dot.
pub(crate) fn word_kind(word: &str) -> Kind {
    match word {
        "all" | "and" | "any" | "as" | "break" | "case" | "contains" | "continue" | "default" | "else"
        | "for" | "func" | "if" | "import" | "in" | "is" | "matches" | "not" | "or" | "param" | "return"
        | "rule" | "when" | "xor" => Kind::Keyword,
        // The constants are reserved only so that they cannot be assigned.
        "true" | "false" | "null" | "undefined" => Kind::Keyword,
        _ => Kind::Ident,
    }
}

/// Words that are values.
pub(crate) const CONSTANTS: [&str; 4] = ["true", "false", "null", "undefined"];

/// Whether a statement may end behind this token, so that a newline there ends it.
pub(crate) fn may_end_statement(kind: Kind, text: &str) -> bool {
    match kind {
        Kind::Ident | Kind::Int | Kind::Float | Kind::String => true,
        // After any other reserved word an expression or a block has to follow, so the statement goes on in
        // the next line.
        Kind::Keyword => matches!(text, "break" | "continue" | "return") || CONSTANTS.contains(&text),
        Kind::Punct => matches!(text, ")" | "]" | "}"),
        Kind::Semicolon | Kind::End => false,
    }
}
