//! Templates: quoted strings, heredocs and template files, as a row of parts. `directives` makes a tree of them.

use objchange::Value;
use objchange_text::Span;
use smol_str::SmolStr;

use super::ast::{Expr, ExprKind};
use super::collection::FOR_DIRECTIVE;
use super::directives;
use super::escape;
use super::flush;
use super::parser::{Broken, Parsed, Parser};
use super::token::{Kind, Token};
use crate::suggestion::did_you_mean;

/// A part of a template, in source order.
#[derive(Debug)]
pub(super) struct TemplatePart {
    pub(super) span: Span,
    pub(super) kind: TemplatePartKind,
}

#[derive(Debug)]
pub(super) enum TemplatePartKind {
    Text(String),
    Value(Expr),
    If(Expr),
    Else,
    EndIf,
    For { key: Option<SmolStr>, value: SmolStr, collection: Expr },
    EndFor,
}

/// How a template ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Quote,
    Heredoc,
    File,
}

impl Ending {
    fn token(self) -> Kind {
        match self {
            Self::Quote => Kind::CloseQuote,
            Self::Heredoc => Kind::CloseHeredoc,
            Self::File => Kind::End,
        }
    }
}

/// The parts of a template on their way.
struct Row {
    parts: Vec<TemplatePart>,
    ending: Ending,
    /// The first token.
    first: Span,
    /// Texts behind one another become one part: a part for each line would take a hundred bytes for one.
    joins: bool,
    /// Where in the text of the last part its last token begins.
    last_token: usize,
    /// The sequence before strips the white space that follows.
    strips: bool,
    /// How many directives are open.
    open: u32,
}

impl Parser<'_> {
    /// A quoted string, from behind its opening quote.
    pub(super) fn quoted(&mut self, open: Token) -> Parsed<Expr> {
        self.with_newlines(true, |p| {
            // Most strings are one piece of text.
            let text = p.peek();
            if text.kind == Kind::CloseQuote {
                p.next();
                return Ok(Expr::new(open.span.to(text.span), ExprKind::Text(Value::from(""))));
            }
            if text.kind == Kind::QuotedText {
                p.next();
                if let Some(close) = p.take(Kind::CloseQuote) {
                    let span = open.span.to(close.span);
                    let source = p.text_of(text);
                    if memchr::memchr3(b'\\', b'$', b'%', source.as_bytes()).is_none() {
                        return Ok(Expr::new(span, ExprKind::Text(Value::from(source))));
                    }
                    let text = escape::quoted(p, text);
                    return Ok(Expr::new(span, ExprKind::Text(Value::from(text))));
                }
                p.back();
            }
            let (parts, close) = p.deeper(|p| p.parts(Ending::Quote, true))?;
            Ok(p.template(parts, open.span.to(close), close))
        })
    }

    /// A heredoc, from behind its opening line.
    pub(super) fn heredoc(&mut self, open: Token) -> Parsed<Expr> {
        self.with_newlines(true, |p| {
            let is_flush = p.text_of(open).starts_with("<<-");
            let (mut parts, close) = p.deeper(|p| p.parts(Ending::Heredoc, !is_flush))?;
            if is_flush {
                flush::flush(&mut parts);
            }
            Ok(p.template(parts, open.span.to(close), close))
        })
    }

    /// A template file.
    pub(super) fn template_file(&mut self) -> Parsed<Expr> {
        let first = self.peek().span;
        let (parts, end) = self.deeper(|p| p.parts(Ending::File, true))?;
        Ok(self.template(parts, first.to(end), end))
    }

    fn template(&mut self, mut parts: Vec<TemplatePart>, span: Span, close: Span) -> Expr {
        // By the source alone: `" ${~ x ~} "` has texts that turn out empty, so it stays a string.
        if let [TemplatePart { kind: TemplatePartKind::Value(_), .. }] = &parts[..]
            && let Some(TemplatePart { kind: TemplatePartKind::Value(value), .. }) = parts.pop()
        {
            return Expr::new(span, ExprKind::Wrap(Box::new(value)));
        }
        directives::tree(self, parts, span, close)
    }

    /// Parses all parts up to the closing token, and returns them with its span. Adjacent texts are joined, or kept
    /// line by line.
    fn parts(&mut self, ending: Ending, joins: bool) -> Parsed<(Vec<TemplatePart>, Span)> {
        let first = self.peek().span;
        let parts = Vec::new();
        let mut row = Row { parts, ending, first, joins, last_token: 0, strips: false, open: 0 };
        let mut is_broken = false;
        loop {
            let token = self.next();
            match token.kind {
                kind if kind == ending.token() => return self.ended(row, is_broken, token),
                Kind::QuotedText | Kind::Text => self.text(&mut row, token),
                Kind::Interpolation => is_broken |= self.interpolation(&mut row, token).is_err(),
                Kind::Directive => is_broken |= self.directive(&mut row, token).is_err(),
                Kind::End => {
                    // Open sequences inside it are reported separately.
                    let detail = "No closing marker was found for the string.";
                    self.error("Unterminated template string", token.span, detail);
                    directives::check(self, &row.parts, token.span);
                    return Err(Broken { reported: true });
                }
                kind => {
                    is_broken = true;
                    let detail = "No closing marker was found for the string.";
                    self.error("Unterminated template string", token.span, detail);
                    if kind != Kind::QuotedNewline {
                        let close = self.recover(ending.token());
                        return self.ended(row, is_broken, close);
                    }
                }
            }
        }
    }

    /// Finishes a template. If a part is broken, the directives of the others are still checked.
    fn ended(&mut self, row: Row, is_broken: bool, close: Token) -> Parsed<(Vec<TemplatePart>, Span)> {
        if is_broken {
            directives::check(self, &row.parts, close.span);
            return Err(Broken { reported: true });
        }
        Ok((row.parts, close.span))
    }

    fn text(&mut self, row: &mut Row, token: Token) {
        let mut text = match token.kind {
            Kind::QuotedText => escape::quoted(self, token),
            _ => escape::plain(self.text_of(token)),
        };
        if std::mem::take(&mut row.strips) {
            text = text.trim_start().to_owned();
        }
        row.last_token = 0;
        match row.parts.last_mut() {
            Some(TemplatePart { span, kind: TemplatePartKind::Text(before) }) if row.joins => {
                row.last_token = before.len();
                before.push_str(&text);
                *span = span.to(token.span);
            }
            _ => row.parts.push(TemplatePart { span: token.span, kind: TemplatePartKind::Text(text) }),
        }
    }

    /// Begins a sequence. `~` strips the white space before it.
    fn begin(&mut self, row: &mut Row, marker: Token) {
        row.strips = false;
        if self.text_of(marker).ends_with('~')
            && let Some(TemplatePart { kind: TemplatePartKind::Text(text), .. }) = row.parts.last_mut()
        {
            let last = &text[row.last_token..];
            text.truncate(row.last_token + last.trim_end().len());
        }
    }

    fn end(&mut self, row: &mut Row, close: Token) {
        row.strips = self.text_of(close).starts_with('~');
    }

    fn interpolation(&mut self, row: &mut Row, marker: Token) -> Parsed<()> {
        self.begin(row, marker);
        let expr = match self.with_newlines(false, Self::expression) {
            Ok(expr) => expr,
            Err(broken) => {
                self.recover_sequence(row);
                return Err(broken);
            }
        };
        let close = self.with_newlines(false, Self::peek);
        if close.kind != Kind::CloseSequence {
            let is_quote = close.kind == Kind::OpenQuote && row.ending == Ending::Quote;
            if close.kind == Kind::End || is_quote {
                self.error(
                    "Unclosed template interpolation sequence",
                    row.first,
                    "There is no closing brace for this interpolation sequence before the end of the quoted \
                     template. This might be caused by incorrect nesting inside the given expression.",
                );
            } else {
                self.error(
                    "Extra characters after interpolation expression",
                    close.span,
                    "Expected a closing brace to end the interpolation expression, but found extra characters.\
                     \n\nThis can happen when you include interpolation syntax for another language, such as shell \
                     scripting, but forget to escape the interpolation start token. If this is an embedded \
                     sequence for another language, escape it by starting with \"$${\" instead of just \"${\".",
                );
            }
            self.recover_sequence(row);
            return Err(Broken { reported: true });
        }
        self.next();
        self.end(row, close);
        row.parts
            .push(TemplatePart { span: marker.span.to(close.span), kind: TemplatePartKind::Value(expr) });
        Ok(())
    }

    fn recover_sequence(&mut self, row: &mut Row) {
        let close = self.recover(Kind::CloseSequence);
        self.end(row, close);
    }

    fn directive(&mut self, row: &mut Row, marker: Token) -> Parsed<()> {
        self.begin(row, marker);
        self.with_newlines(false, |p| {
            let word = p.peek();
            if word.kind != Kind::Name {
                let detail = "A template directive keyword (\"if\", \"for\", etc) is expected at the beginning of a \
                              %{ sequence.";
                p.error("Invalid template directive", word.span, detail);
                p.recover_sequence(row);
                return Err(Broken { reported: true });
            }
            p.next();
            let name = p.text_of(word);
            let mut broken = false;
            let kind = match name {
                "if" => {
                    let condition = p.expression();
                    broken = condition.is_err();
                    TemplatePartKind::If(condition.unwrap_or_else(|_| Expr::new(word.span, ExprKind::Missing)))
                }
                "else" => TemplatePartKind::Else,
                "endif" => TemplatePartKind::EndIf,
                "endfor" => TemplatePartKind::EndFor,
                "for" => match p.for_directive() {
                    Ok((key, value, collection)) => {
                        broken = matches!(collection.kind, ExprKind::Missing);
                        TemplatePartKind::For { key, value, collection }
                    }
                    // HCL drops this directive, so its `endfor` is unexpected.
                    Err(broken) => {
                        p.recover_sequence(row);
                        return Err(broken);
                    }
                },
                _ => {
                    let hint = did_you_mean(name, ["if", "for", "else", "endif", "endfor"]);
                    let detail = format!("{name:?} is not a valid template control keyword.{hint}");
                    p.error("Invalid template control keyword", word.span, detail);
                    p.recover_sequence(row);
                    return Err(Broken { reported: true });
                }
            };
            let close = p.peek();
            if !broken && close.kind != Kind::CloseSequence {
                broken = true;
                let detail = "Expected a closing brace to end the sequence, but found extra characters.";
                p.error(("extra_characters_in_marker", format!("Extra characters in {name} marker")), close.span, detail);
            }
            match kind {
                TemplatePartKind::If(_) | TemplatePartKind::For { .. } => {
                    // Directives nest without brackets, so the limit of depth counts those that are open.
                    p.descend()?;
                    row.open += 1;
                }
                TemplatePartKind::EndIf | TemplatePartKind::EndFor if row.open > 0 => {
                    p.ascend();
                    row.open -= 1;
                }
                _ => {}
            }
            // If the end is missing, the directive reaches up to the token in its place.
            row.parts.push(TemplatePart { span: marker.span.to(close.span), kind });
            if broken {
                p.recover_sequence(row);
                return Err(Broken { reported: true });
            }
            p.next();
            p.end(row, close);
            Ok(())
        })
    }

    /// The header of a `%{ for }`. Where only its collection cannot be read it is a loop all the same.
    fn for_directive(&mut self) -> Parsed<(Option<SmolStr>, SmolStr, Expr)> {
        let (key, value) = self.for_names(&FOR_DIRECTIVE)?;
        let here = self.peek().span;
        let collection = self.expression().unwrap_or_else(|_| Expr::new(here, ExprKind::Missing));
        Ok((key, value, collection))
    }
}
