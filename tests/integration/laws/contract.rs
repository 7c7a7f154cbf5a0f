//! A provider that keeps the contract is never refused.

use objchange::change::{
    Lifecycle, PlanChangeError, PlanRequest, PlanViolation, SimulatedProvider, assert_object_compatible,
    assert_plan_valid, plan_change, prepare_computed_blocks, proposed_new,
};
use objchange::schema::{Attribute, AttributeType, Block, NestedBlock, NestedType, NestingMode};
use objchange::value::{Bound, Kind, Number, Refinements};
use objchange::{Type, Value};
use proptest::prelude::*;

use crate::common::{Content, block, block_without_dynamic, config_of, object_of};
use crate::laws::choices::{Choices, Seed};
use crate::laws::parts::{children, rebuilt};

/// A provider that chooses whatever the contract leaves to it.
struct Legal(Choices);

impl Legal {
    fn block(&mut self, schema: &Block, proposed: &Value, config: Option<&Value>) -> Value {
        self.members(proposed, config, |this, name, child, config| match schema.attribute(name) {
            Some(attribute) => this.attribute(attribute, child, config),
            None => this.blocks(schema.block_type(name).expect("one of both"), child, config),
        })
    }

    fn members(
        &mut self,
        proposed: &Value,
        config: Option<&Value>,
        mut member: impl FnMut(&mut Self, &str, &Value, Option<&Value>) -> Value,
    ) -> Value {
        let Some(object) = proposed.as_object() else { return proposed.clone() };
        let members: Vec<Value> = object
            .iter()
            .map(|(name, child)| member(self, name, child, config.and_then(|c| c.attribute(name))))
            .collect();
        rebuilt(proposed, members)
    }

    /// Without a config, as inside of sets, what is not null is taken for configured.
    fn attribute(&mut self, schema: &Attribute, proposed: &Value, config: Option<&Value>) -> Value {
        if schema.write_only {
            return Value::null(proposed.ty().clone());
        }
        if schema.computed && config.unwrap_or(proposed).is_null() {
            // Elements of one collection have one type, so what is dynamic stays unknown.
            return match proposed.ty().has_dynamic() {
                true => Value::unknown(proposed.ty().clone()),
                false => self.0.value(proposed.ty(), Content::UNMARKED),
            };
        }
        let AttributeType::Nested(nested) = &schema.ty else { return proposed.clone() };
        match nested.nesting() {
            NestingMode::Single => self.nested(nested, proposed, config),
            nesting => {
                self.each(nesting, proposed, config, |this, child, config| this.nested(nested, child, config))
            }
        }
    }

    fn nested(&mut self, schema: &NestedType, proposed: &Value, config: Option<&Value>) -> Value {
        self.members(proposed, config, |this, name, child, config| {
            this.attribute(schema.attribute(name).expect("it has it"), child, config)
        })
    }

    fn blocks(&mut self, schema: &NestedBlock, proposed: &Value, config: Option<&Value>) -> Value {
        match schema.nesting {
            NestingMode::Single | NestingMode::Group => self.block(&schema.block, proposed, config),
            // Blocks that are not configured are the provider's; null is not for it to say.
            _ if schema.computed && proposed.is_null() => match proposed.ty().has_dynamic() {
                true => Value::unknown(proposed.ty().clone()),
                false => self.0.value(proposed.ty(), Content { nulls: false, ..Content::UNMARKED }),
            },
            nesting => self.each(nesting, proposed, config, |this, child, config| {
                this.block(&schema.block, child, config)
            }),
        }
    }

    fn each(
        &mut self,
        nesting: NestingMode,
        proposed: &Value,
        config: Option<&Value>,
        mut one: impl FnMut(&mut Self, &Value, Option<&Value>) -> Value,
    ) -> Value {
        let configured = match (nesting, config) {
            (NestingMode::Set, _) | (_, None) => Vec::new(),
            (_, Some(config)) => children(config),
        };
        let planned: Vec<Value> = children(proposed)
            .iter()
            .enumerate()
            .map(|(i, child)| one(self, child, configured.get(i)))
            .collect();
        let planned = rebuilt(proposed, planned);
        // Two elements must not become one, and in the proposed object they may have: null is like an object of
        // nulls when elements are matched, so two of configuration can be given what is computed of one.
        let as_many =
            |value: &&Value| config.is_none_or(|config| config.is_null() || value.len() == config.len());
        let as_proposed = planned.len() == proposed.len();
        let plans = [Some(&planned).filter(|_| as_proposed), Some(proposed), config];
        plans.into_iter().flatten().find(as_many).unwrap_or(proposed).clone()
    }
}

/// Known values in place of the unknown ones, within what is promised of them; `None` if nothing keeps a promise.
fn complete(planned: &Value, choices: &mut Choices) -> Option<Value> {
    let Kind::Unknown(refinements) = planned.kind() else {
        let completed: Option<Vec<Value>> =
            children(planned).iter().map(|child| complete(child, choices)).collect();
        return Some(rebuilt(planned, completed?));
    };
    if !refinements.not_null && choices.any(prop::bool::weighted(0.2)) {
        return Some(Value::null(planned.ty().clone()));
    }
    match planned.ty() {
        Type::String => {
            let text: String = choices.any("[a-z]{0,3}");
            Some(Value::from(format!("{}{text}", refinements.string_prefix.as_deref().unwrap_or_default())))
        }
        Type::Number => number_within(refinements),
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            let least = refinements.length_lower.unwrap_or(0);
            let most = refinements.length_upper.unwrap_or(least + 2).min(least + 2);
            let n = choices.any(least..=most);
            let elements = (0..n).map(|_| choices.value(element, Content::KNOWN)).collect::<Vec<_>>();
            let made = match planned.ty() {
                Type::List(_) => Value::list((**element).clone(), elements),
                Type::Set(_) => Value::set((**element).clone(), elements),
                _ => {
                    let keys = (0..).map(|i| format!("k{i}"));
                    Value::map((**element).clone(), keys.zip(elements))
                }
            };
            // Equal elements of a set are one.
            made.ok().filter(|value| value.len().is_some_and(|len| len as u64 >= least))
        }
        ty => {
            let known = choices.value(ty, Content::KNOWN);
            if known.is_null() && refinements.not_null { None } else { Some(known) }
        }
    }
}

fn number_within(refinements: &Refinements) -> Option<Value> {
    let fits = |n: &Number| {
        let above = |b: &Bound| *n > b.value || b.inclusive && *n == b.value;
        let below = |b: &Bound| *n < b.value || b.inclusive && *n == b.value;
        refinements.number_lower.as_ref().is_none_or(above)
            && refinements.number_upper.as_ref().is_none_or(below)
    };
    let ends = [&refinements.number_lower, &refinements.number_upper];
    let ends = ends.into_iter().flatten().map(|bound| bound.value.clone());
    let far = ["0", "0.25", "1e60", "-1e60"].map(|text| Number::parse(text).expect("a number"));
    ends.chain((-4..5).map(Number::from)).chain(far).find(fits).map(Value::from)
}

/// A schema with a prior object or null, and a configuration.
fn change(blocks: BoxedStrategy<Block>, config: Content) -> impl Strategy<Value = (Block, Value, Value)> {
    blocks.prop_flat_map(move |block| {
        let nothing = Value::null(block.implied_type().clone());
        let prior = prop_oneof![1 => Just(nothing), 3 => object_of(&block, Content::KNOWN)];
        (Just(block.clone()), prior, config_of(&block, config))
    })
}

proptest! {
    #![proptest_config(crate::common::cases(600))]

    #[test]
    fn a_legal_plan_is_never_refused(
        (schema, prior, config) in change(block_without_dynamic(), Content::UNMARKED),
        seed in any::<Seed>(),
    ) {
        let config = prepare_computed_blocks(&schema, &config).unwrap();
        let proposed = proposed_new(&schema, &prior, &config).unwrap();
        let planned = Legal(Choices::new(&seed)).block(&schema, &proposed, Some(&config));
        prop_assert_eq!(assert_plan_valid(&schema, &prior, &config, &planned), [], "{}", planned);
    }

    #[test]
    fn a_legal_plan_of_dynamic_types_is_never_refused(
        (schema, prior, config) in change(block(), Content::UNMARKED),
        seed in any::<Seed>(),
    ) {
        let config = prepare_computed_blocks(&schema, &config).unwrap();
        let proposed = proposed_new(&schema, &prior, &config).unwrap();
        let planned = Legal(Choices::new(&seed)).block(&schema, &proposed, Some(&config));
        prop_assert_eq!(assert_plan_valid(&schema, &prior, &config, &planned), [], "{}", planned);
    }

    #[test]
    fn the_simulated_provider_violates_nothing(
        (schema, prior, config) in prop_oneof![
            change(block_without_dynamic(), Content::ANY),
            change(block(), Content::ANY),
        ],
        (force_replace, tainted) in any::<(bool, bool)>(),
    ) {
        let lifecycle = Lifecycle { force_replace, tainted, ..Default::default() };
        let mut request = PlanRequest::new(&schema, &prior, &config);
        request.lifecycle = lifecycle;
        let change = plan_change(&request, &mut SimulatedProvider::default());
        match change {
            Ok(mut change) => {
                // With dynamic types, what prior and configuration hold in one list may not go together: Terraform
                // crashes there, and here the list comes out as a tuple.
                let mixed = |v: &PlanViolation| matches!(v, PlanViolation::WrongType(_));
                change.violations.retain(|v| !(schema.implied_type().has_dynamic() && mixed(v)));
                prop_assert_eq!(change.violations, [], "{}", change.after);
            }
            // Dynamic types of blocks may be such that the blocks do not go together.
            Err(PlanChangeError::Config(_)) if schema.implied_type().has_dynamic() => {}
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    #[test]
    fn what_completes_a_plan_is_consistent_with_it(
        (schema, planned) in block_without_dynamic().prop_flat_map(|block| {
            (Just(block.clone()), object_of(&block, Content::UNMARKED))
        }),
        seed in any::<Seed>(),
    ) {
        let actual = complete(&planned, &mut Choices::new(&seed));
        prop_assume!(actual.is_some());
        let actual = actual.unwrap();
        prop_assert!(actual.is_wholly_known());
        prop_assert_eq!(assert_object_compatible(&schema, &planned, &actual), [], "{}", actual);
    }
}
