//! Terms and operators.

use super::{Parser, Result};
use crate::syntax::SyntaxError;
use crate::syntax::ast::{Literal, Operator, Span, TemplatePart, Term, TermKind};
use crate::syntax::lexer::{Lexeme, Piece, Token};

/// The operators by how tightly they bind, loosest first.
const LEVELS: [&[(&str, Operator)]; 5] = [
    &[
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("|", Operator::Or)],
    &[("&", Operator::And)],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
    &[("*", Operator::Times), ("/", Operator::Divide), ("%", Operator::Remainder)],
];
const BARS: usize = 1;

impl Parser {
    /// A term with all operators.
    pub(super) fn term(&mut self) -> Result<Term> {
        self.deeper(|parser| {
            let begin = parser.span();
            let mut left = parser.relation()?;
            // `1 in [1] in [true]` is `(1 in [1]) in [true]`, as in OPA 1.20.
            while parser.keywords.r#in && parser.take_word("in") {
                let right = parser.relation()?;
                let kind = TermKind::In { key: None, member: Box::new((left, right)) };
                left = Term::new(parser.since(begin), kind);
            }
            Ok(left)
        })
    }

    /// A term, or `k, v in xs`.
    pub(super) fn statement_term(&mut self) -> Result<Term> {
        let begin = self.span();
        let first = self.term()?;
        if !self.keywords.r#in || !self.take(",") {
            return Ok(first);
        }
        let member = self.relation()?;
        if !self.take_word("in") {
            return Err(self.unexpected("expected in keyword"));
        }
        let domain = self.relation()?;
        let kind = TermKind::In { key: Some(Box::new(first)), member: Box::new((member, domain)) };
        Ok(Term::new(self.since(begin), kind))
    }

    /// A term without `in`.
    pub(super) fn relation(&mut self) -> Result<Term> {
        self.level(0)
    }

    fn level(&mut self, level: usize) -> Result<Term> {
        let Some(operators) = LEVELS.get(level) else { return self.signed() };
        let begin = self.span();
        let mut left = self.level(level + 1)?;
        let mut count = 0;
        loop {
            if level == BARS && self.ends_at_bar {
                return Ok(left);
            }
            let Token::Symbol(symbol) = *self.peek() else { return Ok(left) };
            let Some((_, operator)) = operators.iter().find(|(text, _)| *text == symbol) else {
                return Ok(left);
            };
            // A long row of operators makes a tree that is as deep on its left side, although the parser
            // itself does not recurse.
            count += 1;
            if count > super::MOST_NESTED {
                let message = format!("more than {} operators in a row", super::MOST_NESTED);
                return Err(SyntaxError::new(self.span(), message));
            }
            self.next();
            let right = self.level(level + 1)?;
            left = Term::new(self.since(begin), TermKind::Binary(*operator, Box::new((left, right))));
        }
    }

    fn signed(&mut self) -> Result<Term> {
        let begin = self.span();
        if !self.take("-") {
            return self.reference();
        }
        if let Token::Number(number) = self.peek().clone() {
            self.next();
            // OPA 1.20 reads `- 5` with a space as a number, too.
            return Ok(Term::new(self.since(begin), TermKind::Number(format!("-{number}"))));
        }
        // OPA 1.20 refuses `-(5)` and `--5`.
        if !matches!(self.peek(), Token::Name(name) if !matches!(&**name, "null" | "true" | "false")) {
            return Err(self.unexpected("expected number"));
        }
        let operand = self.reference()?;
        let zero = Term::new(begin, TermKind::Number("0".into()));
        let kind = TermKind::Binary(Operator::Minus, Box::new((zero, operand)));
        Ok(Term::new(self.since(begin), kind))
    }

    /// A primary with the keys and arguments that follow it without a space.
    pub(super) fn reference(&mut self) -> Result<Term> {
        let begin = self.span();
        let mut term = self.primary()?;
        let is_number = matches!(term.kind, TermKind::Number(_));
        while !self.lexeme().is_apart && !is_number {
            if self.is("(") && matches!(term.kind, TermKind::Var(_) | TermKind::Ref(..)) {
                self.next();
                let arguments = self.elements(")")?;
                // `{}` is an object, so an empty set is written as a call.
                let is_set =
                    arguments.is_empty() && matches!(&term.kind, TermKind::Var(name) if name == "set");
                let kind = match is_set {
                    true => TermKind::Set(Vec::new()),
                    false => TermKind::Call(Box::new(term), arguments),
                };
                term = Term::new(self.since(begin), kind);
                continue;
            }
            let Some(key) = self.key()? else { break };
            let span = self.since(begin);
            term = match term.kind {
                TermKind::Ref(head, mut keys) => {
                    keys.push(key);
                    Term::new(span, TermKind::Ref(head, keys))
                }
                kind => Term::new(span, TermKind::Ref(Box::new(Term::new(begin, kind)), vec![key])),
            };
        }
        if let TermKind::Var(name) = &term.kind
            && self.is_keyword(name)
        {
            return Err(SyntaxError::new(term.span, format!("unexpected {name} keyword")));
        }
        Ok(term)
    }

    /// `.name` or `[key]`
    pub(super) fn key(&mut self) -> Result<Option<Term>> {
        if self.take(".") {
            let span = self.span();
            let name = self.name("expected identifier")?;
            return Ok(Some(Term::new(span, TermKind::String(name))));
        }
        if !self.take("[") {
            return Ok(None);
        }
        let was_in_head = std::mem::take(&mut self.ends_at_bar);
        let key = self.term()?;
        self.ends_at_bar = was_in_head;
        self.expect("]")?;
        Ok(Some(key))
    }

    fn primary(&mut self) -> Result<Term> {
        let begin = self.span();
        let token = self.peek().clone();
        let kind = match token {
            Token::Name(name) => {
                let kind = match &*name {
                    "null" => TermKind::Null,
                    "true" => TermKind::Bool(true),
                    "false" => TermKind::Bool(false),
                    word if self.is_keyword(word) => return Err(self.unexpected("")),
                    _ => TermKind::Var(name),
                };
                self.next();
                kind
            }
            Token::Number(number) => {
                self.next();
                TermKind::Number(number)
            }
            Token::String(text) => {
                self.next();
                TermKind::String(text)
            }
            Token::Template(pieces) => {
                self.next();
                TermKind::Template(self.template(pieces)?)
            }
            Token::Symbol("(") => {
                self.next();
                let was_in_head = std::mem::take(&mut self.ends_at_bar);
                let mut term = self.statement_term()?;
                self.ends_at_bar = was_in_head;
                self.expect(")")?;
                term.span = self.since(begin);
                return Ok(term);
            }
            Token::Symbol("[") => self.deeper(Self::array)?,
            Token::Symbol("{") => self.deeper(Self::braces)?,
            _ => return Err(self.unexpected("")),
        };
        Ok(Term::new(self.since(begin), kind))
    }

    /// Terms up to a closing bracket, which is consumed.
    pub(super) fn elements(&mut self, end: &str) -> Result<Vec<Term>> {
        let was_in_head = std::mem::take(&mut self.ends_at_bar);
        let mut elements = Vec::new();
        while !self.take(end) {
            if !elements.is_empty() {
                if !self.take(",") {
                    return Err(self.unexpected(&format!("expected \",\" or \"{end}\"")));
                }
                // A trailing comma is allowed.
                if self.take(end) {
                    break;
                }
            }
            elements.push(self.term()?);
        }
        self.ends_at_bar = was_in_head;
        Ok(elements)
    }

    fn head(&mut self) -> Result<Term> {
        let was_in_head = std::mem::replace(&mut self.ends_at_bar, true);
        let head = self.term();
        self.ends_at_bar = was_in_head;
        head
    }

    fn array(&mut self) -> Result<TermKind> {
        self.next();
        if self.take("]") {
            return Ok(TermKind::Array(Vec::new()));
        }
        let first = self.head()?;
        if self.take("|") {
            return Ok(TermKind::ArrayComprehension(Box::new(first), self.body("]")?));
        }
        Ok(TermKind::Array(self.more(first, "]")?))
    }

    fn more(&mut self, first: Term, end: &str) -> Result<Vec<Term>> {
        let mut elements = vec![first];
        if self.take(end) {
            return Ok(elements);
        }
        if !self.take(",") {
            let wanted = match end {
                "}" => "non-terminated set".to_owned(),
                end => format!("expected \",\" or \"{end}\""),
            };
            return Err(self.unexpected(&wanted));
        }
        elements.extend(self.elements(end)?);
        Ok(elements)
    }

    fn braces(&mut self) -> Result<TermKind> {
        self.next();
        if self.take("}") {
            return Ok(TermKind::Object(Vec::new()));
        }
        let first = self.head()?;
        if self.take("|") {
            return Ok(TermKind::SetComprehension(Box::new(first), self.body("}")?));
        }
        if !self.take(":") {
            return Ok(TermKind::Set(self.more(first, "}")?));
        }
        let value = self.head()?;
        if self.take("|") {
            return Ok(TermKind::ObjectComprehension(Box::new((first, value)), self.body("}")?));
        }
        let was_in_head = std::mem::take(&mut self.ends_at_bar);
        let mut members = vec![(first, value)];
        while !self.take("}") {
            if !self.take(",") {
                return Err(self.unexpected("non-terminated object"));
            }
            if self.take("}") {
                break;
            }
            let key = self.term()?;
            self.expect(":")?;
            members.push((key, self.term()?));
        }
        self.ends_at_bar = was_in_head;
        Ok(TermKind::Object(members))
    }

    fn template(&mut self, pieces: Vec<Piece>) -> Result<Vec<TemplatePart>> {
        let mut parts = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) if text.is_empty() => {}
                Piece::Text(text) => parts.push(TemplatePart::Text(text)),
                Piece::Code(lexemes) => parts.push(TemplatePart::Term(self.within(lexemes)?)),
            }
        }
        Ok(parts)
    }

    /// Reads other tokens as a term.
    fn within(&mut self, lexemes: Vec<Lexeme>) -> Result<Term> {
        let outer = std::mem::replace(&mut self.lexemes, lexemes);
        let at = std::mem::take(&mut self.at);
        let was_in_head = std::mem::take(&mut self.ends_at_bar);
        let term = self.deeper(Self::statement_term).and_then(|term| match self.peek() {
            Token::End => Ok(term),
            _ => Err(self.unexpected("expected }")),
        });
        self.lexemes = outer;
        self.at = at;
        self.ends_at_bar = was_in_head;
        term
    }

    /// A body of the one literal `true`.
    pub(super) fn certain(span: Span) -> Vec<Literal> {
        use crate::syntax::ast::LiteralKind;
        let kind = LiteralKind::Expr(Term::boolean(span, true));
        vec![Literal { span, is_negated: false, kind, with: Vec::new() }]
    }
}
