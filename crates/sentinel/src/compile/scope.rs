//! Resolves names to variables.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::code::{Access, Slot};
use crate::builtins;
use crate::syntax::ast::{Name, Stmt, StmtKind, Target};

/// The scopes around the current code.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// How many slots the scopes of the machine have that are open; the last is the innermost.
    frames: Vec<u32>,
    scopes: Vec<Scope>,
    /// The local names of imports, which cannot be assigned.
    pub(super) imports: HashSet<Arc<str>>,
}

#[derive(Debug)]
struct Scope {
    /// The scope of the machine that has its variables.
    frame: usize,
    names: HashMap<Arc<str>, Declared>,
}

#[derive(Clone, Debug)]
struct Declared {
    slot: u32,
    /// Whether any code refers to it.
    used: Cell<bool>,
    /// It has a value from the beginning: a parameter, or an element.
    always: bool,
}

impl Scopes {
    pub(super) fn open_frame(&mut self) {
        self.frames.push(0);
    }

    /// Says how many slots it has.
    pub(super) fn close_frame(&mut self) -> u32 {
        self.frames.pop().unwrap_or_default()
    }

    /// How many slots the innermost scope of the machine has until now.
    pub(super) fn slots(&self) -> u32 {
        self.frames.last().copied().unwrap_or_default()
    }

    pub(super) fn open(&mut self) {
        self.scopes.push(Scope { frame: self.frames.len().saturating_sub(1), names: HashMap::new() });
    }

    pub(super) fn close(&mut self) {
        self.scopes.pop();
    }

    fn add(&mut self, name: &Arc<str>, always: bool) -> u32 {
        let (Some(scope), Some(frame)) = (self.scopes.last_mut(), self.frames.last_mut()) else { return 0 };
        if let Some(known) = scope.names.get(name) {
            return known.slot;
        }
        let slot = *frame;
        *frame += 1;
        scope.names.insert(Arc::clone(name), Declared { slot, used: Cell::new(false), always });
        slot
    }

    /// A parameter or the name of an element.
    pub(super) fn declare(&mut self, name: &Name) -> u32 {
        self.add(&name.text, true)
    }

    /// The slot of a name of the innermost scope, if any code refers to it.
    pub(super) fn read(&self, name: &Name) -> Option<u32> {
        let declared = self.scopes.last()?.names.get(&name.text)?;
        declared.used.get().then_some(declared.slot)
    }

    /// A name that may be given a value in this scope.
    pub(super) fn may_declare(&mut self, name: &Arc<str>) -> u32 {
        self.add(name, false)
    }

    /// The names that statements may give a value in the innermost scope.
    pub(super) fn may_declare_all(&mut self, statements: &[Stmt]) {
        let mut blocks = vec![statements];
        while let Some(block) = blocks.pop() {
            for statement in block {
                match &statement.kind {
                    StmtKind::Assign { target: Target::Name(name), .. } | StmtKind::Func(name, _)
                        // Builtin names are hidden for the whole file.
                        if (self.scopes.len() == 1 || !builtins::is_name(&name.text))
                            && !self.imports.contains(&name.text) =>
                    {
                        self.may_declare(&name.text);
                    }
                    StmtKind::If { arms, otherwise } => {
                        blocks.extend(arms.iter().map(|(_, block)| &**block));
                        blocks.extend(otherwise.as_deref());
                    }
                    StmtKind::Case { arms, otherwise, .. } => {
                        blocks.extend(arms.iter().map(|(_, block)| &**block));
                        blocks.extend(otherwise.as_deref());
                    }
                    _ => {}
                }
            }
        }
    }

    /// The scopes that may declare a name.
    pub(super) fn find(&self, name: &Arc<str>) -> Access {
        let mut candidates = Vec::new();
        for scope in self.scopes.iter().rev() {
            if let Some(declared) = scope.names.get(name) {
                let hops = self.frames.len() - 1 - scope.frame;
                let hops = u32::try_from(hops).unwrap_or(u32::MAX);
                declared.used.set(true);
                candidates.push(Slot { hops, slot: declared.slot });
                // It has a value whenever it is read, so no outer scope can be meant.
                if declared.always {
                    break;
                }
            }
        }
        Access { name: Arc::clone(name), candidates, builtin: builtins::find(name) }
    }

    /// The names at the top of the file, with their slots.
    pub(super) fn names(&self) -> impl Iterator<Item = (Arc<str>, u32)> {
        let names = self.scopes.first().map(|scope| &scope.names);
        names.into_iter().flatten().map(|(name, declared)| (Arc::clone(name), declared.slot))
    }
}
