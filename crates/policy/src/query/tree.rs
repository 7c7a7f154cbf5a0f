//! The parsed expression: its parts, and where they are in the text.

use std::ops::Range;

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, SourceInfo, operators};

/// The parts of an expression in the order in which they are evaluated.
pub(super) fn parts(expr: &IdedExpr) -> Vec<&IdedExpr> {
    match &expr.expr {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map.entries.iter().flat_map(|entry| entry_parts(&entry.expr)).collect(),
        Expr::Struct(message) => message.entries.iter().flat_map(|entry| entry_parts(&entry.expr)).collect(),
        Expr::Comprehension(comprehension) => {
            vec![
                &comprehension.iter_range,
                &comprehension.accu_init,
                &comprehension.loop_cond,
                &comprehension.loop_step,
                &comprehension.result,
            ]
        }
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => Vec::new(),
    }
}

fn entry_parts(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
        EntryExpr::StructField(field) => vec![&field.value],
    }
}

/// Whether an expression only says which parts of items there are to be, and computes nothing.
pub(super) fn is_selection(expr: &IdedExpr) -> bool {
    let is_plain = match &expr.expr {
        Expr::Ident(_) | Expr::Literal(_) | Expr::List(_) | Expr::Map(_) => true,
        Expr::Select(select) => !select.test,
        Expr::Call(call) => {
            [operators::INDEX, operators::OPT_INDEX, operators::OPT_SELECT].contains(&&*call.func_name)
        }
        Expr::Comprehension(_) | Expr::Struct(_) | Expr::Unspecified => false,
    };
    is_plain && parts(expr).into_iter().all(is_selection)
}

/// Whether two expressions select one part of an item by its names.
pub(super) fn is_same_selection(a: &IdedExpr, b: &IdedExpr) -> bool {
    match (&a.expr, &b.expr) {
        (Expr::Ident(a), Expr::Ident(b)) => a == b,
        (Expr::Select(a), Expr::Select(b)) => {
            !a.test && !b.test && a.field == b.field && is_same_selection(&a.operand, &b.operand)
        }
        _ => false,
    }
}

/// How many parts an expression has, without what the loops in it do for each element.
pub(super) fn own_parts(expr: &IdedExpr) -> usize {
    let inner: usize = match &expr.expr {
        Expr::Comprehension(comprehension) => own_parts(&comprehension.iter_range),
        _ => parts(expr).into_iter().map(own_parts).sum(),
    };
    1 + inner
}

/// Whether an expression nests deeper than this.
pub(super) fn is_deeper(expr: &IdedExpr, depth: usize) -> bool {
    depth == 0 || parts(expr).into_iter().any(|part| is_deeper(part, depth - 1))
}

/// A call of one of our functions, at the place of what is written.
pub(super) fn call(id: u64, function: &str, args: Vec<IdedExpr>) -> IdedExpr {
    IdedExpr { id, expr: Expr::Call(CallExpr { func_name: function.to_owned(), target: None, args }) }
}

/// Where the parts of an expression are in its text.
#[derive(Debug)]
pub(super) struct Places {
    text: String,
    source: SourceInfo,
    /// Where the characters begin, and the end.
    characters: Vec<usize>,
}

impl Places {
    pub(super) fn new(text: &str, source: SourceInfo) -> Self {
        let ends = text.char_indices().map(|(offset, _)| offset).chain([text.len()]);
        Self { text: text.to_owned(), source, characters: ends.collect() }
    }

    /// The offset of a character.
    fn offset(&self, character: usize) -> usize {
        self.characters.get(character).copied().unwrap_or(self.text.len())
    }

    /// The range of the node's own token, such as its operator.
    fn own(&self, expr: &IdedExpr) -> Option<Range<usize>> {
        let (start, last) = self.source.offset_for(expr.id)?;
        let (start, end) = (self.offset(start as usize), self.offset(last as usize + 1));
        Some(match &expr.expr {
            // A call is at its parenthesis.
            Expr::Call(call) if self.text[..start].ends_with(&*call.func_name) => {
                start - call.func_name.len()..end.max(start)
            }
            // A field is at its dot.
            Expr::Select(select) => {
                let field = self.text[start..].find(&*select.field).map_or(start, |at| start + at);
                start..(field + select.field.len()).min(self.text.len())
            }
            _ => start..end.max(start),
        })
    }

    /// Where all of an expression stands, as far as that is known.
    pub(super) fn all(&self, expr: &IdedExpr) -> Range<usize> {
        let below = parts(expr).into_iter().map(|part| self.all(part)).filter(|place| !place.is_empty());
        let places: Vec<Range<usize>> = self.own(expr).into_iter().chain(below).collect();
        let start = places.iter().map(|place| place.start).min().unwrap_or(0);
        start..places.iter().map(|place| place.end).max().unwrap_or(start)
    }

    /// Like [`Places::all`], of the operands of an operator.
    pub(super) fn all_of_call(&self, id: u64, call: &CallExpr) -> Range<usize> {
        let own = self
            .source
            .offset_for(id)
            .map(|(start, last)| self.offset(start as usize)..self.offset(last as usize + 1));
        let below = call.args.iter().map(|part| self.all(part)).filter(|place| !place.is_empty());
        let places: Vec<Range<usize>> = own.into_iter().chain(below).collect();
        let start = places.iter().map(|place| place.start).min().unwrap_or(0);
        start..places.iter().map(|place| place.end).max().unwrap_or(start)
    }

    /// Where the name of a field or function stands, or else all of an expression.
    pub(super) fn name(&self, expr: &IdedExpr, name: &str) -> Range<usize> {
        let own = self.own(expr).unwrap_or_else(|| self.all(expr));
        match self.text.get(own.clone()).and_then(|text| text.find(name)) {
            Some(at) => own.start + at..own.start + at + name.len(),
            None => own,
        }
    }

    /// The place at a line and column, both from 1 and in characters.
    pub(super) fn at(text: &str, (line, column): (isize, isize)) -> Range<usize> {
        let before = usize::try_from(line).unwrap_or(1).saturating_sub(1);
        let line_start = text.split_inclusive('\n').take(before).map(str::len).sum::<usize>();
        let rest = &text[line_start..];
        let column = usize::try_from(column).unwrap_or(1).saturating_sub(1);
        let (at, length) =
            rest.char_indices().nth(column).map_or((rest.len(), 0), |(at, c)| (at, c.len_utf8()));
        line_start + at..line_start + at + length
    }
}
