//! How much work the engine does for each part of an object, beside the least that must be done:
//! `cargo bench -p objchange --bench work`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table is what this is for")]

use std::hint::black_box;
use std::process::ExitCode;

use objchange::Value;
use objchange::change::{
    PlanRequest, SimulatedProvider, assert_object_compatible, assert_plan_valid, plan_change, proposed_new,
};
use objchange::schema::{Block, NestingMode};
use objchange::value::Kind;

mod counted;
mod scenarios;

use counted::Counted;
use scenarios::{Scenario, Typical};

const COUNTED: Counted = Counted {
    shapes: &[
        ("typical", &[1]),
        ("list", &[10, 1_000, 10_000]),
        ("set", &[10, 1_000, 10_000]),
        ("nested", &[10, 1_000, 10_000]),
    ],
    operations: &["least", "proposed_new", "assert_plan_valid", "assert_object_compatible", "plan_change"],
    parts: |shape, n| Some(Plain::of(&input(shape, n)?.planned).parts()),
    run: |operation, shape, n, times| run(operation, &input(shape, n)?, times).then_some(()),
};

/// A value without anything that the engine adds to it. To compare two of them and to copy one is the least work for an answer
/// that shares nothing with its input.
#[derive(Clone, PartialEq)]
enum Plain {
    Null,
    Unknown,
    Bool(bool),
    Number(f64),
    String(String),
    Sequence(Vec<Plain>),
    Members(Vec<(String, Plain)>),
}

impl Plain {
    fn of(value: &Value) -> Self {
        let members = |members: &mut dyn Iterator<Item = (&str, &Value)>| {
            Self::Members(members.map(|(name, value)| (name.to_owned(), Self::of(value))).collect())
        };
        match value.kind() {
            Kind::Null => Self::Null,
            Kind::Unknown(_) => Self::Unknown,
            Kind::Bool(value) => Self::Bool(value),
            Kind::Number(value) => Self::Number(value.to_f64()),
            Kind::String(value) => Self::String(value.to_owned()),
            Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
                Self::Sequence(elements.iter().map(Self::of).collect())
            }
            Kind::Map(map) => members(&mut map.iter().map(|(name, value)| (name.as_str(), value))),
            Kind::Object(object) => members(&mut object.iter().map(|(name, value)| (name.as_str(), value))),
        }
    }

    /// The number of members and elements, at every depth.
    fn parts(&self) -> usize {
        match self {
            Self::Sequence(elements) => elements.iter().map(|part| 1 + part.parts()).sum(),
            Self::Members(members) => members.iter().map(|(_, part)| 1 + part.parts()).sum(),
            _ => 0,
        }
    }
}

struct Input {
    schema: Block,
    prior: Value,
    config: Value,
    planned: Value,
    actual: Value,
}

fn input(shape: &str, n: usize) -> Option<Input> {
    let Scenario { schema, prior, config } = match shape {
        "typical" => {
            let Typical { schema, prior, config, planned, actual } = scenarios::typical();
            return Some(Input { schema, prior, config, planned, actual });
        }
        "list" => scenarios::items(n, NestingMode::List),
        "set" => scenarios::items(n, NestingMode::Set),
        "nested" => scenarios::nested_set(n),
        _ => return None,
    };
    let planned = proposed_new(&schema, &prior, &config).ok()?;
    // A provider answers with an object of its own, which shares nothing with the plan.
    let ty = schema.implied_type();
    let actual = Value::from_msgpack(&planned.to_msgpack(ty).ok()?, ty).ok()?;
    Some(Input { schema, prior, config, planned, actual })
}

fn run(operation: &str, input: &Input, times: usize) -> bool {
    let Input { schema, prior, config, planned, actual } = input;
    let [plain_prior, plain_config, plain_planned] = [prior, config, planned].map(Plain::of);
    for _ in 0..times {
        match operation {
            "least" => {
                black_box(black_box(&plain_prior) == black_box(&plain_config));
                drop(black_box(black_box(&plain_planned).clone()));
            }
            "proposed_new" => drop(black_box(proposed_new(schema, black_box(prior), black_box(config)))),
            "assert_plan_valid" => {
                drop(black_box(assert_plan_valid(schema, black_box(prior), black_box(config), planned)));
            }
            "assert_object_compatible" => {
                drop(black_box(assert_object_compatible(schema, black_box(planned), black_box(actual))));
            }
            "plan_change" => {
                let request = PlanRequest::new(schema, black_box(prior), black_box(config));
                drop(black_box(plan_change(&request, &mut SimulatedProvider::default())));
            }
            _ => return false,
        }
    }
    true
}

fn main() -> ExitCode {
    COUNTED.main()
}
