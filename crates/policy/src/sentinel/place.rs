//! Where in the documents a value is that a run has, and what is noted of what the run sees there.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::tfconfig::Expressions;
use crate::{Field, FieldKind, Marked, Redacted};
use objchange_document::DocumentError;
use objchange_document::changes::ResourceActions;
use objchange_document::json::{Members, Shape};
use objchange_sentinel::{List, Map, Value};

use super::cache::DocumentCache;
use super::document::CollectionKind;
use super::hidden::{Replacement, hidden};
use super::items::CHANGE;
use super::record::Record;
use super::value::value;

/// The context of a run: its documents, and how it reads them.
#[derive(Debug)]
pub(super) struct RunContext {
    pub(super) documents: Arc<DocumentCache>,
    /// The replacement for sensitive values.
    pub(super) hiding: Option<Replacement>,
    pub(super) noted: Arc<AccessLog>,
    /// The words of the actions that were read so far: one list for all changes with the same actions.
    actions: RefCell<Vec<(ResourceActions, Rc<Vec<Value>>)>>,
    /// Where keys were found last, by their hash.
    guesses: [Cell<u32>; GUESSES],
}

/// The number of keys whose last position is remembered: more than a policy reads of a resource type.
const GUESSES: usize = 64;

impl RunContext {
    pub(super) fn new(
        documents: &Arc<DocumentCache>,
        hiding: Option<Replacement>,
        noted: &Arc<AccessLog>,
    ) -> Self {
        let (documents, noted) = (Arc::clone(documents), Arc::clone(noted));
        Self {
            documents,
            hiding,
            noted,
            actions: RefCell::default(),
            guesses: [const { Cell::new(0) }; GUESSES],
        }
    }

    pub(super) fn actions(&self, actions: ResourceActions) -> Value {
        let mut known = self.actions.borrow_mut();
        if let Some((_, words)) = known.iter().find(|(known, _)| *known == actions) {
            return Value::List(List::shared(words));
        }
        let words = Rc::new(actions.words().iter().map(|word| Value::from(*word)).collect());
        let list = List::shared(&words);
        known.push((actions, words));
        Value::List(list)
    }

    /// Where a key is in an object.
    pub(super) fn position(&self, members: Members<'_, '_>, key: &str) -> Option<usize> {
        // Objects of one type have mostly the same members, so that a key is mostly where it was found last.
        let hash = key.bytes().fold(key.len(), |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        let guess = &self.guesses[hash % GUESSES];
        let position = members.position_near(key, guess.get() as usize)?;
        guess.set(position as u32);
        Some(position)
    }
}

/// Facts about the reads of a run.
#[derive(Debug, Default)]
pub(super) struct AccessLog {
    /// Whether it has seen anything sensitive.
    secret: AtomicBool,
    /// A part of a document cannot be read.
    error: OnceLock<DocumentError>,
}

impl AccessLog {
    /// Whether the run has seen anything sensitive.
    pub(super) fn has_seen_secrets(&self) -> bool {
        self.secret.load(Ordering::Relaxed)
    }

    /// Why a part of a document could not be read, if one could not.
    pub(super) fn error(&self) -> Option<&DocumentError> {
        self.error.get()
    }

    pub(super) fn secret(&self) {
        self.secret.store(true, Ordering::Relaxed);
    }

    pub(super) fn failed(&self, error: DocumentError) {
        // Keep the first error.
        let _ = self.error.set(error);
    }
}

/// The raw plan, whose members are no fields of an item.
pub(super) const RAW: Field = ("", FieldKind::Value);

/// An item.
#[derive(Debug, Clone)]
pub(super) struct ItemPlace {
    pub(super) context: Rc<RunContext>,
    pub(super) kind: CollectionKind,
    /// Among all, in the order of their keys.
    pub(super) position: u32,
    /// The position in the order of the document.
    pub(super) index: u32,
}

impl ItemPlace {
    /// The value at the end of a path in a part of the item, if that is not a list or object.
    pub(super) fn reach(&self, part: Field, from: &[u32], path: &[&str]) -> Option<Value> {
        // In the raw plan the marks of unknown values are beside the values that a path leads through.
        if self.kind == CollectionKind::Raw {
            return None;
        }
        let document = self.context.documents.document(self.kind);
        document.at(self.kind, self.index as usize, part.0, from, |mut marked| {
            for key in path {
                // Everything below a sensitive part is hidden.
                if marked.is_sensitive() {
                    return None;
                }
                let position = self.context.position(marked.exact()?.members(), key)?;
                marked = marked.part(position)?;
            }
            let is_plain = !matches!(marked.exact()?.shape(), Shape::Array(_) | Shape::Object(_));
            (is_plain && !marked.is_unknown()).then(|| value(self, part, &mut Vec::new(), marked))
        })
    }

    /// The `change` of this resource or output.
    pub(super) fn change(&self) -> Value {
        Value::Map(Map::lazy(Record { place: self.clone(), fields: &CHANGE }))
    }

    /// A part of the item.
    pub(super) fn value(&self, part: Field, marked: Option<Marked<'_, '_>>) -> Value {
        // That there is nothing is no secret.
        match marked.filter(|marked| marked.exact().is_some_and(|view| !view.is_null())) {
            Some(marked) => value(self, part, &mut Vec::new(), marked),
            None => Value::Null,
        }
    }

    /// The value of a wholly unknown part: undefined for policies.
    pub(super) fn unknown(&self) -> Value {
        self.unknown_as(&Value::undefined(), "")
    }

    /// An unknown part, for which policies get `seen`.
    pub(super) fn unknown_as(&self, seen: &Value, part: &str) -> Value {
        let document = self.context.documents.document(self.kind);
        let key = document.items(self.kind, |items| items.key(self.index as usize).to_owned());
        let kind = match self.kind {
            CollectionKind::OutputChanges | CollectionKind::PlannedOutputs | CollectionKind::Outputs => {
                "output "
            }
            _ => "",
        };
        let suffix = if part.is_empty() { "" } else { " of " };
        Value::unknown(seen, &format!("{part}{suffix}{kind}{}", key.unwrap_or_default()))
    }

    /// The arguments of a block.
    pub(super) fn expressions(&self, part: Field, expressions: &Expressions<'_>) -> Value {
        let Some(view) = expressions.exact() else { return Value::Map(Map::default()) };
        if expressions.may_be_sensitive() {
            self.context.noted.secret();
            if let Some(replacement) = self.context.hiding {
                return hidden(&Redacted(expressions), replacement);
            }
        }
        self.value(part, Some(Marked::plain(view)))
    }

    /// A member of the document with other values in place of what is sensitive, if that is what the run sees.
    pub(super) fn hidden_in_raw(&self) -> Option<Value> {
        let RunContext { documents, hiding, noted, .. } = &*self.context;
        // In the raw plan marks are beside the values, so that any part of it that a policy reads may be secret.
        noted.secret();
        let replacement = (*hiding)?;
        let document = documents.document(self.kind);
        let key = document.items(self.kind, |items| items.key(self.index as usize).to_owned()).ok()?;
        let Value::Map(member) =
            document.plan(|plan| hidden(&Redacted(&plan.raw.only(&key)), replacement))?
        else {
            return None;
        };
        member.get(&key)
    }

    /// The item of another collection with a key.
    pub(super) fn item(&self, kind: CollectionKind, key: &str) -> Value {
        self.context
            .documents
            .find(kind, key)
            .map_or_else(Value::undefined, |position| self.context.item(kind, position))
    }

    pub(super) fn failed(&self, error: DocumentError) -> Value {
        self.context.noted.failed(error);
        Value::undefined()
    }
}
