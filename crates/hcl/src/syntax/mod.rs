//! Parses text into expressions and bodies, without evaluating them. Text is copied only into values and names.
//!
//! `lexer` makes tokens and `parser` walks through them. `expression`, `traversal`, `collection`, `template` and `body`
//! each parse one construct; `escape`, `flush` and `directives` interpret templates. The result is an `ast`.

pub(crate) mod ast;
mod body;
mod collection;
mod directives;
mod escape;
mod expression;
mod flush;
pub(crate) mod json;
mod json_errors;
mod lexer;
mod parser;
mod template;
mod token;
mod traversal;

pub use ast::{Attribute, Block, Body, Expr, Label};
pub use json::{JsonBody, parse_body_json};
use lexer::{Top, tokens};
use objchange_text::{Diagnostic, Span};
use parser::Parser;
use token::Kind;

/// The maximum length of a text: a [`Span`] has 32-bit offsets.
const MAX_LENGTH: usize = u32::MAX as usize;

/// Parses a text as one expression.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn parse_expression(text: &str) -> Result<Expr, Vec<Diagnostic>> {
    expression(text, 0)
}

/// Parses one expression whose text starts at byte `start` of the whole configuration.
pub(crate) fn parse_expression_at(text: &str, start: u32) -> Result<Expr, Vec<Diagnostic>> {
    match expression(text, 0) {
        Ok(mut expr) => {
            ast::relocate(&mut expr, &|span: Span| span.moved(start));
            Ok(expr)
        }
        Err(found) => Err(found.into_iter().map(|error| error.moved(start)).collect()),
    }
}

/// Parses an expression that is already nested `depth` levels deep.
fn expression(text: &str, depth: u32) -> Result<Expr, Vec<Diagnostic>> {
    parse(text, Top::Code, false, depth, |p| {
        let expr = p.expression().ok();
        let next = p.peek();
        if expr.is_some() && next.kind != Kind::End {
            p.error(
                "Extra characters after expression",
                next.span,
                "An expression was successfully parsed, but extra characters were found after it.",
            );
        }
        expr
    })
}

/// Parses a template, such as the file for `templatefile`.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn parse_template(text: &str) -> Result<Expr, Vec<Diagnostic>> {
    template(text, 0)
}

/// Parses a template that is already nested `depth` levels deep.
fn template(text: &str, depth: u32) -> Result<Expr, Vec<Diagnostic>> {
    parse(text, Top::Template, true, depth, |p| p.template_file().ok())
}

/// Parses the arguments and blocks of a file.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn parse_body(text: &str) -> Result<Body, Vec<Diagnostic>> {
    parse(text, Top::Code, true, 0, |p| Some(p.file()))
}

/// Parses the arguments and blocks of a file of plain data.
pub(crate) fn data_body(text: &str) -> Result<Body, Vec<Diagnostic>> {
    parse(text, Top::Data, true, 0, |p| {
        p.is_data = true;
        Some(p.file())
    })
}

/// Parses the arguments and blocks of a file, and drops the parts with errors.
pub(crate) fn parse_body_partly(text: &str) -> Body {
    if check_length(text).is_err() {
        return Body::default();
    }
    let (tokens, _) = tokens(text, Top::Code);
    Parser::new(text, &tokens, true, 0).file()
}

fn parse<T>(
    text: &str,
    top: Top,
    newlines: bool,
    depth: u32,
    read: impl FnOnce(&mut Parser<'_>) -> Option<T>,
) -> Result<T, Vec<Diagnostic>> {
    check_length(text)?;
    let (tokens, mut diagnostics) = tokens(text, top);
    let mut parser = Parser::new(text, &tokens, newlines, depth);
    let result = read(&mut parser);
    diagnostics.append(&mut parser.diagnostics);
    match result {
        Some(result) if diagnostics.is_empty() => Ok(result),
        _ => Err(diagnostics),
    }
}

fn check_length(text: &str) -> Result<(), Vec<Diagnostic>> {
    if text.len() <= MAX_LENGTH {
        return Ok(());
    }
    let detail = "A source text cannot be longer than 4 GiB.";
    Err(vec![Diagnostic::new("Source too long", Span::at(0), detail)])
}

/// Whether this is an HCL identifier: one of Unicode (UAX 31), with `_` allowed first and `-` after that.
pub(crate) fn is_name(name: &str) -> bool {
    let is_first = |c: char| c == '_' || unicode_ident::is_xid_start(c);
    let mut chars = name.chars();
    chars.next().is_some_and(is_first) && chars.all(|c| c == '-' || unicode_ident::is_xid_continue(c))
}
