//! Parses text to a syntax tree.

pub(crate) mod ast;
mod expression;
mod lexer;
pub(crate) mod literal;
mod operand;
mod parser;
mod statement;
pub(crate) mod token;

use objchange_text::{Diagnostic, Span};

use crate::source::SyntaxErrorKind;
use ast::Program;
pub(crate) use lexer::lex;
use parser::Parser;

/// Parses a text; returns the program and the spans of its comments.
pub(crate) fn parse(text: &str) -> Result<(Program, Vec<Span>), Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        let message = "a source text cannot be longer than 4 GiB";
        return Err(vec![SyntaxErrorKind::Limit.at(Span::default(), message)]);
    }
    let lexed = lexer::lex(text);
    let mut parser = Parser::new(text, &lexed.tokens);
    let program = parser.program();
    let mut errors = lexed.errors;
    errors.append(&mut parser.errors);
    if errors.is_empty() {
        return Ok((program, lexed.comments));
    }
    let start = |error: &Diagnostic| error.subject.map(|subject| subject.start);
    errors.sort_by_key(start);
    // A malformed token is mostly unexpected as well; the first error stays.
    errors.dedup_by_key(|error| start(error));
    errors.truncate(MAX_ERRORS);
    Err(errors)
}

/// Nobody reads more errors.
const MAX_ERRORS: usize = 100;

#[cfg(test)]
mod tests {
    use objchange_text::LineIndex;

    use super::parse;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let errors = parse(text).unwrap_err();
        let lines = LineIndex::new(text);
        assert_eq!(errors.iter().map(|error| error.with_position(&lines)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_error_of_a_text_is_reported() {
        check(
            "a = ;\nb = [1, 2\nc = 3\nd = )\nmain = true",
            &[
                "1:5: expected an expression, found ;",
                "3:1: expected , or ] in this list, found c",
                "4:5: expected an expression, found )",
            ],
        );
    }

    #[test]
    fn an_error_in_a_block_does_not_hide_the_next() {
        check(
            "f = func(x) {\n  if x is { return 1\n  }\n  y = 1 1\n}\nz = \"\\q\"",
            &[
                "2:13: expected an expression, found the word return",
                "4:9: expected the end of the statement, found 1",
                "6:6: unknown escape sequence \\q",
            ],
        );
    }

    #[test]
    fn what_is_no_target_cannot_be_assigned() {
        check("a.b = 1", &["1:1: expected a name or an index before =, found another expression"]);
        check("null = 1", &["1:1: expected a name or an index before =, found another expression"]);
        check("for [1] as x { }\nbreak", &["2:1: break outside of a for loop"]);
        check("return 1", &["1:1: return outside of a function"]);
        check("x = 1\nimport \"a\"", &["2:1: an import must stand before all other statements"]);
        check(
            "x = 1\nparam a",
            &["2:1: a param must stand after the imports and before all other statements"],
        );
    }

    #[test]
    fn nesting_is_limited() {
        for (open, close) in [("(", ")"), ("[", "]"), ("not ", ""), ("rule { ", " }"), ("if true { ", " }")] {
            let text = format!("x = {}1{}", open.repeat(100_000), close.repeat(100_000));
            let errors = parse(&text).unwrap_err();
            assert!(!errors.is_empty(), "{open}");
        }
    }
}
