//! Rego's own tests.

use std::time::{Duration, Instant};

use regorus::Value;
use serde::Serialize;

use super::compile::compile;
use super::error::{Place, PolicyError};
use super::rules::{reference, title};
use super::session::{Given, Session};
use super::{Options, PolicyFile, on_big_stack};

/// What became of a test.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct TestVerdict {
    /// The package and the name of the test.
    pub test: String,
    /// Where it is defined.
    pub place: Place,
    /// How it turned out.
    pub result: TestResult,
    /// How long it took.
    #[serde(skip)]
    pub duration: Duration,
    /// What it has printed.
    pub prints: Vec<String>,
}

/// How a test turned out.
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
    on_big_stack(|| {
        let policies = compile(files, options, true)?;
        let mut verdicts = Vec::new();
        for (index, rule) in policies.rules.iter().enumerate() {
            let Some(place) = rule.definitions.first().map(|definition| definition.place.clone()) else {
                continue;
            };
            let begun = Instant::now();
            let mut session = Session::new(&policies, begun + options.timeout)?;
            session.about(index);
            let result = match rule.key.1.starts_with("todo_") {
                true => TestResult::Skip,
                false => {
                    match session.rule(&reference(&rule.key), &place, &Given::Plain(Value::new_object())) {
                        Ok(Value::Undefined | Value::Bool(false)) => TestResult::Fail,
                        Ok(_) => TestResult::Pass,
                        Err(error) => TestResult::Error(error.to_string()),
                    }
                }
            };
            let prints = session.prints();
            verdicts.push(TestVerdict {
                test: title(&rule.key),
                place,
                result,
                duration: begun.elapsed(),
                prints,
            });
        }
        Ok(verdicts)
    })
}
