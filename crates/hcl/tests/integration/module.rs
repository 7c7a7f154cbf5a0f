//! Modules of several files: duplicates, overrides, values of variables, resource blocks. Summaries and rules are those
//! of `terraform validate` and `terraform console` for these files.

use std::collections::BTreeMap;

use objchange::change::IgnoreChanges;
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::{Type, Value};
use objchange_hcl::{
    Diagnostic, Edition, Environment, Functions, Input, ModuleConfig, Scope, Sources, VariableValues,
    console_text, decode, evaluate, parse_expression, variables,
};
use proptest::prelude::*;

fn sources(files: &[(&str, &str)]) -> Sources {
    let mut sources = Sources::default();
    files.iter().for_each(|(name, text)| sources.add(*name, *text).unwrap());
    sources
}

/// Reads the files.
fn read(sources: &Sources) -> Result<ModuleConfig, Vec<Diagnostic>> {
    let (module, problems) = ModuleConfig::read(sources);
    if problems.errors.is_empty() { Ok(module) } else { Err(problems.errors) }
}

/// The managed resources, in source order.
fn resources(module: &ModuleConfig) -> Vec<(&str, &str)> {
    module.managed().into_iter().map(|(name, _)| (&*name.resource_type, &*name.name)).collect()
}

/// Each error as its summary and its place.
fn told(sources: &Sources, errors: &[Diagnostic]) -> Vec<String> {
    let places = sources.places();
    errors
        .iter()
        .map(|error| format!("{}: {}", places.find(error.subject.unwrap()).unwrap(), error.summary))
        .collect()
}

fn errors_of(files: &[(&str, &str)]) -> Vec<String> {
    let sources = sources(files);
    told(&sources, &read(&sources).map(|_| ()).unwrap_err())
}

/// Evaluates an expression in a module; errors of its variables come first.
fn value_of(
    files: &[(&str, &str)],
    inputs: &[(&str, Input)],
    expression: &str,
) -> Result<Value, Vec<Diagnostic>> {
    let sources = sources(files);
    let module = read(&sources)?;
    let inputs: BTreeMap<String, Input> =
        inputs.iter().map(|(name, input)| ((*name).to_owned(), input.clone())).collect();
    let (values, errors) = VariableValues::new(&module, &sources, &inputs, Functions::pure());
    if !errors.is_empty() {
        return Err(errors);
    }
    let expr = parse_expression(expression).unwrap();
    let environment = Environment::new(&module, &values, variables(&expr), &[], Functions::pure());
    assert_eq!(environment.errors, []);
    let (value, errors) = evaluate(&expr, &Scope::new(&environment.variables), Functions::pure());
    assert_eq!(errors, []);
    Ok(value)
}

fn text(text: &str) -> Input {
    Input::Text(text.to_owned())
}

#[test]
fn what_is_declared_twice_names_both_places() {
    let a = "variable \"x\" {}\nlocals {\n l = 1\n}\nresource \"t\" \"d\" {}\n";
    let json =
        "{\"variable\": {\"x\": {}}, \"locals\": {\"l\": 1},\n \"resource\": {\"t\": {\"d\": [{}, {}]}}}";
    let sources = sources(&[("m/a.tf", a), ("m/b.tf", a), ("m/c.tf.json", json)]);
    let errors = read(&sources).unwrap_err();
    assert_eq!(
        told(&sources, &errors),
        [
            "m/b.tf:1,1-13: Duplicate variable declaration",
            "m/b.tf:3,2-7: Duplicate local value definition",
            "m/b.tf:5,1-17: Duplicate resource \"t\" configuration",
            "m/c.tf.json:1,20-21: Duplicate variable declaration",
            "m/c.tf.json:1,36-42: Duplicate local value definition",
            "m/c.tf.json:2,26-27: Duplicate resource \"t\" configuration",
            "m/c.tf.json:2,26-27: Duplicate resource \"t\" configuration",
        ]
    );
    // Each error names the block before it, which may be a duplicate itself.
    let before = ["a.tf:1,1-13", "a.tf:3,2-7", "a.tf:5,1-17", "b.tf:1,1-13", "b.tf:3,2-7", "b.tf:5,1-17"];
    for (error, place) in std::iter::zip(&errors, before.map(|place| format!("m/{place}"))) {
        assert!(error.detail.contains(&format!("at {place}. ")), "{}", error.detail);
    }
}

#[test]
fn what_may_not_stand_there_is_told() {
    let text = "variable \"a\" {\n foo = 1\n validation {}\n bar {}\n}\nvariable \"c\" \"d\" {}\nvariable \"source\" {}\n\
                variable \"1x\" {}\nlocals \"x\" {\n b {}\n}\nresource \"t\" {}\nresource \"t\" \"x\" {\n lifecycle {\n  \
                foo = 1\n  precondition {\n   condition = x.y\n  }\n }\n}\nresorce \"a\" {}\nfoo = 1\n";
    let mut found = errors_of(&[("a.tf", text)]);
    found.sort();
    let mut wanted = [
        "2,2-5: Unsupported argument",
        "3,14-14: Missing required argument",
        "3,14-14: Missing required argument",
        "4,2-5: Unsupported block type",
        "6,14-17: Extraneous label for variable",
        "7,10-18: Invalid variable name",
        "8,10-14: Invalid variable name",
        "9,8-11: Extraneous label for locals",
        "12,14-15: Missing name for resource",
        "15,3-6: Unsupported argument",
        "16,16-16: Missing required argument",
        "21,1-8: Unsupported block type",
        "22,1-4: Unsupported argument",
    ]
    .map(|wanted| format!("a.tf:{wanted}"));
    wanted.sort();
    // A missing argument is reported after the header, so the end of the place differs.
    let without_end = |told: &String| told.split_once(' ').map(|(_, summary)| summary.to_owned());
    assert_eq!(
        found.iter().filter_map(without_end).collect::<Vec<_>>(),
        wanted.iter().filter_map(without_end).collect::<Vec<_>>(),
        "{found:#?}"
    );
    for name in ["source", "1x"] {
        let text = format!("variable \"{name}\" {{}}\n");
        assert_eq!(errors_of(&[("a.tf", &text)]).len(), 1, "{name}");
    }
    let json = r#"{"lorem": 1, "//": 2, "variable": {"a": {"foo": 1}}, "output": {"x": 5}}"#;
    assert_eq!(
        errors_of(&[("a.tf.json", json)]),
        [
            "a.tf.json:1,2-9: Extraneous JSON object property",
            "a.tf.json:1,70-71: Incorrect JSON value type",
            "a.tf.json:1,42-47: Extraneous JSON object property"
        ]
    );
    // Each file has its own errors, and where one cannot be read the others are all the same.
    assert_eq!(
        errors_of(&[("a.tf", "x = "), ("b.tf.json", "{"), ("c.tf", "variable \"a\" {\n  b = 1\n}\n")]),
        [
            "a.tf:1,5-5: Missing expression",
            "a.tf:1,1-2: Unsupported argument",
            "b.tf.json:1,2-2: Missing value",
            "b.tf.json:1,2-2: Invalid object property name",
            "b.tf.json:1,1-2: Root value must be object",
            "c.tf:2,3-4: Unsupported argument"
        ]
    );
}

#[test]
fn a_file_may_override_others() {
    let base = "variable \"x\" {\n  type = number\n  default = 5\n}\nlocals {\n  l = var.x\n}\n";
    let over = "variable \"x\" {\n  type = string\n}\nlocals {\n  l = [var.x]\n}\n";
    for name in ["override.tf", "m/a_override.tf"] {
        let value = value_of(&[(name, over), ("z.tf", base)], &[], "local.l").unwrap();
        assert_eq!(value, Value::tuple(["5"]));
    }
    let json = r#"{"variable": {"x": {"default": "6"}}, "locals": {"l": "${var.x}!"}}"#;
    let value = value_of(&[("a.tf", base), ("override.tf.json", json)], &[], "local.l").unwrap();
    assert_eq!(value, Value::from("6!"));
    // The last one counts.
    let files = [("a.tf", base), ("a_override.tf.json", json), ("b_override.tf", over)];
    assert_eq!(value_of(&files, &[], "local.l").unwrap(), Value::tuple(["6"]));
    let missing = "variable \"x\" {}\nlocals {\n  a = 1\n}\nresource \"t\" \"d\" {}\n";
    assert_eq!(
        errors_of(&[("a.tf", ""), ("override.tf", missing)]),
        [
            "override.tf:1,1-13: Missing base variable declaration to override",
            "override.tf:3,3-8: Missing base local value definition to override",
            "override.tf:5,1-17: Missing resource to override",
        ]
    );
    let rules =
        "variable \"x\" {\n  validation {\n    condition = var.x > 1\n    error_message = \"\"\n  }\n}\n";
    assert_eq!(
        errors_of(&[("a.tf", base), ("override.tf", rules)]),
        ["override.tf:2,3-13: Can't override validation blocks"]
    );
    let wrong = "variable \"x\" {\n  default = \"many\"\n}\n";
    let errors = value_of(&[("a.tf", base), ("override.tf", wrong)], &[], "1").unwrap_err();
    assert_eq!(errors[0].summary, "Invalid default value for variable");
}

fn schema() -> Block {
    let rule = Block::new([("port", Attribute::optional(Type::Number))], []);
    let nested = || NestedBlock::new(NestingMode::List, rule.clone());
    let attributes = ["name", "size"].map(|name| (name, Attribute::optional(Type::String)));
    Block::new(attributes, [("rule", nested()), ("disk", nested())])
}

const RESOURCE: &str = r#"
resource "t" "d" {
  count = 2
  name  = "a"
  size  = "b"
  rule {
    port = 1
  }
  rule {
    port = 2
  }
  disk {
    port = 3
  }
  lifecycle {
    ignore_changes       = [name]
    prevent_destroy      = true
    replace_triggered_by = [t.other[count.index].name, t.third]
    precondition {
      condition     = t.other != null
      error_message = "no"
    }
  }
}
"#;

#[test]
fn a_resource_is_overridden_by_arguments_and_by_types_of_blocks() {
    let native = "resource \"t\" \"d\" {\n  size = \"c\"\n  dynamic \"rule\" {\n    for_each = [7]\n    content {\n      \
                  port = rule.value\n    }\n  }\n  lifecycle {\n    create_before_destroy = true\n  }\n}\n";
    let json = r#"{"resource": {"t": {"d": {"size": "c", "rule": {"port": 7},
        "lifecycle": {"create_before_destroy": true}}}}}"#;
    for over in [("override.tf", native), ("override.tf.json", json)] {
        let sources = sources(&[("a.tf", RESOURCE), over]);
        let module = read(&sources).unwrap();
        let resource = module.managed_resource("t", "d").unwrap();
        let (body, errors) = resource.body.under(&schema());
        assert_eq!(errors, []);
        let none = objchange_hcl::Variables::default();
        let decoded = decode(&body, &schema(), &Scope::new(&none), Functions::pure());
        assert_eq!(decoded.errors, []);
        let ports = |ports: &[u64]| {
            let rule = Type::object([("port", Type::Number)]);
            Value::list(rule, ports.iter().map(|port| Value::object([("port", Value::from(*port))]))).unwrap()
        };
        let wanted = Value::object([
            ("name", Value::from("a")),
            ("size", Value::from("c")),
            ("rule", ports(&[7])),
            ("disk", ports(&[3])),
        ]);
        assert_eq!(decoded.value, wanted);
        let lifecycle = &resource.lifecycle;
        assert_eq!(lifecycle.ignore_changes, IgnoreChanges::Paths(vec!["name".parse().unwrap()]));
        assert_eq!((lifecycle.create_before_destroy, lifecycle.prevent_destroy), (Some(true), true));
        assert_eq!(lifecycle.replace_triggered_by.len(), 2);
        assert_eq!(lifecycle.preconditions.len(), 1);
    }
    let depends = "resource \"t\" \"d\" {\n  depends_on = [t.e]\n}\n";
    assert_eq!(
        errors_of(&[("a.tf", RESOURCE), ("override.tf", depends)]),
        ["override.tf:2,17-20: Unsupported override"]
    );
}

#[test]
fn a_resource_in_json_says_what_a_native_one_says() {
    let json = r#"{"resource": [{"t": {"d": {"//": "text", "count": "${1 + 1}", "name": "a", "provider": "t.x",
        "depends_on": ["t.e"], "rule": [{"port": 1}, {"port": 2}], "lifecycle": {"ignore_changes": ["name", "tags[\"a\"]"],
        "replace_triggered_by": ["t.other[count.index].name"], "prevent_destroy": "true"}},
        "e": {"lifecycle": [{"ignore_changes": "all"}], "provisioner": {"local-exec": {"command": "${}"}}}}}]}"#;
    let sources = sources(&[("a.tf.json", json)]);
    let module = read(&sources).unwrap();
    assert_eq!(resources(&module), [("t", "d"), ("t", "e")]);
    let resource = module.managed_resource("t", "d").unwrap();
    let (body, errors) = resource.body.under(&schema());
    assert_eq!(errors, []);
    let paths = ["name", "tags[\"a\"]"].map(|path| path.parse().unwrap());
    assert_eq!(resource.lifecycle.ignore_changes, IgnoreChanges::Paths(paths.to_vec()));
    assert_eq!(resource.lifecycle.replace_triggered_by.len(), 1);
    assert!(resource.lifecycle.prevent_destroy);
    assert_eq!(body.blocks.len(), 2);
    let other = module.managed_resource("t", "e").unwrap();
    assert_eq!(other.lifecycle.ignore_changes, IgnoreChanges::All);
    let json = r#"{"resource": {"t": {"f": {"lifecycle": {"ignore_changes": ["1 + x"],
        "create_before_destroy": "${1 == 1}"}}}}}"#;
    assert_eq!(
        errors_of(&[("a.tf.json", json)]),
        ["a.tf.json:2,34-45: Unsuitable value type", "a.tf.json:1,60-67: Invalid expression"]
    );
}

#[test]
fn a_lifecycle_that_says_nothing_is_told() {
    let text = "resource \"t\" \"d\" {\n  count = 1\n  for_each = {}\n  lifecycle {\n    prevent_destroy = \"x\"\n    \
                create_before_destroy = var.x\n    ignore_changes = [1]\n    replace_triggered_by = [var.x, t.a.b, each.key, \
                t]\n  }\n  lifecycle {}\n}\n";
    assert_eq!(
        errors_of(&[("a.tf", text)]),
        [
            "a.tf:10,3-12: Duplicate lifecycle block",
            "a.tf:3,3-11: Invalid combination of \"count\" and \"for_each\"",
            "a.tf:6,29-32: Variables not allowed",
            "a.tf:6,29-34: Unsuitable value type",
            "a.tf:5,24-25: Unsuitable value type",
            "a.tf:7,23-24: Invalid expression",
            "a.tf:8,29-34: Invalid reference in replace_triggered_by expression",
            "a.tf:8,29-34: Invalid replace_triggered_by expression",
        ]
    );
}

const VARIABLES: &str = r#"
variable "o" {
  type    = object({ a = string, b = optional(number, 3), c = optional(list(object({ d = optional(bool, true) }))) })
  default = { a = 1, c = [{}] }
}
variable "n" {
  type     = string
  nullable = false
  default  = "dd"
}
variable "r" {
  type     = number
  nullable = false
}
variable "any" {
  type = any
}
variable "s" {
  default   = "hunter2"
  sensitive = true
}
variable "e" {
  default   = "x"
  ephemeral = true
}
variable "plain" {}
"#;

#[test]
fn variables_are_of_their_types() {
    let value =
        |inputs: &[(&str, Input)], expression: &str| value_of(&[("a.tf", VARIABLES)], inputs, expression);
    let answer = |expression: &str| value(&[], expression).unwrap();
    assert_eq!(answer("var.o.b + 1"), Value::from(4));
    assert_eq!(answer("var.o.a"), Value::from("1"));
    assert_eq!(answer("var.o.c[0].d"), Value::from(true));
    assert!(answer("var.s").is_marked() && answer("var.e").is_marked());
    assert!(!answer("var.any").is_known() && !answer("var.plain").is_known());
    assert_eq!(*answer("var.r").ty(), Type::Number);
    let null = || Input::Value(Value::null(Type::Dynamic));
    assert_eq!(value(&[("n", null())], "var.n").unwrap(), Value::from("dd"));
    assert_eq!(value(&[("n", text("null"))], "var.n").unwrap(), Value::from("null"));
    assert_eq!(value(&[("any", text("[1, \"a\"][1]"))], "var.any").unwrap(), Value::from("a"));
    assert_eq!(value(&[("plain", text("[1]"))], "var.plain").unwrap(), Value::from("[1]"));
    assert_eq!(value(&[("o", null())], "var.o == null").unwrap(), Value::from(true));
    for (input, summary) in [
        (("r", null()), "Required variable not set"),
        (("r", text("many hunter9")), "Invalid value for input variable"),
        (("o", text("{}")), "Invalid value for input variable"),
        (("any", text("[hunter9]")), "Invalid value for input variable"),
        (("any", text("upper(\"hunter9\")")), "Invalid value for input variable"),
    ] {
        let errors = value(std::slice::from_ref(&input), "1").unwrap_err();
        assert_eq!(errors.len(), 1, "{input:?}");
        assert_eq!(errors[0].summary, summary, "{input:?}");
        assert!(!format!("{errors:?}").contains("hunter9"), "{errors:?}");
    }
}

#[test]
fn declarations_say_only_what_is_known_by_itself() {
    for (body, summary) in [
        ("sensitive = 5", "Unsuitable value type"),
        ("nullable = null", "Unsuitable value type"),
        ("default = local.x", "Variables not allowed"),
        ("default = upper(\"x\")", "Function calls not allowed"),
        ("default = null\n  nullable = false", "Invalid default value for variable"),
        ("type = number\n  default = \"x\"", "Invalid default value for variable"),
        ("type = numbr", "Invalid type specification"),
    ] {
        let text = format!("variable \"x\" {{\n  {body}\n}}\n");
        let errors = value_of(&[("a.tf", &text)], &[], "1").unwrap_err();
        assert_eq!(errors.iter().map(|error| &*error.summary).collect::<Vec<_>>(), [summary], "{body}");
    }
    // In JSON they are what is there.
    let json = r#"{"variable": {"x": {"default": "${1+1}", "type": "string"}, "y": {"default": {"a${b}": "$${b}"}},
        "z": {"type": "number", "default": 1, "sensitive": "true"}}, "locals": [{"p": "${var.x}-1"}, {"//": 5}]}"#;
    let json = [("a.tf.json", json)];
    assert_eq!(value_of(&json, &[], "local.p").unwrap(), Value::from("${1+1}-1"));
    assert_eq!(value_of(&json, &[], "var.y").unwrap(), Value::object([("a${b}", Value::from("$${b}"))]));
    assert_eq!(value_of(&json, &[], "var.z").unwrap(), Value::from(1).sensitive());
    let wrong = r#"{"variable": {"z": {"type": "${string}"}}}"#;
    let errors = value_of(&[("a.tf.json", wrong)], &[], "1").unwrap_err();
    assert_eq!(errors[0].summary, "Invalid character");
}

/// A variable with this rule for it.
fn rule(attributes: &str, condition: &str, message: &str) -> String {
    format!(
        "variable \"x\" {{\n  {attributes}\n  validation {{\n    condition     = {condition}\n    error_message = {message}\n  \
         }}\n}}\nvariable \"max\" {{\n  default = 5\n}}\nlocals {{\n  low = 1\n}}\n"
    )
}

#[test]
fn what_is_given_is_validated() {
    for (condition, message, wanted) in [
        ("var.x < 7", "\"no\"", None),
        (
            "var.x < var.max && var.x > local.low",
            "\"${var.x} is not below ${var.max}.\"",
            Some("6 is not below 5."),
        ),
        ("var.x == data.a.b", "\"no\"", None),
        ("\"maybe${var.x}\"", "\"no\"", Some("Invalid validation condition result value")),
        ("var.x == 6 ? null : true", "\"no\"", Some("not null")),
        ("var.x[0]", "\"no\"", Some("")),
        ("length(var.max) > 1", "\"no\"", Some("must refer to var.x")),
        ("var.x < 5", "sensitive(\"no\")", Some("included a sensitive value")),
        ("var.x < 5", "null", Some("Failed to evaluate")),
        ("var.x < 5", "[var.x]", Some("Failed to evaluate")),
    ] {
        let text = rule("type = number", condition, message);
        let result = value_of(&[("a.tf", &text)], &[("x", self::text("6"))], "var.x");
        match (result, wanted) {
            (Ok(_), None) => {}
            (Err(errors), Some(wanted)) => {
                let error = &errors[0];
                assert!(error.detail.contains(wanted), "{condition}: {errors:?}");
                assert!(
                    text[error.subject.unwrap().range()].starts_with(&condition[..3])
                        || condition == "var.x[0]"
                );
            }
            (result, _) => panic!("{condition}: {result:?}"),
        }
    }
    // A default is checked, too; a missing value is not.
    let text = rule("default = 9", "var.x < 7", "\"no\"");
    let errors = value_of(&[("a.tf", &text)], &[], "1").unwrap_err();
    assert_eq!(errors[0].values, [("var.x".to_owned(), "is 9".to_owned())]);
    assert!(errors[0].detail.contains("at a.tf:3,3-13."), "{}", errors[0].detail);
    let text = rule("", "var.x < 7", "\"no\"");
    assert!(value_of(&[("a.tf", &text)], &[], "1").is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// For any rule with any error: the input of a sensitive variable is not quoted.
    #[test]
    fn rules_do_not_tell_secrets(
        condition in prop::sample::select(vec![
            "var.x == 1", "length(var.x) > 99", "var.x[0] == 1", "upper(var.x)", "var.x", "regex(var.x, \"a\") == var.x",
            "can(var.x.y) && false", "jsondecode(var.x) == 1", "contains([1], var.x)", "tonumber(var.x) > 1",
            "alltrue([for c in [var.x] : c == 1])", "{ (var.x) = 1 } == 1", "nope == var.x", "var.x ? 1 : 2",
        ]),
        message in prop::sample::select(vec![
            "\"no ${var.x}\"", "var.x", "\"no\"", "[var.x]", "upper(var.x, 1)", "nonsense", "{ (var.x) = 1 }", "null",
        ]),
        ty in prop::sample::select(vec!["", "type = string", "type = number", "type = list(string)", "type = any"]),
        mark in prop::sample::select(vec!["sensitive", "ephemeral"]),
        given in prop::sample::select(vec!["xyzzy", "\"xyzzy\"", "[\"xyzzy\"]", "{ xyzzy = xyzzy }", "{\"xyzzy\"=1}"]),
    ) {
        let text = rule(&format!("{ty}\n  {mark} = true"), condition, message);
        let given = [("x", Input::Text(given.to_owned()))];
        if let Err(errors) = value_of(&[("a.tf", &text)], &given, "1") {
            let told = format!("{errors:?}").to_lowercase();
            prop_assert!(!told.contains("xyzzy"), "{text}: {told}");
        }
    }

    /// Files in pieces say what one file says, with the same errors at the same parts.
    #[test]
    fn pieces_say_what_the_whole_says(
        parts in prop::collection::vec(prop::sample::select(vec![
            "variable \"a\" {}\n", "variable \"b\" {\n  default = 1\n}\n", "locals {\n  l = var.b\n}\n", "locals {\n  m = [\n}\n",
            "resource \"t\" \"x\" {\n  name = local.l\n}\n", "resource \"t\" \"y\" {}\n", "foo = 1\n", "output \"o\" {}\n",
            "variable \"é\" {\n  foo = \"é\"\n}\n",
        ]), 1..6),
    ) {
        let whole = parts.concat();
        let names: Vec<String> = (0..parts.len()).map(|i| format!("{i}.tf")).collect();
        let pieces: Vec<(&str, &str)> = std::iter::zip(&names, &parts).map(|(name, part)| (&**name, *part)).collect();
        let (whole, pieces) = (sources(&[("a.tf", &whole)]), sources(&pieces));
        match (read(&whole), read(&pieces)) {
            (Ok(whole), Ok(pieces)) => {
                prop_assert_eq!(resources(&whole), resources(&pieces));
            }
            // A syntax error in the whole file hides errors that the separate files report.
            (Err(one), Err(many)) => prop_assert!(one.len() <= many.len()),
            (one, many) => prop_assert!(false, "{one:?} {many:?}"),
        }
    }
}

/// Evaluates an expression beside local values.
fn local_value(text: &str, expression: &str) -> Result<Value, Vec<Diagnostic>> {
    let sources = sources(&[("a.tf", text)]);
    let module = read(&sources).unwrap();
    let expr = parse_expression(expression).unwrap();
    let given = VariableValues::default();
    let environment = Environment::new(&module, &given, variables(&expr), &[], Functions::pure());
    let (value, mut errors) = evaluate(&expr, &Scope::new(&environment.variables), Functions::pure());
    errors.splice(..0, environment.errors);
    if errors.is_empty() { Ok(value) } else { Err(errors) }
}

/// Local values, each made of the one before.
fn chain(count: usize, of: impl Fn(usize) -> String) -> String {
    let locals: Vec<String> = (1..count).map(|i| format!("l{i} = {}\n", of(i - 1))).collect();
    format!("locals {{\nl0 = 1\n{}}}\n", locals.concat())
}

#[test]
fn local_values_in_one_another_are_as_deep_as_a_stack_stands() {
    let run = || {
        let deep = |count: usize, expr: &str| {
            let text = chain(count, |i| format!("[local.l{i}]"));
            local_value(&text, &expr.replace("DEEP", &format!("local.l{}", count - 1)))
        };
        // Whatever is done with what is not too deep.
        for expr in [
            "DEEP",
            "DEEP == [DEEP]",
            "toset([DEEP, DEEP])",
            "tolist([DEEP, sensitive(DEEP)])",
            "[sensitive(DEEP)] == [DEEP]",
            "true ? DEEP : [DEEP]",
            "distinct(concat([DEEP], [DEEP]))",
            "flatten(DEEP)",
            "jsonencode(DEEP)",
            "yamlencode(DEEP)",
            "DEEP[*]",
            "nonsensitive(sensitive(DEEP))",
        ] {
            if let Ok(value) = deep(990, expr) {
                console_text(&value);
                drop(format!("{value:?}"));
                value.unmark_deep();
            }
        }
        let errors = deep(50_000, "DEEP").unwrap_err();
        assert_eq!(errors.iter().map(|error| &*error.summary).collect::<Vec<_>>(), ["Evaluation too large"]);
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn local_values_are_paid_for_together() {
    let text = chain(60, |i| format!("local.l{i} + length([for a in range(1000) : length(range(1000))])"));
    let errors = local_value(&text, "local.l59").unwrap_err();
    assert_eq!(errors.iter().map(|error| &*error.summary).collect::<Vec<_>>(), ["Evaluation too large"]);
    // So are the defaults of variables.
    let ones = "1,".repeat(100);
    let default = format!("[for a in [{ones}] : [for b in [{ones}] : [for c in [{ones}] : c][0]]]");
    let variable = |i: usize| format!("variable \"v{i}\" {{\ndefault = {default}\n}}\n");
    let text: String = (0..12).map(variable).collect();
    let errors = value_of(&[("a.tf", &text)], &[], "1").unwrap_err();
    assert_eq!(errors.iter().map(|error| &*error.summary).collect::<Vec<_>>(), ["Evaluation too large"]);
    // One that is another one costs nothing more.
    let text = chain(500, |i| format!("local.l{i}")).replace(" 1", " [for a in range(1000) : range(100)]");
    assert_eq!(local_value(&text, "length(local.l499)").unwrap(), Value::from(1000));
}

/// Asked of Terraform 1.6 to 1.15: each version refuses names that came later, in either syntax.
#[test]
fn older_versions_refuse_newer_names() {
    let cases = [
        (7, "Unsupported block type", "removed {\n  from = null_resource.a\n}\n"),
        (9, "Unsupported block type", "removed {\n  from = null_resource.a\n  connection {}\n}\n"),
        (10, "Unsupported argument", "variable \"a\" {\n  ephemeral = true\n}\n"),
        (10, "Extraneous JSON object property", r#"{"variable": {"a": {"ephemeral": true}}}"#),
        (12, "Unsupported argument", "import {\n  to = null_resource.a\n  id = \"a\"\n  identity = {}\n}\n"),
        (13, "Unsupported block type", "action \"null_action\" \"a\" {}\n"),
        (15, "Unsupported argument", "variable \"a\" {\n  const = true\n}\n"),
        (15, "Unsupported argument", "output \"a\" {\n  value = 1\n  type = number\n}\n"),
        (15, "Unsupported argument", "terraform {\n  language = TF2021\n}\n"),
        (
            16,
            "Unsupported argument",
            "resource \"null_resource\" \"a\" {\n  lifecycle {\n    destroy = false\n  }\n}\n",
        ),
    ];
    for (first, summary, text) in cases {
        let mut sources = Sources::default();
        sources.add(if text.starts_with('{') { "a.tf.json" } else { "a.tf" }, text).unwrap();
        let refuses = |edition| {
            let (_, problems) = ModuleConfig::read_files(&sources, 0..1, Edition(edition));
            problems.errors.iter().any(|error| error.summary == summary)
        };
        assert!(refuses(first - 1), "{text}");
        assert!(!refuses(first), "{text}");
    }
}

/// Terraform 1.15 knows neither, wherever they stand.
#[test]
fn names_of_other_programs_and_files_are_refused() {
    for text in [
        "resource \"null_resource\" \"a\" {\n  lifecycle {\n    enabled = true\n  }\n}\n",
        "list \"null_resource\" \"a\" {}\n",
        "language {}\n",
    ] {
        let mut sources = Sources::default();
        sources.add("a.tf", text).unwrap();
        let (_, problems) = ModuleConfig::read(&sources);
        assert!(problems.errors[0].summary.starts_with("Unsupported"), "{text}");
    }
}

#[test]
fn an_import_needs_an_id_or_an_identity() {
    let mut sources = Sources::default();
    sources.add("a.tf", "import {\n  to = null_resource.a\n}\n").unwrap();
    let summary =
        |edition| ModuleConfig::read_files(&sources, 0..1, Edition(edition)).1.errors[0].summary.to_string();
    assert_eq!(summary(11), "Missing required argument");
    assert_eq!(summary(12), "Invalid import block");
}
