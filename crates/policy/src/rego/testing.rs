//! Rego's own tests.

use std::time::{Duration, Instant};

use objchange_rego::{Limits, Setup, Value};
use serde::Serialize;

use super::compile::compile;
use super::error::{PolicyError, PolicyLocation};
use super::{Options, PolicyFile};
use crate::TimeLimit;

/// The result of a test.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct TestVerdict {
    /// The package and the name of the test.
    pub test: String,
    /// Where it is defined.
    pub place: PolicyLocation,
    /// The result.
    pub result: TestResult,
    /// How long it took.
    #[serde(skip)]
    pub duration: Duration,
    /// Its output from `print`.
    pub prints: Vec<String>,
}

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TestResult {
    /// It is true.
    Pass,
    /// It is false or undefined.
    Fail,
    /// Its name begins with `todo_`.
    Skip,
    /// Evaluating it failed.
    Error(String),
}

/// Runs the rules whose names begin with `test_`.
///
/// # Errors
///
/// A file is not Rego, or files contradict each other.
pub fn run_tests(files: &[PolicyFile], options: &Options) -> Result<Vec<TestVerdict>, PolicyError> {
    let policies = compile(files, options, true)?;
    let mut verdicts = Vec::new();
    for rule in &policies.rules {
        let Some(place) = rule.definitions.first().cloned() else { continue };
        let (begun, time) = (Instant::now(), TimeLimit::begin(options.timeout));
        let mut prints = Vec::new();
        let result = match rule.name.starts_with("todo_") {
            true => TestResult::Skip,
            false => {
                let setup = Setup {
                    input: None,
                    data: options.data.clone(),
                    limits: Limits { deadline: time.end(), memory: options.memory },
                    strict_builtin_errors: options.strict_builtin_errors,
                    now_ns: (options.now_ns)(),
                    network: None,
                };
                let value = policies.program.run(setup, |session| {
                    let value = session.rule(rule.id);
                    let printed = session.take_prints().into_iter();
                    prints = printed
                        .map(|(location, text)| format!("{}: {text}", PolicyLocation::from(location)))
                        .collect();
                    value
                });
                match value {
                    Ok((None | Some(Value::Bool(false)), _)) => TestResult::Fail,
                    Ok(_) => TestResult::Pass,
                    Err(error) => match error.limit {
                        None => TestResult::Error(error.to_string()),
                        Some(limit) => {
                            let place = Some(place.clone());
                            TestResult::Error(
                                PolicyError::of_limit(limit, place, options.memory, &time).to_string(),
                            )
                        }
                    },
                }
            }
        };
        verdicts.push(TestVerdict { test: rule.title(), place, result, duration: begun.elapsed(), prints });
    }
    Ok(verdicts)
}
