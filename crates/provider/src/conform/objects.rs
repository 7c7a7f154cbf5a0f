//! What is done with an object that is there: reading it, upgrading it, importing it.

use objchange::Value;
use objchange::schema::Block;
use objchange::value::{Descend, Path, PathStep, TypeMismatch};

use super::flow::{Flow, Saved};
use super::{Clause, Finding};
use crate::call::{ImportResource, ImportTarget, RawState, ReadResource, UpgradeResource};

impl Flow<'_> {
    fn question(&self, saved: &Saved) -> ReadResource {
        ReadResource {
            type_name: self.type_name.into(),
            state: saved.object.unmark_deep().0,
            private: saved.private.clone(),
            identity: saved.identity.clone(),
            deferral_allowed: false,
        }
    }

    fn is_sound(&mut self, object: &Value, clauses: [Clause; 3]) -> bool {
        let found = unsound(&self.schema.block, object, clauses);
        let is_sound = found.is_empty();
        self.judgement.findings.extend(found);
        is_sound
    }

    fn differs(&mut self, clause: Clause, kind: &str, was: &Value, is: &Value, message: &str) {
        let (was, is) = (self.schema.block.mark_hidden(was), self.schema.block.mark_hidden(is));
        let mut path = None;
        was.visit(|at, part| {
            let now = is.at(&at.to_path());
            if path.is_some() || now.is_some_and(|now| now.identical(part)) {
                return Descend::Over;
            }
            let goes_on =
                !part.is_marked() && part.as_elements().is_none() && now.is_some_and(|now| !now.is_null());
            if goes_on && (part.as_object().is_some() || part.as_map().is_some()) {
                return Descend::Into;
            }
            path = Some(at.to_path());
            Descend::Over
        });
        self.find(Finding::new(clause, kind, path.unwrap_or_default(), message));
    }

    /// A stored object of the present version.
    pub(super) async fn upgraded(&mut self, saved: &Saved) -> Option<()> {
        let object = saved.object.unmark_deep().0;
        let json = object.to_json(self.schema.block.implied_type()).ok()?;
        let request = UpgradeResource {
            type_name: self.type_name.into(),
            version: self.schema.version,
            stored: RawState::json(json),
        };
        let answer = self.provider.upgrade(&request).await;
        let answer = self.told(answer, Clause::U2)?;
        if self.refuses(&answer.diagnostics) {
            return None;
        }
        let upgraded = answer.object.unwrap_or_else(|| Value::null(object.ty().clone()));
        if !self.is_sound(&upgraded, [Clause::U1, Clause::U2, Clause::U3]) {
            return None;
        }
        if upgraded != object {
            let message = "a stored object of the present version is not upgraded to itself";
            self.differs(Clause::U4, "upgrade_changed", &object, &upgraded, message);
        }
        Some(())
    }

    /// Reads an object twice, right after it was applied.
    pub(super) async fn read_back(&mut self, saved: &mut Saved) -> Option<()> {
        let object = saved.object.unmark_deep().0;
        for _ in 0..2 {
            let answer = self.provider.read(&self.question(saved)).await;
            let answer = self.told(answer, Clause::R2)?;
            if self.refuses(&answer.diagnostics) {
                return None;
            }
            let read = answer.object.unwrap_or_else(|| Value::null(object.ty().clone()));
            if !self.is_sound(&read, [Clause::R1, Clause::R2, Clause::R3]) {
                return None;
            }
            if read != object {
                let message = "what is read right after apply is not what was applied";
                self.differs(Clause::R5, "drift", &object, &read, message);
                break;
            }
            saved.private = answer.private;
        }
        Some(())
    }

    /// Imports an object by its `id`, where it has one, and reads it.
    pub(super) async fn imported(&mut self, saved: &Saved) -> Option<()> {
        let object = saved.object.unmark_deep().0;
        let Some(id) = object.attribute("id").and_then(Value::as_str) else { return Some(()) };
        let target = ImportTarget::Id(id.to_owned());
        let request = ImportResource { type_name: self.type_name.into(), target, deferral_allowed: false };
        let answer = match self.provider.import(&request).await {
            // Not every type can be imported.
            Err(error) if error.is_unimplemented() => return Some(()),
            answer => self.told(answer, Clause::I4)?,
        };
        if answer.diagnostics.iter().any(|d| d.severity == objchange::change::Severity::Error) {
            return Some(());
        }
        let [imported] = &answer.resources[..] else {
            let count = answer.resources.len();
            let message = format!("{count} objects are imported, and one is wanted");
            let mut finding = Finding::new(Clause::I1, "import_count", Path::root(), message);
            let said = if count == 0 {
                "Import returned no resources"
            } else {
                "Multiple import states not supported"
            };
            finding.terraform = Some(said.into());
            self.find(finding);
            return None;
        };
        if imported.type_name != self.type_name {
            let message = format!("an object of type {} is imported", imported.type_name);
            self.find(Finding::new(Clause::I2, "import_type", Path::root(), message));
            return None;
        }
        let Some(found) = imported.object.as_ref().filter(|object| !object.is_null()) else {
            self.find(Finding::new(Clause::I5, "import_null", Path::root(), "the imported object is null"));
            return None;
        };
        if !self.is_sound(found, [Clause::I4, Clause::I4, Clause::I4]) {
            return None;
        }
        let (private, identity) = (imported.private.clone(), imported.identity.clone());
        let question = self.question(&Saved { object: found.clone(), private, identity });
        let answer = self.provider.read(&question).await;
        let answer = self.told(answer, Clause::R2)?;
        let Some(read) = answer.object.filter(|read| !read.is_null()) else {
            let message = "the imported object cannot be read";
            self.find(Finding::new(Clause::I6, "import_gone", Path::root(), message));
            return None;
        };
        if self.is_sound(&read, [Clause::R1, Clause::R2, Clause::R3]) && read != object {
            let message = "an object that is imported and read is not what was applied";
            self.differs(Clause::I7, "import_differs", &object, &read, message);
        }
        Some(())
    }
}

/// The path up to the first part that is marked: what is inside has keys that nobody may see.
fn shown(marked: &Value, path: &Path) -> Path {
    let mut shown = Path::root();
    for step in path.steps() {
        if marked.at(&shown).is_none_or(Value::is_marked) {
            break;
        }
        shown = shown.steps().iter().chain([step]).cloned().collect();
    }
    shown
}

/// Why an object cannot be kept: what is unknown in it, its type, what of it is write-only.
pub(super) fn unsound(
    block: &Block,
    object: &Value,
    [unknown, wrong_type, write_only]: [Clause; 3],
) -> Vec<Finding> {
    let mismatches = object.ty().mismatches(block.implied_type());
    if !mismatches.is_empty() {
        let finding = |mismatch: &TypeMismatch| {
            // What is not of the type may hold names that are content.
            let names =
                mismatch.path.steps().iter().take_while(|step| matches!(step, PathStep::Attribute(_)));
            let path: Path = names.cloned().collect();
            let message = format!("{path}: the object is not of the type that the schema says");
            Finding::new(wrong_type, "wrong_type", path, message)
        };
        return mismatches.iter().map(finding).collect();
    }
    let mut findings = Vec::new();
    let marked = block.mark_hidden(object);
    for path in block.write_only_paths(object) {
        if object.at(&path).is_some_and(|value| !value.is_null()) {
            let path = shown(&marked, &path);
            let message = format!("{path}: a write-only attribute must be null");
            findings.push(Finding::new(write_only, "write_only_not_null", path, message));
        }
    }
    marked.visit(|path, part| {
        if !part.is_known() {
            let path = path.to_path();
            let message = format!("{path}: all values must be known here");
            findings.push(Finding::new(unknown, "unknown", path, message));
        }
        if part.is_wholly_known() { Descend::Over } else { Descend::Into }
    });
    findings
}
