//! Policies as hosts see them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

use crate::compile::program::{Expr, RuleKind};
use crate::compile::{self, Compiled};
use crate::config_files::ConfigFiles;
use crate::error::{CompileError, CompileErrors, EvalError, Location};
use crate::format::{InputFormat, MissingField};
use crate::network::Network;
use crate::run::{Limits, Machine, Members, Outcome, RuleResults, Run, Stop, TermValue, either};
use crate::syntax::ast::Span;
use crate::value::{Unknown, Value};
use crate::{CompileOptions, DeclaredRule, SourceFile};

/// A rule of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(u32);

/// Policies that are ready to be evaluated, also on several threads at once.
#[derive(Debug)]
pub struct Program {
    compiled: Compiled,
}

/// Facts about a rule.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RuleInfo<'p> {
    /// The rule.
    pub id: RuleId,
    /// The package it is in.
    pub package: &'p [String],
    /// Its name: of a rule such as `a.b := 1` the first part.
    pub name: &'p str,
    /// Its path in `data`, package and name included.
    pub path: &'p [String],
    /// Whether it is a function.
    pub is_function: bool,
    /// Its definitions add to a set.
    pub is_set: bool,
    /// Its default, if that is a constant.
    pub default: Option<&'p Value>,
    /// The places of its definitions, or of its default if it has no other.
    pub definitions: Vec<Location>,
}

/// A part of the input that a policy mentions, with its constant keys.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InputReference<'p> {
    /// The keys.
    pub path: &'p [String],
    /// The place.
    pub location: Location,
}

/// The input and options of an evaluation.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The document `input`; `None` if it is undefined.
    pub input: Option<Value>,
    /// The documents of `data`: an object.
    pub data: Value,
    /// The limits of the evaluation.
    pub limits: Limits,
    /// Whether a failing built-in ends the rule, instead of making the expression undefined.
    pub strict_builtin_errors: bool,
    /// The time, in nanoseconds since 1970.
    pub now_ns: i64,
    /// The network, if policies may use one.
    pub network: Option<Arc<dyn Network>>,
    /// The configuration files, if policies may read some.
    pub config_files: Option<Arc<dyn ConfigFiles>>,
    /// Whether each [`Pass`] has the values of the terms in its condition. They are values of the input.
    pub keeps_values: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            input: None,
            data: Value::object([]),
            limits: Limits::default(),
            strict_builtin_errors: false,
            now_ns: 0,
            network: None,
            config_files: None,
            keeps_values: false,
        }
    }
}

/// Something that a built-in could not do, so that an expression was undefined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The place of the call.
    pub location: Location,
    /// The name of the built-in.
    pub function: &'static str,
    /// The failure. It may hold values of the input.
    pub message: String,
}

/// A place of a policy, and how often evaluation came by.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Pass {
    /// Where it is.
    pub location: Location,
    /// The bytes of the condition or rule in its file.
    pub text: std::ops::Range<usize>,
    /// The rule that it is in.
    pub rule: RuleId,
    /// Which of its definitions.
    pub definition: usize,
    /// It is the head of the rule: all conditions hold.
    pub is_head: bool,
    /// It is in a comprehension, or in the body of `every`.
    pub is_inner: bool,
    /// How often evaluation came by, whatever the unknown values will be.
    pub certain: u32,
    /// How often it did only for some of the values that the unknown ones may take.
    pub possible: u32,
    /// Values of the terms of this condition and of those before it, all of the first solution that came by.
    pub values: Vec<PassValue>,
}

/// The value of a term in a condition.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PassValue {
    /// The bytes of the condition in its file.
    pub condition: std::ops::Range<usize>,
    /// The bytes of the term in its file.
    pub text: std::ops::Range<usize>,
    /// Its value; `None` if it is undefined.
    pub value: Option<Value>,
}

/// An evaluation over one input. Rules are evaluated on demand, and once.
pub struct Session<'p> {
    program: &'p Program,
    machine: Machine<'p>,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Program {
    /// Compiles policies.
    ///
    /// # Errors
    ///
    /// A file is not Rego, or files contradict each other. Several errors are reported at once.
    pub fn compile(files: &[SourceFile], options: &CompileOptions) -> Result<Self, CompileErrors> {
        on_big_stack(|| compile::compile(files, options))
            .unwrap_or_else(|| Err(no_thread()))
            .map(|compiled| Self { compiled })
    }

    /// All rules, in the order of the files.
    pub fn rules(&self) -> impl Iterator<Item = RuleInfo<'_>> {
        self.compiled.rules.iter().zip(&self.compiled.shapes).zip(0..).map(|((set, shape), id)| {
            let definitions = set.definitions.iter().map(|one| one.place);
            let default = set.default.iter().filter(|_| set.definitions.is_empty()).map(|one| one.place);
            RuleInfo {
                id: RuleId(id),
                package: &shape.package,
                name: &shape.name,
                path: &self.compiled.nodes[set.node as usize].path,
                is_function: matches!(set.kind, RuleKind::Function(_)),
                is_set: set.kind == RuleKind::Set,
                default: set.default.as_ref().and_then(|default| match &default.branches.first()?.value {
                    Expr::Const(value) => Some(value),
                    _ => None,
                }),
                definitions: definitions
                    .chain(default)
                    .map(|place| compile::location(&self.compiled.files, place))
                    .collect(),
            }
        })
    }

    /// The documents in `data` that policies mention and no rule defines, with their places; without those
    /// that `with` replaces somewhere.
    pub fn data_references(&self) -> impl Iterator<Item = (&[String], Location)> {
        let is_mocked = |path: &[String]| {
            let mut mocked = self.compiled.mocked.iter();
            mocked.any(|mocked| path.starts_with(mocked) || mocked.starts_with(path))
        };
        let references = self.compiled.data_references.iter().filter(move |one| !is_mocked(&one.path));
        references.map(|one| (&one.path[..], compile::location(&self.compiled.files, one.place)))
    }

    /// The parts of the input that policies mention.
    pub fn input_references(&self) -> impl Iterator<Item = InputReference<'_>> {
        self.compiled.input_references.iter().map(|one| InputReference {
            path: &one.path,
            location: compile::location(&self.compiled.files, one.place),
        })
    }

    /// Whether a rule mentions this one by its name.
    pub fn is_mentioned(&self, rule: RuleId) -> bool {
        let node = self.compiled.rules[rule.0 as usize].node;
        self.compiled.edges.iter().any(|edges| edges.contains(&node))
    }

    /// The rules and functions that none of these leads to.
    pub fn unused_rules(&self, roots: &[RuleId]) -> Vec<RuleId> {
        let compiled = &self.compiled;
        let mut pending: Vec<u32> = roots.iter().map(|rule| compiled.rules[rule.0 as usize].node).collect();
        let mut seen: hashbrown::HashSet<u32> = pending.iter().copied().collect();
        while let Some(node) = pending.pop() {
            let node = &compiled.nodes[node as usize];
            let of_rule = node.rule.map_or(&[][..], |rule| &compiled.edges[rule as usize]);
            let next = node.children.values().chain(&node.above).chain(of_rule).copied();
            pending.extend(next.filter(|node| seen.insert(*node)));
        }
        let rules = (0..).zip(&compiled.rules);
        rules.filter(|(_, set)| !seen.contains(&set.node)).map(|(rule, _)| RuleId(rule)).collect()
    }

    /// Whether a rule, or one that it uses, mentions the input.
    pub fn reads_input(&self, rule: RuleId) -> bool {
        let compiled = &self.compiled;
        let mut pending = vec![compiled.rules[rule.0 as usize].node];
        let mut seen: hashbrown::HashSet<u32> = pending.iter().copied().collect();
        while let Some(node) = pending.pop() {
            let node = &compiled.nodes[node as usize];
            let above = node.above.and_then(|above| compiled.nodes[above as usize].rule);
            let rules: Vec<u32> = node.rule.into_iter().chain(above).collect();
            if rules.iter().any(|rule| compiled.reads_input[*rule as usize]) {
                return true;
            }
            let of_rules = rules.iter().flat_map(|rule| &compiled.edges[*rule as usize]);
            let next = node.children.values().chain(of_rules).copied();
            pending.extend(next.filter(|node| seen.insert(*node)));
        }
        false
    }

    /// The fields that these rules, and all that they lead to, read and the input never has. Nothing is reported of a read
    /// that may find something.
    ///
    /// # Errors
    ///
    /// The deadline has passed.
    pub fn missing_fields(
        &self,
        rules: &[RuleId],
        input: &InputFormat,
        options: &CompileOptions,
    ) -> Result<Vec<MissingField>, CompileErrors> {
        let rules: Vec<u32> = rules.iter().map(|rule| rule.0).collect();
        let missing = on_big_stack(|| compile::fields::check(&self.compiled, &rules, input, options));
        let missing = missing.unwrap_or_else(|| Err(no_thread()))?;
        let field = |one: compile::fields::MissingRead| MissingField {
            location: compile::location(&self.compiled.files, one.place),
            field: one.field,
            part: one.part,
        };
        Ok(missing.into_iter().map(field).collect())
    }

    /// Evaluates rules over an input, on a thread with a stack that is large enough.
    ///
    /// # Errors
    ///
    /// The error of `work`, or no thread could be started.
    pub fn run<T: Send>(
        &self,
        setup: Setup,
        work: impl FnOnce(&mut Session<'_>) -> Result<T, EvalError> + Send,
    ) -> Result<T, EvalError> {
        on_big_stack(|| {
            let Setup {
                input,
                data,
                limits,
                strict_builtin_errors,
                now_ns,
                network,
                config_files,
                keeps_values,
            } = setup;
            let machine =
                Machine::new(&self.compiled, input, data, limits, strict_builtin_errors, now_ns, network)
                    .with_config_files(config_files)
                    .with_sights(keeps_values);
            work(&mut Session { program: self, machine })
        })
        .unwrap_or_else(|| {
            let message = "there is no thread to evaluate policies".to_owned();
            Err(EvalError { limit: None, location: None, message, doubt: None })
        })
    }
}

impl Session<'_> {
    /// The value of a rule, if it is defined, and the unknown values that decide whether it is defined and
    /// does not fail.
    ///
    /// # Errors
    ///
    /// Evaluating it fails, or a limit is reached.
    pub fn rule(&mut self, rule: RuleId) -> Result<(Option<Value>, Option<Unknown>), EvalError> {
        let outcome = self.machine.rule(rule.0);
        let outcome = self.checked(outcome)?;
        Ok((outcome.value, either(outcome.doubt, outcome.may_fail.as_ref())))
    }

    /// The results of one definition of a rule.
    ///
    /// # Errors
    ///
    /// Evaluating it fails, or a limit is reached.
    pub fn definition(&mut self, rule: RuleId, index: usize) -> Result<RuleResults, EvalError> {
        let members = self.machine.definition(rule.0, index);
        let (members, may_fail) = self.checked(members)?;
        let is_set = self.program.compiled.rules[rule.0 as usize].kind == RuleKind::Set;
        self.in_json(if is_set {
            RuleResults { certain: members.certain, possible: members.possible, may_fail }
        } else {
            RuleResults { may_fail, ..members.flattened() }
        })
    }

    /// Results in a form that JSON has. OPA 1.20 ends the evaluation with "invalid number literal" if a result holds
    /// `to_number("01")`.
    fn in_json(&self, mut results: RuleResults) -> Result<RuleResults, EvalError> {
        let is_in_json = |value: &Value| value.number_not_in_json().is_none();
        if !results.certain.iter().all(is_in_json) {
            let message =
                "a result has a number that is written as JSON writes none, such as to_number(\"01\")";
            return Err(EvalError { limit: None, location: None, message: message.to_owned(), doubt: None });
        }
        let of_possible = results.possible.iter().filter(|(value, _)| !is_in_json(value));
        let doubts: Vec<Unknown> = of_possible.map(|(_, doubt)| doubt.clone()).collect();
        let all = results.certain.iter().chain(results.possible.iter().map(|(value, _)| value));
        let unknown: Vec<Unknown> = match self.machine.has_read_number {
            true => all.filter_map(Value::possible_numbers).collect(),
            false => Vec::new(),
        };
        for doubt in doubts.iter().chain(&unknown) {
            results.may_fail = either(results.may_fail, Some(doubt));
        }
        Ok(results)
    }

    /// The results of all definitions of a rule together.
    ///
    /// # Errors
    ///
    /// Evaluating it fails, or a limit is reached.
    pub fn definition_values(&mut self, rule: RuleId) -> Result<RuleResults, EvalError> {
        let outcome = self.machine.rule(rule.0);
        let Outcome { value, doubt, may_fail } = self.checked(outcome)?;
        let mut members = Members::default();
        if let Some(value) = value {
            members.add(value, doubt.as_ref());
        }
        Ok(RuleResults { may_fail, ..members.flattened() })
    }

    /// The keys that a rule such as `cases[name] if …` finds for its object, whether or not the rest of its body holds for
    /// them. Nothing, if it makes no object.
    ///
    /// # Errors
    ///
    /// Evaluating it fails, or a limit is reached.
    pub fn object_keys(&mut self, rule: RuleId) -> Result<BTreeSet<Vec<Value>>, EvalError> {
        let keys = self.machine.object_keys(rule.0);
        self.checked(keys)
    }

    /// The output of `print` since the last call of this function.
    pub fn take_prints(&mut self) -> Vec<(Location, String)> {
        let files = &self.program.compiled.files;
        let prints = self.machine.take_prints().into_iter();
        prints.map(|(place, text)| (compile::location(files, place), text)).collect()
    }

    /// The conditions and heads of all rules, in their order in each, with how often evaluation came by since the last call
    /// of this function. Nothing, unless the policies were compiled for that.
    pub fn take_passes(&mut self) -> Vec<Pass> {
        let compiled = &self.program.compiled;
        let passes = self.machine.take_passes();
        let mut sights = self.machine.take_sights().into_iter();
        let bytes = |span: Span| span.start as usize..span.end as usize;
        let value = |seen: TermValue| {
            let mark = compiled.marks.get(seen.mark as usize)?;
            let (condition, text) = (bytes(mark.place.span), bytes(mark.terms.get(seen.term)?.span));
            Some(PassValue { condition, text, value: seen.value })
        };
        let marks = compiled.marks.iter().zip(passes);
        marks
            .map(|(mark, passes)| Pass {
                values: sights
                    .next()
                    .flatten()
                    .map_or(Vec::new(), |sight| sight.values.into_iter().filter_map(value).collect()),
                location: compile::location(&compiled.files, mark.place),
                text: bytes(mark.place.span),
                rule: RuleId(mark.rule),
                definition: mark.definition as usize,
                is_head: mark.is_head,
                is_inner: mark.is_inner,
                certain: passes.certain,
                possible: passes.possible,
            })
            .collect()
    }

    /// The failures of built-ins since the last call of this function.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        let files = &self.program.compiled.files;
        let complaints = self.machine.take_complaints().into_iter();
        let warning = |complaint: crate::run::Complaint| Warning {
            location: compile::location(files, complaint.place),
            function: complaint.function,
            message: complaint.message,
        };
        complaints.map(warning).collect()
    }

    fn checked<T>(&self, result: Run<T>) -> Result<T, EvalError> {
        result.map_err(|stop| match stop {
            Stop::Limit(limit) => {
                EvalError { limit: Some(limit), location: None, message: limit.to_string(), doubt: None }
            }
            Stop::Failure(failure) => EvalError {
                limit: None,
                location: Some(compile::location(&self.program.compiled.files, failure.place)),
                message: failure.message,
                doubt: failure.doubt,
            },
        })
    }
}

/// The rules that a file declares, without functions. The file is parsed and not compiled, so its imports
/// need not exist.
///
/// ```
/// use objchange_rego::{SourceFile, declared_rules};
///
/// let text = "package p\n\nimport data.missing\n\ndeny contains missing.message if missing.f(input)\n";
/// let rules = declared_rules(&SourceFile { name: "p.rego".to_owned(), text: text.to_owned() })?;
/// assert_eq!((rules[0].path.join("."), rules[0].location.line), ("p.deny".to_owned(), 5));
/// # Ok::<(), objchange_rego::CompileErrors>(())
/// ```
///
/// # Errors
///
/// The file is not Rego.
pub fn declared_rules(file: &SourceFile) -> Result<Vec<DeclaredRule>, CompileErrors> {
    on_big_stack(|| compile::declared_rules(file)).unwrap_or_else(|| Err(no_thread()))
}

/// The names that imports of a file declare and nothing in it mentions, with the places of the imports.
///
/// # Errors
///
/// The file is not Rego.
pub fn unused_imports(file: &SourceFile) -> Result<Vec<(String, Location)>, CompileErrors> {
    on_big_stack(|| compile::unused_imports(file)).unwrap_or_else(|| Err(no_thread()))
}

fn no_thread() -> CompileErrors {
    let message = "there is no thread to compile policies".to_owned();
    CompileErrors(vec![CompileError { code: "thread", location: None, message }])
}

/// Runs work on a thread with a large stack; `None` if no thread can be started.
fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(crate::STACK).spawn_scoped(scope, work);
        thread.ok()?.join().ok()
    })
}
