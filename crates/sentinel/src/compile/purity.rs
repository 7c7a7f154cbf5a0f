//! Finds the outer variables that functions and rules may change.

use super::code::{Op, Slot, Unit};
use super::{Constant, LoopKind};

impl Unit {
    /// How many scopes of loops are around an instruction.
    pub(crate) fn depth(&self, at: u32) -> i64 {
        let is_around = |description: &&super::Loop| {
            description.own_scope.is_some() && (description.next..description.done).contains(&at)
        };
        self.loops.iter().filter(is_around).count() as i64
    }

    /// How many scopes of loops are around both of two instructions.
    pub(crate) fn shared_depth(&self, a: u32, b: u32) -> i64 {
        let is_around = |description: &&super::Loop| {
            let body = description.next..description.done;
            description.own_scope.is_some() && body.contains(&a) && body.contains(&b)
        };
        self.loops.iter().filter(is_around).count() as i64
    }

    /// How many scopes outside of the unit a variable is that an instruction uses; below 0 it is one of the unit.
    pub(crate) fn outside(&self, at: u32, slot: Slot) -> i64 {
        i64::from(slot.hops) - self.depth(at) - 1
    }

    /// Whether a variable of the unit holds nothing but lists and maps that were made in it for this variable.
    pub(crate) fn is_fresh(&self, at: u32, slot: Slot) -> bool {
        let level = self.outside(at, slot);
        // A parameter holds a collection of the caller.
        if level == -1 && slot.slot < self.params {
            return false;
        }
        let is_of_element =
            |description: &super::Loop| [description.first, description.second].contains(&Some(slot.slot));
        // The element of a loop is a part of the collection that is walked.
        if self.loops.iter().any(is_of_element) {
            return false;
        }
        let mut before = None;
        for (index, op) in self.ops.iter().enumerate() {
            let index = index as u32;
            if let Op::Store(access) = op {
                let is_same = |other: &Slot| other.slot == slot.slot && self.outside(index, *other) == level;
                let makes = match before {
                    Some(Op::List(_) | Op::Map(_)) => true,
                    Some(Op::Constant(constant)) => {
                        let (constant, _) = &self.constants[constant as usize];
                        matches!(constant, Constant::List(_) | Constant::Map(_))
                    }
                    Some(Op::Collect(index)) => {
                        matches!(self.loops[index as usize].kind, LoopKind::Filter | LoopKind::Map)
                    }
                    _ => false,
                };
                if !makes && self.accesses[*access as usize].candidates.iter().any(is_same) {
                    return false;
                }
            }
            before = Some(*op);
        }
        true
    }

    /// Whether the functions and rules in it change no variable, list or map but their own.
    pub(crate) fn is_pure_within(&self) -> bool {
        let mut waiting: Vec<&Unit> = self.units.iter().map(AsRef::as_ref).collect();
        while let Some(unit) = waiting.pop() {
            if !unit.is_pure() {
                return false;
            }
            waiting.extend(unit.units.iter().map(AsRef::as_ref));
        }
        true
    }

    fn is_pure(&self) -> bool {
        let is_own = |at: u32, access: u32| {
            let candidates = &self.accesses[access as usize].candidates;
            candidates.iter().all(|slot| self.outside(at, *slot) < 0)
        };
        let changes_own = self.changes.iter().all(|(at, access)| {
            access.is_some_and(|access| {
                is_own(*at, access)
                    && self.accesses[access as usize].candidates.iter().all(|slot| self.is_fresh(*at, *slot))
            })
        });
        let stores_own = self.ops.iter().enumerate().all(|(at, op)| match op {
            Op::Store(access) | Op::Augment(access, _) => is_own(at as u32, *access),
            // `f = append` hides later changes from this check.
            Op::Load(access) => self.changes.contains_key(&(at as u32)) || !self.is_change(*access),
            _ => true,
        });
        changes_own && stores_own
    }

    /// Whether a name means `append` or `delete`.
    pub(crate) fn is_change(&self, access: u32) -> bool {
        let access = &self.accesses[access as usize];
        matches!(access.builtin.map(|native| native.name), Some("append" | "delete"))
            && access.candidates.is_empty()
    }
}
