//! The values of variables in test files: those of a file, and those of a run.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use objchange::Value;
use objchange::change::ProviderSecrets;
use objchange::value::{Marks, Path};
use objchange_hcl::{
    Attribute, Diagnostic, Expr, Functions, Reference, Scope, VariableConfig, Variables, evaluate, variables,
};
use smol_str::SmolStr;

use super::load::{GlobalValue, SuiteFile, SuiteModule};
use super::order::VariableNeeds;
use super::scope::{TestSubject, nameless, subject};
use crate::Diagnostics;
use crate::config::Config;
use crate::plan::GivenVariable;
use crate::plan::variable::root_value;
use crate::subject::{Subject, SubjectKind};

const ONLY_RUNS_AND_VARIABLES: &str =
    "You can only reference run blocks and variables from within Terraform Test files.";

/// The names that values of variables in a test file may refer to.
pub(super) struct FileScope<'s> {
    pub(super) suite_file: &'s SuiteFile,
    /// The module under test.
    pub(super) main: &'s SuiteModule,
    pub(super) functions: &'s Functions,
    pub(super) is_new: bool,
    /// The values of the `variables` block of the file.
    pub(super) own: BTreeMap<SmolStr, GivenVariable>,
    /// Where values of the file are secret by a `variable` block with `sensitive = true`. Terraform 1.15.5 prints them, and
    /// modules receive them without a mark.
    secret: SecretParts,
    /// Variables of the file that have no value because of an error.
    broken: BTreeSet<SmolStr>,
    /// Values of the `variables` block that wait for runs, each after those that it needs.
    open: Vec<&'s Attribute>,
    /// The names of these.
    waiting: HashSet<SmolStr>,
}

/// The runs that have ended, and all of the file.
pub(super) struct EarlierRuns<'r> {
    pub(super) outputs: &'r BTreeMap<SmolStr, Value>,
    pub(super) names: &'r [SmolStr],
}

/// The variables of one run.
#[derive(Debug, Default)]
pub(super) struct RunVariables {
    /// Those that the module declares.
    pub(super) given: BTreeMap<SmolStr, GivenVariable>,
    /// Others, which conditions may refer to.
    pub(super) others: BTreeMap<SmolStr, Value>,
    /// Where these values are secret by the test file.
    pub(super) secret: SecretParts,
}

/// The values that an expression refers to, and where they are secret by the test file.
#[derive(Default)]
struct Referred {
    variables: Vec<(SmolStr, Value)>,
    runs: Vec<(SmolStr, Value)>,
    secret: SecretParts,
}

/// For variables, the paths in their values that a `variable` block with `sensitive = true` makes secret.
pub(super) type SecretParts = BTreeMap<SmolStr, Vec<(Path, Marks)>>;

impl RunVariables {
    fn give(&mut self, name: &SmolStr, given: GivenVariable, secret: Vec<(Path, Marks)>) {
        self.given.insert(name.clone(), given);
        self.set_secret(name, secret);
    }

    fn add_other(&mut self, name: &SmolStr, value: Value, secret: Vec<(Path, Marks)>) {
        self.others.insert(name.clone(), value);
        self.set_secret(name, secret);
    }

    fn set_secret(&mut self, name: &SmolStr, secret: Vec<(Path, Marks)>) {
        match secret.is_empty() {
            // A value that replaces a secret one is public.
            true => drop(self.secret.remove(name)),
            false => drop(self.secret.insert(name.clone(), secret)),
        }
    }

    /// Adds the secrets among the values to those that must not be printed.
    pub(super) fn learn_secrets(&self, secrets: &mut ProviderSecrets) {
        for (name, paths) in &self.secret {
            let given = self.given.get(name).map(|given| &given.value);
            if let Some(value) = given.or_else(|| self.others.get(name)) {
                secrets.learn_marked(&with_secret_parts(&value.unmark_deep().0, paths));
            }
        }
    }
}

/// A value with marks on its secret parts. A path into a set, or one that a conversion has changed, marks the whole value.
pub(super) fn with_secret_parts(value: &Value, paths: &[(Path, Marks)]) -> Value {
    match paths.iter().all(|(path, _)| value.at(path).is_some()) {
        true => value.mark_where_present(paths),
        false => value.clone().sensitive(),
    }
}

impl<'s> FileScope<'s> {
    /// Evaluates the `variables` block of a file.
    pub(super) fn new(
        suite_file: &'s SuiteFile,
        main: &'s SuiteModule,
        functions: &'s Functions,
        is_new: bool,
        needs: &VariableNeeds<'_>,
    ) -> (Self, Diagnostics) {
        let mut scope = Self {
            suite_file,
            main,
            functions,
            is_new,
            own: BTreeMap::new(),
            secret: BTreeMap::new(),
            broken: BTreeSet::new(),
            open: Vec::new(),
            waiting: HashSet::new(),
        };
        let mut found = Diagnostics::default();
        if is_new {
            for (name, declared) in &suite_file.file.declared {
                match scope.declared_value(name, declared) {
                    Some(Ok(_)) => continue,
                    Some(Err(errors)) => found.errors(errors),
                    None => {
                        let detail = format!("The variable {:?} is required, but is not set.", name.as_str());
                        found.error("Required variable not set", declared.header, detail);
                    }
                }
                scope.broken.insert(name.clone());
            }
        }
        let variables = &suite_file.file.variables;
        scope.open = needs.in_order().map(|position| &variables[position]).collect();
        scope.waiting = variables.iter().map(|variable| variable.name.clone()).collect();
        let names: Vec<SmolStr> = suite_file.file.runs.iter().map(|run| run.name.clone()).collect();
        scope.settle(&EarlierRuns { outputs: &BTreeMap::new(), names: &names }, &mut found);
        (scope, found)
    }

    /// Evaluates what can be: each after those that it refers to, be they variables of the file or runs.
    pub(super) fn settle(&mut self, earlier: &EarlierRuns<'_>, found: &mut Diagnostics) {
        for attribute in std::mem::take(&mut self.open) {
            if self.waits(attribute, earlier) {
                self.open.push(attribute);
                continue;
            }
            let name = &attribute.name;
            self.waiting.remove(name);
            let is_broken =
                self.is_new && file_variables(attribute).iter().any(|needed| self.broken.contains(needed));
            let value = if is_broken { None } else { self.file_value(attribute, earlier, found) };
            match value {
                Some((value, secret)) => {
                    if !secret.is_empty() {
                        self.secret.insert(name.clone(), secret);
                    }
                    let span = Some(attribute.expr.span);
                    let given = GivenVariable { value, origin: String::new(), span };
                    self.own.insert(name.clone(), given);
                }
                None => drop(self.broken.insert(name.clone())),
            }
        }
    }

    /// Whether a variable refers to one that has no value yet, or to a run that has not ended.
    fn waits(&self, attribute: &Attribute, earlier: &EarlierRuns<'_>) -> bool {
        let is_ahead = |name: &SmolStr| earlier.names.contains(name) && !earlier.outputs.contains_key(name);
        self.is_new
            && (file_variables(attribute).iter().any(|name| self.waiting.contains(name))
                || runs_in(&attribute.expr).iter().any(is_ahead))
    }

    /// Whether variables that a run needs have no value, because something is wrong with it.
    pub(super) fn lacks_values_for(&self, run: &RunReferences, config: &Config) -> bool {
        self.is_new && self.broken.iter().any(|name| run.needs_variable(config, name))
    }

    fn file_value(
        &self,
        attribute: &Attribute,
        earlier: &EarlierRuns<'_>,
        found: &mut Diagnostics,
    ) -> Option<(Value, Vec<(Path, Marks)>)> {
        let errors = found.error_count();
        let mut needed = Referred::default();
        for reference in variables(&attribute.expr) {
            match subject(&reference) {
                (_, Some(error)) => found.errors([error]),
                (Some(TestSubject::Module(Subject { kind: SubjectKind::Variable(name), span, .. })), _) => {
                    let own = self.own.get(&name).filter(|_| self.is_new).map(|given| given.value.clone());
                    match own.map(Ok).or_else(|| self.global(&name)) {
                        Some(Ok(value)) => self.refer(&mut needed, name, value),
                        Some(Err(errors)) => found.errors(errors),
                        None => {
                            let detail = match self.is_new {
                                true => format!(
                                    "The input variable {:?} does not exist within this test file.",
                                    name.as_str()
                                ),
                                false => format!(
                                    "The input variable {:?} is not available to the current context. You can only reference \
                                     global variables.",
                                    name.as_str()
                                ),
                            };
                            found.error("Reference to unavailable variable", span, detail);
                        }
                    }
                }
                (Some(TestSubject::Run(name, span)), _) if self.is_new => {
                    match self.earlier_run(&name, span, &reference, earlier) {
                        Ok(outputs) => needed.runs.push((name, outputs)),
                        Err(error) => found.errors([*error]),
                    }
                }
                (Some(_), None) => {
                    let detail = match self.is_new {
                        true => ONLY_RUNS_AND_VARIABLES,
                        false => {
                            "You can only reference global variables within the test file variables block."
                        }
                    };
                    found.error("Invalid reference", reference.whole(), detail);
                }
                (None, None) => {}
            }
        }
        if found.error_count() > errors {
            return None;
        }
        self.value_of(&attribute.expr, needed, found)
    }

    /// Adds a variable that an expression refers to.
    fn refer(&self, needed: &mut Referred, name: SmolStr, value: Value) {
        let secret = self.secret_parts(&name);
        if !secret.is_empty() {
            needed.secret.insert(name.clone(), secret);
        }
        needed.variables.push((name, value));
    }

    /// Where the value of a variable of the file is secret.
    fn secret_parts(&self, name: &SmolStr) -> Vec<(Path, Marks)> {
        match self.suite_file.file.declared.get(name) {
            Some(declared) if declared.sensitive => vec![(Path::root(), Marks::SENSITIVE)],
            _ => self.secret.get(name).cloned().unwrap_or_default(),
        }
    }

    /// Adds the secrets among the values of the file to those that must not be printed.
    pub(super) fn learn_secrets(&self, secrets: &mut ProviderSecrets) {
        let declared = self.suite_file.file.declared.iter().filter(|(_, declared)| declared.sensitive);
        for value in declared.filter_map(|(name, declared)| self.declared_value(name, declared)?.ok()) {
            secrets.learn_marked(&value.sensitive());
        }
        for (name, paths) in &self.secret {
            if let Some(own) = self.own.get(name) {
                secrets.learn_marked(&with_secret_parts(&own.value.unmark_deep().0, paths));
            }
        }
    }

    /// The value that a variable has from outside of the test file, or by a `variable` block of the file.
    fn global(&self, name: &SmolStr) -> Option<Result<Value, Vec<Diagnostic>>> {
        let value =
            |given: &GlobalValue| given.as_ref().map(|given| given.value.clone()).map_err(Clone::clone);
        if let Some(declared) = self.suite_file.file.declared.get(name) {
            return self.declared_value(name, declared);
        }
        // Since 1.15 what the module declares says nothing about references in test files.
        let of_module = self.main.globals[usize::from(self.suite_file.is_in_test_directory)].0.get(name);
        let of_module = of_module.filter(|_| !self.is_new);
        of_module.or_else(|| self.suite_file.globals.0.get(name)).map(value)
    }

    /// The value of a `variable` block of the file: given from outside, else its default.
    fn declared_value(
        &self,
        name: &SmolStr,
        declared: &VariableConfig,
    ) -> Option<Result<Value, Vec<Diagnostic>>> {
        let given = match self.suite_file.globals.0.get(name) {
            Some(Ok(given)) => Some(given),
            Some(Err(errors)) => return Some(Err(errors.clone())),
            None => {
                declared.default.as_ref()?;
                None
            }
        };
        // As in Terraform 1.15.5, `sensitive` of such a block puts no mark on values for modules. It hides them where they are
        // printed.
        let marks = if declared.ephemeral { Marks::EPHEMERAL } else { Marks::NONE };
        match root_value(&self.main.config, name, declared, given) {
            Ok(value) => Some(Ok(value?.with_marks(marks))),
            Err(error) => Some(Err(vec![*error])),
        }
    }

    /// The variables of a run: its own values count before those of the file, and these before those from outside.
    pub(super) fn run_variables(
        &self,
        run: &objchange_hcl::TestRun,
        module: &SuiteModule,
        earlier: &EarlierRuns<'_>,
        found: &mut Diagnostics,
    ) -> RunVariables {
        let no_variables = BTreeMap::new();
        let declared = module.config.modules.first().map_or(&no_variables, |root| &root.config.variables);
        let mut result = RunVariables::default();
        let errors = found.error_count();
        let mut undeclared = Diagnostics::default();
        for (name, value) in &module.globals[usize::from(self.suite_file.is_in_test_directory)].0 {
            match value {
                Ok(given) => drop(result.given.insert(name.clone(), given.clone())),
                // A global value that the file overrides is not used, so its error does not count.
                Err(_) if self.own.contains_key(name) => {}
                Err(errors) => found.errors(errors.iter().cloned()),
            }
        }
        for (name, variable) in self.suite_file.file.declared.iter().filter(|_| self.is_new) {
            if declared.contains_key(name)
                && let Some(Ok(value)) = self.declared_value(name, variable)
            {
                let given = GivenVariable { value, origin: String::new(), span: Some(variable.header) };
                result.give(name, given, self.secret_parts(name));
            }
        }
        for name in self.suite_file.globals.0.keys().chain(self.suite_file.file.declared.keys()) {
            if !declared.contains_key(name)
                && let Some(Ok(value)) = self.global(name)
            {
                result.add_other(name, value, self.secret_parts(name));
            }
        }
        for (name, given) in &self.own {
            // Terraform passes a module only what it declares. Other values serve references in the test file.
            match declared.contains_key(name) {
                true => result.give(name, given.clone(), self.secret_parts(name)),
                false => result.add_other(name, given.value.clone(), self.secret_parts(name)),
            }
        }
        for attribute in &run.variables {
            let value = self.run_value(attribute, earlier, found);
            let name = &attribute.name;
            if !declared.contains_key(name) {
                let detail = format!(
                    "The module under test does not declare a variable named {:?}, but it is declared in run block {:?}.",
                    name.as_str(),
                    run.name.as_str()
                );
                // Since 1.15 one that the run itself refers to is of use.
                if !self.is_new || !refers_to(run, name) {
                    undeclared.warning("Value for undeclared variable", attribute.expr.span, detail);
                }
                if let Some((value, secret)) = value {
                    result.add_other(name, value, secret);
                }
                continue;
            }
            if let Some((value, secret)) = value {
                let span = Some(attribute.expr.span);
                result.give(name, GivenVariable { value, origin: String::new(), span }, secret);
            }
        }
        found.append(undeclared);
        // Since 1.15 missing values are reported beside wrong ones.
        if found.error_count() > errors && !self.is_new {
            return result;
        }
        for (name, variable) in declared {
            // A value that is wrong has an error of its own.
            let is_given = result.given.contains_key(name)
                || run.variables.iter().any(|attribute| attribute.name == *name);
            if variable.default.is_none() && !is_given {
                let detail = format!(
                    "The module under test for run block {:?} has a required variable {:?} with no set value. Use a -var or \
                     -var-file command line argument or add this variable into a \"variables\" block within the test file or \
                     run block.",
                    run.name.as_str(),
                    name.as_str()
                );
                found.error("No value for required variable", variable.header, detail);
            }
        }
        result
    }

    fn run_value(
        &self,
        attribute: &Attribute,
        earlier: &EarlierRuns<'_>,
        found: &mut Diagnostics,
    ) -> Option<(Value, Vec<(Path, Marks)>)> {
        let errors = found.error_count();
        let mut needed = Referred::default();
        for reference in variables(&attribute.expr) {
            if let Some(error) = nameless(&reference) {
                found.errors([error]);
                continue;
            }
            match subject(&reference) {
                (_, Some(error)) => found.errors([error]),
                (Some(TestSubject::Module(Subject { kind: SubjectKind::Variable(name), span, .. })), _) => {
                    self.run_reference(name, span, &mut needed, found);
                }
                (Some(TestSubject::Run(name, span)), _) => {
                    match self.earlier_run(&name, span, &reference, earlier) {
                        Ok(outputs) => needed.runs.push((name, outputs)),
                        Err(error) => found.errors([*error]),
                    }
                }
                (Some(_), None) => {
                    let detail = match self.is_new {
                        true => ONLY_RUNS_AND_VARIABLES,
                        false => {
                            "You can only reference earlier run blocks, file level, and global variables while defining \
                             variables from inside a run block."
                        }
                    };
                    found.error("Invalid reference", place_of(&reference), detail);
                }
                (None, None) => {}
            }
        }
        if found.error_count() > errors {
            return None;
        }
        self.value_of(&attribute.expr, needed, found)
    }

    /// The value of an expression, and where it is secret by the test file.
    fn value_of(
        &self,
        expr: &Expr,
        needed: Referred,
        found: &mut Diagnostics,
    ) -> Option<(Value, Vec<(Path, Marks)>)> {
        let Referred { variables, runs, secret } = needed;
        let value_with = |variables, runs| {
            let names: Variables =
                [("var", Value::object(variables)), ("run", Value::object(runs))].into_iter().collect();
            evaluate(expr, &Scope::new(&names), self.functions)
        };
        let (value, errors) = value_with(variables.clone(), runs.clone());
        if !errors.is_empty() {
            found.errors(errors);
            return None;
        }
        if secret.is_empty() {
            return Some((value, Vec::new()));
        }
        // Marks follow the secrets. A second evaluation finds where they lead, without any other mark that the values have.
        let plain = |(name, value): (SmolStr, Value)| (name, value.unmark_deep().0);
        let marked = |(name, value): (SmolStr, Value)| match secret.get(&name) {
            Some(paths) => (name, with_secret_parts(&value, paths)),
            None => (name, value),
        };
        let variables = variables.into_iter().map(plain).map(marked).collect();
        let (traced, _) = value_with(variables, runs.into_iter().map(plain).collect());
        let paths = traced.unmark_deep_with_paths().1;
        Some((value, paths.into_iter().filter(|(_, marks)| marks.contains(Marks::SENSITIVE)).collect()))
    }

    fn run_reference(
        &self,
        name: SmolStr,
        span: objchange_hcl::Span,
        needed: &mut Referred,
        found: &mut Diagnostics,
    ) {
        if let Some(own) = self.own.get(&name) {
            return self.refer(needed, name, own.value.clone());
        }
        match self.global(&name) {
            Some(Ok(value)) => {
                if self.is_new && !self.suite_file.file.declared.contains_key(&name) {
                    let detail = format!(
                        "Variable {:?} was referenced without providing a definition. Referencing undefined variables within \
                         Terraform Test files is deprecated, please add a `variable` block into the relevant test file to \
                         provide a definition for the variable. This will become required in future versions of Terraform.",
                        name.as_str()
                    );
                    // As Terraform: once for the value, and once for what it is passed to.
                    for _ in 0..2 {
                        found.warning("Variable referenced without definition", span, detail.clone());
                    }
                }
                self.refer(needed, name, value);
            }
            Some(Err(errors)) => found.errors(errors),
            None => {
                let detail = match self.is_new {
                    true => format!(
                        "The input variable {:?} does not exist within this test file.",
                        name.as_str()
                    ),
                    false => format!(
                        "The input variable {:?} is not available to the current run block. You can only reference variables \
                         defined at the file or global levels.",
                        name.as_str()
                    ),
                };
                found.error("Reference to unavailable variable", span, detail);
            }
        }
    }

    fn earlier_run(
        &self,
        name: &SmolStr,
        span: objchange_hcl::Span,
        reference: &Reference<'_>,
        earlier: &EarlierRuns<'_>,
    ) -> Result<Value, Box<Diagnostic>> {
        const WHICH: &str = "You can only reference run blocks that are in the same test file and will execute before the \
                             current run block.";
        if let Some(outputs) = earlier.outputs.get(name) {
            let names: Variables =
                [("run", Value::object([(name.clone(), outputs.clone())]))].into_iter().collect();
            // Terraform 1.11.4 rejects an output only if all of it is unknown; 1.15 rejects partly unknown ones, too.
            let is_known = reference.value_in(&Scope::new(&names)).is_none_or(|value| match self.is_new {
                true => value.is_wholly_known(),
                false => value.is_known(),
            });
            if is_known {
                return Ok(outputs.clone());
            }
            let detail = format!(
                "The value for {reference} is unknown. Run block {:?} is executing a \"plan\" operation, and the specified \
                 output value is only known after apply.",
                name.as_str()
            );
            return Err(Box::new(Diagnostic::new("Reference to unknown value", span, detail)));
        }
        let is_there = earlier.names.contains(name);
        let (summary, detail) = match (is_there, self.is_new) {
            (true, _) => (
                "Reference to unavailable run block",
                format!("The run block {:?} has not executed yet. {WHICH}", name.as_str()),
            ),
            (false, true) => (
                "Reference to unknown run block",
                format!("The run block {:?} does not exist within this test file.", name.as_str()),
            ),
            (false, false) => (
                "Reference to unknown run block",
                format!("The run block {:?} does not exist within this test file. {WHICH}", name.as_str()),
            ),
        };
        Err(Box::new(Diagnostic::new(summary, span, detail)))
    }
}

/// Where a reference names something, without what is taken out of it.
fn place_of(reference: &Reference<'_>) -> objchange_hcl::Span {
    match subject(reference).0 {
        Some(TestSubject::Module(subject)) => subject.span,
        Some(TestSubject::Output(_, span) | TestSubject::Run(_, span) | TestSubject::Check(_, span)) => span,
        None => reference.whole(),
    }
}

/// The variables that a value of a file refers to.
pub(super) fn file_variables(attribute: &Attribute) -> Vec<SmolStr> {
    variables_in(&attribute.expr)
}

/// The variables that an expression refers to.
fn variables_in(expr: &Expr) -> Vec<SmolStr> {
    let found = variables(expr).into_iter().filter_map(|reference| match subject(&reference).0? {
        TestSubject::Module(Subject { kind: SubjectKind::Variable(name), .. }) => Some(name),
        _ => None,
    });
    found.collect()
}

/// The variables that a run sets and refers to.
pub(super) struct RunReferences {
    own: HashSet<SmolStr>,
    in_values: HashSet<SmolStr>,
    in_conditions: HashSet<SmolStr>,
}

impl RunReferences {
    pub(super) fn new(run: &objchange_hcl::TestRun) -> Self {
        let conditions = run.asserts.iter().flat_map(|assert| [&assert.condition, &assert.error_message]);
        Self {
            own: run.variables.iter().map(|attribute| attribute.name.clone()).collect(),
            in_values: run.variables.iter().flat_map(file_variables).collect(),
            in_conditions: conditions.flat_map(variables_in).collect(),
        }
    }

    /// Whether the run needs a variable of its file: the module declares it, or the run refers to it.
    pub(super) fn needs_variable(&self, config: &Config, name: &SmolStr) -> bool {
        let is_declared =
            || config.modules.first().is_some_and(|root| root.config.variables.contains_key(name));
        self.in_values.contains(name)
            || !self.own.contains(name) && (self.in_conditions.contains(name) || is_declared())
    }
}

/// Whether the values or conditions of a run refer to a variable.
fn refers_to(run: &objchange_hcl::TestRun, name: &SmolStr) -> bool {
    let values = run.variables.iter().map(|attribute| &attribute.expr);
    let conditions = run.asserts.iter().flat_map(|assert| [&assert.condition, &assert.error_message]);
    values.chain(conditions).flat_map(variables).any(|reference| is_variable(&reference, name))
}

fn is_variable(reference: &Reference<'_>, name: &SmolStr) -> bool {
    matches!(
        subject(reference).0,
        Some(TestSubject::Module(Subject { kind: SubjectKind::Variable(found), .. })) if found == *name
    )
}

/// The runs that an expression refers to.
pub(super) fn runs_in(expr: &Expr) -> Vec<SmolStr> {
    let runs = variables(expr).into_iter().filter_map(|reference| match subject(&reference).0? {
        TestSubject::Run(name, ..) => Some(name),
        _ => None,
    });
    runs.collect()
}

/// The runs that the values, conditions and overrides of a run refer to.
pub(super) fn runs_referred_to(run: &objchange_hcl::TestRun) -> Vec<SmolStr> {
    let values = run.variables.iter().map(|attribute| &attribute.expr);
    let conditions = run.asserts.iter().flat_map(|assert| [&assert.condition, &assert.error_message]);
    values.chain(conditions).flat_map(runs_in).collect()
}
