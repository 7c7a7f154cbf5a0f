//! Token access and error recovery.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use objchange_text::{Diagnostic, Span};

use super::ast::Name;
use super::token::{Kind, Token};
use crate::source::SyntaxErrorKind;

/// An error was reported.
#[derive(Debug)]
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

/// How deep a text may nest, so that neither the parser nor a walk over its result overflows a stack of 2
/// MB.
const MAX_DEPTH: u32 = 200;

#[derive(Debug)]
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    tokens: &'t [Token],
    pub(super) at: usize,
    depth: u32,
    pub(super) errors: Vec<Diagnostic>,
    /// The places where `filter` or `map` is known to be a name, so that nested ones are not parsed again
    /// and again.
    pub(super) plain_words: HashSet<usize>,
    /// How many functions and rules were read.
    pub(super) closures: usize,
    /// The names of the language that are assigned to.
    pub(super) hidden: Vec<Arc<str>>,
    /// All names that are assigned to, wherever.
    pub(super) assigned: BTreeSet<Arc<str>>,
    /// Around the statement that is read.
    pub(super) in_function: bool,
    pub(super) in_loop: bool,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, tokens: &'t [Token]) -> Self {
        Parser {
            text,
            tokens,
            at: 0,
            depth: 0,
            errors: Vec::new(),
            plain_words: HashSet::new(),
            closures: 0,
            hidden: Vec::new(),
            assigned: BTreeSet::new(),
            in_function: false,
            in_loop: false,
        }
    }

    pub(super) fn ahead(&self, count: usize) -> Token {
        // The last token is the end of the text, so looking too far ahead finds only that.
        self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    pub(super) fn peek(&self) -> Token {
        self.ahead(0)
    }

    pub(super) fn text(&self, token: Token) -> &'t str {
        &self.text[token.span.start as usize..token.span.end as usize]
    }

    /// The part of the text that was read since a token.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.clamp(1, self.tokens.len()) - 1].span)
    }

    /// Whether a token some steps ahead is this sign or reserved word.
    ///
    /// Inlined, so that to compare it with a literal is to compare a byte or two.
    #[inline(always)]
    pub(super) fn is_ahead(&self, count: usize, what: &str) -> bool {
        let token = self.ahead(count);
        matches!(token.kind, Kind::Punct | Kind::Keyword) && self.text(token) == what
    }

    #[inline(always)]
    pub(super) fn is(&self, what: &str) -> bool {
        self.is_ahead(0, what)
    }

    #[inline(always)]
    pub(super) fn eat(&mut self, what: &str) -> bool {
        let is = self.is(what);
        self.at += usize::from(is);
        is
    }

    pub(super) fn is_semicolon(&self) -> bool {
        self.peek().kind == Kind::Semicolon
    }

    pub(super) fn skip_semicolons(&mut self) {
        while self.is_semicolon() {
            self.at += 1;
        }
    }

    /// A newline within brackets means nothing, even where it would end a statement.
    pub(super) fn skip_newlines(&mut self) {
        while self.is_semicolon() && self.text(self.peek()) != ";" {
            self.at += 1;
        }
    }

    pub(super) fn error(&mut self, kind: SyntaxErrorKind, span: Span, message: impl Into<String>) {
        self.errors.push(kind.at(span, message));
    }

    pub(super) fn fail<T>(
        &mut self,
        kind: SyntaxErrorKind,
        span: Span,
        message: impl Into<String>,
    ) -> Parsed<T> {
        self.error(kind, span, message);
        Err(Failed)
    }

    /// Reports that something else is here.
    pub(super) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.peek();
        let found = self.describe(token);
        self.fail(SyntaxErrorKind::Unexpected, token.span, format!("expected {what}, found {found}"))
    }

    #[inline(always)]
    pub(super) fn expect(&mut self, what: &str, describe: &str) -> Parsed<()> {
        if self.eat(what) { Ok(()) } else { self.expected(describe) }
    }

    fn describe(&self, token: Token) -> String {
        let text = self.text(token);
        let shown: String = text.chars().take(40).collect();
        let dots = if shown.len() < text.len() { "…" } else { "" };
        match token.kind {
            Kind::End => "the end of the text".to_owned(),
            Kind::Semicolon if text != ";" => "the end of the line".to_owned(),
            Kind::Keyword => format!("the word {text}"),
            _ => format!("{shown}{dots}"),
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        if token.kind != Kind::Ident {
            return self.expected(what);
        }
        self.at += 1;
        Ok(Name { text: Arc::from(self.text(token)), span: token.span })
    }

    /// Parses one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return self.fail(
                SyntaxErrorKind::Limit,
                self.peek().span,
                format!("this nests deeper than {MAX_DEPTH} levels"),
            );
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Skips the rest of a statement with errors, from its first token: up to a semicolon, or the end of
    /// the block around it.
    pub(super) fn recover(&mut self, start: usize) {
        let mut open = 0_usize;
        // Braces that the statement has opened belong to it.
        let read = self.tokens[start.min(self.at)..self.at.min(self.tokens.len())].iter();
        for token in read.filter(|token| token.kind == Kind::Punct) {
            match self.text(*token) {
                "{" => open += 1,
                "}" => open = open.saturating_sub(1),
                _ => {}
            }
        }
        // A bracket that is still open at the end of the line was forgotten.
        if open == 0 && self.at > start && self.tokens[self.at - 1].kind == Kind::Semicolon {
            return;
        }
        loop {
            let token = self.peek();
            match (token.kind, self.text(token)) {
                (Kind::End, _) => return,
                (Kind::Semicolon, _) if open == 0 => return,
                (Kind::Punct, "{") => open += 1,
                (Kind::Punct, "}") if open == 0 => return,
                (Kind::Punct, "}") => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }
}
