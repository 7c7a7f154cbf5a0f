//! The diff of values of the engine is the one of the document that says the same, and shows no secret.

use std::fmt::Write;

use objchange::schema::Block;
use objchange::value::{Kind, Marks, Path, PathStep};
use objchange::{Type, Value};
use objchange_document::changes::{ChangeValues, ChangedResource, ResourceActions};
use objchange_document::{ChangeSet, Plan, PlanMode, Schemas};
use objchange_plan::diff::{DiffAction, ObjectChange};
use objchange_plan::render::{render_entry, render_resource_change};
use objchange_plan::report::Section;
use objchange_plan::{Diff, Filter, Options, Report};
use proptest::prelude::*;

/// A text that is in a value only where it must not be shown.
const SECRET: &str = "SECRET-MARKER";

/// Takes one choice after the other.
struct Choices<'c> {
    bytes: &'c [u8],
    at: usize,
}

impl Choices<'_> {
    fn pick(&mut self, n: usize) -> usize {
        self.at += 1;
        let turn = self.at / self.bytes.len();
        usize::from(self.bytes[self.at % self.bytes.len()].wrapping_add(turn as u8)) % n
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.pick(one_in) == 0
    }
}

fn block(choices: &mut Choices<'_>, depth: usize) -> String {
    let mut attributes = Vec::new();
    for name in ["a", "b", "id", "tags"].iter().take(choices.pick(5)) {
        let sensitive = choices.chance(8);
        let write_only = !sensitive && choices.chance(10);
        let flags = format!(r#""optional":true,"sensitive":{sensitive},"write_only":{write_only}"#);
        attributes.push(match choices.pick(5) {
            0 if depth > 0 => {
                let mode = ["single", "list", "set", "map"][choices.pick(4)];
                let inner = block(choices, 0);
                let inner = inner.strip_suffix('}').unwrap_or(&inner);
                format!(r#""{name}":{{"nested_type":{inner},"nesting_mode":"{mode}"}},"optional":true}}"#)
            }
            _ => format!(r#""{name}":{{"type":{},{flags}}}"#, any_type(choices, 2)),
        });
    }
    let mut types = Vec::new();
    for name in ["e", "f", "g"].iter().take(if depth > 0 { choices.pick(4) } else { 0 }) {
        let mode = ["single", "list", "set", "map", "group"][choices.pick(5)];
        types.push(format!(r#""{name}":{{"nesting_mode":"{mode}","block":{}}}"#, block(choices, depth - 1)));
    }
    match types.is_empty() {
        true => format!(r#"{{"attributes":{{{}}}}}"#, attributes.join(",")),
        false => {
            format!(r#"{{"attributes":{{{}}},"block_types":{{{}}}}}"#, attributes.join(","), types.join(","))
        }
    }
}

fn any_type(choices: &mut Choices<'_>, depth: usize) -> String {
    let inner = |choices: &mut Choices<'_>| match any_type(choices, depth.saturating_sub(1)) {
        // The elements of a collection have one type.
        ty if ty == r#""dynamic""# => r#""string""#.to_owned(),
        ty => ty,
    };
    match choices.pick(if depth > 0 { 10 } else { 5 }) {
        0 | 1 => r#""string""#.to_owned(),
        2 => r#""number""#.to_owned(),
        3 => r#""bool""#.to_owned(),
        4 => r#""dynamic""#.to_owned(),
        5 => format!(r#"["list",{}]"#, inner(choices)),
        6 => format!(r#"["set",{}]"#, inner(choices)),
        7 => format!(r#"["map",{}]"#, inner(choices)),
        8 => format!(r#"["tuple",[{},{}]]"#, inner(choices), inner(choices)),
        _ => format!(r#"["object",{{"x":{},"y":{}}}]"#, inner(choices), inner(choices)),
    }
}

/// How values are chosen.
#[derive(Clone, Copy)]
struct Rules {
    /// Some parts are unknown.
    unknown: bool,
    /// Marked values, and those that the schema calls sensitive, hold only secrets.
    is_secret: bool,
}

fn any_value(ty: &Type, rules: Rules, choices: &mut Choices<'_>) -> Value {
    let is_marked = choices.chance(14);
    let rules = Rules { is_secret: rules.is_secret || is_marked, ..rules };
    let value = match choices.pick(14) {
        0 => Value::null(ty.clone()),
        1 if rules.unknown => Value::unknown(ty.clone()),
        _ => content(ty, rules, choices),
    };
    if is_marked { value.with_marks([Marks::SENSITIVE, Marks::EPHEMERAL][choices.pick(2)]) } else { value }
}

fn content(ty: &Type, rules: Rules, choices: &mut Choices<'_>) -> Value {
    let text = |choices: &mut Choices<'_>| {
        let text =
            ["", "x", "y", "a\nb", "a\nc\n", r#"{"k":[1,{}]}"#, "[1, 2]", " ", "\u{1b}[31m"][choices.pick(9)];
        match rules.is_secret {
            true if text.starts_with('{') => format!(r#"{{"k":"{SECRET}"}}"#),
            true => format!("{SECRET}{text}"),
            false => text.to_owned(),
        }
    };
    let several = |ty: &Type, choices: &mut Choices<'_>| -> Vec<Value> {
        (0..choices.pick(4)).map(|_| any_value(ty, rules, choices)).collect()
    };
    match &one_type(ty) {
        Type::String => Value::from(text(choices)),
        Type::Number => Value::from(choices.pick(3)),
        Type::Bool => Value::from(choices.chance(2)),
        Type::List(element) => Value::list((**element).clone(), several(element, choices)).unwrap(),
        Type::Set(element) => Value::set((**element).clone(), several(element, choices)).unwrap(),
        Type::Map(element) => {
            let elements = several(element, choices).into_iter().enumerate();
            // The label of a block is shown, as Terraform does.
            let is_secret = rules.is_secret && !matches!(**element, Type::Object(_));
            let key = |i| if is_secret { format!("{SECRET}{i}") } else { format!("k{i}") };
            Value::map((**element).clone(), elements.map(|(i, value)| (key(i), value))).unwrap()
        }
        Type::Tuple(tuple) => Value::tuple(tuple.elements().iter().map(|ty| any_value(ty, rules, choices))),
        Type::Object(object) => Value::object(
            object.attributes().iter().map(|(n, ty)| (n.clone(), any_value(ty, rules, choices))),
        ),
        Type::Dynamic => match choices.pick(5) {
            0 => Value::tuple(several(&Type::Number, choices)),
            1 => Value::object(
                several(&Type::String, choices).into_iter().enumerate().map(|(i, v)| (format!("m{i}"), v)),
            ),
            2 => content(&Type::set(Type::String), rules, choices),
            3 => content(&Type::Number, rules, choices),
            _ => content(&Type::String, rules, choices),
        },
    }
}

/// The type, where it is a collection with elements of one type.
fn one_type(ty: &Type) -> Type {
    fn known(ty: &Type) -> Type {
        match ty {
            Type::Dynamic => Type::String,
            Type::List(element) => Type::list(known(element)),
            Type::Set(element) => Type::set(known(element)),
            Type::Map(element) => Type::map(known(element)),
            Type::Tuple(tuple) => Type::tuple(tuple.elements().iter().map(known)),
            Type::Object(object) => {
                Type::object(object.attributes().iter().map(|(n, ty)| (n.clone(), known(ty))))
            }
            ty => ty.clone(),
        }
    }
    if matches!(ty, Type::List(_) | Type::Set(_) | Type::Map(_)) { known(ty) } else { ty.clone() }
}

/// Like [`any_value`], with secrets where the schema calls something sensitive or write-only.
fn any_object(schema: &Block, rules: Rules, choices: &mut Choices<'_>) -> Value {
    let object = content(schema.implied_type(), rules, choices);
    let hidden = [schema.sensitive_paths(&object), schema.write_only_paths(&object)].concat();
    let mut at = 0;
    let planted = object.transform(|path, part| {
        at += 1;
        let is_text = part.as_str().is_some() && !part.is_marked();
        let is_hidden = is_text && hidden.iter().any(|hidden| path.to_path().starts_with(hidden));
        Ok::<_, ()>(if is_hidden { Value::from(format!("{SECRET}{at}")) } else { part })
    });
    planted.unwrap()
}

/// The value as a plan document has it.
fn write_value(value: &Value, out: &mut String) {
    let known = |value: &&Value| value.is_known();
    match value.kind() {
        Kind::Null | Kind::Unknown(_) => out.push_str("null"),
        Kind::Bool(value) => _ = write!(out, "{value}"),
        Kind::Number(number) => _ = write!(out, "{number}"),
        Kind::String(text) => out.push_str(&serde_json::to_string(text).unwrap()),
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            write_list(elements, out, write_value);
        }
        Kind::Map(map) => write_members(map.iter().filter(|(_, v)| known(v)), out, write_value),
        Kind::Object(object) => write_members(object.iter().filter(|(_, v)| known(v)), out, write_value),
    }
}

fn write_list(elements: &[Value], out: &mut String, write: impl Fn(&Value, &mut String)) {
    out.push('[');
    for (i, element) in elements.iter().enumerate() {
        out.push_str(if i > 0 { "," } else { "" });
        write(element, out);
    }
    out.push(']');
}

fn write_members<'v>(
    members: impl Iterator<Item = (&'v smol_str::SmolStr, &'v Value)>,
    out: &mut String,
    write: impl Fn(&Value, &mut String),
) {
    out.push('{');
    for (i, (key, value)) in members.enumerate() {
        let comma = if i > 0 { "," } else { "" };
        _ = write!(out, "{comma}{}:", serde_json::to_string(key.as_str()).unwrap());
        write(value, out);
    }
    out.push('}');
}

/// Where something is said of the value, mirroring its nesting.
fn write_marks(value: &Value, is_marked: fn(&Value) -> bool, out: &mut String) {
    let write = |value: &Value, out: &mut String| write_marks(value, is_marked, out);
    if is_marked(value) {
        return out.push_str("true");
    }
    let says_something = |value: &Value| {
        let mut marks = String::new();
        write(value, &mut marks);
        marks != "false"
    };
    match value.kind() {
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            write_list(elements, out, write);
        }
        Kind::Map(map) => write_members(map.iter().filter(|(_, v)| says_something(v)), out, write),
        Kind::Object(object) => write_members(object.iter().filter(|(_, v)| says_something(v)), out, write),
        _ => out.push_str("false"),
    }
}

/// A path as a plan document has it; in a set it ends.
fn write_path(path: &Path, sides: [&Value; 2]) -> String {
    let mut steps = Vec::new();
    let mut walked = Path::root();
    for step in path.steps() {
        let is_set = |value: &Value| value.at(&walked).is_some_and(|v| matches!(v.kind(), Kind::Set(_)));
        if sides.into_iter().any(is_set) {
            break;
        }
        walked = walked.steps().iter().chain([step]).cloned().collect();
        steps.push(match step {
            PathStep::Attribute(name) => format!("\"{name}\""),
            PathStep::Index(key) if key.is_marked() => "null".to_owned(),
            PathStep::Index(key) => {
                let mut text = String::new();
                write_value(key, &mut text);
                text
            }
        });
    }
    format!("[{}]", steps.join(","))
}

struct Case {
    schema: String,
    block: Block,
    before: Value,
    after: Value,
    replace: Vec<Path>,
    actions: (&'static str, ResourceActions),
}

fn case(choices: &mut Choices<'_>) -> Case {
    let schema = block(choices, 2);
    let block: Block = serde_json::from_str(&schema).unwrap();
    let null = Value::null(block.implied_type().clone());
    let plain = Rules { unknown: false, is_secret: false };
    let before = any_object(&block, plain, choices);
    let after = match choices.pick(3) {
        0 => before.clone(),
        _ => any_object(&block, Rules { unknown: true, ..plain }, choices),
    };
    let (before, after, actions) = match choices.pick(8) {
        0 => (null, after, (r#"["create"]"#, ResourceActions::Create)),
        1 => (before, null, (r#"["delete"]"#, ResourceActions::Delete)),
        2 => (before, after, (r#"["create","delete"]"#, ResourceActions::CreateThenDelete)),
        3 => (before, after, (r#"["read"]"#, ResourceActions::Read)),
        _ => (before, after, (r#"["update"]"#, ResourceActions::Update)),
    };
    let mut replace = Vec::new();
    for side in [&before, &after] {
        side.visit(|path, _| {
            if choices.chance(12) {
                replace.push(path.to_path());
            }
            objchange::value::Descend::Into
        });
    }
    Case { schema, block, before, after, replace, actions }
}

/// The object as Terraform writes it: marked by the schema, without write-only values, but with marks on them.
fn as_written(block: &Block, object: &Value) -> Value {
    let write_only = block.write_only_paths(object);
    let removed = object.transform(|path, part| {
        let is_write_only = write_only.contains(&path.to_path());
        let is_sensitive = part.marks().contains(Marks::SENSITIVE);
        let null = || Value::null(part.ty().clone());
        Ok::<_, ()>(match (is_write_only, is_sensitive) {
            (true, true) => null().sensitive(),
            (true, false) => null(),
            (false, _) => part,
        })
    });
    let removed = removed.unwrap();
    let sensitive = block.sensitive_paths(&removed).into_iter();
    removed.mark_where_present(&sensitive.map(|path| (path, Marks::SENSITIVE)).collect::<Vec<_>>())
}

fn document(case: &Case) -> String {
    let [before, after] = [&case.before, &case.after].map(|side| as_written(&case.block, side));
    let mut texts = [const { String::new() }; 5];
    write_value(&before, &mut texts[0]);
    write_value(&after, &mut texts[1]);
    write_marks(&after, |value| !value.is_known(), &mut texts[2]);
    write_marks(&before, Value::is_marked, &mut texts[3]);
    write_marks(&after, Value::is_marked, &mut texts[4]);
    let replace: Vec<_> = case.replace.iter().map(|path| write_path(path, [&before, &after])).collect();
    let [before, after, unknown, before_sensitive, after_sensitive] = texts;
    format!(
        r#"{{"address":"t_t.n","mode":"managed","type":"t_t","name":"n","provider_name":"p","change":{{"actions":{},
            "before":{before},"after":{after},"after_unknown":{unknown},"before_sensitive":{before_sensitive},
            "after_sensitive":{after_sensitive},"replace_paths":[{}]}}}}"#,
        case.actions.0,
        replace.join(",")
    )
}

fn is_no_op(diff: &Diff<'_>) -> bool {
    let json = serde_json::to_value(diff).unwrap().to_string();
    diff.action == DiffAction::NoOp
        && ["create", "delete", "update"]
            .iter()
            .all(|action| !json.contains(&format!(r#""action":"{action}""#)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn values_differ_as_the_document_does_that_says_the_same(
        bytes in proptest::collection::vec(any::<u8>(), 40..300),
    ) {
        let case = case(&mut Choices { bytes: &bytes, at: 0 });
        let written = document(&case);
        let plan = format!(r#"{{"format_version":"1.2","resource_changes":[{written}]}}"#);
        let plan = Plan::parse(&plan).unwrap();
        let schemas = Schemas::parse(format!(
            r#"{{"format_version":"1.0","provider_schemas":{{"p":{{"resource_schemas":{{"t_t":{{"version":0,"block":{}}}}}}}}}}}"#,
            case.schema
        )).unwrap();
        let change = ObjectChange::new(&case.block, &case.before, &case.after).replacing(case.replace.clone());
        let of_values = change.diff();
        let mut resource = ChangedResource {
            address: "t_t.n".into(),
            mode: "managed".into(),
            resource_type: "t_t".into(),
            name: "n".into(),
            provider_name: "p".into(),
            ..ChangedResource::default()
        };
        resource.change.actions = case.actions.1;
        resource.change.values = ChangeValues::Planned(Box::new(change.clone().into_values()));
        let mut changes = ChangeSet::default();
        changes.resources.push(resource);
        let single = Schemas::single(&case.block);
        for full in [false, true] {
            let options = Options { full, mode: Some(PlanMode::Normal), ..Options::default() };
            let of_document = Report::of_plan(&plan, &schemas, &options, &Filter::default()).unwrap();
            let of_changes = Report::of_changes(&changes, &single, &options, &Filter::default()).unwrap();
            let json = serde_json::to_string(&of_changes).unwrap();
            prop_assert_eq!(&json, &serde_json::to_string(&of_document).unwrap(), "{}", written);
            prop_assert!(!json.contains(SECRET), "{}\n{}", written, json);
            let entry = of_changes.sections.iter().find_map(|section| match section {
                Section::ResourceChanges(entries) => entries.iter().next(),
                _ => None,
            });
            let text = entry.map_or_else(String::new, |entry| render_entry(&entry.unwrap(), &options));
            prop_assert!(!text.contains(SECRET), "{}\n{}", written, text);
            prop_assert_eq!(text, render_resource_change(&written, Some(&case.block), &options).unwrap());
        }
        let leaves = change.leaves(&of_values);
        prop_assert!(of_values.action != DiffAction::NoOp || leaves.is_empty());
        let written_after = as_written(&case.block, &case.after);
        for leaf in &leaves {
            // An unknown element of a set is not found again.
            let is_element = leaf.path.steps().last() == leaf.after.clone().map(PathStep::Index).as_ref();
            let after = leaf.after.as_ref().filter(|_| !leaf.hidden && !is_element);
            prop_assert!(after.is_none_or(|after| written_after.at(&leaf.path) == Some(after)), "{} {:?}", written, leaf);
        }
        prop_assert!(!format!("{leaves:?}").contains(SECRET), "{}\n{:?}", written, leaves);
        prop_assert!(!serde_json::to_string(&leaves).unwrap().contains(SECRET));
        let debug = format!("{change:?}{of_values:?}");
        prop_assert!(!debug.contains(SECRET), "{}\n{}", written, debug);
    }

    #[test]
    fn what_stays_the_same_is_unchanged_all_the_way_down(
        bytes in proptest::collection::vec(any::<u8>(), 40..300),
    ) {
        let choices = &mut Choices { bytes: &bytes, at: 0 };
        let schema: Block = serde_json::from_str(&block(choices, 2)).unwrap();
        let object = any_object(&schema, Rules { unknown: false, is_secret: false }, choices);
        prop_assert!(is_no_op(&ObjectChange::new(&schema, &object, &object).diff()));
    }
}
