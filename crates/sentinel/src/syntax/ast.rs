//! The syntax tree.
//!
//! Everything that repeats without brackets is a list here (operators of one level, selectors, `else if`).
//! So only nesting makes a tree deep, and the parser limits that.

use std::collections::BTreeSet;
use std::sync::Arc;

use objchange_text::Span;

#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: Arc<str>,
    pub(crate) span: Span,
}

#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) imports: Vec<Import>,
    pub(crate) params: Vec<Param>,
    pub(crate) body: Vec<Stmt>,
    /// The names of the language that are assigned to, wherever.
    pub(crate) hidden: Vec<Arc<str>>,
    /// All names that are assigned to, wherever.
    pub(crate) assigned: BTreeSet<Arc<str>>,
}

#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) path: String,
    pub(crate) name: Name,
}

#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: Name,
    pub(crate) default: Option<Expr>,
}

#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) span: Span,
    pub(crate) kind: StmtKind,
}

#[derive(Debug)]
pub(crate) enum StmtKind {
    Expr(Expr),
    Assign { target: Target, op: Option<BinaryOp>, value: Expr },
    If { arms: Vec<(Expr, Vec<Stmt>)>, otherwise: Option<Vec<Stmt>> },
    For(Box<For>),
    Case { subject: Option<Expr>, arms: Vec<(Vec<Expr>, Vec<Stmt>)>, otherwise: Option<Vec<Stmt>> },
    Func(Name, Box<Func>),
    Return(Option<Expr>),
    Break,
    Continue,
}

#[derive(Debug)]
pub(crate) enum Target {
    Name(Name),
    Index { base: Expr, index: Expr },
}

#[derive(Debug)]
pub(crate) struct For {
    pub(crate) collection: Expr,
    pub(crate) names: Names,
    pub(crate) body: Vec<Stmt>,
}

/// The names of a loop's elements.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) first: Name,
    pub(crate) second: Option<Name>,
    /// Whether a function or rule inside may outlive the element.
    pub(crate) captured: bool,
}

#[derive(Debug)]
pub(crate) struct Func {
    pub(crate) params: Vec<Name>,
    pub(crate) body: Vec<Stmt>,
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) span: Span,
    pub(crate) kind: ExprKind,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Undefined,
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(Arc<[u8]>),
    Name(Name),
    Paren(Box<Expr>),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Func(Box<Func>),
    Rule(Box<Rule>),
    Quantifier(Box<Quantifier>),
    Unary(UnaryOp, Box<Expr>),
    Chain(Box<Chain>),
    Postfix(Box<Postfix>),
}

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) when: Option<Expr>,
    pub(crate) body: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuantifierKind {
    Any,
    All,
    Filter,
    Map,
}

#[derive(Debug)]
pub(crate) struct Quantifier {
    pub(crate) kind: QuantifierKind,
    pub(crate) collection: Expr,
    pub(crate) names: Names,
    pub(crate) body: Expr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Not,
    Minus,
    Plus,
}

/// Operators of one level, from left to right.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) level: u8,
    pub(crate) first: Expr,
    pub(crate) links: Vec<Link>,
}

#[derive(Debug)]
pub(crate) enum Link {
    Binary { op: BinaryOp, span: Span, right: Expr },
    Test { test: Test, negated: bool, span: Span },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Empty,
    Defined,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Or,
    Xor,
    And,
    Else,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Contains,
    NotContains,
    In,
    NotIn,
    Matches,
    NotMatches,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOp {
    /// How tight it binds, and how it is written.
    pub(crate) fn describe(self) -> (u8, &'static str) {
        use BinaryOp as Op;
        match self {
            Op::Or => (1, "or"),
            Op::Xor => (1, "xor"),
            Op::And => (2, "and"),
            Op::Equal => (3, "=="),
            Op::NotEqual => (3, "!="),
            Op::Less => (3, "<"),
            Op::LessOrEqual => (3, "<="),
            Op::Greater => (3, ">"),
            Op::GreaterOrEqual => (3, ">="),
            Op::Contains => (3, "contains"),
            Op::NotContains => (3, "not contains"),
            Op::In => (3, "in"),
            Op::NotIn => (3, "not in"),
            Op::Matches => (3, "matches"),
            Op::NotMatches => (3, "not matches"),
            Op::Else => (4, "else"),
            Op::Add => (5, "+"),
            Op::Subtract => (5, "-"),
            Op::Multiply => (6, "*"),
            Op::Divide => (6, "/"),
            Op::Remainder => (6, "%"),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Postfix {
    pub(crate) base: Expr,
    pub(crate) parts: Vec<PostfixPart>,
}

#[derive(Debug)]
pub(crate) struct PostfixPart {
    pub(crate) span: Span,
    pub(crate) kind: PostfixPartKind,
}

#[derive(Debug)]
pub(crate) enum PostfixPartKind {
    Selector(Arc<str>),
    Index(Expr),
    Slice(Option<Expr>, Option<Expr>),
    Call(Vec<Expr>),
}
