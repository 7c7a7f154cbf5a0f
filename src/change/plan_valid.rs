//! Checks a provider's plan against the contract, as Terraform Core does.

use super::ChangeError;
use super::access::{Keyed, NOTHING, ObjectView, elements, set_elements};
use super::invalid_plan::{InvalidPlan, InvalidPlanKind as Kind};
use crate::schema::{Attribute, Block, Member, Members, NestedBlock, NestedType, NestingMode, SecretParts};
use crate::value::{PathStack, StepRef, Value, read_ahead, set_length_range};

/// Checks a provider's planned object against its configuration and prior object.
///
/// A provider may only choose values for computed attributes that are not configured. Everything else must
/// be planned as configured, or keep an equivalent prior value. No error means that the plan is valid.
///
/// ```
/// use objchange::change::{InvalidPlanKind, assert_plan_valid};
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
///
/// let schema = Block::new([("size", Attribute::optional(Type::Number))], []);
/// let size = |n: i64| Value::object([("size", Value::from(n))]);
/// assert!(assert_plan_valid(&schema, &size(1), &size(2), &size(2)).is_empty());
///
/// let errors = assert_plan_valid(&schema, &size(1), &size(2), &size(3));
/// assert_eq!(errors[0].kind, InvalidPlanKind::NotConfigNorPrior);
/// assert_eq!(
///     errors[0].to_string(),
///     "size: the planned value (3) is neither the configured one (2) nor the prior one (1)"
/// );
/// ```
#[doc(alias = "AssertPlanValid")]
#[must_use = "returns the violations; empty means valid"]
pub fn assert_plan_valid(schema: &Block, prior: &Value, config: &Value, planned: &Value) -> Vec<InvalidPlan> {
    plan_violations(
        schema,
        [prior, config, planned],
        SecretParts::new(schema, &[prior, config, planned]).root(),
    )
}

/// Like [`assert_plan_valid`] for prior object, configuration and planned object, with a path that knows
/// which parts are secret.
pub(super) fn plan_violations(
    schema: &Block,
    [prior, config, planned]: [&Value; 3],
    path: PathStack<'_>,
) -> Vec<InvalidPlan> {
    let mut check = Check { errors: Vec::new() };
    check.block(schema, Sides { prior, config, planned }, path);
    check.errors
}

/// The three objects, or the same part of each.
#[derive(Clone, Copy)]
struct Sides<'v> {
    prior: &'v Value,
    config: &'v Value,
    planned: &'v Value,
}

struct Check {
    errors: Vec<InvalidPlan>,
}

impl Check {
    fn push(&mut self, kind: Kind, path: PathStack<'_>) {
        self.errors.push(InvalidPlan::new(kind, path.to_path()));
    }

    fn unfit(&mut self, errors: impl IntoIterator<Item = Option<ChangeError>>) {
        self.errors.extend(errors.into_iter().flatten().map(InvalidPlan::unfit));
    }

    /// Reports values that do not fit the schema.
    fn fitting<T>(&mut self, result: Result<T, ChangeError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.errors.push(InvalidPlan::unfit(error));
                None
            }
        }
    }

    /// Whether both sides exist. Reports a side that exists alone.
    fn both_present(&mut self, sides: Sides<'_>, path: PathStack<'_>) -> bool {
        match (sides.planned.is_null(), sides.config.is_null()) {
            (true, false) => self.push(Kind::PlannedAbsent, path),
            (false, true) => self.push(Kind::PlannedPresent, path),
            (true, true) => {}
            (false, false) => return true,
        }
        false
    }

    fn block(&mut self, schema: &Block, sides: Sides<'_>, path: PathStack<'_>) {
        if !self.both_present(sides, path) {
            return;
        }
        self.members(Members::Block(schema), sides, path);
    }

    /// Each member of an object by its own rules.
    fn members(&mut self, schema: Members<'_>, sides: Sides<'_>, path: PathStack<'_>) {
        let prior = ObjectView::new(sides.prior, schema);
        let config = ObjectView::new(sides.config, schema);
        let planned = ObjectView::new(sides.planned, schema);
        for (position, (name, member)) in schema.iter().enumerate() {
            let prior = prior.get(position, name, member, path);
            let config = config.get(position, name, member, path);
            let planned = planned.get(position, name, member, path);
            let (prior, config, planned) = match (prior, config, planned) {
                (Ok(prior), Ok(config), Ok(planned)) => (prior, config, planned),
                (prior, config, planned) => {
                    self.unfit([prior.err(), config.err(), planned.err()]);
                    continue;
                }
            };
            let sides = Sides { prior: &prior, config: &config, planned: &planned };
            let path = path.attribute(name);
            match member {
                Member::Attribute(attribute) => self.attribute(attribute, sides, path),
                Member::Blocks(nested) => self.blocks(nested, sides, path),
            }
        }
    }

    fn attribute(&mut self, schema: &Attribute, sides: Sides<'_>, path: PathStack<'_>) {
        let Sides { prior, config, planned } = sides;
        // The first of eight rules of Terraform's `AssertPlanValid`; the order decides which error a plan
        // gets.
        if planned.identical_ignoring_refinements(config) {
            return;
        }
        // The provider says: no functional change.
        if !prior.is_null() && !config.is_null() && planned.identical_ignoring_refinements(prior) {
            return;
        }
        let mut report = |kind| {
            let [prior, config, planned] = [prior, config, planned].map(|value| path.value(value));
            self.errors.push(InvalidPlan {
                prior,
                config,
                planned,
                ..InvalidPlan::new(kind, path.to_path())
            });
        };
        // A write-only value that repeats the configuration exactly has passed the first rule above, as in
        // Terraform 1.16.
        if schema.write_only {
            if !planned.is_null() {
                report(Kind::WriteOnlyNotNull);
            }
            return;
        }
        // The provider alone decides a computed value that is not configured.
        if schema.computed && (!schema.optional || config.is_null()) {
            return;
        }
        if config.is_null() && !planned.is_null() {
            return report(if schema.sensitive {
                Kind::SensitiveNoncomputedPlanned
            } else {
                Kind::NoncomputedPlanned
            });
        }
        if let Some(nested) = schema.nested() {
            return self.nested(nested, sides, path);
        }
        report(match (prior.is_null(), schema.sensitive) {
            (true, false) => Kind::NotConfig,
            (true, true) => Kind::SensitiveNotConfig,
            (false, false) => Kind::NotConfigNorPrior,
            (false, true) => Kind::SensitiveNotConfigNorPrior,
        });
    }

    fn nested(&mut self, schema: &NestedType, sides: Sides<'_>, path: PathStack<'_>) {
        if !self.both_present(sides, path) {
            return;
        }
        // A provider may leave attributes of a nested object unknown, but not the whole object.
        if !sides.planned.is_known() {
            return self.push(Kind::PlannedUnknownForConfigured, path);
        }
        match schema.nesting() {
            NestingMode::Single | NestingMode::Group => self.members(Members::Nested(schema), sides, path),
            NestingMode::List => self.nested_list(schema, sides, path),
            NestingMode::Map => self.nested_map(schema, sides, path),
            NestingMode::Set => {
                // `AssertPlanValid` only compares the counts of nested sets, because elements cannot be
                // paired without their computed parts.
                if !may_have_equal_lengths(sides.config, sides.planned) {
                    self.push(Kind::CountDisagrees, path);
                }
            }
        }
    }

    fn nested_list(&mut self, schema: &NestedType, sides: Sides<'_>, path: PathStack<'_>) {
        let Some(planned) = self.fitting(elements(sides.planned, path)) else { return };
        if !sides.config.is_known() {
            return self.count_of_unknown(planned.len(), sides.config, path);
        }
        let Some(config) = self.fitting(elements(sides.config, path)) else { return };
        if planned.len() != config.len() {
            return self.push(Kind::CountDisagrees, path);
        }
        // A missing prior element counts as null, so that only its configuration can excuse a planned
        // value.
        let prior = sides.prior.as_elements().unwrap_or_default();
        for (i, (planned, config)) in std::iter::zip(planned, config).enumerate() {
            let prior = prior.get(i).unwrap_or(&NOTHING);
            let path = path.then(StepRef::Position(i));
            self.members(Members::Nested(schema), Sides { prior, config, planned }, path);
        }
    }

    /// The length of an unknown collection is known where it is promised to be 0 at the most.
    fn count_of_unknown(&mut self, planned: usize, config: &Value, path: PathStack<'_>) {
        // Seen with Terraform 1.16: an unknown collection that is refined to length 0 counts as empty, and
        // every other one disagrees with any count.
        let is_empty = config.refinements().is_some_and(|r| r.length_upper == Some(0));
        if !is_empty || planned != 0 {
            self.push(Kind::CountDisagrees, path);
        }
    }

    fn nested_map(&mut self, schema: &NestedType, sides: Sides<'_>, path: PathStack<'_>) {
        let Some(planned) = self.fitting(Keyed::new(sides.planned, path)) else { return };
        if !sides.config.is_known() {
            return self.count_of_unknown(planned.len(), sides.config, path);
        }
        let Some(config) = self.fitting(Keyed::new(sides.config, path)) else { return };
        if planned.len() != config.len() {
            return self.push(Kind::CountDisagrees, path);
        }
        let prior = Keyed::new(sides.prior, path).ok();
        for (key, planned) in planned.iter() {
            let Some(config) = config.get(key) else {
                self.push(Kind::MapKeyNotInConfig, path);
                continue;
            };
            let prior = prior.and_then(|p| p.get(key)).unwrap_or(&NOTHING);
            self.members(
                Members::Nested(schema),
                Sides { prior, config, planned },
                path.then(StepRef::Label(key)),
            );
        }
        for _ in config.iter().filter(|(key, _)| planned.get(key).is_none()) {
            self.push(Kind::MapKeyNotInPlan, path);
        }
    }

    fn blocks(&mut self, schema: &NestedBlock, sides: Sides<'_>, path: PathStack<'_>) {
        let Sides { config, planned, .. } = sides;
        // Only a single block may be null. Absent blocks of other modes are an empty collection, and groups
        // always exist.
        if schema.nesting != NestingMode::Single && planned.is_null() {
            return self.push(Kind::NullBlocks, path);
        }
        if planned.identical(config) {
            return;
        }
        // Only a `dynamic` block makes a whole block unknown, and a provider may not change it.
        if !config.is_known() {
            return self.push(Kind::ChangedUnknownDynamicBlock, path);
        }
        if config.is_null() && schema.computed {
            return;
        }
        if !planned.is_known() {
            return self.push(
                if schema.computed { Kind::UnknownConfiguredBlock } else { Kind::UnknownNoncomputedBlock },
                path,
            );
        }
        match schema.nesting {
            NestingMode::Single | NestingMode::Group => self.block(&schema.block, sides, path),
            NestingMode::List => self.block_list(&schema.block, sides, path),
            NestingMode::Map => self.block_map(&schema.block, sides, path),
            NestingMode::Set => {
                let Some(planned) = self.fitting(set_elements(planned, path)) else { return };
                // Set blocks are not compared further: `AssertPlanValid` cannot pair their elements either.
                for element in planned.iter().filter(|e| !e.is_known()) {
                    self.push(Kind::UnknownBlockElement, path.then(StepRef::Element(element)));
                }
            }
        }
    }

    fn block_list(&mut self, schema: &Block, sides: Sides<'_>, path: PathStack<'_>) {
        let Some(all_planned) = self.fitting(elements(sides.planned, path)) else { return };
        let config = if sides.config.is_null() { Ok(&[][..]) } else { elements(sides.config, path) };
        let Some(all_config) = self.fitting(config) else { return };
        if all_planned.len() != all_config.len() {
            return self.push(Kind::BlockCountDisagrees, path);
        }
        let prior = sides.prior.as_elements().unwrap_or_default();
        for (i, (planned, config)) in std::iter::zip(all_planned, all_config).enumerate() {
            for elements in [all_planned, all_config, prior] {
                read_ahead(elements, i);
            }
            let path = path.then(StepRef::Position(i));
            if planned.is_known() {
                let prior = prior.get(i).unwrap_or(&NOTHING);
                self.block(schema, Sides { prior, config, planned }, path);
            } else {
                self.push(Kind::UnknownBlockElement, path);
            }
        }
    }

    fn block_map(&mut self, schema: &Block, sides: Sides<'_>, path: PathStack<'_>) {
        let Some(planned) = self.fitting(Keyed::new(sides.planned, path)) else { return };
        let config = match sides.config.is_null() {
            true => None,
            false => match self.fitting(Keyed::new(sides.config, path)) {
                Some(config) => Some(config),
                None => return,
            },
        };
        let real = matches!(planned, Keyed::Map(_));
        // An object's attributes are compared by name below, so only a real map needs its count checked.
        if real && planned.len() != config.map_or(0, Keyed::len) {
            return self.push(Kind::BlockCountDisagrees, path);
        }
        let prior = Keyed::new(sides.prior, path).ok();
        for (key, planned) in planned.iter() {
            let at = if real { path.then(StepRef::Key(key)) } else { path.then(StepRef::Label(key)) };
            let config = config.and_then(|c| c.get(key));
            // A real map is checked for the element before the key, an object for the key first.
            match config {
                None if !real => self.push(Kind::BlockKeyNotInConfig, path),
                _ if !planned.is_known() => self.push(Kind::UnknownBlockElement, at),
                None => self.push(Kind::BlockKeyNotInConfig, at),
                Some(config) => {
                    let prior = prior.and_then(|p| p.get(key)).unwrap_or(&NOTHING);
                    self.block(schema, Sides { prior, config, planned }, at);
                }
            }
        }
        for _ in config.iter().flat_map(|c| c.iter()).filter(|(key, _)| planned.get(key).is_none()) {
            self.push(Kind::BlockKeyNotInPlan, path);
        }
    }
}

/// Whether two sets may turn out to have equally many elements.
fn may_have_equal_lengths(config: &Value, planned: &Value) -> bool {
    let range = |set: &Value| match set.as_elements() {
        Some(elements) => set_length_range(elements),
        None => set
            .refinements()
            .map_or((0, u64::MAX), |r| (r.length_lower.unwrap_or(0), r.length_upper.unwrap_or(u64::MAX))),
    };
    let (config, planned) = (range(config), range(planned));
    config.0 <= planned.1 && planned.0 <= config.1
}
