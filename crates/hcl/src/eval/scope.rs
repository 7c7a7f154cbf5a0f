//! The meaning of names in an expression.

use hashbrown::HashMap;
use objchange::Value;
use smol_str::SmolStr;

use crate::walk::Reference;

/// Variables by name.
#[derive(Debug, Clone, Default)]
pub struct Variables(HashMap<SmolStr, Value>);

impl Variables {
    /// Sets a variable.
    pub fn insert(&mut self, name: impl Into<SmolStr>, value: Value) {
        self.0.insert(name.into(), value);
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

impl<N: Into<SmolStr>, V: Into<Value>> FromIterator<(N, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

/// Names, and those of the enclosing scopes. An inner scope borrows the outer one.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'s> {
    names: Names<'s>,
    around: Option<&'s Scope<'s>>,
}

#[derive(Debug, Clone, Copy)]
enum Names<'s> {
    Variables(&'s Variables),
    /// The variables of a `for` or a dynamic block.
    Few(&'s [(&'s str, Value)]),
    /// The current element of a splat, which has no name.
    Element(&'s Value),
}

impl<'s> Scope<'s> {
    /// The outermost scope.
    pub fn new(variables: &'s Variables) -> Self {
        Self { names: Names::Variables(variables), around: None }
    }

    /// A scope with a few names in addition, which hide those around.
    pub fn with(&'s self, names: &'s [(&'s str, Value)]) -> Self {
        Self { names: Names::Few(names), around: Some(self) }
    }

    /// The scope for the part of a splat after `[*]`, with this element.
    pub(crate) fn at(&'s self, element: &'s Value) -> Self {
        Self { names: Names::Element(element), around: Some(self) }
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&'s Value> {
        let mut scope = Some(self);
        while let Some(Scope { names, around }) = scope {
            let found = match names {
                Names::Variables(variables) => variables.get(name),
                Names::Few(few) => few.iter().find(|(other, _)| *other == name).map(|(_, value)| value),
                Names::Element(_) => None,
            };
            if found.is_some() {
                return found;
            }
            scope = *around;
        }
        None
    }

    /// All names with their values; a name that hides another one is there alone.
    pub fn variables(&self) -> impl Iterator<Item = (&'s str, &'s Value)> {
        let mut names = self.names();
        names.sort_unstable();
        names.dedup();
        let found: Vec<_> = names.into_iter().filter_map(|name| Some((name, self.get(name)?))).collect();
        found.into_iter()
    }

    /// All names, those of each scope in order before those around.
    pub(crate) fn names(&self) -> Vec<&'s str> {
        let mut found = Vec::new();
        let mut scope = Some(self);
        while let Some(Scope { names, around }) = scope {
            let first = found.len();
            match names {
                Names::Variables(variables) => found.extend(variables.0.keys().map(SmolStr::as_str)),
                Names::Few(few) => found.extend(few.iter().map(|(name, _)| *name)),
                Names::Element(_) => {}
            }
            // A hash map has no order, but equally similar names must always give one suggestion.
            found[first..].sort_unstable();
            scope = *around;
        }
        found
    }

    pub(crate) fn element(&self) -> Option<&'s Value> {
        let mut scope = Some(self);
        while let Some(Scope { names, around }) = scope {
            if let Names::Element(element) = names {
                return Some(element);
            }
            scope = *around;
        }
        None
    }
}

impl Reference<'_> {
    /// Follows the reference in a scope as far as the value has its steps; `None` if the scope lacks its name.
    pub fn value_in(&self, scope: &Scope<'_>) -> Option<Value> {
        Some(self.found_in(scope.get(self.name)?).1)
    }
}
