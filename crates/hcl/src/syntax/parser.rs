//! Walks through tokens: lookahead and error recovery, shared by all parsers.

use std::borrow::Cow;

use objchange_text::{Diagnostic, Span, Summary};

use super::ast::{Expr, ExprKind};
use super::lexer::MAX_ERRORS;
use super::token::{Kind, Token};

/// How deep expressions and blocks may be nested.
///
/// In 2 MB of stack there is room for several times as many.
pub(crate) const MAX_DEPTH: u32 = 200;

/// A syntax error. The enclosing construct recovers at its own end. It passes a `reported` error on; after an
/// unreported follow-up error it continues as if nothing had happened.
#[derive(Clone, Copy)]
pub(super) struct Broken {
    pub(super) reported: bool,
}

pub(super) type Parsed<T> = Result<T, Broken>;

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    tokens: &'t [Token],
    at: usize,
    /// Line ends are tokens here, not white space.
    newlines: bool,
    /// An error was found, and later ones may be consequences: they are not reported.
    pub(super) recovering: bool,
    depth: u32,
    /// The body is plain data, in which items may share a line; see [`parse_data`](super::super::parse_data).
    pub(super) is_data: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, tokens: &'t [Token], newlines: bool, depth: u32) -> Self {
        let (at, recovering, is_data, diagnostics) = (0, false, false, Vec::new());
        Self { text, tokens, at, newlines, recovering, depth, is_data, diagnostics }
    }

    pub(super) fn text_of(&self, token: Token) -> &'t str {
        &self.text[token.span.range()]
    }

    /// The next token.
    pub(super) fn peek(&mut self) -> Token {
        // Enclosing rules skip these newlines, too, or they would have stopped before.
        while !self.newlines && self.tokens[self.at].kind == Kind::Newline {
            self.at += 1;
        }
        self.tokens[self.at]
    }

    pub(super) fn kind(&mut self) -> Kind {
        self.peek().kind
    }

    /// Takes the next token; the end is never passed.
    pub(super) fn next(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Where the token is that was just taken.
    pub(super) fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// Goes back to the token that was just taken, which was not behind line ends that do not count.
    pub(super) fn back(&mut self) {
        self.at -= 1;
    }

    /// Takes the next token if it is of this kind.
    pub(super) fn take(&mut self, kind: Kind) -> Option<Token> {
        (self.kind() == kind).then(|| self.next())
    }

    pub(super) fn is_word(&mut self, word: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Name && self.text_of(token) == word
    }

    /// Does something where line ends are tokens, or are not.
    pub(super) fn with_newlines<T>(&mut self, newlines: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.newlines, newlines);
        let result = f(self);
        self.newlines = before;
        result
    }

    /// Does something one level further down.
    pub(super) fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let before = self.depth;
        self.descend()?;
        let result = f(self);
        self.depth = before;
        result
    }

    /// Enters one more level of nesting, up to the end of the call of [`deeper`](Self::deeper).
    pub(super) fn descend(&mut self) -> Parsed<()> {
        if self.depth >= MAX_DEPTH {
            let here = self.peek().span;
            return self.fail_loudly(
                "Nesting too deep",
                here,
                "Expressions and blocks cannot be nested so deep.",
            );
        }
        self.depth += 1;
        Ok(())
    }

    /// One level further up again.
    pub(super) fn ascend(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Reports an error, unless it may be the consequence of an earlier one.
    pub(super) fn error(
        &mut self,
        summary: impl Into<Summary>,
        span: Span,
        detail: impl Into<Cow<'static, str>>,
    ) {
        if !self.recovering {
            self.report(summary, span, detail);
        }
        self.recovering = true;
    }

    /// Reports an error, also while recovering.
    pub(super) fn report(
        &mut self,
        summary: impl Into<Summary>,
        span: Span,
        detail: impl Into<Cow<'static, str>>,
    ) {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(Diagnostic::new(summary, span, detail));
        }
    }

    /// Like [`error`](Self::error), for a part that then has no meaning.
    pub(super) fn fail<T>(
        &mut self,
        summary: impl Into<Summary>,
        span: Span,
        detail: impl Into<Cow<'static, str>>,
    ) -> Parsed<T> {
        let reported = !self.recovering;
        self.error(summary, span, detail);
        Err(Broken { reported })
    }

    /// Shows the error at a place, if it was reported, with all that was read since a bracket was opened.
    pub(super) fn since(&mut self, open: Span, place: Span) {
        if let Some(last) = self.diagnostics.last_mut().filter(|last| last.subject == Some(place)) {
            last.context = Some(open.to(place));
        }
    }

    /// Like [`fail`](Self::fail), but reports the error also while recovering.
    pub(super) fn fail_loudly<T>(
        &mut self,
        summary: impl Into<Summary>,
        span: Span,
        detail: impl Into<Cow<'static, str>>,
    ) -> Parsed<T> {
        self.report(summary, span, detail);
        self.recovering = true;
        Err(Broken { reported: true })
    }

    /// Skips to the token that closes the current bracket, and returns it; returns the end if there is none.
    pub(super) fn recover(&mut self, close: Kind) -> Token {
        self.recovering = true;
        let mut open = 0_u32;
        loop {
            let token = self.next();
            if token.kind == Kind::End || open == 0 && token.kind == close {
                return token;
            }
            if token.kind == close {
                open -= 1;
            } else if token.kind.closed_by() == Some(close) {
                open += 1;
            }
        }
    }

    /// Something in brackets could not be read: goes behind them.
    pub(super) fn leave(&mut self, close: Kind, broken: Broken) -> Parsed<Expr> {
        let last = self.recover(close);
        if broken.reported { Err(broken) } else { Ok(Expr::new(last.span, ExprKind::Missing)) }
    }

    /// Goes to where the next item of a body may begin: behind the next line end outside of brackets.
    pub(super) fn recover_item(&mut self) {
        self.recovering = true;
        let mut open = Vec::new();
        self.with_newlines(true, |p| {
            loop {
                let token = p.next();
                match token.kind {
                    Kind::End => return,
                    Kind::Newline if open.is_empty() => return,
                    kind => follow(&mut open, kind),
                }
            }
        });
    }
}

/// Tracks open brackets. A closing token also closes everything that is still open inside of it.
fn follow(open: &mut Vec<Kind>, kind: Kind) {
    if let Some(close) = kind.closed_by() {
        open.push(close);
    } else if kind.closes() {
        // An unmatched closing bracket closes all open ones: brackets were mixed up.
        while open.pop().is_some_and(|expected| expected != kind) {}
    }
}
