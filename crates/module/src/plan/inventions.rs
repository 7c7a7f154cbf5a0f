//! Values that were made up in place of providers. They are followed through all expressions by a mark, and decide no
//! condition.

use objchange::schema::Block;
use objchange::value::{Kind, Marks, Path, PathStep};
use objchange::{Type, Value};
use objchange_hcl::{
    Body, Condition, Decoded, Diagnostic, Expr, Functions, Scope, Span, Variables, called_functions, decode,
    evaluate, variables,
};

use super::graph::ResourceNode;
use super::instances::ModuleInstanceId;
use super::managed::Instance;
use super::walk::Walk;
use crate::{ConditionOwner, Diagnostics, ModuleDiagnostic, Severity};

/// The maximum number of values to name that leave a condition undecided.
const NAMED: usize = 5;

/// The namespace of functions of providers.
pub(crate) const OF_PROVIDERS: &str = "provider::";

/// The local name of the provider whose function has this name; `None` for other functions.
pub(crate) fn provider_of_function(name: &str) -> Option<&str> {
    name.strip_prefix(OF_PROVIDERS)?.split_once("::").map(|(local, _)| local)
}

impl<'c> Walk<'_, 'c> {
    /// Takes the marks of made-up values off a configuration before a provider receives it, and remembers their paths.
    pub(crate) fn set_inventions_apart(&mut self, decoded: &mut Decoded<'_>) {
        let mut paths = Vec::new();
        decoded.value = decoded.value.without_marks(Marks::INVENTED, &mut |path| paths.push(path));
        self.configured_inventions = paths;
    }

    /// An object as references see it: with marks on what was made up. `prior` is the object before.
    pub(crate) fn with_inventions(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        prior: Option<&Value>,
        value: Value,
    ) -> Value {
        let mut paths = std::mem::take(&mut self.configured_inventions);
        let derived: Vec<Path> = paths.iter().flat_map(|path| derived(resource, path)).collect();
        paths.extend(derived);
        paths.extend(self.providers.invented(&instance.address.to_string()));
        if let (Some(earlier), Some(prior)) = (self.state.invented.get(&instance.address), prior) {
            let (prior, now) = (prior.unmark_deep().0, value.unmark_deep().0);
            paths.extend(earlier.iter().filter(|path| is_left(path, &prior, &now)).cloned());
        }
        let value = self.seen(instance, value);
        if paths.is_empty() {
            return value;
        }
        let value = with_invented_parts(&value, &paths);
        if self.applying.is_some() {
            self.state.invented.insert(instance.address.clone(), paths);
        }
        value
    }

    /// All instances of a resource, with the mark if values that were made up decide which ones there are.
    pub(crate) fn with_invented_expansion(&self, index: usize, at: ModuleInstanceId, value: Value) -> Value {
        match self.invented_expansions.contains(&(index, at)) {
            true => value.with_marks(Marks::INVENTED),
            false => value,
        }
    }

    /// The object that the state has, as references see it.
    pub(crate) fn stored_with_inventions(&self, instance: &Instance<'_>, value: Value) -> Value {
        let value = self.seen(instance, value);
        // A data source that was read while planning is in the state, too, and no change of a plan made it.
        let mut paths = self.providers.invented(&instance.address.to_string());
        paths.extend(self.state.invented.get(&instance.address).into_iter().flatten().cloned());
        if paths.is_empty() { value } else { with_invented_parts(&value, &paths) }
    }

    fn seen(&self, instance: &Instance<'_>, value: Value) -> Value {
        let resource_type = &instance.address.resource.resource_type;
        self.providers.as_seen(instance.provider, resource_type, instance.schema, value)
    }

    /// Evaluates an expression. Reports its errors, or that it is undecided because made-up values cause them.
    pub(crate) fn evaluate_in_scope(&mut self, expr: &Expr, scope: &Scope<'_>) -> Option<Value> {
        let (value, errors, is_excused) = evaluate_excusing(expr, scope, self.functions);
        if is_excused {
            self.found.add(undecided_value(expr.span, &invented_names(expr, scope)));
        }
        let is_right = errors.is_empty();
        self.found.errors(errors);
        is_right.then_some(value)
    }

    /// Says that a value is undecided, as another one is made up that it should be made of.
    pub(crate) fn push_undecided_value(&mut self, span: Span, names: &[String]) {
        self.found.add(undecided_value(span, names));
    }

    /// Says that a condition is undecided, and because of which values.
    pub(crate) fn push_undecided(
        &mut self,
        condition: &Condition,
        scope: &Scope<'_>,
        owner: Option<&ConditionOwner>,
    ) {
        let names = invented_names(&condition.condition, scope);
        self.found.add(undecided("Condition undecided", condition, &names, owner));
    }
}

/// A value with marks on what was made up. A part that was made up in a set marks the whole set.
fn with_invented_parts(value: &Value, paths: &[Path]) -> Value {
    let plain = value.unmark_deep().0;
    let marks: Vec<(Path, Marks)> =
        paths.iter().map(|path| (up_to_set(path, &plain), Marks::INVENTED)).collect();
    value.mark_where_present(&marks)
}

/// A path up to the first set in it, or up to where a value has no such part. The keys of sets are their elements, so a path
/// into one leads nowhere as soon as anything in the element changes.
fn up_to_set(path: &Path, value: &Value) -> Path {
    let (mut found, mut part) = (Path::root(), value);
    for step in path.steps() {
        let step = match step {
            PathStep::Attribute(name) => Path::root().attribute(name.clone()),
            PathStep::Index(key) => Path::root().index(key.clone()),
        };
        match part.at(&step) {
            Some(inner) if !matches!(part.kind(), Kind::Set(_)) => {
                part = inner;
                found = followed(found, step.steps());
            }
            _ => break,
        }
    }
    found
}

/// Whether a part that was made up for the object before is also in the object now. Nobody can tell which made-up elements of
/// a set are left, so it stays made up as long as it has any.
fn is_left(path: &Path, prior: &Value, now: &Value) -> bool {
    let at = up_to_set(path, prior);
    let (Some(prior), Some(now)) = (prior.at(&at), now.at(&at)) else { return false };
    if prior.identical(now) {
        return true;
    }
    let is_in_set = at != *path && matches!(prior.kind(), Kind::Set(_));
    is_in_set && !now.is_null() && !now.is_empty()
}

/// A path with further steps.
fn followed(path: Path, steps: &[PathStep]) -> Path {
    steps.iter().fold(path, |path, step| match step {
        PathStep::Attribute(name) => path.attribute(name.clone()),
        PathStep::Index(key) => path.index(key.clone()),
    })
}

/// The paths to which providers of a known behaviour copy a part of the configuration.
fn derived(resource: &ResourceNode<'_>, path: &Path) -> Vec<Path> {
    let provider = &resource.provider_config.provider;
    let is_data = provider.is_builtin() && resource.name.resource_type == "terraform_data";
    let is_null = provider.namespace == "hashicorp" && provider.name == "null";
    let mut steps = path.steps().iter();
    let first = match steps.next() {
        Some(PathStep::Attribute(first)) => first.as_str(),
        _ => return Vec::new(),
    };
    let rest: Vec<PathStep> = steps.cloned().collect();
    let renamed = |names: &[&str], rest: &[PathStep]| {
        followed(names.iter().fold(Path::root(), |path, name| path.attribute(*name)), rest)
    };
    match first {
        "input" if is_data => vec![renamed(&["output"], &rest)],
        "store" if is_data => {
            vec![renamed(&["store", "output"], &[]), renamed(&["store", "sensitive_output"], &[])]
        }
        "inputs" if is_null => vec![renamed(&["outputs"], &rest)],
        _ => Vec::new(),
    }
}

/// Whether a part of a value was made up.
pub(crate) fn is_invented(value: &Value) -> bool {
    value.contains_marked() && value.marks_deep().contains(Marks::INVENTED)
}

/// The names of a scope with unknown values in place of those that were made up; `None` if there are none.
pub(crate) fn without_inventions(scope: &Scope<'_>) -> Option<Variables> {
    let has_any = scope.variables().any(|(_, value)| is_invented(value));
    has_any.then(|| scope.variables().map(|(name, value)| (name, unknown_in_place(value))).collect())
}

fn unknown_in_place(value: &Value) -> Value {
    if !is_invented(value) {
        return value.clone();
    }
    let replaced = value.transform(|_, part: Value| {
        Ok::<_, std::convert::Infallible>(match part.marks().contains(Marks::INVENTED) {
            // Another value may have members that this one has not, and where a schema is assumed another type.
            true => Value::unknown(Type::Dynamic).with_marks(part.marks().without(Marks::INVENTED)),
            false => part,
        })
    });
    match replaced {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

/// Whether values that were made up decide which instances a `count` or `for_each` gives.
pub(crate) fn is_decided_by_inventions(
    expr: &Expr,
    is_count: bool,
    scope: &Scope<'_>,
    functions: &Functions,
) -> bool {
    if !scope.variables().any(|(_, value)| is_invented(value)) {
        return false;
    }
    let (value, _) = evaluate(expr, scope, functions);
    // The values of a map may be made up: its keys decide.
    let is_of_keys = is_count || matches!(value.ty(), Type::Set(_));
    if is_of_keys { is_invented(&value) } else { value.marks().contains(Marks::INVENTED) }
}

/// Whether an expression cannot be decided without values that were made up.
pub(crate) fn needs_inventions(expr: &Expr, scope: &Scope<'_>, functions: &Functions) -> bool {
    // Functions of providers may make values up, too, whatever the scope has.
    let calls_providers = called_functions(expr).iter().any(|name| name.starts_with(OF_PROVIDERS));
    let names = without_inventions(scope);
    let (value, errors) = match &names {
        Some(names) => evaluate(expr, &Scope::new(names), functions),
        None if calls_providers => evaluate(expr, scope, functions),
        None => return false,
    };
    errors.is_empty() && (names.is_some() && !value.is_known() || is_invented(&value))
}

/// Evaluates an expression. An error that is gone where made-up values are unknown is their fault, and none of the module: then
/// the value is unknown and made up, and the second result is true.
pub(crate) fn evaluate_excusing(
    expr: &Expr,
    scope: &Scope<'_>,
    functions: &Functions,
) -> (Value, Vec<Diagnostic>, bool) {
    let (value, errors) = evaluate(expr, scope, functions);
    if errors.is_empty() {
        return (value, errors, false);
    }
    if let Some(names) = without_inventions(scope) {
        let (open, open_errors) = evaluate(expr, &Scope::new(&names), functions);
        if open_errors.is_empty() {
            return (with_inventions_where_unknown(&open), Vec::new(), true);
        }
    }
    (value, errors, false)
}

/// Decodes a body, and excuses errors as [`evaluate_excusing`] does.
pub(crate) fn decode_excusing<'b>(
    body: &'b Body,
    schema: &Block,
    scope: &Scope<'_>,
    functions: &Functions,
) -> (Decoded<'b>, bool) {
    let decoded = decode(body, schema, scope, functions);
    if decoded.errors.is_empty() {
        return (decoded, false);
    }
    if let Some(names) = without_inventions(scope) {
        let mut open = decode(body, schema, &Scope::new(&names), functions);
        if open.errors.is_empty() {
            open.value = with_inventions_where_unknown(&open.value);
            return (open, true);
        }
    }
    (decoded, false)
}

/// A value whose unknown parts are marked as made up.
fn with_inventions_where_unknown(value: &Value) -> Value {
    let marked = value.transform(|_, part: Value| {
        Ok::<_, std::convert::Infallible>(match part.is_known() {
            true => part,
            false => part.with_marks(Marks::INVENTED),
        })
    });
    match marked {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

/// The warning about a value that is unknown because it cannot be made of made-up ones.
fn undecided_value(span: Span, names: &[String]) -> ModuleDiagnostic {
    let warning = Diagnostic::warning("Value undecided", span, depends_on(names));
    ModuleDiagnostic { is_undecided: true, ..ModuleDiagnostic::new(warning, None) }
}

/// The references of an expression to values that were made up, and its calls of functions of providers.
pub(crate) fn invented_names(expr: &Expr, scope: &Scope<'_>) -> Vec<String> {
    let functions = called_functions(expr).into_iter().filter(|name| name.starts_with(OF_PROVIDERS));
    let mut names: Vec<String> = functions.map(|name| format!("{name}()")).collect();
    for reference in variables(expr) {
        let Some(value) = reference.value_in(scope).filter(is_invented) else { continue };
        let mut paths = Vec::new();
        // Only the paths are needed.
        let _ = value.without_marks(Marks::INVENTED, &mut |path| paths.push(path.suffix().to_string()));
        // Keys in a secret may be secret, too.
        if value.marks_deep().contains(Marks::SENSITIVE) {
            paths = vec![String::new()];
        }
        names.extend(paths.iter().take(NAMED).map(|path| format!("{reference}{path}")));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The warning about a condition that is undecided because of made-up values.
pub(crate) fn undecided(
    summary: &'static str,
    condition: &Condition,
    names: &[String],
    owner: Option<&ConditionOwner>,
) -> ModuleDiagnostic {
    let warning = Diagnostic::warning(summary, condition.condition.span, depends_on(names));
    ModuleDiagnostic {
        condition: owner.map(|owner| Box::new(owner.clone())),
        is_undecided: true,
        ..ModuleDiagnostic::new(warning, None)
    }
}

/// Names made-up values that leave something undecided, and says what to do.
fn depends_on(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let depends = match names.len() {
        0 => "It depends on values that were".to_owned(),
        1 => format!("It depends on {}, which was", shown[0]),
        all => format!("It depends on {}, which were", objchange_text::listed(&shown, all)),
    };
    format!(
        "{depends} made up, because no mock and no override gives a value. Mock the provider, or override the resource, to choose one."
    )
}

/// The number of conditions that are undecided.
pub(crate) fn count_undecided(found: &Diagnostics) -> usize {
    found.iter().filter(|found| found.is_undecided && found.diagnostic.severity == Severity::Warning).count()
}
