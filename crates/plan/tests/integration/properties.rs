//! Laws that hold for every document: it renders, nothing secret is in what is rendered, and nothing is lost.

use crate::{outline, report};

use objchange_document::{Document, Plan, PlanMode, Program, Schemas};
use objchange_plan::diff::DiffAction;
use objchange_plan::render::{HtmlOptions, MarkdownOptions, MarkdownTemplate, Review, ReviewedPlan};
use objchange_plan::report::{Section, ShowError};
use objchange_plan::{Colour, Filter, Options, Report, render_plan};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A text that is in a document only where it must not be shown.
pub(crate) const MARKER: &str = "SECRET-MARKER";

/// Any JSON value; strings may hold JSON, several lines, control characters.
fn any_json() -> impl Strategy<Value = Value> {
    let string = prop_oneof![
        "[a-c]{0,3}",
        Just("a\nb".to_owned()),
        Just("\n \n".to_owned()),
        Just("{\"a\":[1,{}]}".to_owned()),
        Just("[]".to_owned()),
        Just("\u{1b}[31m\u{9b}\u{7f}".to_owned()),
        "\\PC{0,4}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..3).prop_map(Value::from),
        string.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-d]", inner, 0..4).prop_map(|m| json!(m)),
        ]
    })
}

/// The type of a value in the schema.
fn any_type() -> impl Strategy<Value = Value> + Clone {
    let leaf =
        prop_oneof![Just("string"), Just("number"), Just("bool"), Just("dynamic")].prop_map(Value::from);
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|t| json!(["list", t])),
            inner.clone().prop_map(|t| json!(["set", t])),
            inner.clone().prop_map(|t| json!(["map", t])),
            prop::collection::btree_map("[a-d]", inner.clone(), 0..3).prop_map(|m| json!(["object", m])),
            prop::collection::vec(inner, 0..3).prop_map(|t| json!(["tuple", t])),
        ]
    })
}

fn any_mode() -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![Just("single"), Just("list"), Just("set"), Just("map")]
}

pub(crate) fn any_block() -> impl Strategy<Value = Value> {
    let flags = || (any::<bool>(), prop::bool::weighted(0.1), prop::bool::weighted(0.1));
    let plain = (any_type(), flags()).prop_map(|(ty, (computed, sensitive, write_only))| {
        json!({"type": ty, "optional": true, "computed": computed, "sensitive": sensitive,
               "write_only": write_only})
    });
    let nested = (any_mode(), prop::collection::btree_map("[a-d]", plain.clone(), 0..3)).prop_map(
        |(mode, attributes)| json!({"nested_type": {"attributes": attributes, "nesting_mode": mode}, "optional": true}),
    );
    let attribute = prop_oneof![4 => plain, 1 => nested];
    let attributes = prop::collection::btree_map("[a-d]|id|tags", attribute, 0..4);
    let leaf = attributes.clone().prop_map(|a| json!({"attributes": a})).boxed();
    leaf.prop_recursive(2, 6, 2, move |inner| {
        let block = (prop_oneof![any_mode(), Just("group")], inner)
            .prop_map(|(mode, block)| json!({"nesting_mode": mode, "block": block}));
        (attributes.clone(), prop::collection::btree_map("[e-g]", block, 0..3))
            .prop_map(|(a, b)| json!({"attributes": a, "block_types": b}))
    })
}

/// Any value of a type, sometimes null.
fn value_of(ty: &Value, pick: &mut impl FnMut(usize) -> usize) -> Value {
    if pick(6) == 0 {
        return Value::Null;
    }
    let several = |pick: &mut dyn FnMut(usize) -> usize| pick(4);
    match ty {
        Value::String(name) => match (name.as_str(), pick(5)) {
            ("number", n) => json!(n),
            ("bool", n) => json!(n % 2 == 0),
            (_, 0) => json!(""),
            (_, 1) => json!("x\ny"),
            (_, 2) => json!("{\"k\":1}"),
            (_, n) => json!(format!("v{n}")),
        },
        Value::Array(parts) => match (parts[0].as_str(), &parts[1]) {
            (Some(kind @ ("list" | "set")), element) => {
                let count = several(pick);
                let elements = (0..count).map(|_| value_of(element, pick)).collect();
                if kind == "set" { distinct(elements) } else { Value::Array(elements) }
            }
            (Some("map"), element) => {
                let count = several(pick);
                Value::Object((0..count).map(|i| (format!("k{i}"), value_of(element, pick))).collect())
            }
            (Some("tuple"), types) => {
                Value::Array(types.as_array().into_iter().flatten().map(|t| value_of(t, pick)).collect())
            }
            (_, members) => Value::Object(
                members
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(k, t)| (k.clone(), value_of(t, pick)))
                    .collect(),
            ),
        },
        _ => Value::Null,
    }
}

/// The elements of a set: none stands twice.
fn distinct(elements: Vec<Value>) -> Value {
    let mut kept: Vec<Value> = Vec::new();
    for element in elements {
        if !kept.contains(&element) {
            kept.push(element);
        }
    }
    Value::Array(kept)
}

fn collection(
    mode: &str,
    pick: &mut impl FnMut(usize) -> usize,
    mut one: impl FnMut(&mut dyn FnMut(usize) -> usize) -> Value,
) -> Value {
    match mode {
        "list" => Value::Array((0..pick(3)).map(|_| one(pick)).collect()),
        "set" => distinct((0..pick(3)).map(|_| one(pick)).collect()),
        "map" => Value::Object((0..pick(3)).map(|i| (format!("l{i}"), one(pick))).collect()),
        _ if pick(4) == 0 => Value::Null,
        _ => one(pick),
    }
}

fn value_of_block(block: &Value, pick: &mut dyn FnMut(usize) -> usize) -> Value {
    let mut value = Map::new();
    for (name, attribute) in block["attributes"].as_object().into_iter().flatten() {
        let mut pick = |n| pick(n);
        let of = match attribute.get("nested_type") {
            Some(nested) => collection(nested["nesting_mode"].as_str().unwrap(), &mut pick, |pick| {
                value_of_block(nested, pick)
            }),
            None => value_of(&attribute["type"], &mut pick),
        };
        value.insert(name.clone(), if attribute["write_only"] == true { Value::Null } else { of });
    }
    for (name, nested) in block["block_types"].as_object().into_iter().flatten() {
        let mut pick = |n| pick(n);
        let of = collection(nested["nesting_mode"].as_str().unwrap(), &mut pick, |pick| {
            value_of_block(&nested["block"], pick)
        });
        value.insert(name.clone(), of);
    }
    Value::Object(value)
}

/// Marks that mirror a value; what is marked is replaced by the marker, at every depth.
fn mark(value: &mut Value, pick: &mut dyn FnMut(usize) -> usize) -> Value {
    if pick(8) == 0 {
        *value = plant(value);
        return json!(true);
    }
    match value {
        Value::Array(elements) => Value::Array(elements.iter_mut().map(|e| mark(e, pick)).collect()),
        Value::Object(members) => {
            Value::Object(members.iter_mut().map(|(k, v)| (k.clone(), mark(v, pick))).collect())
        }
        _ => json!(false),
    }
}

/// The value with the marker in place of every text in it, keys too.
fn plant(value: &Value) -> Value {
    match value {
        Value::String(text) => match text.as_str() {
            "x\ny" => json!(format!("{MARKER}\nline")),
            "{\"k\":1}" => json!(format!("{{\"k\":\"{MARKER}\"}}")),
            // Different texts stay different: a set stays one.
            text => json!(format!("{MARKER}{text}")),
        },
        Value::Array(elements) => Value::Array(elements.iter().map(plant).collect()),
        Value::Object(members) => Value::Object(members.iter().map(|(k, v)| (k.clone(), plant(v))).collect()),
        other => other.clone(),
    }
}

/// Plants the marker where the schema alone says that a value is sensitive.
fn plant_by_schema(value: &mut Value, block: &Value) {
    for (name, attribute) in block["attributes"].as_object().into_iter().flatten() {
        if attribute["sensitive"] == true
            && let Some(value) = value.get_mut(name)
        {
            *value = plant(value);
        }
    }
    for (name, nested) in block["block_types"].as_object().into_iter().flatten() {
        let each: Vec<&mut Value> = match value.get_mut(name) {
            Some(Value::Array(blocks)) => blocks.iter_mut().collect(),
            Some(Value::Object(blocks)) if nested["nesting_mode"] == "map" => {
                blocks.iter_mut().map(|(_, v)| v).collect()
            }
            Some(block) => vec![block],
            None => Vec::new(),
        };
        each.into_iter().for_each(|block| plant_by_schema(block, &nested["block"]));
    }
}

const ACTIONS: [&[&str]; 8] = [
    &["update"],
    &["create"],
    &["delete"],
    &["delete", "create"],
    &["create", "delete"],
    &["no-op"],
    &["forget"],
    &["read"],
];

/// A plan with one resource, drift of it and an output, and its schemas, from a schema and choices.
pub(crate) fn plan_of(block: &Value, choices: &[u8]) -> (String, String) {
    let mut at = 0;
    let mut pick = |n: usize| {
        at += 1;
        usize::from(choices[at % choices.len()].wrapping_add((at / choices.len()) as u8)) % n
    };
    let pick: &mut dyn FnMut(usize) -> usize = &mut pick;
    let actions = ACTIONS[pick(ACTIONS.len())];
    let mut before = value_of_block(block, pick);
    let mut after = if pick(2) == 0 { before.clone() } else { value_of_block(block, pick) };
    // An output has no schema that could call a part of it sensitive.
    let (mut old, mut new) = (before.clone(), after.clone());
    let (old_marks, new_marks) = (mark(&mut old, pick), mark(&mut new, pick));
    plant_by_schema(&mut before, block);
    plant_by_schema(&mut after, block);
    let before_sensitive = mark(&mut before, pick);
    let after_sensitive = mark(&mut after, pick);
    let unknown = mark(&mut after.clone(), pick);
    let (before, after) = match actions {
        ["create"] => (Value::Null, after),
        ["delete"] => (before, Value::Null),
        _ => (before, after),
    };
    let change = json!({"actions": actions, "before": before, "after": after, "after_unknown": unknown,
        "before_sensitive": before_sensitive, "after_sensitive": after_sensitive,
        "replace_paths": [["a"], ["b", 0], ["e"], ["e", "l0"]]});
    let resource = json!({"address": "t.r", "mode": "managed", "type": "t", "name": "r", "provider_name": "p",
        "change": change});
    let output = json!({"actions": ["update"], "before": old, "after": new, "after_unknown": unknown,
        "before_sensitive": old_marks, "after_sensitive": new_marks});
    let action = json!({"address": "action.t.a", "type": "t", "name": "a", "provider_name": "p",
        "config_values": after, "config_sensitive": after_sensitive, "config_unknown": unknown,
        "lifecycle_action_trigger": {"triggering_resource_address": "t.r", "action_trigger_event": "AfterUpdate",
        "action_trigger_block_index": 0, "actions_list_index": 0}, "invoke_action_trigger": {}});
    let plan = json!({"format_version": "1.2", "resource_changes": [resource], "resource_drift": [resource],
        "action_invocations": [action],
        "deferred_changes": [{"reason": "x", "resource_change": resource}],
        "relevant_attributes": [{"resource": "t.r", "attribute": ["a"]}, {"resource": "", "attribute": ["e", 0]}],
        "output_changes": {"o": output}});
    let schemas = json!({"format_version": "1.0", "provider_schemas": {"p": {"resource_schemas":
        {"t": {"version": 0, "block": block}}, "action_schemas": {"t": {"block": block}}}}});
    (plan.to_string(), schemas.to_string())
}

/// The programs as which a document can be shown.
fn programs() -> impl Iterator<Item = Program> {
    ["terraform@1.11", "terraform", "opentofu"].into_iter().map(|name| name.parse().unwrap())
}

/// Everything that can be made of a document.
pub(crate) fn outputs(document: &str, schemas: &Schemas) -> Vec<String> {
    let document = match Document::parse(document) {
        Ok(document) => document,
        Err(error) => return vec![error.to_string(), format!("{error:?}")],
    };
    let mut outputs = vec![format!("{document:?}")];
    let template = &MarkdownTemplate::parse("{{ page }}{{ report }}").unwrap();
    let refreshing = PlanMode::RefreshOnly;
    let shown = [(false, PlanMode::Normal), (true, PlanMode::Normal), (false, refreshing)];
    let shown = shown.into_iter().flat_map(|shown| [(shown, false), (shown, true)]);
    for (((full, mode), match_sets), program) in
        shown.flat_map(|shown| programs().map(move |program| (shown, program)))
    {
        let options = Options {
            full,
            match_sets,
            match_lists: match_sets,
            own_format: match_sets,
            mode: Some(mode),
            program: Some(program),
            ..Options::default()
        };
        let coloured = Options { colour: Colour::Always, ..options };
        let filter = match match_sets {
            true => Filter::default().ignoring("*.a".parse().unwrap()).ignoring("b".parse().unwrap()),
            false => Filter::default(),
        };
        let report = match Report::new(&document, schemas, &options, &filter) {
            Ok(report) => report,
            Err(error) => {
                outputs.extend([error.to_string(), format!("{error:?}")]);
                continue;
            }
        };
        let mut keep = |write: &mut dyn FnMut(&mut Vec<u8>) -> Result<(), ShowError>| {
            let mut out = Vec::new();
            if let Err(error) = write(&mut out) {
                outputs.extend([error.to_string(), format!("{error:?}")]);
            }
            outputs.push(String::from_utf8(out).unwrap());
        };
        keep(&mut |out| report.write_text(out, &options));
        keep(&mut |out| report.write_text(out, &coloured).map(|()| out.retain(|byte| *byte != b'\x1b')));
        keep(&mut |out| report.write_json(out));
        keep(&mut |out| report.write_summary(out, Colour::Never, Default::default()));
        keep(&mut |out| report.write_markdown(out, &MarkdownOptions::default()));
        keep(&mut |out| {
            let timeout = std::time::Duration::from_secs(600);
            report.write_markdown_template(out, &MarkdownOptions::default(), template, timeout)
        });
        keep(&mut |out| report.write_html(out, &HtmlOptions::default()));
        match outline::shown(&report) {
            Ok(shown) => outputs.push(shown),
            Err(error) => outputs.extend([error.to_string(), format!("{error:?}")]),
        }
        outputs.push(format!("{report:?} {:?}", report.outline()));
        outputs.push(serde_json::to_string(&report).unwrap_or_else(|error| error.to_string()));
        let reviewed = ReviewedPlan { name: "plan.json".to_owned(), report, ..ReviewedPlan::default() };
        let review = Review { plans: vec![reviewed], ..Review::default() };
        let mut keep = |write: &mut dyn FnMut(&mut Vec<u8>) -> Result<(), ShowError>| {
            let mut out = Vec::new();
            if let Err(error) = write(&mut out) {
                outputs.extend([error.to_string(), format!("{error:?}")]);
            }
            outputs.push(String::from_utf8(out).unwrap());
        };
        keep(&mut |out| review.write_markdown(out, &MarkdownOptions::default()));
        keep(&mut |out| review.write_text(out, Colour::Never));
        keep(&mut |out| review.write_json(out));
        outputs.push(format!("{review:?}"));
    }
    outputs
}

proptest! {
    // Each case renders all outputs of two documents: 200 took half a minute.
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn a_secret_is_in_no_output(block in any_block(), choices in prop::collection::vec(any::<u8>(), 1..64)) {
        let (plan, schemas) = plan_of(&block, &choices);
        let with = Schemas::parse(schemas).unwrap();
        for output in outputs(&plan, &with) {
            prop_assert!(!output.contains(MARKER), "{plan}\n{output}");
        }
        // A document that is cut off says nothing of its values either.
        let mut cut = plan.len() / 2;
        while !plan.is_char_boundary(cut) { cut -= 1; }
        for output in outputs(&plan[..cut], &with) {
            prop_assert!(!output.contains(MARKER), "{output}");
        }
    }

    #[test]
    fn every_document_renders(
        block in any_block(),
        values in prop::collection::vec(any_json(), 5),
        output in any_json(),
    ) {
        // Values that do not fit the schema, marks that do not fit the values.
        let change = json!({"actions": ["update"], "before": values[0], "after": values[1],
            "after_unknown": values[2], "before_sensitive": values[3], "after_sensitive": values[4],
            "replace_paths": [values[2], [values[3]], ["a", values[4]]]});
        let plan = json!({"format_version": "1.2", "resource_changes": [{"address": "t.r\u{1b}", "mode": "managed",
            "type": "t", "name": "r", "provider_name": "p", "change": change}],
            "output_changes": {"o\u{9b}": {"actions": ["update"], "before": output, "after": values[1],
            "after_unknown": values[4], "before_sensitive": false, "after_sensitive": false}}}).to_string();
        let schemas = json!({"provider_schemas": {"p": {"resource_schemas": {"t": {"block": block}}}}}).to_string();
        for schemas in [Schemas::parse(schemas).unwrap(), Schemas::none()] {
            let all = outputs(&plan, &schemas);
            // `serde_json` does not escape for terminals.
            for text in all.iter().filter(|text| !text.starts_with("{\"format_version\":\"1.3\",\"program\":\"")) {
                let control = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
                prop_assert_eq!(control, None, "{}", text);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A renderer outside of this process has all that it needs.
    #[test]
    fn a_report_is_what_its_json_says(
        block in any_block(),
        choices in prop::collection::vec(any::<u8>(), 1..64),
        full in any::<bool>(),
        refreshing in any::<bool>(),
        match_sets in any::<bool>(),
        program in prop::sample::select(programs().collect::<Vec<_>>()),
    ) {
        let (plan, schemas) = plan_of(&block, &choices);
        let options = Options {
            colour: Colour::Always,
            mode: Some(if refreshing { PlanMode::RefreshOnly } else { PlanMode::Normal }),
            program: Some(program),
            full,
            match_sets,
            ..Options::default()
        };
        let (plan, schemas) = (Plan::parse(&plan).unwrap(), Schemas::parse(schemas).unwrap());
        report::text(&Report::of_plan(&plan, &schemas, &options, &Filter::default()).unwrap(), &options).unwrap();
    }

    #[test]
    fn equal_values_differ_in_nothing(block in any_block(), choices in prop::collection::vec(any::<u8>(), 1..64)) {
        let (plan, schemas) = plan_of(&block, &choices);
        let mut plan: Value = serde_json::from_str(&plan).unwrap();
        let change = &mut plan["resource_changes"][0]["change"];
        change["actions"] = json!(["update"]);
        change["after"] = change["before"].clone();
        change["after_sensitive"] = change["before_sensitive"].clone();
        change["after_unknown"] = json!({});
        let text = plan.to_string();
        let plan = Plan::parse(&text).unwrap();
        let schemas = Schemas::parse(schemas).unwrap();
        let report = Report::of_plan(&plan, &schemas, &Options::default(), &Filter::default()).unwrap();
        for section in &report.sections {
            let Section::ResourceChanges(entries) = section else { continue };
            prop_assert_eq!(entries.iter().count(), 1);
            prop_assert_eq!(entries.iter().next().unwrap().unwrap().diff.action, DiffAction::NoOp);
        }
    }

    /// The shown lines and the number of hidden ones add up to the lines of `--full`.
    #[test]
    fn hidden_and_shown_are_all(before in "[a-f]{0,12}", after in "[a-f]{0,12}") {
        let list = |text: &str| json!(text.chars().map(String::from).collect::<Vec<_>>());
        let plan = json!({"format_version": "1.2", "resource_changes": [{"address": "t.r", "mode": "managed",
            "type": "t", "name": "r", "provider_name": "p", "change": {"actions": ["update"],
            "before": {"l": list(&before)}, "after": {"l": list(&after)}}}]}).to_string();
        let plan = Plan::parse(&plan).unwrap();
        let block = json!({"attributes": {"l": {"type": ["list", "string"], "optional": true}}});
        let schemas = json!({"provider_schemas": {"p": {"resource_schemas": {"t": {"block": block}}}}}).to_string();
        let schemas = Schemas::parse(schemas).unwrap();
        let lines = |full| {
            let options = Options { full, ..Options::default() };
            let text = render_plan(&plan, &schemas, &options).unwrap();
            let shown = text.lines().filter(|line| line.trim_end().ends_with("\",")).count();
            let hidden: usize = text.lines().filter(|line| line.contains("unchanged element"))
                .filter_map(|line| line.trim().strip_prefix("# (")?.split(' ').next()?.parse::<usize>().ok()).sum();
            (shown, hidden)
        };
        let (shown, hidden) = lines(false);
        let (all, none) = lines(true);
        prop_assert_eq!(none, 0);
        if before != after {
            prop_assert_eq!(shown + hidden, all);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Nor is one in the texts from which the script of a large page makes entries.
    #[test]
    fn a_secret_is_on_no_large_page(block in any_block(), choices in prop::collection::vec(any::<u8>(), 1..64)) {
        let (plan, schemas) = plan_of(&block, &choices);
        let mut plan: Value = serde_json::from_str(&plan).unwrap();
        for section in ["resource_changes", "resource_drift"] {
            plan[section] = vec![plan[section][0].clone(); 101].into();
        }
        let plan = plan.to_string();
        let (document, schemas) = (Document::parse(&plan).unwrap(), Schemas::parse(schemas).unwrap());
        for own_format in [false, true] {
            let options = Options { own_format, ..Options::default() };
            let Ok(report) = Report::new(&document, &schemas, &options, &Filter::default()) else { continue };
            let mut page = Vec::new();
            // An error ends the page.
            _ = report.write_html(&mut page, &HtmlOptions::default());
            let page = String::from_utf8(page).unwrap();
            prop_assert!(!page.contains(MARKER), "{plan}\n{page}");
            prop_assert_eq!(page.contains("<noscript>"), page.contains("class=\"f\"") && page.contains("<article"));
        }
    }
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    let plan = |value: &str| {
        format!(
            r#"{{"format_version":"1.2","resource_changes":[{{"address":"t.r","mode":"managed","type":"t","name":"r",
            "provider_name":"p","change":{{"actions":["create"],"before":null,"after":{{"a":{value}}}}}}}]}}"#
        )
    };
    let text = plan(&deep(100_000));
    let error = render_plan(&Plan::parse(&text).unwrap(), &Schemas::none(), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("nest too deeply"), "{error}");
    // A string that holds such JSON is an ordinary string.
    let text = plan(&json!(deep(100_000)).to_string());
    let text = render_plan(&Plan::parse(&text).unwrap(), &Schemas::none(), &Options::default()).unwrap();
    assert!(text.contains("= \"[[["));
}
