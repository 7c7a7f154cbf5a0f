//! Checks the operands of operators.

use objchange_text::Span;

use super::LintKind;
use super::kinds::Walk;
use super::shape::{Kinds, Shape};
use crate::run::pattern_error;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Link, Test};

impl Link {
    pub(super) fn is_and(&self) -> bool {
        matches!(self, Link::Binary { op: BinaryOp::And, .. })
    }
}

/// Two operands of an operator.
struct Operands<'o> {
    left: &'o Shape,
    right: &'o Shape,
    right_expr: &'o Expr,
    /// Both operands and the operator.
    span: Span,
}

impl Walk<'_> {
    /// The shape of one operation in a chain.
    pub(super) fn operator(
        &mut self,
        left: Shape,
        first: &Expr,
        link: &Link,
        right: Option<(Shape, &Expr)>,
    ) -> Shape {
        use BinaryOp as Op;
        let (op, right, right_expr) = match (link, right) {
            (Link::Binary { op, .. }, Some((right, expr))) => (*op, right, expr),
            (Link::Test { test, .. }, _) => {
                if *test == Test::Empty {
                    let allowed = Kinds::STRING.or(Kinds::LIST).or(Kinds::MAP).or(Kinds::NULL);
                    self.needs(allowed, &left, first, "only a string, a list or a map is empty or not");
                }
                return Shape::BOOL.or_undefined();
            }
            _ => return Shape::ANY,
        };
        let operands =
            Operands { left: &left, right: &right, right_expr, span: first.span.to(right_expr.span) };
        match op {
            Op::Or | Op::And | Op::Xor => {
                let (_, word) = op.describe();
                self.needs(Kinds::BOOL, &left, first, &format!("{word} needs bools"));
                self.needs(Kinds::BOOL, &right, right_expr, &format!("{word} needs bools"));
                Shape::MAYBE_BOOL
            }
            Op::Else => left.there().or(&right),
            Op::Equal | Op::NotEqual => {
                self.equality(&operands);
                Shape::MAYBE_BOOL
            }
            Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual => {
                self.order(&operands);
                Shape::MAYBE_BOOL
            }
            Op::Contains | Op::NotContains => {
                self.contains(&left, first, &right, right_expr, operands.span);
                Shape::MAYBE_BOOL
            }
            Op::In | Op::NotIn => {
                self.contains(&right, right_expr, &left, first, operands.span);
                Shape::MAYBE_BOOL
            }
            Op::Matches | Op::NotMatches => {
                self.needs(Kinds::STRING, &left, first, "matches needs a string");
                self.pattern(&operands);
                Shape::MAYBE_BOOL
            }
            Op::Add => self.add(&operands),
            Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder => {
                let (_, sign) = op.describe();
                self.needs(Kinds::NUMBER, &left, first, &format!("{sign} needs numbers"));
                self.needs(Kinds::NUMBER, &right, right_expr, &format!("{sign} needs numbers"));
                Shape::MAYBE_NUMBER
            }
        }
    }

    /// Whether one of two operands is nothing but undefined, which is said.
    fn is_undefined(&mut self, operands: &Operands<'_>) -> bool {
        let is = operands.left.kinds == Kinds::UNDEFINED || operands.right.kinds == Kinds::UNDEFINED;
        if is {
            let message = "what is compared with undefined is undefined, and never true";
            let help = Some("write `is defined` or `is not defined`".to_owned());
            self.found.add_with_help(LintKind::UndefinedComparison, operands.span, message, help);
        }
        is
    }

    fn equality(&mut self, operands: &Operands<'_>) {
        let Operands { left, right, right_expr, span } = operands;
        if self.is_undefined(operands) || may_be_equal(left, right) {
            return;
        }
        // To ask whether something is null does no harm where it cannot be.
        if left.kinds.is_only(Kinds::NULL) || right.kinds.is_only(Kinds::NULL) {
            return;
        }
        let collection = Kinds::LIST.or(Kinds::MAP);
        let help = if left.kinds.is_only(collection) && right.kinds.is_only(Kinds::BOOL) {
            Some("write `is empty` or `is not empty`".to_owned())
        } else if left.kinds.is_only(Kinds::LIST) && right.kinds.is_only(Kinds::STRING) {
            Some("write `contains`, or compare it with a list".to_owned())
        } else if let (true, ExprKind::String(text)) = (left.kinds.is_only(Kinds::NUMBER), &right_expr.kind)
            && text.iter().all(u8::is_ascii_digit)
        {
            Some("write the number without quotes".to_owned())
        } else {
            None
        };
        let message = format!("{left} is never equal to {right}");
        self.found.add_with_help(LintKind::UnlikeComparison, *span, message, help);
    }

    fn order(&mut self, operands: &Operands<'_>) {
        let Operands { left, right, span, .. } = operands;
        let ordered = left.kinds.and(right.kinds).and(Kinds::NUMBER.or(Kinds::STRING));
        if !self.is_undefined(operands) && ordered.is_empty() {
            let message = format!("{left} and {right} have no order: this is always undefined");
            self.found.add(LintKind::UnlikeComparison, *span, message);
        }
    }

    fn contains(&mut self, whole: &Shape, whole_expr: &Expr, part: &Shape, part_expr: &Expr, span: Span) {
        let allowed = Kinds::STRING.or(Kinds::LIST).or(Kinds::MAP);
        if !self.needs(allowed, whole, whole_expr, "only a string, a list or a map contains something") {
            return;
        }
        if part.kinds == Kinds::UNDEFINED {
            return;
        }
        // Null contains nothing, which is an error.
        let kinds = whole.kinds.without(Kinds::NULL);
        if kinds.is_only(Kinds::STRING) {
            self.needs(Kinds::STRING, part, part_expr, "a string contains strings");
        } else if kinds.is_only(Kinds::LIST)
            && let Some(elements) = Walk::known_elements(whole)
            && !may_be_equal(elements, part)
        {
            let message = format!("this list has {elements} in it, which is never equal to {part}");
            self.found.add(LintKind::UnlikeComparison, span, message);
        }
    }

    fn pattern(&mut self, operands: &Operands<'_>) {
        let Operands { right, right_expr, .. } = operands;
        self.needs(Kinds::STRING, right, right_expr, "a pattern is a string");
        if let ExprKind::String(pattern) = &right_expr.kind
            && let Some(error) = pattern_error(pattern)
        {
            self.found.add(LintKind::InvalidPattern, right_expr.span, error);
        }
    }

    fn add(&mut self, operands: &Operands<'_>) -> Shape {
        let Operands { left, right, span, .. } = operands;
        let allowed = Kinds::NUMBER.or(Kinds::STRING).or(Kinds::LIST);
        let (left, right) = (left.kinds.without(Kinds::UNDEFINED), right.kinds.without(Kinds::UNDEFINED));
        let both = left.and(right).and(allowed);
        if both.is_empty() && !left.is_empty() && !right.is_empty() {
            let message = format!("{} and {} cannot be added", Shape::new(left), Shape::new(right));
            let is_mixed = left.or(right) == Kinds::NUMBER.or(Kinds::STRING);
            let help = is_mixed.then(|| "string(…) makes a string of a number".to_owned());
            self.found.add_with_help(LintKind::WrongOperand, *span, message, help);
            return Shape::ANY;
        }
        Shape::new(both).or_undefined()
    }
}

/// Whether two values can be equal.
fn may_be_equal(a: &Shape, b: &Shape) -> bool {
    let unknown = a.kinds.or(b.kinds).and(Kinds::OTHER);
    !unknown.is_empty() || !a.kinds.and(b.kinds).without(Kinds::UNDEFINED).is_empty()
}
