//! Compiles files to policies.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;

use objchange_rego::{CompileOptions, NetworkAccess, Program, RuleId, SourceFile, Value};
use objchange_text::TimeLimit;

use super::data::LeftOutData;
use super::error::{PolicyError, PolicyErrorKind, PolicyLocation};
use super::members::Members;
use super::rules::{Evaluated, evaluated, title};
use super::trace::Texts;
use super::{InputMode, Options, PolicyFile, shape};

/// Policies that are ready to be evaluated.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) program: Program,
    /// The rule that was begun last.
    pub(super) begun: AtomicUsize,
    pub(super) rules: Vec<Evaluated>,
    /// The rules called `exception`, by package.
    pub(super) exceptions: BTreeMap<Vec<String>, RuleId>,
    pub(super) members: Members,
    /// The form of `input`.
    pub(super) mode: InputMode,
    /// Remarks about the policies that are not errors.
    pub(super) notes: Vec<String>,
    /// The files, where conditions are cited from them.
    pub(super) texts: Texts,
}

pub(super) fn compile(
    files: &[PolicyFile],
    options: &Options,
    testing: bool,
) -> Result<Compiled, PolicyError> {
    let sources: Vec<SourceFile> =
        files.iter().map(|file| SourceFile { name: file.name.clone(), text: file.text.clone() }).collect();
    let mut compile_options = CompileOptions::default();
    let time = TimeLimit::begin(options.timeout);
    compile_options.deadline = time.end();
    compile_options.marks = options.trace || options.coverage;
    compile_options.network = match (testing, &options.network) {
        (true, _) => NetworkAccess::Mocked,
        (false, Some(_)) => NetworkAccess::Allowed,
        (false, None) => NetworkAccess::Refused,
    };
    let program = Program::compile(&sources, &compile_options)
        .map_err(|errors| PolicyError::of_policies(&errors, &time))?;
    refuse_data_left_out(&program, &options.data_left_out)?;
    // Tests may mock a document with `with data.x as …`, so only policies are refused.
    let mut missing = if testing { Vec::new() } else { missing_data(&program, &options.data) };
    let rules = evaluated(&program, options, testing)?;
    let mode = match testing {
        // Tests make their own input with `with input as …`: it need not be of one form.
        true => options.input,
        false => shape::choose(&program, files, options)?,
    };
    let exceptions: BTreeMap<Vec<String>, RuleId> = program
        .rules()
        .filter(|rule| rule.name == "exception" && rule.path.len() == rule.package.len() + 1)
        .map(|rule| (rule.package.to_vec(), rule.id))
        .collect();
    if !testing {
        let wanted: Vec<RuleId> =
            rules.iter().map(|rule| rule.id).chain(exceptions.values().copied()).collect();
        missing.extend(shape::missing_fields(&program, &wanted, mode, options, (&compile_options, &time))?);
    }
    let mut missing = missing.into_iter();
    if let Some(first) = missing.next() {
        return Err(PolicyError::joined(first, missing));
    }
    // `after_full` repeats every value after, so it is made only for policies that mention it.
    let full = files.iter().any(|file| file.text.contains("after_full"));
    Ok(Compiled {
        // No rule has this position, so that `Policies::evaluating` finds none yet.
        begun: AtomicUsize::new(usize::MAX),
        members: Members::new(&program, full),
        mode,
        notes: Vec::new(),
        texts: if options.trace { Texts::new(files) } else { Texts::default() },
        rules,
        exceptions,
        program,
    })
}

/// A rule over a part of the data would hold for that part alone.
fn refuse_data_left_out(program: &Program, left_out: &[LeftOutData]) -> Result<(), PolicyError> {
    for (path, location) in program.data_references() {
        let touches = |one: &&LeftOutData| path.starts_with(&one.path) || one.path.starts_with(path);
        if let Some(LeftOutData { reason, .. }) = left_out.iter().find(touches) {
            let message = format!(
                "data.{} is not complete: {reason}; correct the file, or move it out of the folder of policies",
                title(path)
            );
            let place = Some(PolicyLocation::from(location));
            return Err(PolicyError::new(PolicyErrorKind::Policy, place, message));
        }
    }
    Ok(())
}

/// The documents that rules read and that are not there: such a rule would never hold.
fn missing_data(program: &Program, data: &Value) -> Vec<PolicyError> {
    let mut missing = Vec::new();
    for (path, location) in program.data_references() {
        let mut at = Some(data);
        for key in path {
            at = at.and_then(Value::as_object).and_then(|object| object.get_str(key));
        }
        if at.is_none() && !path.is_empty() {
            let message =
                format!("data.{} is not there: no rule makes it, and no data file holds it", title(path));
            missing.push(PolicyError::new(PolicyErrorKind::Policy, Some(location.into()), message));
        }
    }
    missing
}
