//! Type errors as OPA reports them: operands of the wrong type, and equalities that never hold.
//!
//! It knows that a value is a collection, but not the types of its elements: `sum(["a"])` is refused when it is called.

use super::program::{
    Change, Comparison, ComprehensionKind, Definition, Expr, Node, Op, Pattern, PrintPart, ReferenceStep,
    Replacement, RuleKind, RuleSet, SourcePlace,
};
use super::{check_deadline, location};
use crate::CompileOptions;
use crate::builtins::{Builtin, Types};
use crate::error::{CompileError, CompileErrors};
use crate::value::Value;

/// Checks all rules.
pub(super) fn check(
    files: &[String],
    nodes: &[Node],
    rules: &[RuleSet],
    options: &CompileOptions,
    errors: &mut Vec<CompileError>,
) -> Result<(), CompileErrors> {
    let mut checker = Checker {
        files,
        nodes,
        // The first pass only finds the types of rules, with those of other rules still open: a rule may use
        // one that is compiled later. Its errors are dropped, and the second pass finds them again.
        of_rules: vec![Types::ANY; rules.len()],
        slots: Vec::new(),
        found: Vec::new(),
        is_unchecked: false,
    };
    let mut of_rules = Vec::with_capacity(rules.len());
    for rule in rules {
        check_deadline(options)?;
        let definitions = rule.definitions.iter().chain(rule.default.as_deref());
        let types = definitions.map(|definition| checker.definition(definition));
        let types = types.reduce(Types::or).unwrap_or(Types::ANY);
        of_rules.push(match rule.kind {
            RuleKind::Complete => types,
            RuleKind::Set => Types::SET,
            RuleKind::Object => Types::OBJECT,
            // OPA checks results of functions as well; here they fail when they are called.
            RuleKind::Function(_) => Types::ANY,
        });
    }
    checker.of_rules = of_rules;
    checker.found.clear();
    for rule in rules {
        check_deadline(options)?;
        for definition in rule.definitions.iter().chain(rule.default.as_deref()) {
            checker.definition(definition);
        }
    }
    errors.append(&mut checker.found);
    Ok(())
}

struct Checker<'a> {
    files: &'a [String],
    nodes: &'a [Node],
    of_rules: Vec<Types>,
    /// The types of the variables of the definition.
    slots: Vec<Types>,
    found: Vec<CompileError>,
    /// The body of an `every`, whose conditions OPA does not check, but for comprehensions in them.
    is_unchecked: bool,
}

impl Checker<'_> {
    /// The types of a definition's values.
    fn definition(&mut self, definition: &Definition) -> Types {
        self.slots = vec![Types::ANY; definition.slots as usize];
        let mut types: Option<Types> = None;
        for branch in &definition.branches {
            self.ops(&branch.ops);
            for key in &branch.keys {
                self.expr(key);
            }
            let of_branch = self.expr(&branch.value);
            types = Some(types.map_or(of_branch, |types| types.or(of_branch)));
        }
        types.unwrap_or(Types::ANY)
    }

    fn error(&mut self, place: SourcePlace, message: String) {
        if self.is_unchecked {
            return;
        }
        let location = Some(location(self.files, place));
        let error = CompileError { code: "rego_type_error", location, message };
        if !self.found.contains(&error) && self.found.len() < super::rules::MOST_ERRORS {
            self.found.push(error);
        }
    }

    fn ops(&mut self, ops: &[Op]) {
        for op in ops {
            match op {
                Op::Test(condition, place) => {
                    self.expr(condition);
                    if let Expr::Compare(Comparison::Equal, operands) = condition {
                        let (left, right) =
                            (self.shallow_types(&operands.0), self.shallow_types(&operands.1));
                        // OPA 1.20 refuses `"a" == 1` ("match error"), and accepts `"a" != 1` and `"a" < 1`.
                        if left.and(right).is_empty() {
                            let message = format!("this never holds: {left} is compared with {right}");
                            self.error(*place, message);
                        }
                    }
                }
                Op::Bind(slot, value) => self.slots[*slot as usize] = self.expr(value),
                Op::Match(pattern, value) => {
                    let types = self.expr(value);
                    self.pattern(pattern, types);
                }
                Op::Scan { base, steps, out, .. } => {
                    self.expr(base);
                    for step in steps {
                        match step {
                            ReferenceStep::Key(key) => _ = self.expr(key),
                            ReferenceStep::Each(pattern) => self.pattern(pattern, Types::ANY),
                        }
                    }
                    self.pattern(out, Types::ANY);
                }
                Op::Walk { value, out } => {
                    self.expr(value);
                    self.pattern(out, Types::ARRAY);
                }
                Op::Not(ops) => self.ops(ops),
                Op::Every { domain, key, value, ops } => {
                    self.expr(domain);
                    for slot in key.iter().chain([value]) {
                        self.slots[*slot as usize] = Types::ANY;
                    }
                    // OPA 1.20 accepts `every x in xs { startswith(1, x) }`, where the call fails.
                    let outer = std::mem::replace(&mut self.is_unchecked, true);
                    self.ops(ops);
                    self.is_unchecked = outer;
                }
                Op::With { changes, ops } => {
                    for change in changes {
                        match change {
                            Change::Input(_, value)
                            | Change::Data(_, value)
                            | Change::Function(_, Replacement::Value(value)) => _ = self.expr(value),
                            Change::Function(_, Replacement::Function(_)) => {}
                        }
                    }
                    self.ops(ops);
                }
                Op::Print(parts, _) => self.parts(parts),
                Op::Mark(_) => {}
            }
        }
    }

    fn parts(&mut self, parts: &[PrintPart]) {
        for part in parts {
            if let PrintPart::Value(ops, value) = part {
                self.ops(ops);
                self.expr(value);
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern, types: Types) {
        match pattern {
            Pattern::Any => {}
            Pattern::Bind(slot) => self.slots[*slot as usize] = types,
            Pattern::Equal(value) => _ = self.expr(value),
            Pattern::Array(patterns) => {
                patterns.iter().for_each(|pattern| self.pattern(pattern, Types::ANY));
            }
            Pattern::Object(patterns) => {
                for (key, pattern) in patterns {
                    self.expr(key);
                    self.pattern(pattern, Types::ANY);
                }
            }
        }
    }

    /// The types of an expression, without a check of its parts.
    fn shallow_types(&self, expr: &Expr) -> Types {
        match expr {
            Expr::Const(value) => type_of(value),
            Expr::Local(slot) => self.slots[*slot as usize],
            Expr::Data(node) => match &self.nodes[*node as usize] {
                // With rules below it, such as `p.a := 1` beside `p[x] := y`, the value is an object of all
                // of them.
                Node { rule: Some(rule), children, above: None, .. } if children.is_empty() => {
                    self.of_rules[*rule as usize]
                }
                _ => Types::ANY,
            },
            Expr::Array(_) => Types::ARRAY,
            Expr::Object(_) => Types::OBJECT,
            Expr::Set(_) => Types::SET,
            Expr::Comprehension(comprehension) => match comprehension.kind {
                ComprehensionKind::Array(_) => Types::ARRAY,
                ComprehensionKind::Set(_) => Types::SET,
                ComprehensionKind::Object(..) => Types::OBJECT,
            },
            Expr::Builtin(builtin, ..) => result(builtin),
            Expr::Compare(..) | Expr::Member(..) => Types::BOOLEAN,
            Expr::Template(_) => Types::STRING,
            Expr::Input | Expr::Document(_) | Expr::Get(..) | Expr::Function(..) => Types::ANY,
        }
    }

    /// The types of an expression, whose parts are checked.
    fn expr(&mut self, expr: &Expr) -> Types {
        match expr {
            Expr::Const(_) | Expr::Local(_) | Expr::Data(_) | Expr::Input | Expr::Document(_) => {}
            Expr::Get(base, keys, _) => {
                self.expr(base);
                keys.iter().for_each(|key| _ = self.expr(key));
            }
            Expr::Array(items) | Expr::Set(items) | Expr::Function(_, items, _) => {
                items.iter().for_each(|item| _ = self.expr(item));
            }
            Expr::Object(members) => {
                for (key, value) in members {
                    self.expr(key);
                    self.expr(value);
                }
            }
            Expr::Comprehension(comprehension) => {
                let outer = std::mem::replace(&mut self.is_unchecked, false);
                self.ops(&comprehension.ops);
                match &comprehension.kind {
                    ComprehensionKind::Array(head) | ComprehensionKind::Set(head) => _ = self.expr(head),
                    ComprehensionKind::Object(key, value) => {
                        self.expr(key);
                        self.expr(value);
                    }
                }
                self.is_unchecked = outer;
            }
            Expr::Builtin(builtin, operands, place) => {
                for (index, (wanted, operand)) in builtin.operands.iter().zip(operands).enumerate() {
                    let types = self.expr(operand);
                    let wanted = match *wanted {
                        Types::ANY if takes_text_only(builtin.name) => Types::STRING,
                        // It is declared for numbers alone, and reads times as all functions do.
                        Types::ANY if builtin.name == "time.add_date" => Types::NUMBER,
                        wanted => wanted,
                    };
                    if types.and(wanted).is_empty() {
                        let message = format!(
                            "{}: operand {} must be {wanted}, and is {types}",
                            builtin.name,
                            index + 1
                        );
                        self.error(*place, message);
                    }
                }
                if let (Some(wanted), Some(Expr::Const(operand))) = (members(builtin.name), operands.first())
                    && let Some(wrong) = parts(operand).find(|part| !wanted.contains(part))
                {
                    let (name, is) = (builtin.name, type_of(wrong));
                    self.error(*place, format!("{name}: operand 1 must hold {wanted}, and holds {is}"));
                }
            }
            Expr::Compare(_, operands) => {
                self.expr(&operands.0);
                self.expr(&operands.1);
            }
            Expr::Member(operands, key) => {
                self.expr(&operands.0);
                self.expr(&operands.1);
                if let Some(key) = key {
                    self.expr(key);
                }
            }
            Expr::Template(parts) => self.parts(parts),
        }
        self.shallow_types(expr)
    }
}

/// The types that elements of the first operand must have, for functions that do not check them when they
/// are called.
fn members(builtin: &str) -> Option<Types> {
    match builtin {
        "graph.reachable" | "graph.reachable_paths" => Some(Types::ARRAY.or(Types::SET)),
        _ => None,
    }
}

/// The elements of an array or a set, or the values of an object.
fn parts(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Set(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}

fn type_of(value: &Value) -> Types {
    let all =
        [Types::NULL, Types::BOOLEAN, Types::NUMBER, Types::STRING, Types::ARRAY, Types::OBJECT, Types::SET];
    match value {
        Value::Unknown(_) => Types::ANY,
        value => all.into_iter().find(|types| types.contains(value)).unwrap_or(Types::ANY),
    }
}

/// These are `false` for all else, but OPA refuses constants that are not strings.
// In OPA 1.20 `base64.is_valid(1)` and `regex.is_valid(1)` are refused, and `semver.is_valid(1)` is false.
fn takes_text_only(name: &str) -> bool {
    name.ends_with(".is_valid") && name != "semver.is_valid" || name == "net.cidr_is_valid"
}

/// The types of a built-in's results.
pub(crate) fn result(builtin: &Builtin) -> Types {
    match builtin.name {
        "abs"
        | "bits.and"
        | "bits.lsh"
        | "bits.negate"
        | "bits.or"
        | "bits.rsh"
        | "bits.xor"
        | "ceil"
        | "count"
        | "div"
        | "floor"
        | "indexof"
        | "mul"
        | "plus"
        | "product"
        | "rem"
        | "round"
        | "semver.compare"
        | "strings.count"
        | "sum"
        | "time.add_date"
        | "time.now_ns"
        | "time.parse_duration_ns"
        | "time.parse_ns"
        | "time.parse_rfc3339_ns"
        | "to_number"
        | "units.parse"
        | "units.parse_bytes" => Types::NUMBER,
        // `-` is the difference of sets, too.
        "minus" => Types::NUMBER.or(Types::SET),
        "base64.decode"
        | "base64.encode"
        | "base64url.decode"
        | "base64url.encode"
        | "base64url.encode_no_pad"
        | "concat"
        | "crypto.md5"
        | "crypto.sha1"
        | "crypto.sha256"
        | "format_int"
        | "hex.decode"
        | "hex.encode"
        | "json.marshal"
        | "json.marshal_with_options"
        | "lower"
        | "regex.replace"
        | "replace"
        | "sprintf"
        | "strings.replace_n"
        | "strings.reverse"
        | "substring"
        | "time.format"
        | "time.weekday"
        | "trim"
        | "trim_left"
        | "trim_prefix"
        | "trim_right"
        | "trim_space"
        | "trim_suffix"
        | "type_name"
        | "upper"
        | "urlquery.decode"
        | "urlquery.encode"
        | "urlquery.encode_object"
        | "yaml.marshal" => Types::STRING,
        "contains"
        | "endswith"
        | "glob.match"
        | "is_array"
        | "is_boolean"
        | "is_null"
        | "is_number"
        | "is_object"
        | "is_set"
        | "is_string"
        | "json.is_valid"
        | "net.cidr_contains"
        | "net.cidr_intersects"
        | "net.cidr_is_valid"
        | "object.subset"
        | "re_match"
        | "regex.is_valid"
        | "regex.match"
        | "semver.is_valid"
        | "startswith"
        | "strings.any_prefix_match"
        | "strings.any_suffix_match" => Types::BOOLEAN,
        "array.concat" | "array.flatten" | "array.reverse" | "array.slice" | "indexof_n"
        | "numbers.range" | "numbers.range_step" | "regex.find_n" | "regex.split" | "sort" | "split"
        | "time.clock" | "time.date" | "time.diff" => Types::ARRAY,
        "and"
        | "graph.reachable"
        | "graph.reachable_paths"
        | "intersection"
        | "net.cidr_expand"
        | "net.cidr_merge"
        | "object.keys"
        | "or"
        | "union" => Types::SET,
        "object.filter" | "object.remove" | "object.union" | "object.union_n" | "uuid.parse" => Types::OBJECT,
        _ => Types::ANY,
    }
}
