//! How much the evaluation of an expression for one item may take.

use std::sync::atomic::{AtomicU64, Ordering};

use cel::ExecutionError;
use cel::common::types::{CelBytes, CelList, CelMap, CelString};
use cel::common::value::Val;

use super::error::limit;

/// The number of parts of values that are looked at for one item, and so often [`TEXT`] bytes of text.
///
/// A step costs about a microsecond: an item that takes more is not waited for.
const MAX: u64 = 1_000_000;
/// Reading this many bytes of text costs as much as one part.
const TEXT: u64 = 16;

/// The steps left for an item. An expression pays for values before it makes or walks them.
///
/// Every value whose size an expression can choose comes from the document, from a variable of a comprehension, or from
/// `join`, `replace` and `split`. All of these are paid for each time they are used, and whatever is done with a value
/// costs no more than in proportion to its size. A loop pays for the parts of its body, as often as it goes through them,
/// so that neither time nor memory grows beyond the budget.
#[derive(Debug, Default)]
pub(super) struct Budget {
    spent: AtomicU64,
}

impl Budget {
    /// Begins with another item.
    pub(super) fn renew(&self) {
        self.spent.store(0, Ordering::Relaxed);
    }

    /// Whether something was refused, which an expression may have skipped.
    pub(super) fn is_exceeded(&self) -> bool {
        self.spent.load(Ordering::Relaxed) > MAX
    }

    pub(super) fn error() -> ExecutionError {
        limit("this takes too many steps or makes too much")
    }

    pub(super) fn pay(&self, parts: u64) -> Result<(), ExecutionError> {
        // One thread evaluates; a budget is shared with values, which must be able to cross threads.
        let spent = self.spent.load(Ordering::Relaxed).saturating_add(parts);
        self.spent.store(spent, Ordering::Relaxed);
        if spent > MAX { Err(Self::error()) } else { Ok(()) }
    }

    pub(super) fn pay_text(&self, bytes: usize) -> Result<(), ExecutionError> {
        self.pay(1 + bytes as u64 / TEXT)
    }

    /// Pays for all of a value. Parts of the document pay for themselves when they are looked at.
    pub(super) fn pay_value(&self, value: &dyn Val) -> Result<(), ExecutionError> {
        if let Some(text) = value.downcast_ref::<CelString>() {
            return self.pay_text(text.inner().len());
        }
        if let Some(bytes) = value.downcast_ref::<CelBytes>() {
            return self.pay_text(bytes.inner().len());
        }
        self.pay(1)?;
        if let Some(list) = value.downcast_ref::<CelList>() {
            return list.inner().iter().try_for_each(|element| self.pay_value(element.as_ref()));
        }
        if let Some(map) = value.downcast_ref::<CelMap>() {
            return map.inner().iter().try_for_each(|(key, element)| {
                self.pay_value(key.inner())?;
                self.pay_value(element.as_ref())
            });
        }
        Ok(())
    }
}
