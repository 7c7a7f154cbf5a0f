//! Rego's own tests.

use std::fmt::Write;
use std::time::{Duration, Instant};

use objchange_rego::value::shown;
use objchange_rego::{Limits, Setup, Value};
use objchange_text::TimeLimit;
use serde::Serialize;

use super::compile::compile;
use super::error::{PolicyError, PolicyLocation};
use super::rules::refuse_unmatched_tests;
use super::trace::Coverage;
use super::{Options, PolicyFile};

/// The result of a test, or of a case of one: each key of a test such as `test_a[key] if …` is a case.
///
/// As JSON it is a line of `schema/policy-test.schema.json`.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct TestVerdict {
    /// The package and the name of the test, with the key of a case.
    pub test: String,
    /// Where it is defined.
    #[serde(flatten)]
    pub place: PolicyLocation,
    /// The result.
    #[serde(flatten)]
    pub result: TestResult,
    /// How long it took.
    #[serde(skip)]
    pub duration: Duration,
    /// Its output from `print`.
    pub prints: Vec<String>,
}

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", content = "message", rename_all = "lowercase")]
pub enum TestResult {
    /// It is true.
    Pass,
    /// It is anything else, or undefined.
    Fail,
    /// Its name begins with `todo_`.
    Skip,
    /// Evaluating it failed.
    Error(String),
}

/// The results of tests.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Tested {
    /// One for each test.
    pub verdicts: Vec<TestVerdict>,
    /// The lines that they have evaluated, if the options ask for them.
    pub coverage: Option<Coverage>,
}

/// Runs the rules whose names begin with `test_`.
///
/// # Errors
///
/// A file is not Rego, files contradict each other, a function is called as tests are, or one of the names in the options
/// matches no test.
pub fn run_tests(files: &[PolicyFile], options: &Options) -> Result<Tested, PolicyError> {
    let policies = compile(files, options, true)?;
    refuse_unmatched_tests(&policies.rules, options)?;
    let mut verdicts = Vec::new();
    let mut coverage = options.coverage.then(Coverage::default);
    for rule in &policies.rules {
        let Some(place) = rule.definitions.first().cloned() else { continue };
        // Each test has the whole time, so that a slow one does not make those behind it fail.
        let (begun, time) = (Instant::now(), TimeLimit::begin(options.timeout));
        let mut prints = Vec::new();
        let results = match rule.is_skipped() {
            true => vec![(rule.title(), TestResult::Skip)],
            false => {
                let setup = Setup {
                    input: None,
                    data: options.data.clone(),
                    limits: Limits { deadline: time.end(), memory: options.memory },
                    strict_builtin_errors: options.strict_builtin_errors,
                    now_ns: (options.now_ns)(),
                    // Tests mock `http.send` with `with`, also where policies may use the network.
                    network: None,
                    config_files: options.config_files.clone(),
                    keeps_values: false,
                };
                let results = policies.program.run(setup, |session| {
                    let value = session.rule(rule.id);
                    let printed = session.take_prints().into_iter();
                    prints = printed
                        .map(|(location, text)| {
                            format!("{}: {}", PolicyLocation::from(location), shown(&text))
                        })
                        .collect();
                    if let Some(coverage) = &mut coverage {
                        coverage.add(&session.take_passes());
                    }
                    let (value, _) = value?;
                    let value = value.unwrap_or(Value::Null);
                    let cases = session.object_keys(rule.id)?;
                    Ok(match cases.is_empty() {
                        true => vec![(rule.title(), result(&value))],
                        false => cases.into_iter().map(|keys| case(rule.title(), &value, &keys)).collect(),
                    })
                });
                results.unwrap_or_else(|error| {
                    let message = match error.limit {
                        None => error.to_string(),
                        Some(limit) => {
                            let place = Some(place.clone());
                            PolicyError::of_limit(limit, place, options.memory, &time).to_string()
                        }
                    };
                    vec![(rule.title(), TestResult::Error(message))]
                })
            }
        };
        // All cases are evaluated at once: the first of them has the time, and what was printed.
        let mut duration = begun.elapsed();
        verdicts.extend(results.into_iter().map(|(test, result)| TestVerdict {
            test,
            place: place.clone(),
            result,
            duration: std::mem::take(&mut duration),
            prints: std::mem::take(&mut prints),
        }));
    }
    Ok(Tested { verdicts, coverage })
}

/// OPA accepts nothing but `true`.
fn result(value: &Value) -> TestResult {
    if matches!(value, Value::Bool(true)) { TestResult::Pass } else { TestResult::Fail }
}

/// The name and the result of a case in the value of a test.
fn case(mut title: String, value: &Value, keys: &[Value]) -> (String, TestResult) {
    for key in keys {
        // Writing to a string does not fail.
        _ = write!(title, "[{}]", key.to_json());
    }
    let value = keys.iter().try_fold(value, |value, key| value.as_object()?.get(key));
    (title, value.map_or(TestResult::Fail, result))
}
