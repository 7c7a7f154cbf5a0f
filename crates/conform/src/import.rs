//! Checks imported objects, objects moved from another type, and the configuration generated for them.

use objchange::Value;
use objchange::change::{Diagnostic, Severity};
use objchange::schema::Block;
use objchange::value::{Descend, Path, PathStep};
use objchange_provider::{Component, ProviderExt, Result};
use objchange_provider::{ImportResource, ImportTarget, MoveResource, RawState};

use super::flow::{Flow, Saved};
use super::objects::unsound;
use super::{Clause, Finding};
use objchange_explain::sentences::{NO_IMPORT_TYPE, OTHER_IMPORT_TYPE, SEVERAL_IMPORTED, mismatched};

/// The most other types that a move is tried from.
const MAX_MOVE_SOURCES: usize = 8;

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

/// The attributes that a generated configuration sets although only the provider may.
fn computed_set(block: &Block, config: &Value) -> Vec<Path> {
    let mut found: Vec<Path> = Vec::new();
    config.visit(|path, part| {
        let path = path.to_path();
        let is_name = matches!(path.steps().last(), Some(PathStep::Attribute(_)));
        let attribute = if is_name { block.attribute_by_path(&path) } else { None };
        if attribute.is_some_and(|attribute| attribute.computed && !attribute.optional) {
            let path = block.hide_keys(&path);
            if !part.is_null() && !found.contains(&path) {
                found.push(path);
            }
            return Descend::Over;
        }
        Descend::Into
    });
    found
}

/// The path of the first unknown part.
fn unknown_part(object: &Value) -> Option<Path> {
    let mut found = None;
    object.visit(|path, part| {
        if !part.is_known() {
            found.get_or_insert_with(|| path.to_path());
        }
        if part.is_wholly_known() || found.is_some() { Descend::Over } else { Descend::Into }
    });
    found
}

impl Flow<'_> {
    /// Imports an object by its import identifier, if known, and by its identity, if it has one.
    pub(super) async fn check_import(&mut self, saved: &Saved, id: Option<&str>) -> Option<()> {
        let id = id.or_else(|| saved.object.attribute("id").and_then(Value::as_str)).map(str::to_owned);
        let by_id = id.map(ImportTarget::Id);
        let by_identity =
            saved.identity.clone().filter(|identity| !identity.is_null()).map(ImportTarget::Identity);
        for target in [by_id, by_identity].into_iter().flatten() {
            self.check_import_by(saved, target).await?;
        }
        Some(())
    }

    async fn check_import_by(&mut self, saved: &Saved, target: ImportTarget) -> Option<()> {
        let is_by_identity = matches!(target, ImportTarget::Identity(_));
        let object = saved.object.unmark_deep().0;
        let request = ImportResource { type_name: self.type_name.into(), target, deferral_allowed: false };
        let answer = match self.provider.import(&request).await {
            // A resource type need not support import.
            Err(error) if error.is_unimplemented() => return Some(()),
            answer => self.answer_or_finding(answer, Clause::I9)?,
        };
        if has_errors(&answer.diagnostics) {
            return Some(());
        }
        if !self.is_decided(answer.deferred.is_some()) {
            return None;
        }
        let [imported] = &answer.resources[..] else {
            let count = answer.resources.len();
            let message = format!("{count} objects are imported, and one is wanted");
            let finding = Finding::new(Clause::I1, "import_count", Path::root(), message);
            self.add_finding(if count == 0 { finding } else { finding.with_summary(SEVERAL_IMPORTED) });
            return None;
        };
        if imported.type_name != self.type_name {
            let (name, clause) = (&imported.type_name, Clause::I2);
            self.add_finding(match name.is_empty() {
                true => Finding::new(
                    clause,
                    "import_without_type",
                    Path::root(),
                    "an object of no type is imported",
                )
                .with_summary(NO_IMPORT_TYPE),
                false => {
                    let message = format!("an object of type {name} is imported");
                    let finding = Finding::new(clause, "import_type", Path::root(), message);
                    // Terraform imports an object of another type of the provider without an error.
                    match self.schemas.resources.contains_key(name.as_str()) {
                        true => finding.unnoticed(),
                        false => finding.with_summary(format!("{OTHER_IMPORT_TYPE} {name:?}")),
                    }
                }
            });
            return None;
        }
        let identity = imported.identity.as_ref().filter(|identity| !identity.is_null());
        if is_by_identity && identity.is_none() {
            let message = "what is imported by its identity comes without one";
            self.add_finding(Finding::new(Clause::I3, "import_without_identity", Path::root(), message));
            return None;
        }
        if !self.identity_is_sound(identity, Clause::I3, false) {
            return None;
        }
        let found = match imported.object.as_ref().filter(|object| !object.is_null()) {
            Some(found) => found.clone(),
            // Terraform 1.12 imports by identity, and then the object may be null: reading fills it.
            None if is_by_identity => self.block.empty_value().clone(),
            None => {
                let message = "the imported object is null";
                self.add_finding(Finding::new(Clause::I5, "import_null", Path::root(), message));
                return None;
            }
        };
        self.learn(&found);
        // Unknown parts are checked after the object was read.
        let faults = unsound(self.block, &found, [Clause::R1, Clause::I9, Clause::I4]);
        let faults: Vec<_> = faults.into_iter().filter(|finding| finding.clause != Clause::R1).collect();
        if !faults.is_empty() {
            faults.into_iter().for_each(|finding| self.add_finding(finding));
            return None;
        }
        let unknown = unknown_part(&self.block.mark_hidden(&found));
        let (private, identity) = (imported.private.clone(), imported.identity.clone());
        let question = self.read_request(&Saved { object: found, private, identity });
        let answer = self.provider.read(&question).await;
        let answer = self.answer_or_finding(answer, Clause::R2)?;
        let what = "the provider does not read the object that it has imported";
        if self.fails(&answer.diagnostics, (Clause::R6, "import_read_failed"), what)
            || !self.is_decided(answer.deferred.is_some())
        {
            return None;
        }
        let Some(read) = answer.object.filter(|read| !read.is_null()) else {
            let message = "the imported object cannot be read";
            self.add_finding(Finding::new(Clause::I6, "import_gone", Path::root(), message));
            return None;
        };
        self.learn(&read);
        let is_sound = self.is_sound(&read, [Clause::R1, Clause::R2, Clause::R3])
            && self.identity_is_sound(answer.identity.as_ref(), Clause::R4, false);
        if let Some(path) = unknown.filter(|_| is_sound) {
            let message = "this is unknown in the object that is imported";
            self.add_finding(Finding::new(Clause::I8, "import_unknown", path, message));
        }
        if is_sound && self.stored(&read) != self.stored(&object) {
            let message = "an object that is imported and read is not what was applied";
            self.report_difference(Clause::I7, "import_differs", &object, &read, message);
        }
        is_sound.then_some(())
    }

    /// Moves the object here as if it came from this type in another provider, or from a type with equal attributes.
    /// Only the provider knows which types it can move from, so a refusal is not a fault.
    pub(super) async fn check_move(&mut self, saved: &Saved) -> Option<()> {
        if !self.capabilities.move_state {
            return Some(());
        }
        let object = saved.object.unmark_deep().0;
        let json = object.to_json(self.block.implied_type()).ok()?;
        let implied = self.block.implied_type();
        let alike = self.schemas.resources.iter().filter(|(name, schema)| {
            name.as_str() != self.type_name && schema.block.implied_type() == implied
        });
        let others = alike.take(MAX_MOVE_SOURCES).map(|(name, schema)| (name.to_string(), schema.version));
        let own = (self.type_name.to_owned(), self.version);
        let sources: Vec<_> = std::iter::once(own).chain(others).collect();
        for (source_type, source_version) in sources {
            let request = MoveResource {
                // Terraform keeps the namespace `-` for addresses from before 0.13, so no current provider has this address.
                source_provider: "registry.terraform.io/-/this".into(),
                source_type,
                source_version,
                source: RawState::json(json.clone()),
                source_private: saved.private.clone(),
                source_identity: None,
                type_name: self.type_name.into(),
            };
            let answer = match self.provider.move_state(&request).await {
                Err(error) if error.is_unimplemented() => return Some(()),
                answer => self.answer_or_finding(answer, Clause::M2)?,
            };
            if has_errors(&answer.diagnostics) {
                continue;
            }
            let Some(moved) = answer.object.filter(|moved| !moved.is_null()) else {
                let message = "the object is moved to nothing, and no error says why";
                self.add_finding(
                    Finding::new(Clause::M1, "moved_to_nothing", Path::root(), message).unnoticed(),
                );
                return Some(());
            };
            self.learn(&moved);
            let is_sound = self.is_sound(&moved, [Clause::M1, Clause::M2, Clause::M3])
                && self.identity_is_sound(answer.identity.as_ref(), Clause::M4, false);
            return is_sound.then_some(());
        }
        Some(())
    }

    /// Asks the provider to generate a configuration for the object, and plans with it.
    pub(super) async fn check_generated_config(&mut self, saved: &Saved) -> Result<Option<()>> {
        if !self.capabilities.generate_config {
            return Ok(Some(()));
        }
        let object = saved.object.unmark_deep().0;
        let answer = match self.provider.generate_config(self.type_name, &object).await {
            Err(error) if error.is_unimplemented() => return Ok(Some(())),
            answer => self.answer_or_finding(answer, Clause::G1),
        };
        let Some(answer) = answer else { return Ok(None) };
        if has_errors(&answer.diagnostics) {
            return Ok(Some(()));
        }
        let Some(config) = answer.object.filter(|config| !config.is_null()) else {
            let message = "no configuration is generated, and no error says why";
            self.add_finding(Finding::new(Clause::G1, "nothing_generated", Path::root(), message));
            return Ok(None);
        };
        self.learn(&config);
        let ty = self.block.implied_type();
        if let Some(mismatch) = config.ty().mismatches(ty).first() {
            let path = self.block.hide_keys(&mismatch.path);
            let message = "the configuration is not of the type that the schema says";
            let said = mismatched(mismatch, config.ty(), ty);
            self.add_finding(Finding::new(Clause::G1, "wrong_type", path, message).with_summary_only(said));
            return Ok(None);
        }
        let computed = computed_set(self.block, &config);
        if !computed.is_empty() {
            for path in computed {
                let message = "the generated configuration sets what only the provider sets";
                self.add_finding(Finding::new(Clause::G1, "computed_set", path, message).unnoticed());
            }
            return Ok(Some(()));
        }
        if !config.is_wholly_known() {
            let message = "something of the generated configuration is unknown";
            self.add_finding(Finding::new(Clause::G1, "unknown", Path::root(), message));
            return Ok(None);
        }
        let validated = self.provider.validate(Component::Resource, self.type_name, &config).await;
        let Some(diagnostics) = self.answer_or_finding(validated, Clause::T1) else { return Ok(None) };
        if has_errors(&diagnostics) {
            let message = "the provider does not take the configuration that it has generated itself";
            self.add_finding(Finding::new(Clause::G2, "generated_invalid", Path::root(), message));
            return Ok(Some(()));
        }
        self.when =
            Some("when the configuration is planned that the provider writes for the object".to_owned());
        let change = self.plan(saved, &config, Default::default(), Clause::P2).await;
        self.when = None;
        let Some(change) = change? else { return Ok(None) };
        let how = (Clause::G2, "generated_differs");
        self.report_remaining_change(&change, &config, how, "with the configuration that was generated");
        Ok(Some(()))
    }
}
