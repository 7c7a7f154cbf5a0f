//! Checks of a parsed expression before it is evaluated, and what they make of it.
//!
//! Names, fields, functions and paths are resolved here, so that a mistake in them is an error with a position for any
//! document. Only errors that depend on values remain for evaluation.

use std::ops::Range;

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators,
};
use objchange::value::Path;
use objchange_plan::IgnoredPath;
use objchange_text::re2::{Pattern, PatternError};
use objchange_text::{VersionConstraints, counted, similar};

use super::compare::{Wrong, kinds_of, shape_of_call, wrong_containment, wrong_equality};
use super::error::{QueryError, QueryErrorKind};
use super::kinds::{Kinds, WrittenPath};
use super::model::{CollectionKind, PLAN, Shape};
use super::tree::{Places, call, is_same_selection, own_parts};

/// The maximum size of a compiled pattern, in bytes.
const MAX_PATTERN: usize = 1 << 20;

/// Functions that are called by their name alone, with the number of their arguments.
const GLOBAL: &[(&str, usize)] = &[
    ("size", 1),
    ("string", 1),
    ("int", 1),
    ("uint", 1),
    ("double", 1),
    ("bool", 1),
    ("bytes", 1),
    ("type", 1),
    ("dyn", 1),
    ("timestamp", 1),
    ("duration", 1),
    ("matches", 2),
    ("semver", 2),
];
/// Functions of `rc`.
const OF_ITEM: &[(&str, usize)] = &[
    ("unknown", 2),
    ("changed", 2),
    ("old", 2),
    ("new", 2),
    ("sensitive", 2),
    ("replaced", 1),
    ("changes_only", 2),
    ("in_module", 2),
];
/// Functions that are called on a value, with the numbers of their further arguments.
const MEMBERS: &[(&str, &[usize])] = &[
    ("size", &[0]),
    ("contains", &[1]),
    ("startsWith", &[1]),
    ("endsWith", &[1]),
    ("matches", &[1]),
    ("lowerAscii", &[0]),
    ("upperAscii", &[0]),
    ("trim", &[0]),
    ("split", &[1]),
    ("join", &[0, 1]),
    ("replace", &[2]),
    ("substring", &[1, 2]),
    ("charAt", &[1]),
    ("reverse", &[0]),
    ("getFullYear", &[0, 1]),
    ("getMonth", &[0, 1]),
    ("getDate", &[0, 1]),
    ("getDayOfMonth", &[0, 1]),
    ("getDayOfWeek", &[0, 1]),
    ("getDayOfYear", &[0, 1]),
    ("getHours", &[0, 1]),
    ("getMinutes", &[0, 1]),
    ("getSeconds", &[0, 1]),
    ("getMilliseconds", &[0, 1]),
    ("hasValue", &[0]),
    ("value", &[0]),
    ("or", &[1]),
    ("orValue", &[1]),
];
/// Functions that become loops, if called with the right arguments.
const LOOPS: &[&str] = &["all", "exists", "exists_one", "existsOne", "map", "filter"];
const OPTIONAL: &[(&str, usize)] = &[("of", 1), ("none", 0), ("ofNonZeroValue", 1)];
const TYPES: &[&str] = &[
    "bool",
    "bytes",
    "double",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
    "optional_type",
];

/// Checks an expression and makes it what is evaluated.
pub(super) struct Checker<'a> {
    pub(super) collection: CollectionKind,
    pub(super) places: &'a Places,
    /// The names of the loops around, with what is known of them.
    pub(super) bound: Vec<(String, Shape)>,
    /// The patterns of `matches`, which the expression names by their position from now on.
    pub(super) patterns: Vec<Pattern>,
    /// Where the comparisons stand, which the expression names by their position, too.
    pub(super) comparisons: Vec<Range<usize>>,
    /// The paths that are written in it, with where they stand.
    pub(super) paths: Vec<(WrittenPath, Range<usize>)>,
    /// Whether it has an operator that takes errors for absence.
    pub(super) hides_errors: bool,
    /// Whether it looks at the version of the plan.
    pub(super) reads_version: bool,
}

type Checked = Result<Shape, QueryError>;

impl Checker<'_> {
    pub(super) fn check(&mut self, expr: &mut IdedExpr) -> Checked {
        match &mut expr.expr {
            Expr::Literal(literal) => Ok(Shape::Leaf(kinds_of(literal))),
            Expr::Ident(_) => self.name(expr),
            Expr::Select(_) => self.field(expr),
            Expr::Call(_) => self.call(expr),
            Expr::List(list) => {
                let mut all = Shape::List(Kinds::NONE);
                for element in &mut list.elements {
                    all = all.either(self.check(element)?.listed());
                }
                let is_optional = !list.optional_indices.is_empty();
                Ok(if is_optional { Shape::List(Kinds::ANY) } else { all })
            }
            Expr::Map(map) => {
                for entry in &mut map.entries {
                    if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                        self.check(&mut entry.key)?;
                        self.check(&mut entry.value)?;
                    }
                }
                Ok(Shape::Any)
            }
            Expr::Comprehension(_) => self.comprehension(expr),
            Expr::Struct(message) => {
                let name = message.type_name.clone();
                Err(self.error(QueryErrorKind::Name, expr, format!("there is no type `{name}`")))
            }
            Expr::Unspecified => Err(self.error(QueryErrorKind::Syntax, expr, "this is no expression")),
        }
    }

    fn name(&mut self, expr: &mut IdedExpr) -> Checked {
        let Expr::Ident(name) = &expr.expr else { return Ok(Shape::Any) };
        match &**name {
            "rc" => return Ok(Shape::Object(self.collection.model())),
            "plan" => {
                self.reads_version = true;
                return Ok(Shape::Object(&PLAN));
            }
            name if self.bound.iter().any(|(bound, _)| bound == name) => {
                // The name of an inner loop hides that of an outer one.
                let shape = self.bound.iter().rev().find(|(bound, _)| bound == name);
                let shape = shape.map_or(Shape::Any, |(_, shape)| *shape);
                // A loop's accumulator grows in place, so it is not paid for in each round.
                if !name.starts_with('@') {
                    let id = expr.id;
                    let variable = std::mem::take(expr);
                    *expr = call(id, "@paid", vec![variable]);
                }
                return Ok(shape);
            }
            name if TYPES.contains(&name) => return Ok(Shape::Leaf(Kinds::TYPE)),
            _ => {}
        }
        let name = name.clone();
        let help = if self.collection.model().field(&name).is_some() {
            Some(format!("did you mean `rc.{name}`?"))
        } else {
            let bound = self.bound.iter().map(|(bound, _)| bound.as_str());
            suggest(&name, ["rc", "plan"].into_iter().chain(bound)).or_else(|| {
                Some(format!("`rc` is {}, and `plan` is the plan it is from", self.collection.model().name))
            })
        };
        Err(self.error(QueryErrorKind::Name, expr, format!("there is no `{name}`")).help(help))
    }

    fn field(&mut self, expr: &mut IdedExpr) -> Checked {
        let Expr::Select(select) = &mut expr.expr else { return Ok(Shape::Any) };
        // `plan.variables` needs no version, but checking the name `plan` notes that the version is read.
        let is_variables = select.field == "variables"
            && matches!(&select.operand.expr, Expr::Ident(name) if name == "plan");
        let reads_version = self.reads_version;
        let operand = self.check(&mut select.operand)?;
        if is_variables {
            self.reads_version = reads_version;
        }
        let (name, is_test) = (select.field.clone(), select.test);
        let shape = self.field_of(operand, &name, expr)?;
        if is_test && matches!(operand, Shape::Any) {
            // The library reads the member, which fails if that is unknown: but it is there.
            let id = expr.id;
            if let Expr::Select(SelectExpr { operand, .. }) = std::mem::take(expr).expr {
                let name = IdedExpr { id, expr: Expr::Literal(LiteralValue::String(name.into())) };
                *expr = call(id, "@has", vec![*operand, name]);
            }
        }
        Ok(if is_test { Shape::Leaf(Kinds::BOOL) } else { shape })
    }

    fn field_of(&self, operand: Shape, name: &str, expr: &IdedExpr) -> Checked {
        let error = |message| QueryError::new(QueryErrorKind::Name, self.places.name(expr, name), message);
        match operand {
            Shape::Any => Ok(Shape::Any),
            Shape::Object(model) => model.field(name).ok_or_else(|| {
                let help = suggest(name, model.all_names()).or_else(|| {
                    Some(format!("the fields are {}", model.all_names().collect::<Vec<_>>().join(", ")))
                });
                error(format!("{} has no field `{name}`", model.name)).help(help)
            }),
            Shape::Leaf(_) | Shape::List(_) | Shape::Word(_) | Shape::Words(_) => {
                Err(error(format!("there is no field `{name}`: this is {}", operand.kinds())))
            }
        }
    }

    fn comprehension(&mut self, expr: &mut IdedExpr) -> Checked {
        let place = self.places.all(expr);
        let Expr::Comprehension(comprehension) = &mut expr.expr else { return Ok(Shape::Any) };
        // An iteration costs a step for each part of its body. When it cost one step, six nested loops took 8 s.
        let steps = (own_parts(&comprehension.loop_cond) + own_parts(&comprehension.loop_step)) as i64;
        let range = self.check(&mut comprehension.iter_range)?;
        let id = comprehension.iter_range.id;
        let walked = std::mem::take(&mut comprehension.iter_range);
        let steps = IdedExpr { id, expr: Expr::Literal(LiteralValue::Int(steps.into())) };
        comprehension.iter_range = call(id, "@walked", vec![walked, steps]);
        let names = [Some(&comprehension.iter_var), comprehension.iter_var2.as_ref()];
        for name in names.into_iter().flatten() {
            if ["rc", "plan"].contains(&&**name) {
                let message = format!("`{name}` has a meaning already: choose another name");
                return Err(QueryError::new(QueryErrorKind::Name, place, message));
            }
        }
        let outside = self.bound.len();
        // The keys of a list are positions.
        let key = if range.element().is_some() { Shape::Leaf(Kinds::NUMBER) } else { Shape::Any };
        let element = range.element().unwrap_or(Shape::Any);
        self.bound.extend(match (&comprehension.iter_var, &comprehension.iter_var2) {
            (key_name, Some(name)) => vec![(key_name.clone(), key), (name.clone(), element)],
            (name, None) => vec![(name.clone(), element)],
        });
        let checked = self.loop_parts(comprehension);
        self.bound.truncate(outside);
        checked
    }

    /// The parts of a loop, in which its names are bound.
    fn loop_parts(&mut self, comprehension: &mut ComprehensionExpr) -> Checked {
        let start = self.check(&mut comprehension.accu_init)?;
        self.bound.push((comprehension.accu_var.clone(), start));
        self.check(&mut comprehension.loop_cond)?;
        let made = self.check(&mut comprehension.loop_step)?;
        if let Some((_, accumulated)) = self.bound.last_mut() {
            *accumulated = start.either(made);
        }
        self.check(&mut comprehension.result)
    }

    fn call(&mut self, expr: &mut IdedExpr) -> Checked {
        let id = expr.id;
        let Expr::Call(call_expr) = &mut expr.expr else { return Ok(Shape::Any) };
        let is_operator = |name: &str| name.starts_with(['_', '@', '!', '-']);
        if call_expr.target.is_none() && is_operator(&call_expr.func_name) {
            return self.operator(expr);
        }
        let name = call_expr.func_name.clone();
        if let Some(target) = call_expr.target.as_deref_mut() {
            if matches!(&target.expr, Expr::Ident(name) if name == "optional") {
                let numbers = OPTIONAL.iter().find(|(function, _)| *function == name).map(|(_, n)| vec![*n]);
                self.count(&name, numbers, OPTIONAL.iter().map(|(name, _)| *name), expr)?;
                return self.arguments(expr).map(|()| Shape::Any);
            }
            self.check(target)?;
            let numbers = MEMBERS.iter().find(|(function, _)| *function == name).map(|(_, n)| n.to_vec());
            self.count(&name, numbers, MEMBERS.iter().map(|(name, _)| *name), expr)?;
            self.arguments(expr)?;
            let Expr::Call(call_expr) = &mut expr.expr else { return Ok(Shape::Any) };
            // CEL's own versions of the last three do not pay for what they make, and its patterns are not RE2.
            let is_own = ["matches", "join", "split", "replace"].contains(&&*name)
                || name == "getMilliseconds" && call_expr.args.is_empty();
            if is_own {
                let target = call_expr.target.take().map(|target| *target);
                let args = target.into_iter().chain(std::mem::take(&mut call_expr.args)).collect();
                *expr = call(id, &format!("@{name}"), args);
                if name == "matches" {
                    self.pattern(expr)?;
                }
            }
            return Ok(shape_of_call(&name));
        }
        if let Some((_, number)) = OF_ITEM.iter().find(|(function, _)| *function == name) {
            self.count(&name, Some(vec![*number]), [].into_iter(), expr)?;
            return self.of_item(&name, expr);
        }
        let numbers = GLOBAL.iter().find(|(function, _)| *function == name).map(|(_, n)| vec![*n]);
        let known = GLOBAL.iter().chain(OF_ITEM).map(|(name, _)| *name);
        self.count(&name, numbers, known, expr)?;
        self.arguments(expr)?;
        let Expr::Call(call_expr) = &mut expr.expr else { return Ok(Shape::Any) };
        match &*name {
            "matches" => {
                call_expr.func_name = "@matches".to_owned();
                self.pattern(expr)?;
            }
            "semver" => {
                if let [_, constraint] = &call_expr.args[..]
                    && let Some(text) = literal(constraint)
                    && VersionConstraints::parse(text).is_none()
                {
                    let message =
                        "this is no constraint on a version, such as \">= 1.5, < 2.0\" or \"~> 1.5\"";
                    return Err(self.error(QueryErrorKind::Argument, constraint, message));
                }
            }
            _ => {}
        }
        Ok(shape_of_call(&name))
    }

    fn arguments(&mut self, expr: &mut IdedExpr) -> Result<(), QueryError> {
        let Expr::Call(call_expr) = &mut expr.expr else { return Ok(()) };
        call_expr.args.iter_mut().try_for_each(|argument| self.check(argument).map(drop))
    }

    /// Whether a function is there and has so many arguments.
    fn count(
        &self,
        name: &str,
        numbers: Option<Vec<usize>>,
        known: impl Iterator<Item = &'static str>,
        expr: &IdedExpr,
    ) -> Result<(), QueryError> {
        let Expr::Call(call_expr) = &expr.expr else { return Ok(()) };
        let place = self.places.name(expr, name);
        let Some(numbers) = numbers else {
            let (message, help) = if LOOPS.contains(&name) {
                (format!("`{name}` is called on a list or map, with a name and what is asked for it"), None)
            } else if OF_ITEM.iter().chain(GLOBAL).any(|(function, _)| *function == name) {
                (format!("`{name}` is called by its name alone: `{name}(…)`"), None)
            } else if MEMBERS.iter().any(|(function, _)| *function == name) {
                (format!("`{name}` is called on a value: `….{name}(…)`"), None)
            } else {
                (format!("there is no function `{name}`"), suggest(name, known.chain(LOOPS.iter().copied())))
            };
            return Err(QueryError::new(QueryErrorKind::Name, place, message).help(help));
        };
        if numbers.contains(&call_expr.args.len()) {
            return Ok(());
        }
        let wanted: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let message = format!(
            "`{name}` has {} here and takes {}",
            counted(call_expr.args.len(), "argument"),
            wanted.join(" or ")
        );
        Err(QueryError::new(QueryErrorKind::Argument, place, message))
    }

    fn operator(&mut self, expr: &mut IdedExpr) -> Checked {
        let Expr::Call(call_expr) = &mut expr.expr else { return Ok(Shape::Any) };
        // Comparisons are written as they were until the place of one is asked for.
        let written = self.places.all_of_call(expr.id, call_expr);
        let mut shapes = [Shape::Any; 3];
        for (index, argument) in call_expr.args.iter_mut().enumerate() {
            let shape = self.check(argument)?;
            if let Some(place) = shapes.get_mut(index) {
                *place = shape;
            }
        }
        let [first, second, third] = shapes;
        let renamed = match &*call_expr.func_name {
            operators::EQUALS => "@equals",
            operators::NOT_EQUALS => "@differs",
            operators::IN => "@contained",
            operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT => {
                let is_optional = call_expr.func_name != operators::INDEX;
                // `rc.?a.orValue(…)` takes the error of an unknown value for absence, and the answer would look
                // certain.
                self.hides_errors |= is_optional;
                let index = call_expr.args.get(1).and_then(literal).map(str::to_owned);
                return match (first, index) {
                    // An optional field is an optional value, whatever the field is.
                    (Shape::Object(_), Some(name)) => {
                        let field = self.field_of(first, &name, expr)?;
                        Ok(if is_optional && !matches!(field, Shape::Object(_)) { Shape::Any } else { field })
                    }
                    (list, _) if !is_optional => Ok(list.element().unwrap_or(Shape::Any)),
                    _ => Ok(Shape::Any),
                };
            }
            operators::ADD if first.element().is_some() && second.element().is_some() => {
                return Ok(first.either(second));
            }
            operators::CONDITIONAL => return Ok(second.either(third)),
            operators::LOGICAL_AND | operators::LOGICAL_OR | operators::LOGICAL_NOT => {
                return Ok(Shape::Leaf(Kinds::BOOL));
            }
            _ => return Ok(Shape::Any),
        };
        let wrong = match &call_expr.args[..] {
            [a, b] if renamed == "@contained" => wrong_containment((first, a), (second, b)),
            [a, b] => wrong_equality((first, a), (second, b)),
            _ => None,
        };
        if let Some(Wrong { message, help }) = wrong {
            return Err(QueryError::new(QueryErrorKind::Type, written, message).help(help));
        }
        // A value equals itself, also where parts of it are unknown.
        if let [a, b] = &call_expr.args[..]
            && renamed != "@contained"
            && is_same_selection(a, b)
        {
            call_expr.args.truncate(1);
            call_expr.func_name = if renamed == "@equals" { "@itself" } else { "@other" }.to_owned();
            return Ok(Shape::Leaf(Kinds::BOOL));
        }
        // It notes what it compares under its position.
        let position = Expr::Literal(LiteralValue::Int((self.comparisons.len() as i64).into()));
        call_expr.args.push(IdedExpr { id: expr.id, expr: position });
        call_expr.func_name = renamed.to_owned();
        self.comparisons.push(written);
        Ok(Shape::Leaf(Kinds::BOOL))
    }

    /// A function of `rc` is a hidden field of it, which answers where it is looked into with the argument.
    fn of_item(&mut self, name: &str, expr: &mut IdedExpr) -> Checked {
        let id = expr.id;
        let Expr::Call(call_expr) = &mut expr.expr else { return Ok(Shape::Any) };
        let mut args = std::mem::take(&mut call_expr.args).into_iter();
        let Some(item) = args.next().filter(|item| matches!(&item.expr, Expr::Ident(name) if name == "rc"))
        else {
            let message = format!("the first argument of `{name}` is `rc`");
            return Err(QueryError::new(QueryErrorKind::Argument, self.places.name(expr, name), message));
        };
        let model = self.collection.model();
        let needed = match name {
            "in_module" => "module_address",
            "sensitive" if model.field("values").is_some() => "values",
            "sensitive" if model.field("value").is_some() => "value",
            _ => "change",
        };
        if model.field(needed).is_none() {
            let message = format!("`{name}` is not for {}, which has no `{needed}`", model.name);
            return Err(QueryError::new(QueryErrorKind::Argument, self.places.name(expr, name), message));
        }
        let select = SelectExpr { operand: Box::new(item), field: format!("@{name}"), test: false };
        let mut field = IdedExpr { id, expr: Expr::Select(select) };
        if let Some(mut argument) = args.next() {
            if name == "changes_only" {
                self.path_list(&mut argument)?;
            }
            match literal(&argument) {
                Some(_) if name == "changes_only" => {}
                // A path that is written here is checked now, and not for each item.
                Some(path) if name != "in_module" => match path.parse::<Path>() {
                    Ok(path) => self.paths.push((WrittenPath::Read(path), self.places.all(&argument))),
                    Err(error) => {
                        let message = format!("this is no path: {error}");
                        return Err(self.error(QueryErrorKind::Argument, &argument, message));
                    }
                },
                Some(_) => {}
                None => drop(self.check(&mut argument)?),
            }
            field = call(id, operators::INDEX, vec![field, argument]);
        }
        *expr = field;
        Ok(if ["old", "new"].contains(&name) { Shape::Any } else { Shape::Leaf(Kinds::BOOL) })
    }

    /// Makes a list of paths one text, a path a line: no path has a line break in it.
    fn path_list(&mut self, list: &mut IdedExpr) -> Result<(), QueryError> {
        let wanted = "the paths of `changes_only` must be written here, as in [\"tags\", \"tags_all\"]";
        let Expr::List(paths) = &list.expr else {
            return Err(self.error(QueryErrorKind::Argument, list, wanted));
        };
        let mut lines = Vec::with_capacity(paths.elements.len());
        for element in &paths.elements {
            let Some(path) = literal(element) else {
                return Err(self.error(QueryErrorKind::Argument, element, wanted));
            };
            match path.parse::<IgnoredPath>() {
                Ok(path) => self.paths.push((WrittenPath::Ignored(path), self.places.all(element))),
                Err(error) => {
                    return Err(self.error(QueryErrorKind::Argument, element, error.to_string()));
                }
            }
            lines.push(path.to_owned());
        }
        if lines.is_empty() {
            return Err(self.error(QueryErrorKind::Argument, list, wanted));
        }
        list.expr = Expr::Literal(LiteralValue::String(lines.join("\n").into()));
        Ok(())
    }

    /// Sets the pattern of `matches` aside.
    fn pattern(&mut self, expr: &mut IdedExpr) -> Result<(), QueryError> {
        let Expr::Call(CallExpr { args, .. }) = &mut expr.expr else { return Ok(()) };
        let Some(argument) = args.last_mut() else { return Ok(()) };
        let Some(pattern) = literal(argument) else {
            let message = "the pattern of `matches` must be written here, in quotes";
            return Err(self.error(QueryErrorKind::Argument, argument, message));
        };
        let compiled = Pattern::new(pattern, MAX_PATTERN).map_err(|error| {
            let reason = match error {
                PatternError::TooLarge => "it is too large".to_owned(),
                error => error.to_string(),
            };
            self.error(QueryErrorKind::Argument, argument, format!("this is no pattern: {reason}"))
        })?;
        argument.expr = Expr::Literal(LiteralValue::Int((self.patterns.len() as i64).into()));
        self.patterns.push(compiled);
        Ok(())
    }

    fn error(&self, kind: QueryErrorKind, expr: &IdedExpr, message: impl Into<String>) -> QueryError {
        QueryError::new(kind, self.places.all(expr), message)
    }
}

/// The text of a literal.
pub(super) fn literal(expr: &IdedExpr) -> Option<&str> {
    match &expr.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}

/// Suggests a known name that is similar.
pub(super) fn suggest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    // Names for `size` in other languages.
    let name = if ["len", "length", "count"].contains(&name) { "size" } else { name };
    similar(name, known).first().map(|best| format!("did you mean `{best}`?"))
}
