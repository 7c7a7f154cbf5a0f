//! How much work the engine does for each part of an object, beside the least that must be done: `cargo bench --bench work`.
//!
//! Instructions are counted by valgrind's callgrind, in processes of their own: `work OPERATION SHAPE N TIMES`. Two numbers of
//! times tell the operation from its inputs. Nothing is timed.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table is what this is for")]

use std::hint::black_box;
use std::process::{Command, ExitCode};

use allocation_counter::{AllocationInfo, measure};
use objchange::Value;
use objchange::change::{assert_object_compatible, assert_plan_valid, proposed_new};
use objchange::schema::{Block, NestingMode};
use objchange::value::Kind;

mod scenarios;

use scenarios::{Scenario, Typical};

const SHAPES: [(&str, &[usize]); 4] = [
    ("typical", &[1]),
    ("list", &[10, 1_000, 10_000]),
    ("set", &[10, 1_000, 10_000]),
    ("nested", &[10, 1_000, 10_000]),
];

const OPERATIONS: [&str; 4] = ["least", "proposed_new", "assert_plan_valid", "assert_object_compatible"];

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
            _ => return false,
        }
    }
    true
}

/// Runs one operation under callgrind, and returns the number of instructions of the whole process.
fn instructions(operation: &str, shape: &str, n: usize, times: usize) -> Option<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe().ok()?);
    let output = command.args([operation, shape, &n.to_string(), &times.to_string()]).output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected : "))?;
    collected.1.trim().parse().ok()
}

/// The table of all operations, with instructions and allocations for each part of the object.
fn table() -> Option<()> {
    println!(
        "{:<9} {:>7} {:>8}  {:<25} {:>13} {:>11} {:>13}",
        "shape", "n", "parts", "operation", "instructions", "allocations", "bytes"
    );
    for (shape, sizes) in SHAPES {
        for &n in sizes {
            let input = input(shape, n)?;
            let parts = Plain::of(&input.planned).parts();
            for operation in OPERATIONS {
                let [once, thrice] = [1, 3].map(|times| instructions(operation, shape, n, times));
                let instructions = (thrice? - once?) / 2;
                let AllocationInfo { count_total, bytes_total, .. } = measure(|| {
                    run(operation, &input, 1);
                });
                let AllocationInfo { count_total: count_before, bytes_total: bytes_before, .. } =
                    measure(|| {
                        run(operation, &input, 0);
                    });
                println!(
                    "{shape:<9} {n:>7} {parts:>8}  {operation:<25} {instructions:>13} {:>11} {:>13}",
                    count_total - count_before,
                    bytes_total - bytes_before,
                );
            }
        }
    }
    Some(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let done = match arguments.as_slice() {
        [] => table(),
        [operation, shape, n, times] => n.parse().ok().zip(times.parse().ok()).and_then(|(n, times)| {
            let input = input(shape, n)?;
            run(operation, &input, times).then_some(())
        }),
        _ => None,
    };
    if done.is_none() {
        eprintln!("cargo bench --bench work, or work OPERATION SHAPE N TIMES; valgrind must be installed");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
