//! Checks that an object can be upgraded and read.

use objchange::Value;
use objchange::schema::Block;
use objchange::value::{Descend, Kind, Path, PathStep, TypeMismatch};
use objchange_provider::Schemas;
use objchange_provider::{ProviderExt, RawState, ReadResource, UpgradeResource};

use super::flow::{Flow, Saved};
use super::{Clause, Finding};
use objchange_explain::sentences::{IDENTITY_TYPE, WRITE_ONLY, lacking, mismatched};

/// A part of Terraform's message about a part that must be known.
const UNKNOWN: &str = "The returned state contains unknown values";

impl Flow<'_> {
    pub(super) fn read_request(&self, saved: &Saved) -> ReadResource {
        ReadResource {
            type_name: self.type_name.into(),
            state: saved.object.unmark_deep().0,
            private: saved.private.clone(),
            identity: saved.identity.clone(),
            deferral_allowed: false,
        }
    }

    /// Whether an object can be saved. Reports faults. The clauses are those for unknown parts, types and write-only values.
    pub(super) fn is_sound(&mut self, object: &Value, clauses: [Clause; 3]) -> bool {
        let found = unsound(self.block, object, clauses);
        let is_sound = found.is_empty();
        found.into_iter().for_each(|finding| self.add_finding(finding));
        is_sound
    }

    /// The object after a round trip through a state file.
    pub(super) fn stored(&self, object: &Value) -> Value {
        let (object, ty) = (object.unmark_deep().0, self.block.implied_type());
        // A state file has decimal texts, so a double and its shortest text are one number there.
        let stored = object.to_json(ty).ok().and_then(|json| Value::from_json(&json, ty).ok());
        stored.unwrap_or(object)
    }

    pub(super) fn report_difference(
        &mut self,
        clause: Clause,
        kind: &str,
        was: &Value,
        is: &Value,
        message: &str,
    ) {
        let (was, is) = (self.block.mark_hidden(was), self.block.mark_hidden(is));
        let path = first_difference(&was, &is).unwrap_or_default();
        self.add_finding(Finding::new(clause, kind, path, message));
    }

    /// Whether an answer is not deferred. Reports a deferral, which was not allowed.
    pub(super) fn is_decided(&mut self, is_deferred: bool) -> bool {
        if is_deferred {
            let message = "the provider answers that it cannot tell yet, which was not allowed";
            self.add_finding(Finding::new(Clause::P2, "deferral_not_allowed", Path::root(), message));
        }
        !is_deferred
    }

    /// Whether an identity, if there is one, has its schema's type and is known. Reports faults.
    pub(super) fn identity_is_sound(
        &mut self,
        identity: Option<&Value>,
        clause: Clause,
        may_be_unknown: bool,
    ) -> bool {
        let found = identity_faults(self.schemas, self.type_name, identity, clause, may_be_unknown);
        let is_sound = found.is_empty();
        found.into_iter().for_each(|finding| self.add_finding(finding));
        is_sound
    }

    /// Checks that upgrading a stored object of the current schema version changes nothing.
    pub(super) async fn check_upgrade(&mut self, saved: &Saved) -> Option<()> {
        let object = saved.object.unmark_deep().0;
        let json = object.to_json(self.block.implied_type()).ok()?;
        let request = UpgradeResource {
            type_name: self.type_name.into(),
            version: self.version,
            stored: RawState::json(json),
        };
        let answer = self.provider.upgrade(&request).await;
        let answer = self.answer_or_finding(answer, Clause::U2)?;
        let what = "the provider does not upgrade the object that it has made";
        if self.fails(&answer.diagnostics, (Clause::U5, "upgrade_failed"), what) {
            return None;
        }
        let Some(upgraded) = answer.object.filter(|object| !object.is_null()) else {
            let message = "a stored object of the present version is upgraded to nothing";
            self.add_finding(Finding::new(Clause::U4, "upgraded_to_nothing", Path::root(), message));
            return Some(());
        };
        self.learn(&upgraded);
        if !self.is_sound(&upgraded, [Clause::U1, Clause::U2, Clause::U3]) {
            return None;
        }
        if self.stored(&upgraded) != self.stored(&object) {
            let message = "a stored object of the present version is not upgraded to itself";
            self.report_difference(Clause::U4, "upgrade_changed", &object, &upgraded, message);
        }
        Some(())
    }

    /// Reads an object twice, right after it was applied.
    pub(super) async fn check_read(&mut self, saved: &mut Saved) -> Option<()> {
        let object = saved.object.unmark_deep().0;
        for _ in 0..2 {
            let answer = self.provider.read(&self.read_request(saved)).await;
            let answer = self.answer_or_finding(answer, Clause::R2)?;
            let what = "the provider does not read the object that it has made";
            if self.fails(&answer.diagnostics, (Clause::R6, "read_failed"), what) {
                return None;
            }
            if !self.is_decided(answer.deferred.is_some()) {
                return None;
            }
            let Some(read) = answer.object.filter(|read| !read.is_null()) else {
                let message = "right after it was applied the object cannot be read";
                self.add_finding(Finding::new(Clause::R5, "gone", Path::root(), message));
                self.is_readable = false;
                return Some(());
            };
            self.learn(&read);
            if !self.is_sound(&read, [Clause::R1, Clause::R2, Clause::R3])
                || !self.identity_is_sound(answer.identity.as_ref(), Clause::R4, false)
            {
                return None;
            }
            let identities = saved.identity.as_ref().zip(answer.identity.as_ref());
            let is_other = identities.is_some_and(|(was, is)| !is.is_null() && was != is);
            if is_other {
                let message = "the identity that is read is not that of the object";
                self.add_finding(
                    Finding::new(Clause::R4, "identity_changed", Path::root(), message).unnoticed(),
                );
            }
            if self.stored(&read) != self.stored(&object) {
                let message = "what is read right after apply is not what was applied";
                self.report_difference(Clause::R5, "drift", &object, &read, message);
                break;
            }
            saved.private = answer.private;
            // A wrong identity would make all later calls wrong, too.
            if answer.identity.is_some() && !is_other {
                saved.identity = answer.identity;
            }
        }
        Some(())
    }
}

/// The first part that differs between two objects. Their secret parts must be marked.
pub(super) fn first_difference(was: &Value, is: &Value) -> Option<Path> {
    let mut path = None;
    was.visit(|at, part| {
        let now = is.at(&at.to_path());
        if path.is_some() || now.is_some_and(|now| now.identical(part)) {
            return Descend::Over;
        }
        let is_there = now.is_some_and(|now| !now.is_null() && now.is_known());
        let goes_on = !part.is_marked()
            && is_there
            && part.as_elements().is_none_or(|_| {
                // In a list of equal length some element differs.
                !matches!(part.kind(), Kind::Set(_)) && now.and_then(Value::len) == part.len()
            });
        let has_same_keys = || {
            part.as_map().is_none_or(|map| {
                let now = now.and_then(Value::as_map);
                now.is_some_and(|now| {
                    now.len() == map.len() && map.iter().all(|(key, _)| now.get(key).is_some())
                })
            })
        };
        if goes_on && part.len().is_some_and(|len| len > 0) && has_same_keys() {
            return Descend::Into;
        }
        path = Some(at.to_path());
        Descend::Over
    });
    path
}

/// The path up to the first marked part, because the keys inside of it are secret.
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

/// The faults that prevent saving an object: unknown parts, a wrong type, write-only values.
pub(super) fn unsound(
    block: &Block,
    object: &Value,
    [unknown, wrong_type, write_only]: [Clause; 3],
) -> Vec<Finding> {
    // First, because paths of the schema lead nowhere in an object of another type.
    let mismatches = object.ty().mismatches(block.implied_type());
    if !mismatches.is_empty() {
        let finding = |mismatch: &TypeMismatch| {
            // Where types differ, attribute names may come from content.
            let names =
                mismatch.path.steps().iter().take_while(|step| matches!(step, PathStep::Attribute(_)));
            let path: Path = names.cloned().collect();
            let message = "the object is not of the type that the schema says";
            let finding = Finding::new(wrong_type, "wrong_type", path, message);
            match lacking(mismatch) {
                Some(words) => finding.with_terraform_text(words),
                None => finding.with_summary_only(mismatched(mismatch, object.ty(), block.implied_type())),
            }
        };
        return mismatches.iter().map(finding).collect();
    }
    let mut findings = Vec::new();
    let marked = block.mark_hidden(object);
    for path in block.write_only_paths(object) {
        if object.at(&path).is_some_and(|value| !value.is_null()) {
            let path = shown(&marked, &path);
            let message = "a write-only attribute must be null";
            findings.push(
                Finding::new(write_only, "write_only_not_null", path, message)
                    .with_terraform_text(WRITE_ONLY),
            );
        }
    }
    marked.visit(|path, part| {
        if !part.is_known() {
            let path = path.to_path();
            let message = "all values must be known here";
            findings.push(Finding::new(unknown, "unknown", path, message).with_terraform_text(UNKNOWN));
        }
        if part.is_wholly_known() { Descend::Over } else { Descend::Into }
    });
    findings
}

/// The faults that prevent saving an identity.
pub(super) fn identity_faults(
    schemas: &Schemas,
    type_name: &str,
    identity: Option<&Value>,
    clause: Clause,
    may_be_unknown: bool,
) -> Vec<Finding> {
    let known = schemas.identities.get(type_name);
    let Some((schema, identity)) = known.zip(identity.filter(|identity| !identity.is_null())) else {
        return Vec::new();
    };
    let found = unsound(&schema.block, identity, [clause; 3]);
    let said = |finding: Finding| match finding.kind.as_str() {
        "unknown" => Finding { kind: "identity_unknown".into(), terraform: None, ..finding },
        _ => Finding { kind: "identity_type".into(), summary: None, ..finding }
            .with_terraform_text(IDENTITY_TYPE),
    };
    let matters = |finding: &Finding| !(may_be_unknown && finding.kind == "unknown");
    found.into_iter().filter(matters).map(said).collect()
}
