//! The values of terms where evaluation comes by marks.

use super::{Frame, Machine, Run, Stop};
use crate::compile::program::{Expr, MarkedTerm};
use crate::value::Value;

/// The values of the terms in the conditions of a branch up to a mark. They are all of one solution so far.
#[derive(Debug, Clone)]
pub(crate) struct Sight {
    /// That evaluation came by does not depend on unknown values.
    is_certain: bool,
    pub(crate) values: Vec<TermValue>,
}

/// The value of a term.
#[derive(Debug, Clone)]
pub(crate) struct TermValue {
    /// The mark of its condition.
    pub(crate) mark: u32,
    /// Which of its terms.
    pub(crate) term: usize,
    /// Nothing, if it is undefined.
    pub(crate) value: Option<Value>,
}

impl<'p> Machine<'p> {
    /// Keeps the values of the first solution that comes by a mark, and rather of the first that does for certain.
    pub(super) fn look(&mut self, frame: &mut Frame, number: u32) -> Run<()> {
        let Some(sights) = &self.sights else { return Ok(()) };
        let is_certain = self.doubt.is_none();
        let kept = sights.get(number as usize).and_then(Option::as_ref);
        let program = self.program;
        let Some(mark) = program.marks.get(number as usize) else { return Ok(()) };
        if mark.is_inner || kept.is_some_and(|kept| kept.is_certain || !is_certain) {
            return Ok(());
        }
        let mut values = Vec::new();
        for at in mark.first..=number {
            let terms = program.marks.get(at as usize).map_or(&[][..], |mark| &mark.terms);
            let is_shown = |term: &MarkedTerm| if at < number { !term.is_named } else { term.is_bound };
            for (index, term) in terms.iter().enumerate().filter(|(_, term)| is_shown(term)) {
                let value = self.value_here(frame, &term.value)?;
                values.push(TermValue { mark: at, term: index, value });
            }
        }
        if let Some(sight) = self.sights.as_mut().and_then(|sights| sights.get_mut(number as usize)) {
            *sight = Some(Sight { is_certain, values });
        }
        Ok(())
    }

    /// The value of an expression that has no effect on anything.
    fn value_here(&mut self, frame: &mut Frame, expr: &'p Expr) -> Run<Option<Value>> {
        let value = self.with_may_fail(|machine| {
            machine.isolated(|machine| {
                let value = machine.eval(frame, expr)?;
                Ok(match (value, machine.doubt.take()) {
                    // It may be undefined, or another one.
                    (_, Some(doubt)) => Some(Value::Unknown(doubt)),
                    (value, None) => value,
                })
            })
        });
        match value {
            Ok((value, _)) => Ok(value),
            // The condition itself fails with it.
            Err(Stop::Failure(_)) => Ok(None),
            Err(limit) => Err(limit),
        }
    }

    pub(crate) fn take_sights(&mut self) -> Vec<Option<Sight>> {
        let Some(sights) = &mut self.sights else { return Vec::new() };
        let empty = vec![None; sights.len()];
        std::mem::replace(sights, empty)
    }
}
