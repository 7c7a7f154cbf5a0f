//! Expressions in brackets: calls, tuples, objects and `for`.

use objchange_text::Span;
use smol_str::SmolStr;

use super::ast::{Call, Expr, ExprKind, For, Item};
use super::parser::{Parsed, Parser};
use super::token::{Kind, Token};

/// The error messages for a `for` with bad names.
pub(super) struct ForWords {
    summary: &'static str,
    missing_name: &'static str,
    missing_in: &'static str,
}

const FOR_EXPRESSION: ForWords = ForWords {
    summary: "Invalid 'for' expression",
    missing_name: "For expression requires variable name after 'for'.",
    missing_in: "For expression requires the 'in' keyword after its name declarations.",
};

pub(super) const FOR_DIRECTIVE: ForWords = ForWords {
    summary: "Invalid 'for' directive",
    missing_name: "For directive requires variable name after 'for'.",
    missing_in: "For directive requires 'in' keyword after names.",
};

impl Parser<'_> {
    /// A function call, from behind the first part of its name.
    pub(super) fn call(&mut self, first: Token) -> Parsed<Expr> {
        let mut name_span = first.span;
        while self.take(Kind::DoubleColon).is_some() {
            let part = self.peek();
            if part.kind != Kind::Name {
                let detail =
                    "Function scope resolution symbol :: must be followed by a function name in this scope.";
                return self.fail("Missing function name", part.span, detail);
            }
            self.next();
            name_span = name_span.to(part.span);
        }
        let open = self.peek();
        if open.kind != Kind::OpenParen {
            let detail =
                "Function selector must be followed by an open parenthesis to begin the function call.";
            return self.fail("Missing open parenthesis", open.span, detail);
        }
        self.next();
        // There may be white space around `::`.
        let name: String = self.text[name_span.range()].split_whitespace().collect();
        let head = name_span.to(open.span);
        self.with_newlines(false, |p| {
            let mut arguments = Vec::new();
            let (expands, close) = match p.arguments(head, &mut arguments) {
                Ok(found) => found,
                Err(broken) => return p.leave(Kind::CloseParen, broken),
            };
            let call =
                Call { name: SmolStr::new(name), name_span, arguments, expands, open: open.span, close };
            Ok(Expr::new(name_span.to(close), ExprKind::Call(Box::new(call))))
        })
    }

    /// The arguments up to and with the closing parenthesis. Says whether the last one is expanded, and where the
    /// parenthesis is.
    fn arguments(&mut self, head: Span, arguments: &mut Vec<Expr>) -> Parsed<(bool, Span)> {
        loop {
            if let Some(close) = self.take(Kind::CloseParen) {
                return Ok((false, close.span));
            }
            arguments.push(self.expression()?);
            let next = self.peek();
            match next.kind {
                Kind::CloseParen => {}
                Kind::Comma => {
                    self.next();
                }
                Kind::Ellipsis => {
                    self.next();
                    let close = self.peek();
                    if close.kind != Kind::CloseParen {
                        let detail = "An expanded function argument (with ...) must be immediately followed by \
                                      closing parentheses.";
                        return self.fail("Missing closing parenthesis", next.span, detail);
                    }
                    self.next();
                    return Ok((true, close.span));
                }
                Kind::End => {
                    let detail = "There is no closing parenthesis for this function call before the end of the \
                                  file. This may be caused by incorrect parenthesis nesting elsewhere in this file.";
                    return self.fail_loudly("Unterminated function call", head, detail);
                }
                _ => {
                    let detail = "A comma is required to separate each function argument from the next.";
                    let failed = self.fail_loudly("Missing argument separator", next.span, detail);
                    self.since(head, next.span);
                    return failed;
                }
            }
        }
    }

    pub(super) fn tuple(&mut self) -> Parsed<Expr> {
        let open = self.next();
        self.with_newlines(false, |p| {
            if p.is_word("for") {
                return p.for_expression(open, Kind::CloseBracket);
            }
            let mut items = Vec::new();
            let close = match p.tuple_items(open.span, &mut items) {
                Ok(close) => close,
                Err(broken) => return p.leave(Kind::CloseBracket, broken),
            };
            Ok(Expr::new(open.span.to(close), ExprKind::Tuple(items.into())))
        })
    }

    fn tuple_items(&mut self, open: Span, items: &mut Vec<Expr>) -> Parsed<Span> {
        loop {
            if let Some(close) = self.take(Kind::CloseBracket) {
                return Ok(close.span);
            }
            items.push(self.expression()?);
            let next = self.peek();
            match next.kind {
                Kind::CloseBracket => {}
                Kind::Comma => {
                    self.next();
                }
                Kind::End => {
                    let detail = "There is no corresponding closing bracket before the end of the file. This may \
                                  be caused by incorrect bracket nesting elsewhere in this file.";
                    return self.fail("Unterminated tuple constructor expression", open, detail);
                }
                _ => {
                    let detail = "Expected a comma to mark the beginning of the next item.";
                    let failed = self.fail("Missing item separator", next.span, detail);
                    self.since(open, next.span);
                    return failed;
                }
            }
        }
    }

    pub(super) fn object(&mut self) -> Parsed<Expr> {
        let open = self.next();
        // Line ends count in objects, but not before and in `for`.
        let is_for =
            self.with_newlines(false, |p| p.is_word("for").then(|| p.for_expression(open, Kind::CloseBrace)));
        if let Some(result) = is_for {
            return result;
        }
        self.with_newlines(true, |p| {
            let mut items = Vec::new();
            let close = match p.object_items(open.span, &mut items) {
                Ok(close) => close,
                Err(broken) => return p.leave(Kind::CloseBrace, broken),
            };
            Ok(Expr::new(open.span.to(close), ExprKind::Object(items.into())))
        })
    }

    fn object_items(&mut self, open: Span, items: &mut Vec<Item>) -> Parsed<Span> {
        let unterminated = |p: &mut Self| {
            let detail = "There is no corresponding closing brace before the end of the file. This may be caused \
                          by incorrect brace nesting elsewhere in this file.";
            p.fail("Unterminated object constructor expression", open, detail)
        };
        loop {
            match self.kind() {
                Kind::Newline => {
                    self.next();
                    continue;
                }
                Kind::CloseBrace => return Ok(self.next().span),
                _ => {}
            }
            let key = self.expression()?;
            let next = self.peek();
            match next.kind {
                Kind::Assign | Kind::Colon => {
                    self.next();
                }
                Kind::Newline | Kind::Comma => {
                    let detail = "Expected an attribute value, introduced by an equals sign (\"=\").";
                    return self.fail("Missing attribute value", next.span, detail);
                }
                Kind::End => return unterminated(self),
                _ => {
                    let detail =
                        "Expected an equals sign (\"=\") to mark the beginning of the attribute value.";
                    return self.fail("Missing key/value separator", next.span, detail);
                }
            }
            let value = self.expression()?;
            items.push(Item { key, value });
            let next = self.peek();
            match next.kind {
                Kind::Comma | Kind::Newline => {
                    self.next();
                }
                Kind::CloseBrace => {}
                Kind::End => return unterminated(self),
                _ => {
                    let detail = "Expected a newline or comma to mark the beginning of the next attribute.";
                    return self.fail("Missing attribute separator", next.span, detail);
                }
            }
        }
    }

    fn for_expression(&mut self, open: Token, close: Kind) -> Parsed<Expr> {
        self.next();
        match self.for_parts(open, close) {
            Ok((parts, end)) => Ok(Expr::new(open.span.to(end), ExprKind::For(Box::new(parts)))),
            Err(broken) => self.leave(close, broken),
        }
    }

    fn for_parts(&mut self, open: Token, close: Kind) -> Parsed<(For, Span)> {
        const SUMMARY: &str = "Invalid 'for' expression";
        let is_object = close == Kind::CloseBrace;
        let (key_name, value_name) = self.for_names(&FOR_EXPRESSION)?;
        let collection = self.expression()?;
        let colon = self.peek();
        if colon.kind != Kind::Colon {
            return self.fail(
                SUMMARY,
                colon.span,
                "For expression requires a colon after the collection expression.",
            );
        }
        self.next();
        let mut key = None;
        let mut value = self.expression()?;
        if self.take(Kind::FatArrow).is_some() {
            if !is_object {
                let detail = "Key expression is not valid when building a tuple.";
                self.error(SUMMARY, value.span, detail);
            }
            key = Some(std::mem::replace(&mut value, Expr::new(open.span, ExprKind::Missing)));
            value = self.expression()?;
        } else if is_object {
            let detail = "Key expression is required when building an object.";
            self.report(SUMMARY, value.span, detail);
        }
        let ellipsis = self.take(Kind::Ellipsis);
        if let Some(ellipsis) = ellipsis.filter(|_| !is_object) {
            let detail = "Grouping ellipsis (...) cannot be used when building a tuple.";
            self.error(SUMMARY, ellipsis.span, detail);
        }
        let mut condition = None;
        if self.is_word("if") {
            self.next();
            condition = Some(self.expression()?);
        }
        let end = self.peek();
        if end.kind != close {
            let detail = "Extra characters after the end of the 'for' expression.";
            let failed = self.fail(SUMMARY, end.span, detail);
            self.since(open.span, end.span);
            return failed;
        }
        self.next();
        let groups = ellipsis.is_some();
        let parts = For { open: open.span, key_name, value_name, collection, key, value, condition, groups };
        Ok((parts, end.span))
    }

    /// The names in `for k, v in xs`, from behind the `for` up to and with the `in`.
    pub(super) fn for_names(&mut self, words: &ForWords) -> Parsed<(Option<SmolStr>, SmolStr)> {
        let mut value = self.for_name(words)?;
        let mut key = None;
        if self.take(Kind::Comma).is_some() {
            key = Some(std::mem::replace(&mut value, self.for_name(words)?));
        }
        if !self.is_word("in") {
            let found = self.peek().span;
            return self.fail(words.summary, found, words.missing_in);
        }
        self.next();
        Ok((key, value))
    }

    fn for_name(&mut self, words: &ForWords) -> Parsed<SmolStr> {
        let name = self.peek();
        if name.kind != Kind::Name {
            return self.fail(words.summary, name.span, words.missing_name);
        }
        self.next();
        Ok(SmolStr::new(self.text_of(name)))
    }
}
