//! Parses tokens to a syntax tree.

mod literal;
mod rule;
mod term;

use super::ast::{Dialect, Import, Module, Span};
use super::lexer::{Lexeme, Lexer, Token};
use crate::syntax::SyntaxError;

type Result<T> = std::result::Result<T, SyntaxError>;

/// Brackets and operators within each other.
// Each level takes a part of the stack here, in the compiler and when the policy is evaluated. OPA 1.20
// accepts more.
const MOST_NESTED: usize = 1000;
/// More errors of one file are not reported.
const MOST_ERRORS: usize = 10;

/// Words that are never variables.
const RESERVED: [&str; 11] =
    ["as", "default", "else", "false", "import", "not", "null", "package", "some", "true", "with"];

struct Parser {
    lexemes: Vec<Lexeme>,
    at: usize,
    depth: usize,
    dialect: Dialect,
    keywords: Keywords,
    /// A `|` ends the term: the head of a comprehension is being read.
    // OPA 1.20 reads `{1 | 2 | 3}` as a comprehension with the body `2 | 3`, not as a set of a union.
    ends_at_bar: bool,
}

/// The words that are keywords: in the old syntax those that a module imports.
#[derive(Debug, Clone, Copy, Default)]
struct Keywords {
    contains: bool,
    every: bool,
    r#if: bool,
    r#in: bool,
}

impl Keywords {
    const ALL: Self = Self { contains: true, every: true, r#if: true, r#in: true };
}

/// Parses a module in one of the dialects. Each rule with errors is reported.
pub(crate) fn parse(text: &str, dialect: Dialect) -> std::result::Result<Module, Vec<SyntaxError>> {
    let mut lexer = Lexer::new(text);
    let lexemes = lexer.all().map_err(|error| vec![error])?;
    // In the old syntax `if`, `in`, `every` and `contains` are ordinary names until they are imported.
    let keywords = if dialect == Dialect::V1 { Keywords::ALL } else { Keywords::default() };
    let mut parser = Parser { lexemes, at: 0, depth: 0, dialect, keywords, ends_at_bar: false };
    parser.module().map(|module| Module { comments: lexer.comments, ..module })
}

/// The name of a symbol in errors.
fn name_of_symbol(symbol: &str) -> &str {
    match symbol {
        ":=" => "assign",
        "=" => "eq",
        "==" => "equal",
        "!=" => "neq",
        "<" => "lt",
        ">" => "gt",
        "<=" => "lte",
        ">=" => "gte",
        "+" => "plus",
        "-" => "minus",
        "*" => "mul",
        "/" => "div",
        "%" => "rem",
        "&" => "and",
        "|" => "or",
        "." => "dot",
        symbol => symbol,
    }
}

impl Parser {
    fn module(&mut self) -> std::result::Result<Module, Vec<SyntaxError>> {
        let (package, package_span) = self.package().map_err(|error| vec![error])?;
        let mut module =
            Module { package, package_span, imports: Vec::new(), rules: Vec::new(), comments: Vec::new() };
        let mut errors = Vec::new();
        loop {
            while self.take(";") {}
            if self.peek() == &Token::End {
                break;
            }
            let begin = self.at;
            let read = match self.is_word("import") {
                true => self.import().map(|import| module.imports.push(import)),
                false => self.rule(&mut module.rules),
            };
            // OPA 1.20 needs no new line between two rules, only no `;`, either.
            let read = read.and_then(|()| match self.is(";") && !self.lexeme().is_first {
                false => Ok(()),
                true => Err(self.unexpected("")),
            });
            if let Err(error) = read {
                errors.push(error);
                if errors.len() == MOST_ERRORS {
                    break;
                }
                // The word that no rule can begin with is not read again.
                if self.at == begin {
                    self.next();
                }
                self.skip_rule();
            }
        }
        if errors.is_empty() { Ok(module) } else { Err(errors) }
    }

    fn package(&mut self) -> Result<(Vec<String>, Span)> {
        let span = self.span();
        if !self.take_word("package") {
            return Err(self.unexpected("expected package"));
        }
        let mut path = vec![self.name("expected identifier")?];
        loop {
            if self.take(".") {
                path.push(self.name("expected identifier")?);
            } else if !self.lexeme().is_apart && self.take("[") {
                let Token::String(key) = self.peek().clone() else {
                    return Err(self.unexpected("expected string"));
                };
                self.next();
                path.push(key);
                self.expect("]")?;
            } else {
                break;
            }
        }
        Ok((path, span))
    }

    fn import(&mut self) -> Result<Import> {
        let span = self.span();
        self.next();
        let mut path = vec![self.name("expected identifier")?];
        loop {
            if self.take(".") {
                path.push(self.name("expected identifier")?);
            } else if !self.lexeme().is_apart && self.take("[") {
                let Token::String(key) = self.peek().clone() else {
                    return Err(self.unexpected("expected string"));
                };
                self.next();
                path.push(key);
                self.expect("]")?;
            } else {
                break;
            }
        }
        let alias = if self.take_word("as") { Some(self.name("expected var")?) } else { None };
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        match words[..] {
            // The import makes a file of the old syntax follow all rules of the new one from here on.
            ["rego", "v1"] => {
                self.keywords = Keywords::ALL;
                self.dialect = Dialect::V1;
            }
            ["future", "keywords"] => self.keywords = Keywords::ALL,
            ["future", "keywords", "contains"] => self.keywords.contains = true,
            // As in OPA, the import of `every` implies that of `in`, which its head uses.
            ["future", "keywords", "every"] => {
                self.keywords.every = true;
                self.keywords.r#in = true;
            }
            ["future", "keywords", "if"] => self.keywords.r#if = true,
            ["future", "keywords", "in"] => self.keywords.r#in = true,
            ["future", ..] => {
                let message = "unexpected keyword, must be one of [contains every if in]";
                return Err(SyntaxError::new(span, message));
            }
            ["input" | "data" | "rego", ..] => {}
            _ => {
                let message = format!(
                    "unexpected import path, must begin with one of: {{data, future, input, rego}}, got: {}",
                    path[0]
                );
                return Err(SyntaxError::new(span, message));
            }
        }
        Ok(Import { span, path, alias })
    }

    /// Skips to the likely next rule, so that its errors are found as well.
    fn skip_rule(&mut self) {
        self.depth = 0;
        self.ends_at_bar = false;
        while self.peek() != &Token::End {
            let lexeme = self.lexeme();
            // People indent bodies, so a name in the first column most likely begins a rule. A wrong guess
            // only adds an error to a file that is refused anyway.
            if lexeme.span.column == 1 && lexeme.is_first && matches!(lexeme.token, Token::Name(_)) {
                return;
            }
            self.at += 1;
        }
    }

    fn lexeme(&self) -> &Lexeme {
        // The last is the end, and `next` never goes beyond it.
        &self.lexemes[self.at]
    }

    fn peek(&self) -> &Token {
        &self.lexeme().token
    }

    fn span(&self) -> Span {
        self.lexeme().span
    }

    fn next(&mut self) {
        if self.at + 1 < self.lexemes.len() {
            self.at += 1;
        }
    }

    /// From the beginning of something to the last token.
    fn since(&self, begin: Span) -> Span {
        let end = self.at.checked_sub(1).map_or(begin.end, |last| self.lexemes[last].span.end);
        Span { end: end.max(begin.end), ..begin }
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if *found == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(found) if found == word)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is_there = self.is(symbol);
        if is_there {
            self.next();
        }
        is_there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_there = self.is_word(word);
        if is_there {
            self.next();
        }
        is_there
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
        match self.take(symbol) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("expected {symbol}"))),
        }
    }

    fn name(&mut self, what: &str) -> Result<String> {
        match self.peek().clone() {
            Token::Name(name) => {
                self.next();
                Ok(name)
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Whether a statement may end here.
    fn ends_statement(&self) -> bool {
        self.lexeme().is_first || self.is(";") || self.peek() == &Token::End
    }

    fn unexpected(&self, wanted: &str) -> SyntaxError {
        // In the words of OPA, which people look up.
        let found = match self.peek() {
            Token::Name(name) if self.is_keyword(name) => format!("{name} keyword"),
            Token::Name(_) => "identifier token".to_owned(),
            Token::Number(_) => "number token".to_owned(),
            Token::String(_) => "string token".to_owned(),
            Token::Template(_) => "template-string token".to_owned(),
            Token::Symbol(symbol) => format!("{} token", name_of_symbol(symbol)),
            Token::End => "eof token".to_owned(),
        };
        let wanted = if wanted.is_empty() { String::new() } else { format!(": {wanted}") };
        SyntaxError::new(self.span(), format!("unexpected {found}{wanted}"))
    }

    fn is_keyword(&self, word: &str) -> bool {
        // OPA treats `contains` as a name everywhere but in the head of a rule.
        match word {
            "every" => self.keywords.every,
            "if" => self.keywords.r#if,
            "in" => self.keywords.r#in,
            word => RESERVED.contains(&word),
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MOST_NESTED {
            let message = format!("more than {MOST_NESTED} brackets or operators within each other");
            return Err(SyntaxError::new(self.span(), message));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}
