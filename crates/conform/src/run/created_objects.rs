//! Objects that a run created and has not destroyed yet.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use objchange::Value;
use objchange::change::{AppliedResource, ApplyResourceChange, PrivateData};
use objchange::schema::Block;
use objchange::value::Kind;

/// Objects that were created and may still exist.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct LeftoverObject {
    /// Its resource type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Its identifier, where it has one that is not a secret.
    pub id: Option<String>,
    /// Why it was not destroyed.
    pub reason: &'static str,
    /// The number of objects that this describes.
    pub count: u64,
}

/// Objects that a run created and has not destroyed yet. All clones share one list.
#[derive(Clone, Default)]
pub struct CreatedObjects(Arc<Mutex<Vec<Thing>>>);

/// An object that may exist.
#[derive(Clone)]
struct Thing {
    /// The worker that created it.
    owner: usize,
    type_name: String,
    id: Option<String>,
    /// The object; `None` if its creation was not answered.
    object: Option<Object>,
    /// Why it could not be destroyed, if that was tried.
    reason: Option<&'static str>,
}

/// The data that destroying an object needs.
#[derive(Clone)]
pub(super) struct Object {
    pub(super) type_name: String,
    pub(super) value: Value,
    pub(super) private: PrivateData,
    pub(super) identity: Option<Value>,
}

/// The objects may hold secrets.
impl std::fmt::Debug for CreatedObjects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreatedObjects").field("count", &self.things().len()).finish()
    }
}

const NO_ANSWER: &str = "its creation was not answered as it should be";
const NO_TIME: &str = "there was no time left to destroy it";

impl CreatedObjects {
    fn things(&self) -> MutexGuard<'_, Vec<Thing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All objects that may still exist.
    pub fn left(&self) -> Vec<LeftoverObject> {
        let mut all: Vec<LeftoverObject> = Vec::new();
        for thing in self.things().iter() {
            let reason = match (&thing.object, thing.reason) {
                (_, Some(reason)) => reason,
                (None, None) => NO_ANSWER,
                (Some(_), None) => NO_TIME,
            };
            let left =
                LeftoverObject { type_name: thing.type_name.clone(), id: thing.id.clone(), reason, count: 1 };
            match all.iter_mut().find(|other| LeftoverObject { count: 1, ..(**other).clone() } == left) {
                Some(other) => other.count += 1,
                None => all.push(left),
            }
        }
        all.sort_by(|a, b| (&a.type_name, &a.id, a.reason).cmp(&(&b.type_name, &b.id, b.reason)));
        all
    }

    /// Records an object before the call that creates it: a provider that crashes may have created it.
    pub(super) fn begun(&self, owner: usize, type_name: &str, request: &ApplyResourceChange) {
        if request.prior.is_null() && !request.planned.is_null() {
            let type_name = type_name.to_owned();
            self.things().push(Thing { owner, type_name, id: None, object: None, reason: None });
        }
    }

    /// Notes the answer.
    pub(super) fn answered(
        &self,
        owner: usize,
        block: Option<&Block>,
        type_name: &str,
        request: &ApplyResourceChange,
        answer: &AppliedResource,
    ) {
        let mut things = self.things();
        let is_own = |thing: &Thing| thing.owner == owner && thing.type_name == type_name;
        let is_that =
            |thing: &Thing| thing.object.as_ref().is_some_and(|object| object.value == request.prior);
        let at = if request.prior.is_null() {
            // A worker creates one object after the other, so the one without an answer is meant.
            things.iter().rposition(|thing| is_own(thing) && thing.object.is_none())
        } else {
            let same = things.iter().rposition(|thing| is_own(thing) && is_that(thing));
            // The prior object may be another than that which was applied: reading has changed it.
            same.or_else(|| things.iter().rposition(|thing| is_own(thing) && thing.object.is_some()))
        };
        let Some(at) = at else { return };
        match &answer.new_state {
            Some(state) if !state.is_null() => {
                let thing = &mut things[at];
                thing.id = block.and_then(|block| id(block, state)).or(thing.id.take());
                thing.object = Some(Object {
                    type_name: type_name.to_owned(),
                    value: state.clone(),
                    private: answer.private.clone(),
                    identity: answer.identity.clone(),
                });
            }
            _ => drop(things.remove(at)),
        }
    }

    /// The next object of a worker to destroy. Each is returned once.
    pub(super) fn next(&self, owner: usize) -> Option<Object> {
        let mut things = self.things();
        let is_next =
            |thing: &&mut Thing| thing.owner == owner && thing.reason.is_none() && thing.object.is_some();
        let thing = things.iter_mut().find(is_next)?;
        // Reported if the run ends before `ended` is called.
        thing.reason = Some(NO_TIME);
        thing.object.clone()
    }

    /// Records that an object is gone, or why not.
    pub(super) fn ended(&self, owner: usize, object: &Object, how: Result<(), &'static str>) {
        let mut things = self.things();
        let is_it = |thing: &Thing| {
            let known = thing.object.as_ref();
            thing.owner == owner
                && thing.type_name == object.type_name
                && thing.reason.is_some()
                && known.is_some_and(|known| known.value == object.value)
        };
        let Some(at) = things.iter().rposition(is_it) else { return };
        match how {
            Ok(()) => drop(things.remove(at)),
            Err(reason) => {
                things[at].reason = Some(reason);
                // Without its object, it is not destroyed again.
                things[at].object = None;
            }
        }
    }
}

/// The identifier of an object, unless it is secret.
fn id(block: &Block, object: &Value) -> Option<String> {
    let marked = block.mark_hidden(object);
    match marked.attribute("id").or_else(|| marked.attribute("name")).filter(|id| !id.is_marked())?.kind() {
        Kind::String(text) => Some(text.to_owned()),
        Kind::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
