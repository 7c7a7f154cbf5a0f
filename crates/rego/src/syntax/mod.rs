//! Parses text to a syntax tree.

pub(crate) mod ast;
mod error;
mod lexer;
mod parser;

pub(crate) use error::SyntaxError;
pub(crate) use parser::parse;

use hashbrown::HashSet;
use lexer::{Lexeme, Lexer, Piece, Token};

/// The names that a text mentions outside of its imports, other than behind a dot; none, if it cannot be read.
pub(crate) fn mentioned_names(text: &str) -> HashSet<String> {
    let mut names = HashSet::new();
    mentioned_in(&Lexer::new(text).all().unwrap_or_default(), &mut names);
    names
}

fn mentioned_in(lexemes: &[Lexeme], names: &mut HashSet<String>) {
    let mut is_import = false;
    let mut is_behind_dot = false;
    for lexeme in lexemes {
        match &lexeme.token {
            // An import may end where another statement begins on its line, whose names are then overlooked.
            Token::Name(name) if lexeme.is_first => is_import = name == "import",
            _ => is_import &= !lexeme.is_first,
        }
        match &lexeme.token {
            Token::Name(name) if !is_import && !is_behind_dot => _ = names.insert(name.clone()),
            Token::Template(pieces) => {
                for piece in pieces {
                    if let Piece::Code(inner) = piece {
                        mentioned_in(inner, names);
                    }
                }
            }
            _ => {}
        }
        is_behind_dot = lexeme.token == Token::Symbol(".");
    }
}
