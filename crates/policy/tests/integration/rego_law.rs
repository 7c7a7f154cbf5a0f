//! A verdict that is not called undecided is the same for every value that the unknown ones may take.
//!
//! Random policies run over plans with unknown values, and over the same plans with random values in their place. With
//! `PROPTEST_CASES` the number of policies is chosen.

#[path = "../../../rego/tests/integration/random/mod.rs"]
pub(crate) mod random;

use std::collections::BTreeMap;

use self::random::{Random, Writer, filled};
use objchange_plan::PlanFile;
use objchange_policy::rego::{Options, Outcome, Policies, PolicyFile, RuleVerdict, Value};

/// Plans with other values, for each policy.
const FILLINGS: usize = 3;

/// Parts of the input that policies read; names of rules are used where a loop would not fit.
const ROOTS: [&str; 8] = [
    "after",
    "after",
    "planned",
    "tags",
    "input.output_changes.o.after",
    "input.planned_values.outputs.o.value",
    "input.resource_changes[1].change.after.a",
    "input.resource_drift[0].change.after.b",
];

const PRELUDE: &str = "k := input.variables.k.value\n\
    after := input.resource_changes[0].change.after\n\
    planned := input.planned_values.root_module.resources[0].values\n\
    tags contains rc.change.after.tags if some rc in input.resource_changes\n";

/// The unknown marks of a value, as plans write them.
fn unknown_parts(value: &Value) -> Value {
    match value {
        Value::Unknown(_) => Value::Bool(true),
        Value::Array(items) => Value::array(items.iter().map(unknown_parts).collect::<Vec<_>>()),
        Value::Object(members) => {
            let parts = members.iter().filter(|(_, value)| value.contains_unknown());
            Value::object(parts.map(|(key, value)| (key.clone(), unknown_parts(value))).collect::<Vec<_>>())
        }
        _ => Value::Bool(false),
    }
}

/// A value without what is unknown in it, as plans write it.
fn known_parts(value: &Value) -> Value {
    match value {
        Value::Unknown(_) => Value::Null,
        Value::Array(items) => Value::array(items.iter().map(known_parts).collect::<Vec<_>>()),
        Value::Object(members) => {
            let parts = members.iter().filter(|(_, value)| !matches!(value, Value::Unknown(_)));
            Value::object(parts.map(|(key, value)| (key.clone(), known_parts(value))).collect::<Vec<_>>())
        }
        other => other.clone(),
    }
}

/// A value in which elements of arrays with unknown parts are one if they are equal, as in sets.
fn as_sets(skeleton: &Value, known: &Value) -> Value {
    match (skeleton, known) {
        (Value::Array(before), Value::Array(items)) => {
            let items = before.iter().zip(items.iter());
            let items: Vec<(bool, Value)> =
                items.map(|(before, item)| (before.contains_unknown(), as_sets(before, item))).collect();
            let is_kept = |at: usize| {
                let (is_open, item) = &items[at];
                let equal = items.iter().enumerate().filter(|(_, (_, other))| other == item);
                // One of equal elements stays: one that was known, or else the first.
                !is_open
                    || equal
                        .min_by_key(|(at, (is_open, _))| (*is_open, *at))
                        .is_some_and(|(one, _)| one == at)
            };
            let kept = (0..items.len()).filter(|at| is_kept(*at));
            Value::array(kept.map(|at| items[at].1.clone()).collect::<Vec<_>>())
        }
        (Value::Object(before), Value::Object(members)) => {
            let members = members.iter().map(|(key, value)| {
                let value = before.get(key).map_or_else(|| value.clone(), |before| as_sets(before, value));
                (key.clone(), value)
            });
            Value::object(members.collect::<Vec<_>>())
        }
        _ => known.clone(),
    }
}

/// The values of a resource each, and the value of an output.
struct Values {
    resources: Vec<Value>,
    drift: Value,
    output: Value,
}

impl Values {
    fn random(random: &mut Random, holes: &mut u32) -> Self {
        let mut resource = |random: &mut Random| {
            let members =
                ["a", "x", "k", "tags"].map(|key| (Value::from(key), random.skeleton(2, holes))).to_vec();
            Value::object(members)
        };
        let resources = vec![resource(random), resource(random)];
        let drift = resource(random);
        Self { resources, drift, output: random.skeleton(2, holes) }
    }

    fn filled(&self, fillings: &[Value], has_sets: bool) -> Self {
        let filled = |value: &Value| {
            let known = filled(value, fillings);
            if has_sets { as_sets(value, &known) } else { known }
        };
        Self {
            resources: self.resources.iter().map(filled).collect(),
            drift: filled(&self.drift),
            output: filled(&self.output),
        }
    }

    fn plan(&self) -> String {
        let change = |value: &Value| {
            format!(
                r#""actions":["create"],"before":null,"after":{},"after_unknown":{}"#,
                known_parts(value).to_json(),
                unknown_parts(value).to_json()
            )
        };
        let resources = |values: &[Value]| {
            let of_one = |(index, value): (usize, &Value)| {
                format!(
                    r#"{{"address":"t.r{index}","mode":"managed","type":"t","name":"r{index}","change":{{{}}}}}"#,
                    change(value)
                )
            };
            values.iter().enumerate().map(of_one).collect::<Vec<_>>().join(",")
        };
        let planned = self.resources.iter().enumerate().map(|(index, value)| {
            format!(
                r#"{{"address":"t.r{index}","mode":"managed","type":"t","name":"r{index}","values":{}}}"#,
                known_parts(value).to_json()
            )
        });
        let planned: Vec<String> = planned.collect();
        let output_value = match &self.output {
            Value::Unknown(_) => String::new(),
            value => format!(r#","value":{}"#, known_parts(value).to_json()),
        };
        format!(
            r#"{{"format_version":"1.2","variables":{{"k":{{"value":{}}}}},"resource_changes":[{}],"resource_drift":[{}],
                "output_changes":{{"o":{{{}}}}},
                "planned_values":{{"outputs":{{"o":{{"sensitive":false{output_value}}}}},
                    "root_module":{{"resources":[{}]}}}}}}"#,
            random::constants().to_json(),
            resources(&self.resources),
            resources(std::slice::from_ref(&self.drift)),
            change(&self.output),
            planned.join(",")
        )
    }
}

/// The results of all definitions of a rule together.
#[derive(Debug, Default)]
struct Said {
    messages: Vec<String>,
    is_undecided: bool,
    is_error: bool,
}

fn said(rules: &[RuleVerdict]) -> BTreeMap<&str, Said> {
    let mut all: BTreeMap<&str, Said> = BTreeMap::new();
    for verdict in rules {
        let said = all.entry(&verdict.rule).or_default();
        said.is_undecided |= verdict.undecided.is_some();
        said.is_error |= verdict.outcome() == Outcome::Error;
        said.messages.extend(verdict.findings.iter().map(|finding| finding.text().to_owned()));
    }
    for said in all.values_mut() {
        said.messages.sort();
        said.messages.dedup();
    }
    all
}

/// Messages show what they depend on in this way.
const PLACEHOLDER: &str = "(known after apply)";

fn check(open: &Said, known: &Said) -> Result<(), &'static str> {
    let is_shown_in_part = open.messages.iter().any(|message| message.contains(PLACEHOLDER));
    match (open, known) {
        (_, Said { is_undecided: true, .. }) => Err("it is undecided, and nothing is unknown"),
        (Said { is_undecided: true, .. }, Said { is_error: true, .. }) => Ok(()),
        (Said { is_error: true, .. }, Said { is_error: false, .. }) => Err("it fails for sure, and does not"),
        (Said { is_error: false, .. }, Said { is_error: true, .. }) => Err("it is decided, and fails"),
        _ if is_shown_in_part && known.messages.is_empty() => Err("it finds something, and does not"),
        _ if is_shown_in_part => Ok(()),
        _ if !open.messages.iter().all(|message| known.messages.contains(message)) => {
            Err("something is found for sure, and is not there")
        }
        _ if !open.is_undecided && open.messages != known.messages => Err("something else is found"),
        _ => Ok(()),
    }
}

#[test]
fn verdicts_that_are_decided_stay() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500);
    let seed = std::env::var("LAW_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let (mut compiled, mut decided) = (0_u64, 0);
    for case in 0..cases {
        let mut random = Random(seed * 1_000_003 + case);
        let text = Writer::new(&mut random, &ROOTS).policy(PRELUDE, "deny_");
        // A variable that is not set, in place of a field that no plan has.
        let text = text.replace("[input.a]", "[input.variables.a.value]");
        let files = [PolicyFile::new("p.rego", &text)];
        // Not all that is written at random is a policy.
        let Ok(policies) = Policies::compile(&files, Options::new(|| 0)) else { continue };
        compiled += 1;
        let mut holes = 0;
        let values = Values::random(&mut random, &mut holes);
        let plan = values.plan();
        let open = policies
            .evaluate(&PlanFile::parse("plan.json", plan.clone()).unwrap())
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let open = said(&open.rules);
        decided += open.values().filter(|said| !said.is_undecided).count();
        for filling in 0..FILLINGS {
            let has_sets = filling == 0;
            // Elements of sets are only equal if their values are often.
            let depth = if has_sets { 0 } else { 2 };
            let fillings: Vec<Value> = (0..holes).map(|_| random.json(depth)).collect();
            let known_plan = values.filled(&fillings, has_sets).plan();
            let known = policies
                .evaluate(&PlanFile::parse("plan.json", known_plan.clone()).unwrap())
                .unwrap_or_else(|error| panic!("{error}\n{text}"));
            let known = said(&known.rules);
            assert_eq!(open.len(), known.len());
            for (rule, open) in &open {
                if let Err(why) = check(open, &known[rule]) {
                    panic!(
                        "case {case}, {rule}: {why}\n{text}\nplan: {plan}\nknown: {known_plan}\nthen: {open:?}\nnow: {:?}",
                        known[rule]
                    );
                }
            }
        }
    }
    // Otherwise nothing was tested.
    assert!(compiled * 2 > cases, "{compiled} of {cases} were policies");
    assert!(decided > 0);
}
