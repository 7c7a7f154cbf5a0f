//! Expressions.

use super::layout::{Gap, Layout};
use crate::syntax::ast::{
    Chain, Expr, ExprKind, Func, Link, Names, Postfix, PostfixPart, PostfixPartKind, Quantifier, Rule,
};

impl Layout<'_> {
    pub(super) fn expression(&mut self, expr: &Expr, gap: Gap) {
        match &expr.kind {
            ExprKind::Int(_) if self.next() == "-" => {
                self.put(gap);
                self.put(self.nothing());
            }
            ExprKind::Undefined
            | ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::String(_)
            | ExprKind::Name(_) => self.put(gap),
            ExprKind::Paren(inner) => {
                let outer = self.wrapped;
                let base = self.bracket(gap);
                let first = if self.is_next_on_new_line() { Gap::line(base + 1) } else { self.nothing() };
                self.item(inner, first);
                self.put(self.nothing().at(base));
                self.wrapped = outer;
            }
            ExprKind::List(items) => self.items(items, gap, Self::item),
            ExprKind::Map(entries) => {
                let mut lines = Vec::new();
                self.items(entries, gap, |layout, (key, value), gap| {
                    layout.item(key, gap);
                    layout.put(layout.nothing());
                    // Only entries that begin a line are aligned, so only their widths are measured.
                    let entry = gap.breaks().then(|| layout.place_of_value());
                    layout.expression(value, layout.space());
                    lines.extend(entry.map(|entry| layout.ended(entry)));
                });
                self.align(&lines);
            }
            ExprKind::Func(function) => {
                self.put(gap);
                self.function(function, expr.span.end);
            }
            ExprKind::Rule(rule) => self.rule(rule, expr.span.end, gap),
            ExprKind::Quantifier(quantifier) => self.quantifier(quantifier, expr.span.end, gap),
            ExprKind::Unary(_, operand) => {
                let is_word = self.next() == "not";
                self.put(gap);
                let gap = if is_word { self.space() } else { self.nothing() };
                self.expression(operand, gap);
            }
            ExprKind::Chain(chain) => self.chain(chain, gap),
            ExprKind::Postfix(postfix) => self.postfix(postfix, gap),
        }
    }

    /// Writes an expression whose further lines are indented one level deeper than its first.
    pub(super) fn item(&mut self, expr: &Expr, gap: Gap) {
        self.wrapped = gap.base(self) + 1;
        self.expression(expr, gap);
    }

    /// Writes a bracket that opens, and says how the line of it is indented.
    fn bracket(&mut self, gap: Gap) -> usize {
        self.put(gap);
        let base = self.line_indent();
        self.wrapped = base + 1;
        base
    }

    /// The items in brackets, separated by commas.
    fn items<T>(&mut self, items: &[T], gap: Gap, mut write: impl FnMut(&mut Self, &T, Gap)) {
        let outer = self.wrapped;
        let base = self.bracket(gap);
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.pass_comma();
                self.comma();
            }
            let gap = match index {
                _ if self.is_next_on_new_line() => Gap::line(base + 1),
                0 => self.nothing(),
                _ => self.space(),
            };
            write(self, item, gap);
            self.wrapped = base + 1;
        }
        self.pass_comma();
        let closes_line = self.is_next_on_new_line() && (!items.is_empty() || self.has_comment());
        if closes_line && !items.is_empty() {
            self.comma();
        }
        self.put(if closes_line { Gap::close(base) } else { self.nothing() });
        self.wrapped = outer;
    }

    /// Names in brackets, and a block up to its place in the text.
    pub(super) fn function(&mut self, function: &Func, end: u32) {
        let base = self.line_indent();
        self.items(&function.params, self.nothing(), |layout, _, gap| layout.put(gap));
        let is_short = function.body.len() <= 1 && !self.breaks_until(end);
        match &function.body[..] {
            [statement] if is_short => {
                let outer = self.wrapped;
                self.put(self.space());
                self.wrapped = self.line_indent() + 1;
                self.statement(statement, self.space());
                self.put(self.space());
                self.wrapped = outer;
            }
            statements => self.block(statements, base),
        }
    }

    fn rule(&mut self, rule: &Rule, end: u32, gap: Gap) {
        self.put(gap);
        let base = self.line_indent();
        if let Some(when) = &rule.when {
            self.put(self.space());
            self.expression(when, self.space());
        }
        self.body(&rule.body, base, end);
    }

    fn quantifier(&mut self, quantifier: &Quantifier, end: u32, gap: Gap) {
        self.put(gap);
        let base = self.line_indent();
        self.expression(&quantifier.collection, self.space());
        self.names(&quantifier.names);
        self.body(&quantifier.body, base, end);
    }

    /// The names of elements, with the word `as` before them.
    pub(super) fn names(&mut self, names: &Names) {
        self.put(self.space());
        self.put(self.space());
        if names.second.is_some() {
            self.pass_comma();
            self.comma();
            self.put(self.space());
        }
    }

    /// An expression in braces, up to its place in the text.
    fn body(&mut self, body: &Expr, base: usize, end: u32) {
        let outer = self.wrapped;
        let has_lines = self.breaks_until(end);
        self.put(self.space());
        let gap = if has_lines { Gap::line(base + 1) } else { self.space() };
        match &body.kind {
            // The further lines of a chain that begins with a name are not indented here.
            ExprKind::Chain(chain) if has_lines && matches!(chain.first.kind, ExprKind::Name(_)) => {
                self.wrapped = gap.base(self);
                self.expression(body, gap);
            }
            _ => self.item(body, gap),
        }
        self.put(if has_lines { Gap::close(base) } else { self.space() });
        self.wrapped = outer;
    }

    fn chain(&mut self, chain: &Chain, gap: Gap) {
        self.expression(&chain.first, gap);
        for link in &chain.links {
            let (span, right) = match link {
                Link::Binary { span, right, .. } => (span, Some(right)),
                Link::Test { span, .. } => (span, None),
            };
            // An operator may be more than one word.
            while self.start() < span.end {
                self.put(self.space());
            }
            if let Some(right) = right {
                let gap = self.wrap();
                let outer = self.wrapped;
                self.wrapped += usize::from(gap.breaks());
                self.expression(right, gap);
                self.wrapped = outer;
            }
        }
    }

    fn postfix(&mut self, postfix: &Postfix, gap: Gap) {
        self.expression(&postfix.base, gap);
        for PostfixPart { kind, .. } in &postfix.parts {
            match kind {
                PostfixPartKind::Selector(_) => {
                    self.put(self.dot());
                    self.put(self.nothing());
                }
                PostfixPartKind::Index(index) => self.bounds(&[Some(index)]),
                PostfixPartKind::Slice(low, high) => self.bounds(&[low.as_ref(), high.as_ref()]),
                PostfixPartKind::Call(arguments) => self.items(arguments, self.nothing(), Self::item),
            }
        }
    }

    /// An index, or two with a colon between.
    pub(super) fn bounds(&mut self, bounds: &[Option<&Expr>]) {
        let outer = self.wrapped;
        let base = self.bracket(self.nothing());
        for (index, bound) in bounds.iter().enumerate() {
            if index > 0 {
                self.put(self.nothing());
            }
            if let Some(bound) = bound {
                self.expression(bound, self.nothing());
            }
        }
        self.put(self.nothing().at(base));
        self.wrapped = outer;
    }
}
