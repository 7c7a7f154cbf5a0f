//! The values of variables in test files: those of a file, and those of a run.

use std::collections::{BTreeMap, BTreeSet};

use objchange::Value;
use objchange::value::Marks;
use objchange_hcl::{
    Attribute, Diagnostic, Expr, Functions, Reference, Scope, VariableConfig, Variables, evaluate, variables,
};
use smol_str::SmolStr;

use super::load::{GlobalValue, SuiteFile, SuiteModule};
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
    /// Variables of the file that have no value because of an error.
    broken: BTreeSet<SmolStr>,
    /// Values of the `variables` block that wait for runs.
    open: Vec<&'s Attribute>,
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
}

impl<'s> FileScope<'s> {
    /// Evaluates the `variables` block of a file.
    pub(super) fn new(
        suite_file: &'s SuiteFile,
        main: &'s SuiteModule,
        functions: &'s Functions,
        is_new: bool,
    ) -> (Self, Diagnostics) {
        let mut scope = Self {
            suite_file,
            main,
            functions,
            is_new,
            own: BTreeMap::new(),
            broken: BTreeSet::new(),
            open: Vec::new(),
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
        scope.open = suite_file.file.variables.iter().collect();
        let names: Vec<SmolStr> = suite_file.file.runs.iter().map(|run| run.name.clone()).collect();
        scope.settle(&EarlierRuns { outputs: &BTreeMap::new(), names: &names }, &mut found);
        (scope, found)
    }

    /// Evaluates what can be: each after those that it refers to, be they variables of the file or runs.
    pub(super) fn settle(&mut self, earlier: &EarlierRuns<'_>, found: &mut Diagnostics) {
        loop {
            let before = self.open.len();
            for attribute in std::mem::take(&mut self.open) {
                if self.waits(attribute, earlier) {
                    self.open.push(attribute);
                    continue;
                }
                let name = &attribute.name;
                let is_broken = self.is_new
                    && file_variables(attribute).iter().any(|needed| self.broken.contains(needed));
                let value = if is_broken { None } else { self.file_value(attribute, earlier, found) };
                match value {
                    Some(value) => {
                        let span = Some(attribute.expr.span);
                        let given = GivenVariable { value, origin: String::new(), span };
                        self.own.insert(name.clone(), given);
                    }
                    None => drop(self.broken.insert(name.clone())),
                }
            }
            // A pass that settles nothing is the last: the rest waits for runs, or for itself.
            if self.open.is_empty() || self.open.len() == before {
                return;
            }
        }
    }

    /// Whether a variable refers to one that has no value yet, or to a run that has not ended.
    fn waits(&self, attribute: &Attribute, earlier: &EarlierRuns<'_>) -> bool {
        let is_open = |name: &SmolStr| {
            self.suite_file.file.variables.iter().any(|other| other.name == *name)
                && !self.own.contains_key(name)
                && !self.broken.contains(name)
        };
        let is_ahead = |name: &SmolStr| earlier.names.contains(name) && !earlier.outputs.contains_key(name);
        self.is_new
            && (file_variables(attribute).iter().any(is_open)
                || runs_in(&attribute.expr).iter().any(is_ahead))
    }

    /// Whether variables that a run needs have no value, because something is wrong with it.
    pub(super) fn lacks_values_for(&self, run: &objchange_hcl::TestRun, config: &Config) -> bool {
        self.is_new && self.broken.iter().any(|name| needs_variable(run, config, name))
    }

    fn file_value(
        &self,
        attribute: &Attribute,
        earlier: &EarlierRuns<'_>,
        found: &mut Diagnostics,
    ) -> Option<Value> {
        let errors = found.error_count();
        let (mut needed, mut runs) = (Vec::new(), Vec::new());
        for reference in variables(&attribute.expr) {
            match subject(&reference) {
                (_, Some(error)) => found.errors([error]),
                (Some(TestSubject::Module(Subject { kind: SubjectKind::Variable(name), span, .. })), _) => {
                    let own = self.own.get(&name).filter(|_| self.is_new).map(|given| given.value.clone());
                    match own.map(Ok).or_else(|| self.global(&name)) {
                        Some(Ok(value)) => needed.push((name, value)),
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
                        Ok(outputs) => runs.push((name, outputs)),
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
        self.value_of(&attribute.expr, needed, runs, found)
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
        // As in Terraform 1.15.5: `sensitive` of such a block hides nothing.
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
                let span = Some(variable.header);
                result.given.insert(name.clone(), GivenVariable { value, origin: String::new(), span });
            }
        }
        for name in self.suite_file.globals.0.keys().chain(self.suite_file.file.declared.keys()) {
            if !declared.contains_key(name)
                && let Some(Ok(value)) = self.global(name)
            {
                result.others.insert(name.clone(), value);
            }
        }
        for (name, given) in &self.own {
            // Terraform passes a module only what it declares. Other values serve references in the test file.
            match declared.contains_key(name) {
                true => drop(result.given.insert(name.clone(), given.clone())),
                false => drop(result.others.insert(name.clone(), given.value.clone())),
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
                result.others.extend(value.map(|value| (name.clone(), value)));
                continue;
            }
            if let Some(value) = value {
                let span = Some(attribute.expr.span);
                let given = GivenVariable { value, origin: String::new(), span };
                result.given.insert(name.clone(), given);
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
    ) -> Option<Value> {
        let errors = found.error_count();
        let (mut values, mut runs) = (Vec::new(), Vec::new());
        for reference in variables(&attribute.expr) {
            if let Some(error) = nameless(&reference) {
                found.errors([error]);
                continue;
            }
            match subject(&reference) {
                (_, Some(error)) => found.errors([error]),
                (Some(TestSubject::Module(Subject { kind: SubjectKind::Variable(name), span, .. })), _) => {
                    self.run_reference(name, span, &mut values, found);
                }
                (Some(TestSubject::Run(name, span)), _) => {
                    match self.earlier_run(&name, span, &reference, earlier) {
                        Ok(outputs) => runs.push((name, outputs)),
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
        self.value_of(&attribute.expr, values, runs, found)
    }

    /// The value of an expression with these variables and the outputs of these runs.
    fn value_of(
        &self,
        expr: &Expr,
        variables: Vec<(SmolStr, Value)>,
        runs: Vec<(SmolStr, Value)>,
        found: &mut Diagnostics,
    ) -> Option<Value> {
        let names: Variables =
            [("var", Value::object(variables)), ("run", Value::object(runs))].into_iter().collect();
        let (value, errors) = evaluate(expr, &Scope::new(&names), self.functions);
        let is_right = errors.is_empty();
        found.errors(errors);
        is_right.then_some(value)
    }

    fn run_reference(
        &self,
        name: SmolStr,
        span: objchange_hcl::Span,
        values: &mut Vec<(SmolStr, Value)>,
        found: &mut Diagnostics,
    ) {
        if let Some(own) = self.own.get(&name) {
            return values.push((name, own.value.clone()));
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
                values.push((name, value));
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
    let found =
        variables(&attribute.expr).into_iter().filter_map(|reference| match subject(&reference).0? {
            TestSubject::Module(Subject { kind: SubjectKind::Variable(name), .. }) => Some(name),
            _ => None,
        });
    found.collect()
}

/// Whether a run needs a variable of its file: the module declares it, or the run refers to it.
pub(super) fn needs_variable(run: &objchange_hcl::TestRun, config: &Config, name: &SmolStr) -> bool {
    let refers = |expr: &Expr| variables(expr).iter().any(|reference| is_variable(reference, name));
    if run.variables.iter().any(|attribute| refers(&attribute.expr)) {
        return true;
    }
    let is_own = run.variables.iter().any(|attribute| attribute.name == *name);
    let is_declared = config.modules.first().is_some_and(|root| root.config.variables.contains_key(name));
    let mut conditions = run.asserts.iter().flat_map(|assert| [&assert.condition, &assert.error_message]);
    !is_own && (is_declared || conditions.any(refers))
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
