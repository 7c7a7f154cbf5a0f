//! The inputs of planning a change.

use hashbrown::HashSet;

use super::{PlanChangeError, PlanRequest, PlannedChange};
use crate::change::Action;
use crate::change::ignore_changes::ignore_changes;
use crate::change::mark_propagation::Carried;
use crate::schema::{Block, Marked};
use crate::value::{Marks, Path, Value};

/// The two objects that a change is planned from, with their marks and without.
pub(super) struct Sides {
    pub(super) schema: Block,
    /// The prior object, marked as it is given and as the schema says.
    pub(super) before: Value,
    pub(super) prior: Value,
    /// The configuration as it is written, and its marks.
    pub(super) config: Value,
    written_marks: Vec<(Path, Marks)>,
    /// The configuration with ignored parts as they were, unless the object is replaced.
    pub(super) ignoring: Value,
    /// The configuration with its marks.
    configured: Value,
    config_marks: Vec<(Path, Marks)>,
    prior_marks: Vec<(Path, Marks)>,
    pub(super) carried: Carried,
}

impl Sides {
    pub(super) fn new(request: &PlanRequest) -> Result<Self, PlanChangeError> {
        let PlanRequest { schema, prior, config, .. } = request;
        if !config.is_known() {
            return Err(PlanChangeError::UnknownConfig);
        }
        let implied = schema.implied_type();
        let prior = match prior.ty() == implied && !implied.has_dynamic() {
            true => prior.clone(),
            false => schema.coerce_config(prior).map_err(PlanChangeError::Prior)?,
        };
        let config = schema.coerce_config(config).map_err(PlanChangeError::Config)?;
        let before = schema.mark_hidden(&prior);
        let carried = Carried::new(&prior);
        let configured = carried.mark(&config);
        // A tainted object is planned for as if it were not there.
        let ignoring = match request.lifecycle.tainted {
            true => config.clone(),
            false => ignore_changes(schema, &prior, &config, &request.lifecycle.ignore_changes),
        };
        let (ignoring, config_marks) = ignoring.unmark_deep_with_paths();
        let (prior, prior_marks) = prior.unmark_deep_with_paths();
        let (config, written_marks) = config.unmark_deep_with_paths();
        let schema = schema.clone();
        Ok(Self {
            schema,
            before,
            prior,
            config,
            written_marks,
            ignoring,
            configured,
            config_marks,
            prior_marks,
            carried,
        })
    }

    /// Continues for the new object of a replacement, which ignores nothing. Terraform marks it like the
    /// ignored configuration, so that a new secret in the configuration would be shown: here both marks apply.
    /// A value that the prior object shows is not a new secret.
    pub(super) fn ignore_nothing(&mut self) {
        self.ignoring = self.config.clone();
        let is_new = |path: &Path| match (self.config.at(path), self.prior.at(path)) {
            (Some(configured), Some(prior)) => !configured.definitely_equals(prior),
            _ => true,
        };
        let new = self.written_marks.iter().filter(|(path, _)| is_new(path));
        self.config_marks.extend(new.cloned());
    }

    /// The marks that the configuration gives an object, as it is planned.
    pub(super) fn config_marks(&self) -> &[(Path, Marks)] {
        &self.config_marks
    }

    /// The prior object and the configuration, with their marks.
    pub(super) fn marked(&self) -> [&Value; 2] {
        [&self.before, &self.configured]
    }

    pub(super) fn nothing(&self) -> Value {
        Value::null(self.schema.implied_type().clone())
    }

    /// A planned or proposed object with the marks of configuration and of the schema.
    pub(super) fn mark(&self, value: &Value) -> Value {
        let value = value.mark_where_present(&self.config_marks);
        if self.prior_marks.is_empty() {
            // The object before has just the schema's marks, and unchanged parts have theirs already.
            self.schema.mark_hidden_like(&value, Marked { plain: &self.prior, marked: &self.before })
        } else {
            self.schema.mark_hidden(&value)
        }
    }

    /// The prior and the planned object as they are shown: repeats of a secret in the prior object are
    /// hidden in both.
    ///
    /// A repeat that becomes unknown stays hidden; it is not reported as a part that lost its mark.
    pub(super) fn show(&self, planned: Value) -> (Value, Value) {
        let before = self.carried.mark(&self.before);
        if before.same_sensitive_parts(&self.before) {
            return (before, planned);
        }
        let becomes_unknown = |path: &Path| planned.at(path).is_some_and(|value| !value.is_known());
        let (_, mut hidden) = before.unmark_deep_with_paths();
        let (_, own) = self.before.unmark_deep_with_paths();
        let own: HashSet<Path> = own.into_iter().map(|(path, _)| path).collect();
        hidden.retain(|(path, _)| !own.contains(path) && becomes_unknown(path));
        let planned = planned.mark_where_present(&hidden);
        (before, planned)
    }

    /// The outermost paths that are marked before, and present but not marked after.
    pub(super) fn no_longer_sensitive(&self, after: &Value) -> Vec<Path> {
        let is_shown = |path: &&Path| {
            let mut at = Some(after);
            for step in path.steps() {
                at = at.filter(|value| !value.is_marked()).and_then(|value| value.step(step));
            }
            at.is_some_and(|value| !value.is_marked() && !value.is_null())
        };
        let mut outermost: Vec<&Path> = Vec::new();
        for (path, marks) in &self.prior_marks {
            // Paths are sorted, so a part comes right after the one around it. Parts inside are skipped,
            // because their keys are hidden.
            let is_inside = outermost.last().is_some_and(|outer| path.starts_with(outer));
            if !is_inside && marks.contains(Marks::SENSITIVE) {
                outermost.push(path);
            }
        }
        outermost.into_iter().filter(is_shown).cloned().collect()
    }

    /// The planned change if nothing is configured: the object, if any, is deleted.
    pub(super) fn without_config(self, request: &PlanRequest) -> PlannedChange {
        let gone = self.nothing();
        PlannedChange {
            action: if self.prior.is_null() { Action::NoOp } else { Action::Delete },
            replace_reason: None,
            may_replace: false,
            before: self.before,
            after: gone.clone(),
            proposed: gone,
            no_longer_sensitive: Vec::new(),
            configured_marks: Vec::new(),
            violations: Vec::new(),
            at_apply: Vec::new(),
            legacy_type_system: false,
            private: request.private.clone(),
            identity: request.identity.clone(),
            deferred: None,
            diagnostics: Vec::new(),
        }
    }
}
