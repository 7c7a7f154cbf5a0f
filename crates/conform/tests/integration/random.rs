//! Laws for every schema and configuration: a provider that keeps the contract is not accused, and a
//! judgement contains no secret.

#[path = "../../../../tests/integration/common/mod.rs"]
mod common;

use objchange::change::Diagnostic;
use objchange::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_conform::kit::{Kit, ResourceType};
use objchange_conform::{FindingSeverity, Flavor, Judgement, Trial, judge};
use proptest::prelude::*;

use common::{Content, assert_shows_no_secret, block_without_dynamic, config_of, object_of, with_secrets};

fn judged(kit: &Kit, trial: &Trial) -> Judgement {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(judge(kit, "kit_thing", trial)).unwrap()
}

/// The configuration with some of its attributes not known yet.
fn doubtful(schema: &Block, config: &Value, choices: &[bool]) -> Value {
    let mut choices = choices.iter().cycle();
    let Ok(doubtful) = config.transform(|path, part| {
        let is_attribute = schema.attribute_by_path(&path.to_path()).is_some();
        let is_unknown = is_attribute && !part.is_null() && choices.next() == Some(&true);
        Ok::<_, std::convert::Infallible>(match is_unknown {
            true => Value::unknown(part.ty().clone()),
            false => part,
        })
    });
    doubtful
}

/// A schema, two configurations, and the attributes that cannot change in place.
#[derive(Debug, Clone)]
struct Case {
    block: Block,
    configs: [Value; 2],
    doubts: Vec<bool>,
    requires_replace: Vec<Path>,
    flavor: Flavor,
}

impl Case {
    fn trial(&self) -> Trial {
        let [first, second] = self.configs.clone();
        let mut trial = Trial::new(doubtful(&self.block, &first, &self.doubts));
        trial.update = Some((doubtful(&self.block, &second, &self.doubts), Some(second)));
        trial.known = Some(first);
        (trial.apply, trial.flavor) = (true, self.flavor);
        trial
    }

    fn resource(&self) -> ResourceType {
        ResourceType::new(self.block.clone()).requires_replace(self.requires_replace.clone())
    }
}

fn case() -> impl Strategy<Value = Case> {
    // The kit gives a dynamic attribute another type each time, which only some schemas allow.
    let blocks =
        block_without_dynamic().prop_filter("names that Terraform mistakes", |block| !is_mistaken(block));
    blocks.prop_flat_map(|block| {
        let configs = [config_of(&block, Content::KNOWN), config_of(&block, Content::KNOWN)];
        let doubts = prop_oneof![
            1 => Just(vec![false]),
            1 => prop::collection::vec(prop::bool::weighted(0.3), 1..12),
        ];
        // A write-only value always differs from the stored one, so providers must not compare it.
        let kept = block.attributes().iter().filter(|(_, attribute)| !attribute.write_only);
        let names: Vec<_> = kept.map(|(name, _)| Path::root().attribute(name.clone())).collect();
        let count = names.len();
        let requires_replace = prop::sample::subsequence(names, 0..=count.min(1));
        let flavor = prop_oneof![3 => Just(Flavor::Terraform), 1 => Just(Flavor::OpenTofu)];
        let case = (Just(block), configs, doubts, requires_replace, flavor);
        case.prop_filter_map(
            "what cannot be written",
            |(block, configs, doubts, requires_replace, flavor)| {
                let [first, second] = configs.each_ref().map(|config| written(&block, config));
                let configs = [first?, second?];
                Some(Case { block, configs, doubts, requires_replace, flavor })
            },
        )
    })
}

/// Terraform takes a member of an object for a computed block that has the same name, and makes null of it where it is
/// empty: then there is always something to do.
fn is_mistaken(block: &Block) -> bool {
    fn types(attributes: &[(smol_str::SmolStr, Attribute)], out: &mut String) {
        for (_, attribute) in attributes {
            match attribute.nested() {
                Some(nested) => {
                    nested.attributes().iter().for_each(|(name, _)| out.push_str(&format!("{name:?}:")));
                    types(nested.attributes(), out);
                }
                None => out.push_str(&attribute.implied_type().to_string()),
            }
        }
    }
    fn look(block: &Block, computed: &mut Vec<String>, out: &mut String) {
        types(block.attributes(), out);
        for (name, nested) in block.block_types() {
            if nested.computed {
                computed.push(format!("{name:?}:"));
            }
            look(&nested.block, computed, out);
        }
    }
    let (mut computed, mut all) = (Vec::new(), String::new());
    look(block, &mut computed, &mut all);
    computed.iter().any(|name| all.contains(name))
}

/// A configuration as somebody writes it: its numbers are decimal ones, and what only the provider computes is not set in nested
/// objects either.
fn written(block: &Block, config: &Value) -> Option<Value> {
    let (config, ty) = (block.coerce_value(config).ok()?, block.implied_type());
    let Ok(config) = config.transform(|path, part| {
        let attribute = block.attribute_by_path(&path.to_path());
        let is_computed = attribute.is_some_and(|attribute| !(attribute.required || attribute.optional));
        Ok::<_, std::convert::Infallible>(if is_computed { Value::null(part.ty().clone()) } else { part })
    });
    Value::from_json(&config.to_json(ty).ok()?, ty).ok()
}

proptest! {
    #![proptest_config(common::cases(256))]

    #[test]
    fn a_provider_that_keeps_the_contract_is_not_accused(case in case()) {
        let kit = Kit::default().resource("kit_thing", case.resource());
        let judgement = judged(&kit, &case.trial());
        prop_assert_eq!(&judgement.refused, &[]);
        // Where an element of a set is not known yet, even Terraform's own matching may go wrong.
        let faults: Vec<_> = judgement.findings.iter().filter(|f| f.severity > FindingSeverity::Note).collect();
        prop_assert!(faults.is_empty(), "{:#?}", faults);
    }

    /// Whatever a provider answers, and whatever it says.
    #[test]
    fn nothing_secret_comes_out_of_a_judgement(
        (case, answers) in case().prop_flat_map(|case| {
            let answers = [object_of(&case.block, Content::UNMARKED), object_of(&case.block, Content::UNMARKED)];
            (Just(case), answers)
        }),
        spoils in any::<[bool; 5]>(),
    ) {
        let hidden = |value: &Value| with_secrets(&case.block.mark_hidden(value)).unmark_deep().0;
        let answers = answers.map(|answer| case.block.coerce_value(&answer).unwrap_or(answer));
        let case = Case { configs: case.configs.each_ref().map(hidden), ..case.clone() };
        let [first, second] = answers.each_ref().map(hidden);
        let answer = first.clone();
        let mut resource = case.resource();
        if spoils[0] {
            resource = resource.on_plan(move |_| objchange::change::PlannedResource::new(answer.clone()));
        }
        let answer = second.clone();
        if spoils[1] {
            resource = resource.on_apply(move |_| objchange::change::AppliedResource::new(answer.clone()));
        }
        let answer = first.clone();
        if spoils[2] {
            resource = resource.on_read(move |_| objchange_provider::Answer::new(answer.clone()));
        }
        let says = case.configs[0].clone();
        if spoils[3] {
            // A provider that says all that it was given.
            resource = resource.on_validate(move |_| {
                let ty = says.ty().clone();
                let mut error = Diagnostic::error(says.to_json(&ty).unwrap_or_default());
                error.detail = says.to_string();
                vec![error]
            });
        }
        let says = case.configs[0].clone();
        if spoils[4] {
            resource = resource.on_upgrade(move |_| {
                let text = says.to_json(&says.ty().clone()).unwrap_or_default();
                objchange_provider::Answer::failed(Diagnostic::error(text))
            });
        }
        let kit = Kit::default().resource("kit_thing", resource);
        let judgement = judged(&kit, &case.trial());
        assert_shows_no_secret(&format!("{judgement:?} {:?}", case.trial()));
    }
}

#[test]
fn a_provider_is_not_accused_of_what_terraform_makes_null() {
    let bools = Attribute::required(Type::list(Type::Bool));
    let set = NestedType::new(NestingMode::Set, [("id", bools)]);
    let computed = Block::new([("name", Attribute::computed(Type::String))], []);
    let block = Block::new(
        [("rules", Attribute::optional_computed(set))],
        [("id", NestedBlock::new(NestingMode::List, computed).computed())],
    );
    let empty = Value::tuple::<Value>([]);
    let rules = Value::tuple([Value::object([("id", empty.clone())])]);
    let config = block.coerce_config(&Value::object([("rules", rules), ("id", empty)])).unwrap();
    let kit = Kit::default().resource("kit_thing", ResourceType::new(block));
    let judgement = judged(&kit, &Trial::new(config));
    assert_eq!(judgement.refused, []);
    assert!(judgement.findings.is_empty(), "{:#?}", judgement.findings);
}

#[test]
fn a_secret_that_a_provider_says_is_hidden_and_the_rest_is_told() {
    let attribute = |name: &'static str| (name, objchange::schema::Attribute::optional(Type::String));
    let (name, pin) = attribute("pin");
    let block = Block::new([attribute("name"), (name, pin.sensitive())], []);
    let resource = ResourceType::new(block)
        .on_validate(|_| vec![Diagnostic::error("pin 77 is used, not 1775: \"hunter2 \\\" x\"")]);
    let kit = Kit::default().resource("kit_thing", resource);
    let said = |pin: &str| {
        let config = Value::object([("name", "a"), ("pin", pin)]);
        judged(&kit, &Trial::new(config)).refused[0].summary.clone()
    };
    assert_eq!(said("77"), "pin (sensitive value) is used, not 1775: \"hunter2 \\\" x\"");
    assert_eq!(said("hunter2 \" x"), "pin 77 is used, not 1775: \"(sensitive value)\"");
    assert_eq!(said(""), "pin 77 is used, not 1775: \"hunter2 \\\" x\"");
}
