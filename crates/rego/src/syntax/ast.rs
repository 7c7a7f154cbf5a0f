//! The syntax tree of a module.

/// A part of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// The syntax that a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The syntax before OPA 1.0, in which `if` and `contains` have to be imported.
    V0,
    /// The syntax since OPA 1.0.
    V1,
}

/// A file of rules.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) package: Vec<String>,
    pub(crate) package_span: Span,
    pub(crate) imports: Vec<Import>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) comments: Vec<Comment>,
}

/// A comment that fills a line.
#[derive(Debug)]
pub(crate) struct Comment {
    pub(crate) line: u32,
    /// The text behind the `#`.
    pub(crate) text: String,
}

#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) span: Span,
    /// `data`, `input`, `rego` or `future`, and the rest.
    pub(crate) path: Vec<String>,
    pub(crate) alias: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) span: Span,
    pub(crate) is_default: bool,
    pub(crate) head: Head,
    /// Empty for facts.
    pub(crate) body: Vec<Literal>,
    pub(crate) elses: Vec<Else>,
}

#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) name: String,
    /// The steps behind the name, such as `.b[x]`.
    pub(crate) path: Vec<Term>,
    /// The parameters of a function.
    pub(crate) params: Option<Vec<Term>>,
    /// The member of a partial set.
    pub(crate) member: Option<Term>,
    /// The value; `None` means `true`.
    pub(crate) value: Option<Term>,
}

#[derive(Debug, Clone)]
pub(crate) struct Else {
    pub(crate) value: Option<Term>,
    pub(crate) body: Vec<Literal>,
}

/// A condition in a body.
#[derive(Debug, Clone)]
pub(crate) struct Literal {
    pub(crate) span: Span,
    pub(crate) is_negated: bool,
    pub(crate) kind: LiteralKind,
    pub(crate) with: Vec<With>,
}

#[derive(Debug, Clone)]
pub(crate) enum LiteralKind {
    /// A term that must not be false.
    Expr(Term),
    /// `a := b`
    Assign(Term, Term),
    /// `a = b`
    Unify(Term, Term),
    /// `some a, b`
    Some(Vec<(String, Span)>),
    /// `some k, v in xs`
    SomeIn { key: Option<Term>, value: Term, domain: Term },
    /// `every k, v in xs { … }`
    Every { key: Option<String>, value: String, domain: Term, body: Vec<Literal> },
}

/// `with target as value`
#[derive(Debug, Clone)]
pub(crate) struct With {
    pub(crate) target: Term,
    pub(crate) value: Term,
}

#[derive(Debug, Clone)]
pub(crate) struct Term {
    pub(crate) span: Span,
    pub(crate) kind: TermKind,
}

#[derive(Debug, Clone)]
pub(crate) enum TermKind {
    Null,
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    String(String),
    /// A name; `_` is a new variable each time.
    Var(String),
    /// `a.b[c]`
    Ref(Box<Term>, Vec<Term>),
    /// The function is a name or a reference.
    Call(Box<Term>, Vec<Term>),
    Array(Vec<Term>),
    Object(Vec<(Term, Term)>),
    Set(Vec<Term>),
    ArrayComprehension(Box<Term>, Vec<Literal>),
    SetComprehension(Box<Term>, Vec<Literal>),
    ObjectComprehension(Box<(Term, Term)>, Vec<Literal>),
    /// An operator and its operands.
    Binary(Operator, Box<(Term, Term)>),
    /// `k, v in xs`
    In {
        key: Option<Box<Term>>,
        member: Box<(Term, Term)>,
    },
    /// Texts, and terms that are printed between them.
    Template(Vec<TemplatePart>),
}

impl TermKind {
    /// The name of the kind, as OPA prints it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Var(_) => "var",
            Self::Ref(..) => "ref",
            Self::Call(..) | Self::Binary(..) | Self::In { .. } => "call",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
            Self::Set(_) => "set",
            Self::ArrayComprehension(..) => "arraycomprehension",
            Self::SetComprehension(..) => "setcomprehension",
            Self::ObjectComprehension(..) => "objectcomprehension",
            Self::Template(_) => "templatestring",
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum TemplatePart {
    Text(String),
    Term(Term),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Or,
    And,
    Plus,
    Minus,
    Times,
    Divide,
    Remainder,
}

impl Operator {
    /// The name of the built-in that does it.
    pub(crate) fn function(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::NotEqual => "neq",
            Self::Less => "lt",
            Self::LessOrEqual => "lte",
            Self::Greater => "gt",
            Self::GreaterOrEqual => "gte",
            Self::Or => "or",
            Self::And => "and",
            Self::Plus => "plus",
            Self::Minus => "minus",
            Self::Times => "mul",
            Self::Divide => "div",
            Self::Remainder => "rem",
        }
    }
}

impl Term {
    pub(crate) fn new(span: Span, kind: TermKind) -> Self {
        Self { span, kind }
    }

    pub(crate) fn boolean(span: Span, value: bool) -> Self {
        Self::new(span, TermKind::Bool(value))
    }
}
