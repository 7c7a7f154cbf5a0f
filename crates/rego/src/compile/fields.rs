//! Finds reads of fields that the input never has, without evaluating anything.
//!
//! It follows parts of the input through variables, rules, comprehensions, functions and their arguments. A
//! read is reported if none of the values that it may be applied to has such a field. If one of them may be
//! anything, the read is not reported: this never refuses a read that may find something.

use std::collections::{BTreeSet, VecDeque};

use hashbrown::HashSet;
use smol_str::SmolStr;

use super::program::{
    Branch, Change, Comparison, ComprehensionKind, Definition, Expr, NodeId, Op, Pattern, PrintPart,
    ReferenceStep, Replacement, RuleId, RuleKind, SourcePlace,
};
use super::{Compiled, check_deadline};
use crate::CompileOptions;
use crate::error::CompileErrors;
use crate::format::{Format, InputFormat, MissingPart};
use crate::syntax::ast::Span;
use crate::value::Value;

/// A read of a field that is never there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingRead {
    pub(crate) place: SourcePlace,
    pub(crate) field: String,
    pub(crate) part: MissingPart,
}

/// The values that an expression may have.
#[derive(Debug, Clone, Default, PartialEq)]
struct Values {
    /// They may be anything: then there are no `forms`.
    any: bool,
    forms: Vec<Form>,
}

#[derive(Debug, Clone, PartialEq)]
enum Form {
    Input,
    /// A part of the input.
    Part(Format),
    /// A constant text.
    Text(SmolStr),
    /// Another value without fields, which the policy makes.
    Plain,
    /// An array or a set that the policy makes.
    List(Values),
    /// An object that the policy makes: its keys, if they are known, and all that its members may be.
    Map(Option<BTreeSet<SmolStr>>, Values),
    /// A document that is given beside the plan.
    Document(Value),
}

/// More formats are not distinguished.
// These limits keep the sets small: they are copied and compared each time a rule is checked again.
const MOST_FORMS: usize = 16;
/// More keys of objects that the policy makes are not distinguished.
const MOST_KEYS: usize = 100;
/// Deeper collections are not distinguished.
const MOST_DEPTH: usize = 4;

impl Values {
    fn any() -> Self {
        Self { any: true, forms: Vec::new() }
    }

    fn one(form: Form) -> Self {
        Self { any: false, forms: vec![form] }
    }

    fn part(format: Format) -> Self {
        match format {
            Format::Any => Self::any(),
            format => Self::one(Form::Part(format)),
        }
    }

    fn list(elements: Self) -> Self {
        if elements.depth() < MOST_DEPTH { Self::one(Form::List(elements)) } else { Self::any() }
    }

    fn map(keys: Option<BTreeSet<SmolStr>>, members: Self) -> Self {
        if members.depth() < MOST_DEPTH { Self::one(Form::Map(keys, members)) } else { Self::any() }
    }

    fn depth(&self) -> usize {
        let depth = |form: &Form| match form {
            Form::List(values) | Form::Map(_, values) => 1 + values.depth(),
            _ => 0,
        };
        self.forms.iter().map(depth).max().unwrap_or(0)
    }

    fn join(&mut self, other: Self) {
        // Beside `any`, other forms say nothing: a read of it is never reported.
        if self.any || other.any {
            *self = Self::any();
            return;
        }
        for form in other.forms {
            let known = self.forms.iter_mut().find(|known| {
                matches!((known, &form), (Form::List(_), Form::List(_)) | (Form::Map(..), Form::Map(..)))
            });
            match (known, form) {
                (Some(Form::List(known)), Form::List(new)) => known.join(new),
                (Some(Form::Map(known_keys, known)), Form::Map(new_keys, new)) => {
                    // If the keys of one are unknown, those of both together are.
                    let all = known_keys.take().zip(new_keys).map(|(one, other)| &one | &other);
                    *known_keys = all.filter(|all| all.len() <= MOST_KEYS);
                    known.join(new);
                }
                (_, form) => {
                    if !self.forms.contains(&form) {
                        self.forms.push(form);
                    }
                }
            }
        }
        if self.forms.len() > MOST_FORMS {
            *self = Self::any();
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.join(other);
        self
    }

    fn of_constant(value: &Value) -> Self {
        let join = |values: &mut dyn Iterator<Item = &Value>| {
            values.map(Self::of_constant).fold(Self::default(), Self::and)
        };
        match value {
            Value::String(text) => Self::one(Form::Text(text.clone())),
            Value::Array(items) => Self::list(join(&mut items.iter())),
            Value::Set(items) => Self::list(join(&mut items.iter())),
            Value::Object(members) => {
                let keys = members.iter().map(|(key, _)| match key {
                    Value::String(key) => Some(key.clone()),
                    _ => None,
                });
                Self::map(keys.collect(), join(&mut members.values()))
            }
            _ => Self::one(Form::Plain),
        }
    }

    /// The part of the input that they are, if it is never equal to a text.
    fn differing_part(&self, text: &str) -> Option<MissingPart> {
        let differing = |form: &Form| match form {
            Form::Part(Format::Words(words)) if !words.contains(&text) => Some(MissingPart::Word(words)),
            Form::Part(Format::List(_)) => Some(MissingPart::WholeList),
            _ => None,
        };
        let parts: Option<Vec<MissingPart>> = self.forms.iter().map(differing).collect();
        // Only if all forms differ: one that may equal the text decides.
        parts.filter(|_| !self.any)?.first().copied()
    }

    /// These values as keys.
    fn keys(&self) -> Keys {
        let text = |form: &Form| match form {
            Form::Text(text) => Some(text.clone()),
            _ => None,
        };
        match self.forms.iter().map(text).collect::<Option<Vec<_>>>() {
            Some(texts) if !self.any && !texts.is_empty() => Keys::Texts(texts),
            _ => Keys::Unknown,
        }
    }
}

/// The keys by which something is read.
#[derive(Debug)]
enum Keys {
    /// One of these texts.
    Texts(Vec<SmolStr>),
    Number,
    Unknown,
}

/// A member of a value.
enum Member {
    Values(Values),
    Missing(MissingPart),
    /// A form of the input that this is not, or a value without fields that the policy itself makes.
    Nothing,
}

/// Finds reads of fields that are not there, in these rules and all that they lead to.
pub(crate) fn check(
    compiled: &Compiled,
    rules: &[RuleId],
    input: &InputFormat,
    options: &CompileOptions,
) -> Result<Vec<MissingRead>, CompileErrors> {
    let mut checker = Checker {
        compiled,
        input,
        // Empty at first. Results only grow, and a rule is checked again when a result that it reads has
        // grown, until nothing changes.
        results: vec![Values::default(); compiled.rules.len()],
        params: compiled.rules.iter().map(|_| Vec::new()).collect(),
        readers: vec![HashSet::new(); compiled.rules.len()],
        reached: HashSet::new(),
        reached_nodes: HashSet::new(),
        pending: VecDeque::new(),
        is_pending: HashSet::new(),
        rule: 0,
        slots: Vec::new(),
        replaced: Replaced::default(),
        place: SourcePlace { file: 0, span: Span::default() },
        missing: Vec::new(),
        has_hit: false,
    };
    rules.iter().for_each(|rule| checker.reach(*rule));
    while let Some(rule) = checker.pending.pop_front() {
        check_deadline(options)?;
        checker.is_pending.remove(&rule);
        let result = checker.rule(rule, &mut |_| ());
        let mut joined = checker.results[rule as usize].clone();
        joined.join(result);
        if joined != checker.results[rule as usize] {
            checker.results[rule as usize] = joined;
            let readers: Vec<RuleId> = checker.readers[rule as usize].iter().copied().collect();
            readers.into_iter().for_each(|reader| checker.enqueue(reader));
        }
    }
    // A read counts only now, when the values of all rules are complete: before, a field could seem missing
    // from all values that were known so far.
    let mut all = Vec::new();
    let mut reached: Vec<RuleId> = checker.reached.iter().copied().collect();
    reached.sort_unstable();
    for rule in reached {
        check_deadline(options)?;
        let mut branches = Vec::new();
        checker.rule(rule, &mut |branch| branches.push(branch));
        let is_function = matches!(compiled.rules[rule as usize].kind, RuleKind::Function(_));
        // A function that is defined for several kinds of values, such as changes and planned resources.
        let has_other_form = is_function
            && branches
                .iter()
                .any(|branch| branch.gives_value && branch.has_hit && branch.missing.is_empty());
        for branch in branches {
            let is_form = has_other_form && branch.gives_value;
            all.extend(branch.missing.into_iter().filter(|(_, of_variable)| !(is_form && *of_variable)));
        }
    }
    let mut found: Vec<MissingRead> = Vec::new();
    for (missing, _) in all {
        if !found.contains(&missing) && found.len() < super::rules::MOST_ERRORS {
            found.push(missing);
        }
    }
    found.sort_by_key(|missing| (missing.place.file, missing.place.span.line, missing.place.span.column));
    Ok(found)
}

/// Facts about a branch of a rule.
struct CheckedBranch {
    /// It gives another value than `true`.
    gives_value: bool,
    /// It reads a field that exists.
    has_hit: bool,
    /// Each with whether it is read from a variable, and not from `input` itself.
    missing: Vec<(MissingRead, bool)>,
}

/// The parts that `with` replaces around an expression.
#[derive(Debug, Clone, Copy, Default)]
struct Replaced {
    input: bool,
    others: bool,
}

struct Checker<'a> {
    compiled: &'a Compiled,
    input: &'a InputFormat,
    /// The known values of rules.
    results: Vec<Values>,
    /// The known arguments of functions.
    params: Vec<Vec<Values>>,
    /// The rules that read the values of a rule.
    readers: Vec<HashSet<RuleId>>,
    reached: HashSet<RuleId>,
    /// Positions of `data` whose rules are all reached.
    reached_nodes: HashSet<NodeId>,
    pending: VecDeque<RuleId>,
    is_pending: HashSet<RuleId>,
    /// The current rule.
    rule: RuleId,
    /// The values of its variables.
    slots: Vec<Values>,
    replaced: Replaced,
    /// The place of the current part, as nearly as it is known.
    place: SourcePlace,
    missing: Vec<(MissingRead, bool)>,
    has_hit: bool,
}

impl Checker<'_> {
    fn reach(&mut self, rule: RuleId) {
        if self.reached.insert(rule) {
            self.enqueue(rule);
        }
    }

    fn enqueue(&mut self, rule: RuleId) {
        if self.is_pending.insert(rule) {
            self.pending.push_back(rule);
        }
    }

    /// The values of a rule. `each` gets the facts of each of its branches.
    fn rule(&mut self, rule: RuleId, each: &mut dyn FnMut(CheckedBranch)) -> Values {
        let set = &self.compiled.rules[rule as usize];
        self.rule = rule;
        let mut values = Values::default();
        for definition in set.definitions.iter().chain(set.default.as_deref()) {
            values.join(self.definition(definition, each));
        }
        match set.kind {
            RuleKind::Set => Values::list(values),
            RuleKind::Complete | RuleKind::Object | RuleKind::Function(_) => values,
        }
    }

    fn definition(&mut self, definition: &Definition, each: &mut dyn FnMut(CheckedBranch)) -> Values {
        self.slots = vec![Values::default(); definition.slots as usize];
        self.place = definition.place;
        self.missing.clear();
        self.has_hit = false;
        for (index, param) in definition.params.iter().enumerate() {
            let values = self.params[self.rule as usize].get(index).cloned().unwrap_or_default();
            self.pattern(param, &values, true);
        }
        let mut values = Values::default();
        for branch in &definition.branches {
            values.join(self.branch(branch));
            each(CheckedBranch {
                gives_value: !matches!(branch.value, Expr::Const(Value::Bool(_))),
                has_hit: std::mem::take(&mut self.has_hit),
                missing: std::mem::take(&mut self.missing),
            });
        }
        values
    }

    fn branch(&mut self, branch: &Branch) -> Values {
        self.ops(&branch.ops);
        branch.keys.iter().for_each(|key| _ = self.expr(key));
        let mut values = self.expr(&branch.value);
        if self.compiled.rules[self.rule as usize].kind == RuleKind::Object {
            if branch.is_member {
                values = Values::list(values);
            }
            for _ in &branch.keys {
                values = Values::map(None, values);
            }
        }
        values
    }

    fn ops(&mut self, ops: &[Op]) {
        for op in ops {
            match op {
                Op::Test(condition, place) => {
                    self.place = *place;
                    self.expr(condition);
                }
                Op::Bind(slot, value) => {
                    let values = self.expr(value);
                    self.slots[*slot as usize].join(values);
                }
                Op::Match(pattern, value) => {
                    let values = self.expr(value);
                    self.pattern(pattern, &values, matches!(value, Expr::Local(_)));
                }
                Op::Scan { base, steps, out, place, .. } => {
                    self.place = *place;
                    let of_variable = matches!(base, Expr::Local(_));
                    let mut values = self.expr(base);
                    for step in steps {
                        values = match step {
                            ReferenceStep::Key(key) => self.read(base, &values, key, *place),
                            ReferenceStep::Each(pattern) => {
                                let (keys, elements) = self.elements(&values);
                                self.pattern(pattern, &keys, of_variable);
                                elements
                            }
                        };
                    }
                    self.pattern(out, &values, of_variable);
                }
                Op::Walk { value, out } => {
                    self.expr(value);
                    // `walk` visits parts of all formats.
                    self.pattern(out, &Values::any(), false);
                }
                Op::Not(ops) => self.ops(ops),
                Op::Every { domain, key, value, ops } => {
                    let values = self.expr(domain);
                    let (keys, elements) = self.elements(&values);
                    self.slots[*value as usize].join(elements);
                    if let Some(key) = key {
                        self.slots[*key as usize].join(keys);
                    }
                    self.ops(ops);
                }
                Op::With { changes, ops } => self.with(changes, ops),
                Op::Print(parts, _) => self.parts(parts),
                Op::Mark(_) => {}
            }
        }
    }

    fn with(&mut self, changes: &[Change], ops: &[Op]) {
        let outer = self.replaced;
        for change in changes {
            match change {
                Change::Input(_, value)
                | Change::Data(_, value)
                | Change::Function(_, Replacement::Value(value)) => _ = self.expr(value),
                Change::Function(_, Replacement::Function(_)) => {}
            }
        }
        let replaces_input = changes.iter().any(|change| matches!(change, Change::Input(..)));
        // A test gives its own input, which may be an excerpt with other fields.
        self.replaced = Replaced { input: outer.input || replaces_input, others: true };
        self.ops(ops);
        self.replaced = outer;
    }

    fn parts(&mut self, parts: &[PrintPart]) {
        for part in parts {
            if let PrintPart::Value(ops, value) = part {
                self.ops(ops);
                self.expr(value);
            }
        }
    }

    /// Follows values into a pattern; `of_variable` if they come from a variable.
    fn pattern(&mut self, pattern: &Pattern, values: &Values, of_variable: bool) {
        match pattern {
            Pattern::Any => {}
            Pattern::Bind(slot) => self.slots[*slot as usize].join(values.clone()),
            Pattern::Equal(value) => {
                self.expr(value);
                self.equals(value, values, of_variable);
            }
            Pattern::Array(patterns) => {
                let elements = self.read_by(&Keys::Number, values, of_variable, self.place);
                patterns.iter().for_each(|pattern| self.pattern(pattern, &elements, of_variable));
            }
            Pattern::Object(patterns) => {
                for (key, pattern) in patterns {
                    let keys = self.keys(key);
                    let members = self.read_by(&keys, values, of_variable, self.place);
                    self.pattern(pattern, &members, of_variable);
                }
            }
        }
    }

    /// Checks the fields of a literal object against the values that it is compared with.
    fn equals(&mut self, written: &Expr, values: &Values, of_variable: bool) {
        match written {
            Expr::Const(value) => self.equals_constant(value, values, of_variable),
            Expr::Object(members) => {
                for (key, member) in members {
                    let keys = self.keys(key);
                    let found = self.read_by(&keys, values, of_variable, self.place);
                    self.equals(member, &found, of_variable);
                }
            }
            Expr::Array(items) => {
                for item in items {
                    let found = self.read_by(&Keys::Number, values, of_variable, self.place);
                    self.equals(item, &found, of_variable);
                }
            }
            _ => {}
        }
    }

    fn equals_constant(&mut self, written: &Value, values: &Values, of_variable: bool) {
        match written {
            Value::Object(members) => {
                for (key, member) in members.iter() {
                    let keys = match key {
                        Value::String(key) => Keys::Texts(vec![key.clone()]),
                        _ => Keys::Unknown,
                    };
                    let found = self.read_by(&keys, values, of_variable, self.place);
                    self.equals_constant(member, &found, of_variable);
                }
            }
            Value::Array(items) => {
                for item in items.iter() {
                    let found = self.read_by(&Keys::Number, values, of_variable, self.place);
                    self.equals_constant(item, &found, of_variable);
                }
            }
            Value::String(text) => {
                if let Some(part) = values.differing_part(text) {
                    let missing = MissingRead { place: self.place, field: text.to_string(), part };
                    self.missing.push((missing, of_variable));
                }
            }
            _ => {}
        }
    }

    /// The values of an expression, whose parts are checked.
    fn expr(&mut self, expr: &Expr) -> Values {
        match expr {
            Expr::Const(value) => Values::of_constant(value),
            Expr::Local(slot) => self.slots[*slot as usize].clone(),
            Expr::Input if self.replaced.input => Values::any(),
            Expr::Input => Values::one(Form::Input),
            // Documents in `data` come from files whose form nobody declares.
            Expr::Document(_) => Values::any(),
            Expr::Data(node) => self.data(*node),
            Expr::Get(base, keys, place) => {
                self.place = *place;
                let mut values = self.expr(base);
                for key in keys {
                    values = self.read(base, &values, key, *place);
                }
                values
            }
            Expr::Array(items) | Expr::Set(items) => {
                let values = items.iter().map(|item| self.expr(item)).fold(Values::default(), Values::and);
                Values::list(values)
            }
            Expr::Object(members) => {
                let (mut keys, mut values) = (Some(BTreeSet::new()), Values::default());
                for (key, value) in members {
                    match (self.expr(key).keys(), &mut keys) {
                        (Keys::Texts(texts), Some(keys)) => keys.extend(texts),
                        _ => keys = None,
                    }
                    values.join(self.expr(value));
                }
                Values::map(keys, values)
            }
            Expr::Comprehension(comprehension) => {
                self.ops(&comprehension.ops);
                match &comprehension.kind {
                    ComprehensionKind::Array(head) | ComprehensionKind::Set(head) => {
                        Values::list(self.expr(head))
                    }
                    ComprehensionKind::Object(key, value) => {
                        self.expr(key);
                        Values::map(None, self.expr(value))
                    }
                }
            }
            Expr::Builtin(builtin, operands, _) => {
                let values: Vec<Values> = operands.iter().map(|operand| self.expr(operand)).collect();
                self.builtin(builtin.name, operands, &values)
            }
            Expr::Function(node, arguments, _) => {
                let values: Vec<Values> = arguments.iter().map(|argument| self.expr(argument)).collect();
                self.call(*node, values)
            }
            Expr::Compare(comparison, operands) => {
                let (left, right) = &**operands;
                let (left_values, right_values) = (self.expr(left), self.expr(right));
                // `!=` as well: a comparison with a word that never appears always holds, which is as wrong.
                if matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
                    self.equals(left, &right_values, matches!(right, Expr::Local(_)));
                    self.equals(right, &left_values, matches!(left, Expr::Local(_)));
                }
                Values::one(Form::Plain)
            }
            Expr::Member(operands, key) => {
                let (item, collection) = &**operands;
                self.expr(item);
                let values = self.expr(collection);
                let (_, elements) = self.elements(&values);
                self.equals(item, &elements, matches!(collection, Expr::Local(_)));
                key.iter().for_each(|key| _ = self.expr(key));
                Values::one(Form::Plain)
            }
            Expr::Template(parts) => {
                self.parts(parts);
                Values::one(Form::Plain)
            }
        }
    }

    /// Everything at a position of `data`.
    fn data(&mut self, node: NodeId) -> Values {
        if self.replaced.input {
            return Values::any();
        }
        let compiled = self.compiled;
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if self.reached_nodes.insert(node) {
                let node = &compiled.nodes[node as usize];
                let above = node.above.and_then(|above| compiled.nodes[above as usize].rule);
                node.rule.into_iter().chain(above).for_each(|rule| self.reach(rule));
                pending.extend(node.children.values());
            }
        }
        match &compiled.nodes[node as usize] {
            node if self.replaced.others || !node.children.is_empty() || node.above.is_some() => {
                Values::any()
            }
            node => node.rule.map_or_else(Values::any, |rule| self.result(rule)),
        }
    }

    fn call(&mut self, node: NodeId, arguments: Vec<Values>) -> Values {
        let Some(rule) = self.compiled.nodes[node as usize].rule else { return Values::any() };
        let params = &mut self.params[rule as usize];
        params.resize(params.len().max(arguments.len()), Values::default());
        let mut has_changed = false;
        for (param, values) in params.iter_mut().zip(arguments) {
            let mut joined = param.clone();
            joined.join(values);
            has_changed |= joined != *param;
            *param = joined;
        }
        if self.replaced.input {
            return Values::any();
        }
        self.reach(rule);
        if has_changed {
            self.enqueue(rule);
        }
        if self.replaced.others { Values::any() } else { self.result(rule) }
    }

    fn result(&mut self, rule: RuleId) -> Values {
        self.readers[rule as usize].insert(self.rule);
        self.results[rule as usize].clone()
    }

    /// The values that a built-in function gives: parts of its operands, or anything.
    fn builtin(&mut self, name: &str, operands: &[Expr], values: &[Values]) -> Values {
        match (name, values) {
            ("object.get", [object, key, default]) => {
                // `object.get` has a default, so a missing field is no error; only its result is followed.
                let path = match (&operands[1], key.keys()) {
                    (_, keys @ Keys::Texts(_)) => Some(vec![keys]),
                    (Expr::Const(Value::Array(keys)), _) => {
                        let keys = keys.iter().map(|key| match key {
                            Value::String(text) => Keys::Texts(vec![text.clone()]),
                            Value::Number(_) => Keys::Number,
                            _ => Keys::Unknown,
                        });
                        Some(keys.collect())
                    }
                    _ => None,
                };
                let Some(path) = path else { return Values::any() };
                let found =
                    path.iter().try_fold(object.clone(), |values, keys| self.members(&values, keys).0);
                found.unwrap_or_default().and(default.clone())
            }
            (
                "array.slice" | "array.reverse" | "sort" | "minus" | "and" | "object.remove"
                | "object.filter" | "json.remove" | "json.filter",
                [first, ..],
            ) => first.clone(),
            ("array.concat" | "or" | "object.union", [first, second]) => first.clone().and(second.clone()),
            ("object.union_n", [objects]) => self.elements(objects).1,
            _ => Values::any(),
        }
    }

    /// Keys and elements of collections.
    fn elements(&self, values: &Values) -> (Values, Values) {
        if values.any {
            return (Values::any(), Values::any());
        }
        let (mut keys, mut elements) = (Values::default(), Values::default());
        for form in &values.forms {
            keys.join(Values::one(Form::Plain));
            match form {
                Form::Input => {
                    let parts = self.input.fields.iter().map(|(_, format)| Values::part(*format));
                    let documents = self.input.documents.iter();
                    let documents =
                        documents.map(|(_, document)| Values::one(Form::Document(document.clone())));
                    elements = parts.chain(documents).fold(elements, Values::and);
                }
                Form::Part(Format::List(element) | Format::Map(element)) => {
                    elements.join(Values::part(**element));
                }
                Form::Part(Format::Object(object)) => {
                    let parts = object.fields.iter().map(|(_, format)| Values::part(*format));
                    elements = parts.fold(elements, Values::and);
                }
                Form::Part(_) | Form::Text(_) | Form::Plain => {}
                Form::Document(_) => elements.join(Values::any()),
                Form::List(inner) => {
                    // The key of an element of a set is the element.
                    keys.join(inner.clone());
                    elements.join(inner.clone());
                }
                Form::Map(_, inner) => elements.join(inner.clone()),
            }
        }
        (keys, elements)
    }

    /// A part of values by a key, which is reported if none of them has it.
    fn read(&mut self, base: &Expr, values: &Values, key: &Expr, place: SourcePlace) -> Values {
        let keys = self.keys(key);
        self.read_by(&keys, values, matches!(base, Expr::Local(_)), place)
    }

    /// The keys that an expression may be, whose parts are checked.
    fn keys(&mut self, key: &Expr) -> Keys {
        match (self.expr(key), key) {
            (_, Expr::Const(Value::Number(_))) => Keys::Number,
            (keys, _) => keys.keys(),
        }
    }

    fn read_by(&mut self, keys: &Keys, values: &Values, of_variable: bool, place: SourcePlace) -> Values {
        let (members, missing) = self.members(values, keys);
        if members.is_none()
            && let Some((field, part)) = missing
        {
            self.missing.push((MissingRead { place, field, part }, of_variable));
        }
        members.unwrap_or_default()
    }

    /// The members of values by a key, if any has one; and the first that lacks it.
    fn members(&mut self, values: &Values, keys: &Keys) -> (Option<Values>, Option<(String, MissingPart)>) {
        if values.any {
            return (Some(Values::any()), None);
        }
        let (mut members, mut missing) = (None::<Values>, None);
        let texts: &[SmolStr] = match keys {
            Keys::Unknown => return (Some(self.elements(values).1), None),
            Keys::Texts(texts) => texts,
            Keys::Number => &[],
        };
        for form in &values.forms {
            let by_number = matches!(keys, Keys::Number).then(|| (self.member(form, None), "a number"));
            let by_text = texts.iter().map(|text| (self.member(form, Some(text)), text.as_str()));
            for (member, key) in by_text.chain(by_number) {
                match member {
                    Member::Values(values) => members.get_or_insert_default().join(values),
                    Member::Missing(part) => _ = missing.get_or_insert_with(|| (key.to_owned(), part)),
                    Member::Nothing => {}
                }
            }
        }
        self.has_hit |= members.is_some();
        (members, missing)
    }

    /// A member of a value by a text, or by some number.
    fn member(&self, form: &Form, key: Option<&str>) -> Member {
        let field = |fields: &[(&'static str, Format)]| {
            let field = fields.iter().find(|(name, _)| Some(*name) == key);
            field.map(|(_, format)| Member::Values(Values::part(*format)))
        };
        match form {
            Form::Input => match field(&self.input.fields).or_else(|| self.document(key?)) {
                Some(member) => member,
                None if key.is_some_and(|key| self.input.other_forms.contains(&key)) => Member::Nothing,
                None => Member::Missing(MissingPart::Input),
            },
            Form::Part(Format::Object(object)) => {
                field(object.fields).unwrap_or(Member::Missing(MissingPart::Object(object)))
            }
            Form::Part(Format::Any) => Member::Values(Values::any()),
            Form::Part(Format::Scalar | Format::Words(_)) => Member::Missing(MissingPart::Scalar),
            Form::Part(Format::List(_)) if key.is_some() => Member::Missing(MissingPart::List),
            Form::Part(Format::Map(_)) if key.is_none() => Member::Missing(MissingPart::Map),
            Form::Part(Format::List(element) | Format::Map(element)) => {
                Member::Values(Values::part(**element))
            }
            // The policy makes these values itself, so the form of the input says nothing about them.
            Form::Text(_) | Form::Plain => Member::Nothing,
            Form::Document(document) => match (document.as_object(), key) {
                (Some(fields), Some(key)) if fields.get_str(key).is_none() => {
                    Member::Missing(MissingPart::Document)
                }
                _ => Member::Values(Values::any()),
            },
            Form::Map(Some(keys), _) if !key.is_some_and(|key| keys.contains(key)) => Member::Nothing,
            Form::List(values) | Form::Map(_, values) => Member::Values(values.clone()),
        }
    }

    fn document(&self, key: &str) -> Option<Member> {
        let (_, document) = self.input.documents.iter().find(|(name, _)| *name == key)?;
        Some(Member::Values(Values::one(Form::Document(document.clone()))))
    }
}
