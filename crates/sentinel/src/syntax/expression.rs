//! Operators.

use super::ast::{BinaryOp, Chain, Expr, ExprKind, Link, Test, UnaryOp};
use super::literal;
use super::parser::{Parsed, Parser};
use super::token::Kind;

/// The loosest level of operators.
const LOOSEST: u8 = 1;
const COMPARISON: u8 = 3;

/// An operator, how many tokens it is, and how tight it binds.
enum Operator {
    Binary(BinaryOp, usize),
    Test(Test, bool, usize),
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.operators(LOOSEST))
    }

    /// An expression of operators of a level or tighter ones.
    fn operators(&mut self, loosest: u8) -> Parsed<Expr> {
        let start = self.peek().span;
        let mut left = self.unary()?;
        loop {
            let operator = self.peek().span;
            let Some(found) = self.operator() else { return Ok(left) };
            let (level, length) = match &found {
                Operator::Binary(op, length) => (op.describe().0, *length),
                Operator::Test(_, _, length) => (COMPARISON, *length),
            };
            if level < loosest {
                return Ok(left);
            }
            self.at += length;
            let span = self.since(operator);
            let link = match found {
                Operator::Binary(op, _) => Link::Binary { op, span, right: self.operators(level + 1)? },
                Operator::Test(test, negated, _) => Link::Test { test, negated, span },
            };
            left = extended(left, level, link);
            left.span = self.since(start);
        }
    }

    /// The operator that is here.
    fn operator(&self) -> Option<Operator> {
        use BinaryOp as Op;
        let token = self.peek();
        if !matches!(token.kind, Kind::Punct | Kind::Keyword) {
            return None;
        }
        let op = match self.text(token) {
            // Tokens that mostly follow an expression.
            "," | ")" | "]" | "}" | "{" | ":" => return None,
            "or" => Op::Or,
            "xor" => Op::Xor,
            "and" => Op::And,
            // Before a colon it is the clause of a `case`.
            "else" if self.is_ahead(1, ":") => return None,
            "else" => Op::Else,
            "==" => Op::Equal,
            "!=" => Op::NotEqual,
            "<" => Op::Less,
            "<=" => Op::LessOrEqual,
            ">" => Op::Greater,
            ">=" => Op::GreaterOrEqual,
            "contains" => Op::Contains,
            "in" => Op::In,
            "matches" => Op::Matches,
            "+" => Op::Add,
            "-" => Op::Subtract,
            "*" => Op::Multiply,
            "/" => Op::Divide,
            "%" => Op::Remainder,
            // After an operand `not` only begins one of these operators; everywhere else it is a sign before
            // an operand.
            "not" => {
                let op = match self.text(self.ahead(1)) {
                    "contains" => Op::NotContains,
                    "in" => Op::NotIn,
                    "matches" => Op::NotMatches,
                    _ => return None,
                };
                return Some(Operator::Binary(op, 2));
            }
            "is" => {
                let negated = self.is_ahead(1, "not");
                let length = 1 + usize::from(negated);
                return Some(match self.test(length) {
                    Some(test) => Operator::Test(test, negated, length + 1),
                    None if negated => Operator::Binary(Op::NotEqual, 2),
                    None => Operator::Binary(Op::Equal, 1),
                });
            }
            _ => return None,
        };
        Some(Operator::Binary(op, 1))
    }

    /// `empty` or `defined` after `is`, unless something is done with a variable called that.
    fn test(&self, ahead: usize) -> Option<Test> {
        let token = self.ahead(ahead);
        let test = match self.text(token) {
            "empty" if token.kind == Kind::Ident => Test::Empty,
            "defined" if token.kind == Kind::Ident => Test::Defined,
            _ => return None,
        };
        let is_used = [".", "[", "("].iter().any(|sign| self.is_ahead(ahead + 1, sign));
        (!is_used).then_some(test)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let start = token.span;
        if !matches!(token.kind, Kind::Punct | Kind::Keyword) {
            return self.postfix();
        }
        let op = match () {
            () if self.is("not") || self.is("!") => UnaryOp::Not,
            () if self.is("-") => UnaryOp::Minus,
            () if self.is("+") => UnaryOp::Plus,
            () => return self.postfix(),
        };
        // The smallest integer is a literal that does not fit without its sign.
        let number = self.ahead(1);
        if op == UnaryOp::Minus
            && number.kind == Kind::Int
            && literal::int(self.text(number)) == Ok(i64::MIN.unsigned_abs())
        {
            self.at += 2;
            return Ok(Expr { span: self.since(start), kind: ExprKind::Int(i64::MIN) });
        }
        self.at += 1;
        let operand = self.nested(Self::unary)?;
        Ok(Expr { span: self.since(start), kind: ExprKind::Unary(op, Box::new(operand)) })
    }
}

/// An expression with one more operator of a level behind it.
fn extended(left: Expr, level: u8, link: Link) -> Expr {
    let span = left.span;
    let chain = match left.kind {
        ExprKind::Chain(mut chain) if chain.level == level => {
            chain.links.push(link);
            chain
        }
        kind => Box::new(Chain { level, first: Expr { span, kind }, links: vec![link] }),
    };
    Expr { span, kind: ExprKind::Chain(chain) }
}
