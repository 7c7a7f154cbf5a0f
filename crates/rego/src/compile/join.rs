//! Finds the members of a collection that a body looks for, so that others need not be tried.
//!
//! In `some x in xs; x.name == name` only members with this name are of interest. An index of `xs` by `name` finds them,
//! and groups of n members are found in n steps, not in n².

use hashbrown::HashSet;

use super::program::{Comparison, Expr, Join, Op, Pattern, ReferenceStep, Slot, Wanted};
use crate::value::Value;

/// Adds the wanted members to the steps that search a collection.
pub(super) fn find_joins(ops: &mut [Op]) {
    for at in 0..ops.len() {
        let (before, after) = ops.split_at_mut(at + 1);
        if let Some(op) = before.last_mut() {
            let found = join(op, after);
            if let Op::Scan { join, .. } = op {
                *join = found;
            }
        }
    }
}

fn join(scan: &Op, after: &[Op]) -> Option<Join> {
    let Op::Scan { steps, out, .. } = scan else { return None };
    // In `xs[_].parts[_].name` the index is of `parts`: other collections differ for each member before it.
    let last = steps.iter().rposition(|step| matches!(step, ReferenceStep::Each(_)))?;
    let mut keys = Vec::new();
    for step in &steps[last + 1..] {
        match step {
            ReferenceStep::Key(Expr::Const(Value::String(key))) => keys.push(key.to_string()),
            _ => return None,
        }
    }
    // The variables that have no value before the scan.
    let mut bound = HashSet::new();
    scan.each_bound(&mut |slot| _ = bound.insert(slot));
    let mut parts = match out {
        Pattern::Bind(slot) => vec![(*slot, keys)],
        Pattern::Equal(wanted) => return Some(Join { keys: keys.into(), wanted: known(wanted, &bound)? }),
        _ => return None,
    };
    let mut of_constant = None;
    for op in after {
        match op {
            Op::Test(Expr::Compare(Comparison::Equal, sides), _) => {
                for (part, wanted) in [(&sides.0, &sides.1), (&sides.1, &sides.0)] {
                    let Some(keys) = path(part, &parts) else { continue };
                    let keys: Box<[String]> = keys.into();
                    match known(wanted, &bound) {
                        // A variable differs from search to search, so an index is used again. A constant may
                        // be all there is.
                        Some(wanted @ Wanted::Local(_)) => return Some(Join { keys, wanted }),
                        Some(wanted) if of_constant.is_none() => of_constant = Some(Join { keys, wanted }),
                        _ => {}
                    }
                }
                if !is_harmless(&sides.0) || !is_harmless(&sides.1) {
                    break;
                }
            }
            Op::Test(condition, _) if is_harmless(condition) => {}
            Op::Mark(_) => {}
            Op::Bind(slot, value) if is_harmless(value) => {
                bound.insert(*slot);
                if let Some(keys) = path(value, &parts) {
                    parts.push((*slot, keys));
                }
            }
            // A later condition may only come first if nothing on the way to it can fail, print or bind
            // several values.
            _ => break,
        }
    }
    of_constant
}

/// The keys from the member to an expression that is a part of it.
fn path(expr: &Expr, parts: &[(Slot, Vec<String>)]) -> Option<Vec<String>> {
    let of_slot = |slot: &Slot| parts.iter().find(|(other, _)| other == slot).map(|(_, keys)| keys.clone());
    match expr {
        Expr::Local(slot) => of_slot(slot),
        Expr::Get(base, more, _) => {
            let Expr::Local(slot) = &**base else { return None };
            let mut keys = of_slot(slot)?;
            for key in more {
                let Expr::Const(Value::String(key)) = key else { return None };
                keys.push(key.to_string());
            }
            Some(keys)
        }
        _ => None,
    }
}

/// A value that is known before the scan.
fn known(expr: &Expr, bound: &HashSet<Slot>) -> Option<Wanted> {
    match expr {
        Expr::Const(value) => Some(Wanted::Constant(value.clone())),
        Expr::Local(slot) if !bound.contains(slot) => Some(Wanted::Local(*slot)),
        _ => None,
    }
}

/// Whether evaluating it does nothing that others notice: it cannot fail, and nothing is printed.
fn is_harmless(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Local(_) | Expr::Input => true,
        Expr::Get(base, keys, _) => is_harmless(base) && keys.iter().all(is_harmless),
        Expr::Compare(_, sides) => is_harmless(&sides.0) && is_harmless(&sides.1),
        Expr::Member(sides, key) => {
            is_harmless(&sides.0) && is_harmless(&sides.1) && key.iter().all(|key| is_harmless(key))
        }
        _ => false,
    }
}
