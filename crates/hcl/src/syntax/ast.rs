//! The syntax tree: expressions and bodies, with the position of every part.

use objchange::Value;
use objchange_text::Span;
use smol_str::SmolStr;

/// An expression.
#[derive(Debug, Clone)]
pub struct Expr {
    /// All of it.
    pub span: Span,
    pub(crate) kind: ExprKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    /// A number, `true`, `false` or `null`; the literal text of a template.
    Literal(Value),
    /// A quoted string without sequences.
    Text(Value),
    /// The joined parts of a string or a heredoc.
    Template(Box<[Expr]>),
    /// A template that is exactly one interpolation: that value as it is.
    Wrap(Box<Expr>),
    /// The joined results of a `%{ for }`.
    Join(Box<For>),
    Variable(Box<Variable>),
    /// Attributes and indexes of something else than a variable, and all that is behind a computed index.
    Relative(Box<Relative>),
    Splat(Box<Splat>),
    /// The element that the splat around this is at.
    Element,
    Call(Box<Call>),
    Tuple(Box<[Expr]>),
    Object(Box<[Item]>),
    /// An object of the JSON syntax, in which each key is a template.
    Properties(Box<[Item]>),
    For(Box<For>),
    Conditional(Box<Conditional>),
    Chain(Box<Chain>),
    Unary(UnaryOp, Box<Expr>),
    Parens(Box<Expr>),
    /// A missing operand, after an error.
    Missing,
}

/// A variable, with attributes and literal indexes.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: SmolStr,
    pub(crate) name_span: Span,
    pub(crate) steps: Vec<TraversalStep>,
}

#[derive(Debug, Clone)]
pub(crate) struct Relative {
    pub(crate) source: Expr,
    /// Flat, so that many of them are not deep.
    pub(crate) accesses: Vec<Access>,
}

#[derive(Debug, Clone)]
pub(crate) enum Access {
    Step(TraversalStep),
    /// By a key that is not written out.
    Computed {
        key: Expr,
        /// From the one bracket to the other.
        brackets: Span,
    },
}

/// A step that is known before anything is evaluated.
#[derive(Debug, Clone)]
pub(crate) struct TraversalStep {
    /// `.name` with its dot, `[0]` with its brackets.
    pub(crate) span: Span,
    pub(crate) kind: StepKind,
}

#[derive(Debug, Clone)]
pub(crate) enum StepKind {
    Attribute(SmolStr),
    Index(Value),
}

#[derive(Debug, Clone)]
pub(crate) struct Splat {
    pub(crate) source: Expr,
    /// The expression for each element, which is [`ExprKind::Element`] in it.
    pub(crate) each: Expr,
    /// `[*]` or `.*`.
    pub(crate) marker: Span,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) name: SmolStr,
    pub(crate) name_span: Span,
    pub(crate) arguments: Vec<Expr>,
    /// The last argument is followed by `...`.
    pub(crate) expands: bool,
    pub(crate) open: Span,
    pub(crate) close: Span,
}

#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) key: Expr,
    pub(crate) value: Expr,
}

#[derive(Debug, Clone)]
pub(crate) struct For {
    /// The bracket, or the marker of the directive.
    pub(crate) open: Span,
    pub(crate) key_name: Option<SmolStr>,
    pub(crate) value_name: SmolStr,
    pub(crate) collection: Expr,
    /// The key expression, for an object.
    pub(crate) key: Option<Expr>,
    pub(crate) value: Expr,
    pub(crate) condition: Option<Expr>,
    pub(crate) groups: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Conditional {
    pub(crate) condition: Expr,
    pub(crate) yes: Expr,
    pub(crate) no: Expr,
}

/// Operators of one precedence, from left to right: flat, so that a long sum is not deep.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    pub(crate) first: Expr,
    pub(crate) rest: Vec<(BinaryOp, Expr)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Negate,
    Not,
}

impl Expr {
    /// Whether it is the word `false`.
    pub(crate) fn is_false(&self) -> bool {
        matches!(&self.kind, ExprKind::Literal(value) if value.as_bool() == Some(false))
    }

    pub(crate) fn new(span: Span, kind: ExprKind) -> Self {
        Self { span, kind }
    }

    /// The first words of the expression: where an error about an argument points to.
    pub(crate) fn start(&self) -> Span {
        // HCL's `StartRange`, oddities included: an empty string starts behind its quotes, an index with a computed key
        // at its bracket, a splat at its marker, and parentheses at their content.
        match &self.kind {
            ExprKind::Text(_) if self.span.end - self.span.start <= 2 => Span::at(self.span.end),
            ExprKind::Text(_) => Span::new(self.span.start + 1, self.span.end - 1),
            ExprKind::Template(parts) => parts.first().map_or(Span::at(self.span.end), Expr::start),
            ExprKind::Relative(relative) => match relative.accesses.last() {
                Some(Access::Computed { brackets, .. }) => Span::new(brackets.start, brackets.start + 1),
                _ => self.span,
            },
            ExprKind::Splat(splat) => splat.marker,
            ExprKind::Call(call) => call.name_span.to(call.open),
            ExprKind::Tuple(_) | ExprKind::Object(_) | ExprKind::Properties(_) => {
                Span::new(self.span.start, self.span.start + 1)
            }
            ExprKind::For(for_) | ExprKind::Join(for_) => for_.open,
            ExprKind::Conditional(conditional) => conditional.condition.start(),
            ExprKind::Chain(chain) => chain.first.start(),
            ExprKind::Unary(..) => Span::new(self.span.start, self.span.start + 1),
            ExprKind::Parens(inner) => inner.start(),
            _ => self.span,
        }
    }
}

/// Moves every place in an expression to where it is in another text.
pub(crate) fn relocate(expr: &mut Expr, to: &impl Fn(Span) -> Span) {
    let items = |items: &mut [Item]| {
        for item in items {
            relocate(&mut item.key, to);
            relocate(&mut item.value, to);
        }
    };
    expr.span = to(expr.span);
    match &mut expr.kind {
        ExprKind::Literal(_) | ExprKind::Text(_) | ExprKind::Element | ExprKind::Missing => {}
        ExprKind::Template(parts) | ExprKind::Tuple(parts) => {
            parts.iter_mut().for_each(|part| relocate(part, to));
        }
        ExprKind::Wrap(inner) | ExprKind::Parens(inner) | ExprKind::Unary(_, inner) => relocate(inner, to),
        ExprKind::Join(parts) | ExprKind::For(parts) => {
            parts.open = to(parts.open);
            relocate(&mut parts.collection, to);
            relocate(&mut parts.value, to);
            parts.key.iter_mut().chain(&mut parts.condition).for_each(|part| relocate(part, to));
        }
        ExprKind::Variable(variable) => {
            variable.name_span = to(variable.name_span);
            variable.steps.iter_mut().for_each(|step| step.span = to(step.span));
        }
        ExprKind::Relative(relative) => {
            relocate(&mut relative.source, to);
            for access in &mut relative.accesses {
                match access {
                    Access::Step(step) => step.span = to(step.span),
                    Access::Computed { key, brackets } => {
                        relocate(key, to);
                        *brackets = to(*brackets);
                    }
                }
            }
        }
        ExprKind::Splat(splat) => {
            relocate(&mut splat.source, to);
            relocate(&mut splat.each, to);
            splat.marker = to(splat.marker);
        }
        ExprKind::Call(call) => {
            (call.name_span, call.open, call.close) = (to(call.name_span), to(call.open), to(call.close));
            call.arguments.iter_mut().for_each(|argument| relocate(argument, to));
        }
        ExprKind::Object(parts) | ExprKind::Properties(parts) => items(parts),
        ExprKind::Conditional(conditional) => {
            let Conditional { condition, yes, no } = &mut **conditional;
            [condition, yes, no].into_iter().for_each(|part| relocate(part, to));
        }
        ExprKind::Chain(chain) => {
            relocate(&mut chain.first, to);
            chain.rest.iter_mut().for_each(|(_, operand)| relocate(operand, to));
        }
    }
}

/// The arguments and blocks of a file or of one block.
#[derive(Debug, Clone, Default)]
pub struct Body {
    /// In source order; each name once.
    pub attributes: Vec<Attribute>,
    /// In source order.
    pub blocks: Vec<Block>,
    /// Where something that is missing is reported.
    pub missing: Span,
}

impl Body {
    /// Shifts all spans by this many bytes.
    pub fn moved(mut self, by: u32) -> Self {
        if by > 0 {
            self.relocate(&|span: Span| span.moved(by));
        }
        self
    }

    fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
        self.missing = to(self.missing);
        for Attribute { name_span, expr, .. } in &mut self.attributes {
            *name_span = to(*name_span);
            relocate(expr, to);
        }
        for Block { kind_span, labels, header, open, close, body, .. } in &mut self.blocks {
            let labels = labels.iter_mut().map(|label| &mut label.span);
            for span in [kind_span, header, open, close].into_iter().chain(labels) {
                *span = to(*span);
            }
            body.relocate(to);
        }
    }
}

/// `name = expression`.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// The name before the equals sign.
    pub name: SmolStr,
    /// Where it stands.
    pub name_span: Span,
    /// The expression after it.
    pub expr: Expr,
}

/// `type "label" { … }`.
#[derive(Debug, Clone)]
pub struct Block {
    /// The first word of the block.
    pub kind: SmolStr,
    /// Where it stands.
    pub kind_span: Span,
    /// Names or strings between the type and the brace.
    pub labels: Vec<Label>,
    /// Type and labels; in the JSON syntax, where type and labels may be far from each other, the bracket behind them.
    pub header: Span,
    /// The opening brace.
    pub open: Span,
    /// The closing brace; in the JSON syntax, the opening one.
    pub close: Span,
    /// The content of the block.
    pub body: Body,
}

impl Block {
    /// From the first word of the block to its closing brace, or to the end of its content if the brace is missing.
    pub(crate) fn all(&self) -> Span {
        let inside = self.body.attributes.iter().map(|attribute| attribute.expr.span.end);
        let inside = inside.chain(self.body.blocks.iter().map(|block| block.all().end));
        let end = inside.chain([self.close.end, self.body.missing.end, self.open.end]).max();
        Span::new(self.kind_span.start, end.unwrap_or(self.open.end))
    }
}

/// A label of a block.
#[derive(Debug, Clone)]
pub struct Label {
    /// As written, without quotes and escapes.
    pub text: SmolStr,
    /// With the quotes.
    pub span: Span,
}
