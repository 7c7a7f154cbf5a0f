//! Compares two plans, and makes the hash of one.
//!
//! ```text
//! ChangeSet ──steps──▶ Step ──canonical──▶ bytes ──▶ PlanHash
//!                        │                   │
//!                        └──pair──▶ two steps whose bytes differ ──values──▶ Comparison ──▶ text, JSON, Markdown
//! ```
//!
//! Both use the same bytes: plans have the same hash if and only if a comparison finds no difference.

mod address_map;
mod comparison;
mod error;
mod hash;
mod json;
mod markdown;
mod origin;
mod pair;
mod sets;
mod shown;
mod states;
mod steps;
mod text;
mod unmatched;
mod values;
mod words;

use hashbrown::HashMap;

pub use address_map::{AddressMap, AddressMapError};
pub use comparison::{
    ComparedSide, Comparison, ComparisonCounts, Difference, DifferenceKind, PlannedStep, StepActions,
    ValueDifference, ValueStep,
};
pub use error::{CompareError, ComparedPlan};
pub use hash::{HashForm, HashKey, HashKeyError, HashReport, HashedPlan, ParseHashError, PlanHash};
pub use origin::{OriginDifferences, ProviderDifference, SourceDifference, SourceDifferenceKind};
pub use shown::ShownValue;
pub use states::{ChangedObject, StateDifference, StateVersion, changed_objects};
pub use unmatched::unmatched_paths;

use self::address_map::Maps;
use self::pair::pair;
use self::shown::Hidden;
use self::steps::{Group, Identities, PlanStep, StepValues, steps};
use crate::canonical::{CanonicalWriter, Secrets};
use crate::ignore::{IgnoredPath, IgnoredPaths};
use objchange_document::ChangeSet;
use objchange_document::{Plan, Schemas, StatedMarks};

/// Options for comparing two plans.
#[derive(Debug, Clone, Default)]
pub struct CompareOptions {
    /// Addresses of the first plan that are others in the second. The first that names an address counts.
    pub maps: Vec<AddressMap>,
    /// Values that are not compared. An update of these alone is no change.
    pub ignored: Vec<IgnoredPath>,
}

impl<'t> Comparison<'t> {
    /// Compares what two plans do. Schemas tell which arrays are sets, whose elements have no order, and what else is
    /// sensitive.
    ///
    /// # Errors
    ///
    /// Planning failed, the actions of a resource are unknown, or a plan cannot be read.
    ///
    /// ```
    /// use objchange_document::{Plan, Schemas};
    /// use objchange_plan::Comparison;
    /// use objchange_plan::compare::{CompareOptions, ShownValue};
    ///
    /// let plan = |after: &str| {
    ///     format!(
    ///         r#"{{"format_version":"1.2","resource_changes":[{{"address":"disk.a","mode":"managed","type":"disk",
    ///         "name":"a","change":{{"actions":["create"],"before":null,{after},"before_sensitive":false,
    ///         "after_sensitive":{{}}}}}}]}}"#
    ///     )
    /// };
    /// let approved = plan(r#""after":{"size":10},"after_unknown":{"id":true}"#);
    /// let now = plan(r#""after":{"id":"d-1","size":20},"after_unknown":{}"#);
    /// let (approved, now) = (Plan::parse(&approved)?, Plan::parse(&now)?);
    /// let schemas = Schemas::none();
    /// let compared = Comparison::new(&approved, &now, &schemas, &CompareOptions::default())?;
    /// let [id, size] = &compared.resources[0].values[..] else { unreachable!() };
    /// assert_eq!((id.expected, size.expected), (true, false));
    /// assert_eq!(size.b, ShownValue::Number("20".into()));
    /// assert!(!compared.is_as_expected());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        a: &Plan<'t>,
        b: &Plan<'t>,
        schemas: &Schemas,
        options: &CompareOptions,
    ) -> Result<Self, CompareError> {
        let stated = |of: &Plan<'t>, plan| {
            StatedMarks::new(of).map_err(|error| CompareError::Document { plan, error })
        };
        let hidden = [stated(a, ComparedPlan::A)?, stated(b, ComparedPlan::B)?];
        let (a, b) = (&a.changes, &b.changes);
        let ignored = IgnoredPaths::new(&options.ignored);
        let maps = Maps::new(&options.maps);
        let steps_a = steps(a, ComparedPlan::A, &maps, schemas, &ignored)?;
        // Maps turn addresses of the first plan into those of the second one, which are left as they are.
        let steps_b = steps(b, ComparedPlan::B, &Maps::new(&[]), schemas, &ignored)?;
        let is_all = options.ignored.is_empty();
        let comparer = Comparer { a, b, hidden: &hidden, schemas, ignored: &ignored, is_all };
        let mut comparison = Self::default();
        let is_incomplete = |changes: &ChangeSet<'_>| changes.complete == Some(false);
        comparison.counts.incomplete = usize::from(is_incomplete(a) != is_incomplete(b));
        for (a, b) in pair(&steps_a, &steps_b) {
            let is_done = |step: Option<&PlanStep<'_, '_>>| step.is_some_and(|step| step.is_done);
            if !is_done(a) && !is_done(b) {
                continue;
            }
            let group = b.or(a).map(|step| step.group);
            match comparer.compare(a, b)? {
                Some(difference) => comparison.add(group, difference),
                None => comparison.counts.same += 1,
            }
        }
        comparison.unmatched.extend(maps.unused().map(|map| format!("map {map}")));
        comparison.unmatched.extend(ignored.unmatched().map(|path| format!("ignore {path}")));
        Ok(comparison)
    }

    fn add(&mut self, group: Option<Group>, difference: Difference<'t>) {
        let counts = &mut self.counts;
        *match difference.kind {
            DifferenceKind::OnlyInA => &mut counts.only_in_a,
            DifferenceKind::OnlyInB => &mut counts.only_in_b,
            DifferenceKind::OtherAction => &mut counts.other_action,
            DifferenceKind::OtherValues => &mut counts.other_values,
            DifferenceKind::Expected => &mut counts.expected,
        } += 1;
        match group {
            Some(Group::Output) => self.outputs.push(difference),
            Some(Group::Invocation) => self.invocations.push(difference),
            Some(Group::Drift) => self.drift.push(difference),
            Some(Group::Resource) | None => self.resources.push(difference),
        }
    }
}

/// Compares steps.
struct Comparer<'c, 't> {
    a: &'c ChangeSet<'t>,
    b: &'c ChangeSet<'t>,
    /// The marks of all sections of both plans.
    hidden: &'c [StatedMarks<'t>; 2],
    schemas: &'c Schemas,
    ignored: &'c IgnoredPaths,
    /// Nothing is ignored.
    is_all: bool,
}

impl<'t> Comparer<'_, 't> {
    /// Compares two steps, at least one of which changes something.
    fn compare(
        &self,
        a: Option<&PlanStep<'_, 't>>,
        b: Option<&PlanStep<'_, 't>>,
    ) -> Result<Option<Difference<'t>>, CompareError> {
        let is_left_alone = |step: &PlanStep<'_, '_>| !step.is_done && !step.is_ignored;
        let (kind, values) = match (a, b) {
            (Some(_), None) => (DifferenceKind::OnlyInA, Vec::new()),
            (None, Some(_)) => (DifferenceKind::OnlyInB, Vec::new()),
            (None, None) => return Ok(None),
            (Some(a), Some(b)) if is_left_alone(a) || is_left_alone(b) || a.header() != b.header() => {
                (DifferenceKind::OtherAction, self.values(a, b, false)?)
            }
            (Some(a), Some(b)) => {
                let mut writer = CanonicalWriter::new(Secrets::Included, self.ignored);
                let is_import_same = a.import(&mut writer) == b.import(&mut writer);
                if !is_import_same && !a.is_import_unknown() {
                    (DifferenceKind::OtherAction, self.values(a, b, true)?)
                } else {
                    let values = self.values(a, b, true)?;
                    match values.iter().all(|value| value.expected) {
                        true if values.is_empty() && is_import_same => return Ok(None),
                        true => (DifferenceKind::Expected, values),
                        false => (DifferenceKind::OtherValues, values),
                    }
                }
            }
        };
        let address = b.or(a).map(|step| step.own_address().clone()).unwrap_or_default();
        let planned = |step: Option<&PlanStep<'_, 't>>| step.map(PlanStep::planned);
        Ok(Some(Difference { address, kind, a: planned(a), b: planned(b), values }))
    }

    /// The identities and values that differ; of these only those after, if other things are done.
    fn values(
        &self,
        a: &PlanStep<'_, 't>,
        b: &PlanStep<'_, 't>,
        is_same_action: bool,
    ) -> Result<Vec<ValueDifference<'t>>, CompareError> {
        // An ignored path has to be looked for in equal values, too, because one that is found nowhere is reported.
        if self.is_all && a.is_written_alike(b) {
            return Ok(Vec::new());
        }
        let mut found = if is_same_action { self.identities(a, b)? } else { Vec::new() };
        if !a.has_values() || !b.has_values() {
            return Ok(found);
        }
        let values =
            [a.read(self.a, self.schemas, ComparedPlan::A)?, b.read(self.b, self.schemas, ComparedPlan::B)?];
        let mut writer = CanonicalWriter::new(Secrets::Included, self.ignored);
        let (a_step, b_step) = (a, b);
        let mut hidden = None;
        let mut differences = |writer: &mut CanonicalWriter<'_>, side| {
            let [a, b] = values.each_ref().map(|values| match side {
                ComparedSide::Before => values.before(writer),
                _ => values.after(writer),
            });
            if a.bytes() == b.bytes() {
                return Vec::new();
            }
            // Only a difference that is shown needs the marks, and most steps have no difference.
            let hidden = hidden.get_or_insert_with(|| {
                let mut hidden = Hidden::default();
                values.iter().for_each(|values| values.hide(&mut hidden));
                std::iter::zip([a_step, b_step], self.hidden)
                    .filter_map(|(step, stated)| step.stated(stated))
                    .for_each(|marks| hidden.add(marks));
                hidden
            });
            values::differences(side, [&a, &b], hidden)
        };
        if !is_same_action {
            let have_after = values.iter().all(StepValues::has_after);
            return Ok(if have_after { differences(&mut writer, ComparedSide::After) } else { Vec::new() });
        }
        let before = differences(&mut writer, ComparedSide::Before);
        let after = differences(&mut writer, ComparedSide::After);
        found.extend(joined(before, after));
        Ok(found)
    }

    /// The parts of the identities that differ.
    fn identities(
        &self,
        a: &PlanStep<'_, 't>,
        b: &PlanStep<'_, 't>,
    ) -> Result<Vec<ValueDifference<'t>>, CompareError> {
        let identities = [a.identities(self.a, ComparedPlan::A)?, b.identities(self.b, ComparedPlan::B)?];
        if identities.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let [a, b] = identities.map(|identities| identities.unwrap_or_else(Identities::none));
        let mut writer = CanonicalWriter::new(Secrets::Included, self.ignored);
        let ([before_a, after_a], [before_b, after_b]) = (a.canonical(&mut writer), b.canonical(&mut writer));
        let mut hidden = Hidden::default();
        for identities in [&a, &b].into_iter().filter(|identities| identities.is_hidden) {
            hidden.add(identities.all());
        }
        let differences = |side, two| values::differences(side, two, &hidden);
        let before = differences(ComparedSide::Before, [&before_a, &before_b]);
        let mut found = joined(before, differences(ComparedSide::After, [&after_a, &after_b]));
        found.iter_mut().for_each(|difference| difference.is_identity = true);
        Ok(found)
    }
}

/// Joins the differences before and after. A difference on both sides appears once.
fn joined<'t>(
    before: Vec<ValueDifference<'t>>,
    mut after: Vec<ValueDifference<'t>>,
) -> Vec<ValueDifference<'t>> {
    let twins: Vec<Option<usize>> = {
        let content =
            |one: &ValueDifference<'t>| (one.path.clone(), one.a.clone(), one.b.clone(), one.unpaired);
        let mut found: HashMap<_, _> = before.iter().map(content).zip(0..).collect();
        after.iter().map(|one| found.remove(&content(one))).collect()
    };
    let mut is_both = vec![false; before.len()];
    for (one, twin) in after.iter_mut().zip(twins) {
        if let Some(twin) = twin {
            is_both[twin] = true;
            one.side = ComparedSide::Both;
        }
    }
    let rest = before.into_iter().zip(is_both).filter(|(_, is_both)| !is_both).map(|(one, _)| one);
    after.extend(rest);
    after
}
