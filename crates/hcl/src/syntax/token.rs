//! The tokens of the configuration language.

use objchange_text::Span;

/// A token: its kind and span, without its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    OpenParen,
    CloseParen,
    OpenQuote,
    CloseQuote,
    OpenHeredoc,
    CloseHeredoc,
    /// `${`, or `${~`.
    Interpolation,
    /// `%{`, or `%{~`.
    Directive,
    /// The `}` of one of these, and every `~}`.
    CloseSequence,
    /// Text of a quoted string.
    QuotedText,
    /// Text of a heredoc or a template file: at most one line.
    Text,
    /// A line end in a quoted string.
    QuotedNewline,
    Star,
    Slash,
    Plus,
    Minus,
    Percent,
    And,
    Or,
    Bang,
    Assign,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Dot,
    Comma,
    Ellipsis,
    FatArrow,
    Question,
    Colon,
    DoubleColon,
    Number,
    Name,
    /// A line end outside of texts, including that of a comment.
    Newline,
    /// `&`, `|`, `^`, `~`: operators of other languages.
    Bitwise,
    /// A character that begins no token.
    Invalid,
    End,
}

impl Kind {
    /// The closing token for an opening one.
    pub(crate) fn closed_by(self) -> Option<Kind> {
        Some(match self {
            Self::OpenBrace => Self::CloseBrace,
            Self::OpenBracket => Self::CloseBracket,
            Self::OpenParen => Self::CloseParen,
            Self::OpenQuote => Self::CloseQuote,
            Self::OpenHeredoc => Self::CloseHeredoc,
            Self::Interpolation | Self::Directive => Self::CloseSequence,
            _ => return None,
        })
    }

    pub(crate) fn closes(self) -> bool {
        matches!(
            self,
            Self::CloseBrace
                | Self::CloseBracket
                | Self::CloseParen
                | Self::CloseQuote
                | Self::CloseHeredoc
                | Self::CloseSequence
        )
    }
}
