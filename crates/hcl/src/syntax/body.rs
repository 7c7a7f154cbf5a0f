//! Bodies: arguments and blocks.

use hashbrown::HashSet;
use objchange_text::Span;
use smol_str::SmolStr;

use super::ast::{Attribute, Block, Body, Expr, ExprKind, Label};
use super::escape;
use super::parser::{Parsed, Parser};
use super::token::{Kind, Token};

const REQUIRED: &str = "Argument or block definition required";

/// The names that a body has arguments for already.
#[derive(Default)]
struct Names(HashSet<SmolStr>);

impl Names {
    /// Few names are found faster one by one.
    fn is_new(&mut self, attributes: &[Attribute], name: &str) -> bool {
        if attributes.len() < 16 {
            return attributes.iter().all(|attribute| attribute.name != name);
        }
        if self.0.is_empty() {
            self.0.extend(attributes.iter().map(|attribute| attribute.name.clone()));
        }
        self.0.insert(SmolStr::new(name))
    }
}

impl Parser<'_> {
    /// A whole file.
    pub(super) fn file(&mut self) -> Body {
        let start = if self.text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut body = Body { missing: Span::at(start), ..Body::default() };
        self.items(&mut body, None);
        body
    }

    /// The items of a body, up to and with the closing brace, or up to the end.
    fn items(&mut self, body: &mut Body, open: Option<Span>) {
        let mut names = Names::default();
        loop {
            let token = self.peek();
            match token.kind {
                Kind::Newline => {
                    self.next();
                }
                Kind::End => {
                    if let Some(open) = open {
                        let detail = "There is no closing brace for this block before the end of the file. This \
                                      may be caused by incorrect brace nesting elsewhere in this file.";
                        self.error("Unclosed configuration block", open, detail);
                    }
                    return;
                }
                Kind::CloseBrace if open.is_some() => {
                    self.next();
                    return;
                }
                Kind::Comma if self.is_data => {
                    self.next();
                }
                Kind::Name => {
                    if self.item(body, &mut names).is_err() {
                        self.recover_item();
                    }
                }
                Kind::OpenQuote if self.is_data => {
                    if self.item(body, &mut names).is_err() {
                        self.recover_item();
                    }
                }
                Kind::OpenQuote => {
                    let detail = "Argument names must not be quoted.";
                    self.error("Invalid argument name", token.span, detail);
                    self.recover_item();
                }
                _ => {
                    self.error(REQUIRED, token.span, "An argument or block definition is required here.");
                    self.recover_item();
                }
            }
        }
    }

    fn item(&mut self, body: &mut Body, names: &mut Names) -> Parsed<()> {
        let name = self.next();
        let name = match name.kind {
            Kind::OpenQuote => self.label(name),
            _ => self.bare_label(name),
        };
        match self.kind() {
            Kind::Assign => {
                self.argument(name, body, names)?;
                if self.kind() == Kind::Comma && !self.is_data {
                    let span = self.peek().span;
                    let detail = "Argument definitions must be separated by newlines, not commas. An argument \
                                  definition must end with a newline.";
                    return self.fail("Unexpected comma after argument", span, detail);
                }
                let detail = "An argument definition must end with a newline.";
                self.item_end("Missing newline after argument", detail)
            }
            Kind::OpenQuote | Kind::OpenBrace | Kind::Name => self.block(name, body),
            Kind::Newline if self.is_data => self.block(name, body),
            _ => {
                let detail = "An argument or block definition is required here. To set an argument, use the equals \
                              sign \"=\" to introduce the argument value.";
                self.fail_loudly(REQUIRED, name.span, detail)
            }
        }
    }

    /// Parses an argument from its equals sign on. A repeated name is always reported.
    fn argument(&mut self, name: Label, body: &mut Body, names: &mut Names) -> Parsed<()> {
        self.next();
        let text = &*name.text;
        if !names.is_new(&body.attributes, text) {
            let detail =
                format!("The argument {text:?} was already set. Each argument may be set only once.");
            self.report("Attribute redefined", name.span, detail);
            // The first definition wins; this one is still read for its own errors.
            return self.expression().map(|_| ());
        }
        let expr = self.expression();
        // Also a broken argument has its name: HCL still reports a second one as a redefinition.
        let (expr, result) = match expr {
            Ok(expr) => (expr, Ok(())),
            Err(broken) => (Expr::new(name.span, ExprKind::Missing), Err(broken)),
        };
        body.attributes.push(Attribute { name: name.text, name_span: name.span, expr });
        result
    }

    fn block(&mut self, name: Label, body: &mut Body) -> Parsed<()> {
        let mut labels = Vec::new();
        let open = loop {
            let token = self.next();
            match token.kind {
                Kind::OpenBrace => break token.span,
                Kind::Newline if self.is_data => {}
                Kind::Name => labels.push(self.bare_label(token)),
                Kind::OpenQuote => labels.push(self.label(token)),
                _ => {
                    if token.kind != Kind::End {
                        self.back();
                    }
                    let detail = match token.kind {
                        Kind::Assign => {
                            "The equals sign \"=\" indicates an argument definition, and must not be \
                                         used when defining a block."
                        }
                        Kind::Newline => {
                            "A block definition must have block content delimited by \"{\" and \"}\", starting on the same \
                             line as the block header."
                        }
                        _ => {
                            "Either a quoted string block label or an opening brace (\"{\") is expected here."
                        }
                    };
                    return self.fail("Invalid block definition", token.span, detail);
                }
            }
        };
        let missing = Span::at(open.start);
        let mut block = Block {
            kind: name.text,
            kind_span: name.span,
            header: labels.last().map_or(name.span, |label: &Label| name.span.to(label.span)),
            labels,
            open,
            close: open,
            body: Body { missing, ..Body::default() },
        };
        let inside = match self.kind() {
            Kind::Newline | Kind::End | Kind::CloseBrace => self.inside(&mut block.body, open),
            _ if self.is_data => self.inside(&mut block.body, open),
            _ => self.single_argument(&mut block.body, open),
        };
        block.close = self.last_span();
        body.blocks.push(block);
        inside?;
        let detail = "A block definition must end with a newline.";
        self.item_end("Missing newline after block definition", detail)
    }

    /// The items of a block, from behind its opening brace.
    fn inside(&mut self, body: &mut Body, open: Span) -> Parsed<()> {
        self.deeper(|p| {
            p.items(body, Some(open));
            Ok(())
        })
    }

    /// Expects the end of an item: a line end or the end of the file.
    fn item_end(&mut self, missing: &'static str, detail: &'static str) -> Parsed<()> {
        let end = self.peek();
        match end.kind {
            _ if self.is_data => Ok(()),
            Kind::Newline => {
                self.next();
                Ok(())
            }
            Kind::End => Ok(()),
            _ => self.fail(missing, end.span, detail),
        }
    }

    /// Parses the body of a one-line block: at most one argument.
    fn single_argument(&mut self, body: &mut Body, open: Span) -> Parsed<()> {
        const SINGLE: &str = "Invalid single-argument block definition";
        let result = self.only_argument(body);
        if result.is_err() {
            self.recover(Kind::CloseBrace);
            // The block is over; what follows it is looked at.
            return Ok(());
        }
        let end = self.peek();
        match end.kind {
            Kind::CloseBrace => {
                self.next();
                return Ok(());
            }
            Kind::End => {
                let detail = "There is no closing brace for this block before the end of the file.";
                self.error("Unclosed configuration block", open, detail);
            }
            Kind::Newline => {
                let detail = "An argument definition on the same line as its containing block creates a single-line block \
                              definition, which must also be closed on the same line. Place the block's closing brace \
                              immediately after the argument definition.";
                self.report(SINGLE, end.span, detail);
            }
            Kind::Comma => {
                let detail = "Single-line block syntax can include only one argument definition. To define multiple \
                              arguments, use the multi-line block syntax with one argument definition per line.";
                self.report(SINGLE, end.span, detail);
            }
            _ => {
                let detail = "A single-line block definition must end with a closing brace immediately after \
                              its single argument definition.";
                self.error(SINGLE, end.span, detail);
            }
        }
        self.recover(Kind::CloseBrace);
        Ok(())
    }

    fn only_argument(&mut self, body: &mut Body) -> Parsed<()> {
        let name = self.peek();
        if name.kind != Kind::Name {
            let detail = "An argument or block definition is required here.";
            return self.fail_loudly(REQUIRED, name.span, detail);
        }
        self.next();
        // HCL reports missing arguments of a one-line block at its argument, those of others at the brace.
        body.missing = Span::at(name.span.start);
        let next = self.peek();
        match next.kind {
            Kind::Assign => {
                let name = self.bare_label(name);
                self.argument(name, body, &mut Names::default())
            }
            Kind::Name | Kind::OpenQuote | Kind::OpenBrace => {
                let detail = "A single-line block definition can contain only a single argument. If you meant to \
                              define a block nested inside another block, place it on a line of its own.";
                self.fail_loudly("Argument definition required", name.span.to(next.span), detail)
            }
            _ => {
                let detail = "An argument or block definition is required here. To set an argument, use the equals \
                              sign \"=\" to introduce the argument value.";
                self.fail_loudly(REQUIRED, name.span, detail)
            }
        }
    }

    fn bare_label(&self, token: Token) -> Label {
        Label { text: SmolStr::new(self.text_of(token)), span: token.span }
    }

    /// A quoted label, from behind its opening quote.
    fn label(&mut self, open: Token) -> Label {
        const SUMMARY: &str = "Invalid string literal";
        let mut text = String::new();
        let mut reported_newline = false;
        loop {
            let token = self.next();
            match token.kind {
                Kind::CloseQuote => {
                    return Label { text: SmolStr::new(text), span: open.span.to(token.span) };
                }
                Kind::QuotedText => text.push_str(&escape::quoted(self, token)),
                Kind::QuotedNewline => {
                    if !std::mem::replace(&mut reported_newline, true) {
                        let detail = "A label must stand on one line.";
                        self.report(SUMMARY, token.span, detail);
                    }
                    self.recovering = true;
                }
                Kind::End => {
                    if !self.recovering {
                        let detail = "No closing quote was found for the label.";
                        self.report("Unterminated string literal", token.span, detail);
                        let detail = "An opening brace (\"{\") is expected here.";
                        self.error("Invalid block definition", token.span, detail);
                    }
                    return Label { text: SmolStr::new(text), span: open.span.to(token.span) };
                }
                Kind::Interpolation | Kind::Directive => {
                    let detail = "Template sequences are not allowed in this string. To include a literal \"$\", \
                                  double it (as \"$$\") to escape it.";
                    self.report(SUMMARY, token.span, detail);
                    self.recover(Kind::CloseSequence);
                }
                _ => {
                    self.error(SUMMARY, token.span, "A label cannot hold this.");
                }
            }
        }
    }
}
