//! Sensitive values reach no error, in any expression.

use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use objchange::{Type, Value};
use objchange_hcl::{
    BaseDirectory, Functions, HiddenSource, Scope, Sources, Span, Variables, decode, evaluate, parse_body,
    parse_expression,
};
use proptest::prelude::*;

const SECRET: &str = "xyzzy";

fn variables() -> Variables {
    let secret = || Value::from(SECRET).sensitive();
    let object = Value::object([("a", secret()), ("b", Value::from(1))]);
    [
        ("s", secret()),
        ("l", Value::list(Type::String, [SECRET, "b"]).unwrap().sensitive()),
        ("t", Value::tuple([secret(), Value::from(2)])),
        ("m", Value::map(Type::String, [(SECRET, SECRET)]).unwrap().sensitive()),
        ("o", object),
        ("n", Value::from(3)),
        ("u", Value::unknown(Type::String)),
    ]
    .into_iter()
    .collect()
}

/// Expressions, most of them wrong in one place or another.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "s", "l", "t", "m", "o", "n", "u", "o.a", "l[0]", "m.k", "1", "true", "null", "\"x\"", "l[*]",
        "t.*.a", "nope",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        let two_more = two.clone();
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["+", "==", "<", "&&", "%"]), inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            two.clone().prop_map(|(a, b)| format!("({a})[{b}]")),
            two.clone().prop_map(|(a, b)| format!("[for k, x in {a} : {b} if x != null]")),
            two.clone().prop_map(|(a, b)| format!("{{for k, x in {a} : x => {b}}}")),
            two.clone().prop_map(|(a, b)| format!("{{({a}) = {b}}}")),
            two.clone().prop_map(|(a, b)| format!("upper({a}, {b}...)")),
            two.clone().prop_map(|(a, b)| format!("convert({a}, list({b}))")),
            two.prop_map(|(a, b)| format!("templatestring({a}, {{x = {b}}})")),
            inner.clone().prop_map(|a| format!("\"x${{{a}}}%{{ if {a} }}y%{{ endif }}\"")),
            two_more.clone().prop_map(|(a, b)| format!("[for k, x in {a} : file(x) if k != {b}]")),
            two_more.prop_map(|(a, b)| format!("[for k, x in {a} : templatefile(k, {{(x) = {b}}})]")),
            inner
                .clone()
                .prop_map(|a| format!("{{for k, x in {a} : format(\"%${{k}}\", 1) => regex(x, k)}}")),
            inner
                .clone()
                .prop_map(|a| format!("\"%{{ for x in {a} }}${{formatdate(x, x)}}${{x[5]}}%{{ endfor }}\"")),
            inner.clone().prop_map(|a| format!("({a})[*][timeadd(s, s)][7]")),
            inner.clone().prop_map(|a| format!("upper({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.prop_map(|a| format!("({a}).*.b")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn errors_do_not_tell_secrets(text in expression()) {
        let parsed = parse_expression(&text).unwrap();
        let (value, errors) = evaluate(&parsed, &Scope::new(&variables()), &functions());
        for error in &errors {
            let told = format!("{error} {error:?}");
            prop_assert!(!told.to_lowercase().contains(SECRET), "{text}: {told}");
        }
        prop_assert!(!format!("{value:?}").contains(SECRET), "{text}");
    }

    #[test]
    fn errors_in_blocks_do_not_tell_secrets(
        each in prop_oneof![prop::sample::select(vec!["l", "toset(l)", "m", "[l]"]).prop_map(str::to_owned), expression()],
        label in expression(),
        port in expression(),
        inner in prop_oneof![Just("[rule.value]".to_owned()), Just("{(rule.value) = n}".to_owned()), expression()],
    ) {
        let text = format!(
            "dynamic \"rule\" {{\nfor_each = {each}\nlabels = [{label}]\ncontent {{\nport = {port}\n}}\n}}\n\
             dynamic \"rule\" {{\nfor_each = {each}\nlabels = [rule.value]\ncontent {{\nport = file(rule.value)\n\
             dynamic \"rule\" {{\nfor_each = {inner}\niterator = x\nlabels = [rule.key]\n\
             content {{\nport = x.value + rule.value\n}}\n}}\n}}\n}}\n"
        );
        let body = parse_body(&text).unwrap();
        let errors = decode(&body, &schema(3), &Scope::new(&variables()), &functions()).errors;
        for error in &errors {
            let told = format!("{error} {error:?}");
            prop_assert!(!told.to_lowercase().contains(SECRET), "{text}: {told}");
        }
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").map_or(1_000, |n| n.parse().unwrap_or(1_000))
}

/// Blocks with a label, in one another.
fn schema(depth: u32) -> Block {
    let port = [("port", Attribute::optional(Type::Number))];
    if depth == 0 {
        return Block::new(port, []);
    }
    Block::new(port, [("rule", NestedBlock::new(NestingMode::Map, schema(depth - 1)))])
}

/// All functions, with those that read files.
fn functions() -> Functions {
    static FUNCTIONS: std::sync::LazyLock<Functions> = std::sync::LazyLock::new(|| {
        Functions::pure().clone().with_files(&BaseDirectory::open(env!("CARGO_MANIFEST_DIR")).unwrap())
    });
    FUNCTIONS.clone()
}

/// A loop hands out elements of a sensitive collection without its mark, and each error here quotes an element.
#[test]
fn elements_of_sensitive_collections_are_in_no_error() {
    for text in [
        "[for x in l : file(x)]",
        "[for x in l : filemd5(x)]",
        "[for x in l : templatefile(x, {})]",
        "[for x in l : templatefile(\"Cargo.toml\", {(\"0${x}\") = 1})]",
        "[for x in l : formatdate(x, \"2020-01-01T00:00:00Z\")]",
        "[for x in l : [for y in [x] : [for z in [[y]] : file(z[0])]]]",
        "{for k, x in m : file(k) => 1}",
        "[for x in toset(l) : 1 if file(x) != null]",
        "\"%{ for x in l }${file(x)}%{ endfor }\"",
        "upper([for x in l : file(x)][0])",
        "{for x in [s, s] : x => 1}",
        "{for x in [\"xyzzy\", s] : x => 1}",
        "{for x in [s, \"xyzzy\"] : x => 1}",
    ] {
        let parsed = parse_expression(text).unwrap();
        let (_, errors) = evaluate(&parsed, &Scope::new(&variables()), &functions());
        assert!(!errors.is_empty(), "{text}");
        assert!(!format!("{errors:?}").contains(SECRET), "{text}: {errors:?}");
    }
    // Text of the source may be quoted.
    let parsed = parse_expression("[for x in l : prots]").unwrap();
    let (_, errors) = evaluate(&parsed, &Scope::new(&variables()), Functions::pure());
    assert_eq!(errors[0].detail, "There is no variable named \"prots\".");
}

/// How many there are may be a secret too.
#[test]
fn the_length_of_what_is_sensitive_is_in_no_error() {
    let told = |text: &str| {
        let parsed = parse_expression(text).unwrap();
        evaluate(&parsed, &Scope::new(&variables()), Functions::pure()).1[0].detail.to_string()
    };
    let plain = "The given key does not identify an element in this collection value.";
    for text in
        ["l[5]", "l[s == s ? 5 : 5]", "t[sensitive(5)]", "[for x in [l] : x[5]]", "[for x in l : t[5]]"]
    {
        assert!(!told(text).contains("2 elements"), "{text}");
    }
    assert_eq!(told("l[5]"), plain);
    assert_eq!(told("t[5]"), plain);
}

#[test]
fn elements_of_a_sensitive_for_each_are_in_no_error() {
    for (label, port) in [
        ("1", "file(rule.value)"),
        ("1", "rule.value"),
        ("1", "rule.value + 1"),
        ("file(rule.value)", "1"),
        ("rule.value", "rule.value.x"),
        // Twice the same label.
        ("rule.value", "1"),
    ] {
        let text = format!(
            "dynamic \"rule\" {{\nfor_each = concat(l, l)\nlabels = [{label}]\ncontent {{\nport = {port}\n}}\n}}\n"
        );
        let body = parse_body(&text).unwrap();
        let errors = decode(&body, &schema(1), &Scope::new(&variables()), &functions()).errors;
        assert!(!errors.is_empty(), "{text}");
        assert!(!format!("{errors:?}").contains(SECRET), "{text}: {errors:?}");
    }
}

/// A configuration with the secret in it, in each of the places in which it is one.
fn configuration() -> impl Strategy<Value = String> {
    let block = prop::sample::select(vec![
        "variable \"v\" {\n  default = \"xyzzy\"\n  sensitive = true\n}\n",
        "variable \"v\" { default = \"xyzzy\"\n sensitive = true }\n",
        "variable \"w\" {\n  ephemeral = true\n  default = { a = \"xyzzy\", b = [\"xyzzy\"] }\n}\n",
        "variable \"h\" {\n  sensitive = true\n  default = <<-EOT\n    xyzzy\n    xyzzy\n  EOT\n}\n",
        "output \"o\" {\n  sensitive = true\n  value = \"a-xyzzy-b\"\n}\n",
        "locals {\n  a = sensitive(\"xyzzy\")\n  b = upper(core::sensitive(\"${\"xyzzy\"}\"))\n}\n",
        "locals {\n  far = \"xyzzy\"\n  near = [local.far]\n  s = sensitive(local.near[0])\n}\n",
        "resource \"test_disk\" \"d\" {\n  token = \"xyzzy\"\n  rule {\n    port = 1\n    token = \"xyzzy\"\n  }\n}\n",
        "resource \"test_disk\" \"e\" {\n  dynamic \"rule\" {\n    for_each = [1]\n    content {\n      token = \"xyzzy\"\n    }\n  }\n}\n",
        "resource \"other\" \"o\" { a = \"xyzzy\" } # \"b\"\n",
        "resource \"test_disk\" \"m\" {\n  tokn = \"xyzzy\"\n}\n",
        "resource \"test_disk\" \"n\" {\n  passwd = \"xyzzy\"\n}\n",
        "provider \"p\" {\n  password = \"xyzzy\"\n}\n",
        "data \"d\" \"d\" { filter { value = \"xyzzy\" } }\n",
    ]);
    let plain = prop::sample::select(vec![
        "locals {\n  n = 1 + \"x\"\n}\n",
        "variable \"ok\" {\n  default = \"fine\"\n}\n",
        "# nothing\n",
    ]);
    prop::collection::vec(prop_oneof![3 => block, 1 => plain], 1..5).prop_map(|blocks| blocks.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// Also in a text that something was put into, so that it can no longer be read.
    #[test]
    fn source_lines_are_shown_without_secrets(
        text in configuration(),
        junk in prop::option::of((any::<prop::sample::Index>(), prop::sample::select(vec![
            "\"", "'", "{", "}", "=", "\n", " ", "<<E\n", "(", ")", "$", "\"\"", "${", "\\",
        ]))),
    ) {
        let mut text = text;
        if let Some((at, junk)) = junk {
            text.insert_str(at.index(text.len() + 1), junk);
        }
        let disk = disk();
        let sources = Sources::from_text("main.tf", text.as_str()).unwrap();
        let hidden = HiddenSource::new(&sources, |_, ty| (ty == "test_disk").then_some(&disk), []);
        for (at, _) in text.match_indices(SECRET) {
            let is_hidden =
                |span: &Span| span.range().contains(&at) && at + SECRET.len() <= span.range().end;
            prop_assert!(hidden.spans().iter().any(is_hidden), "byte {at} of\n{text}\n{hidden:?}");
        }
    }
}

/// A constant where a block should be may be a secret of the block.
#[test]
fn constants_in_the_place_of_blocks_are_hidden() {
    let disk = disk();
    for rule in [r#""xyzzy""#, r#"[{"token": "x"}, "xyzzy"]"#, r#"[["xyzzy"]]"#, "5123456"] {
        let text = format!(r#"{{"resource": {{"test_disk": {{"d": {{"rule": {rule}}}}}}}}}"#);
        let sources = Sources::from_text("main.tf.json", text.as_str()).unwrap();
        let hidden = HiddenSource::new(&sources, |_, ty| (ty == "test_disk").then_some(&disk), []);
        let secret = text.find("xyzzy").or(text.find("5123456")).unwrap();
        assert!(hidden.spans().iter().any(|span| span.range().contains(&secret)), "{text}: {hidden:?}");
    }
}

fn disk() -> Block {
    let rule = Block::new([("port", Attribute::optional(Type::Number)), ("token", secret_attribute())], []);
    Block::new([("token", secret_attribute())], [("rule", NestedBlock::new(NestingMode::List, rule))])
}

fn secret_attribute() -> Attribute {
    Attribute { sensitive: true, ..Attribute::optional(Type::String) }
}

#[test]
fn defaults_that_become_secrets_are_hidden() {
    let text = "variable \"plain\" {\n  default = \"xyzzy\"\n}\nlocals {\n  p = sensitive(var.plain)\n}\n";
    let sources = Sources::from_text("main.tf", text).unwrap();
    let hidden = HiddenSource::new(&sources, |_, _| None, []);
    let hidden: Vec<&str> = hidden.spans().iter().map(|span| &text[span.range()]).collect();
    // The reference shows where the secret is, and is public.
    assert_eq!(hidden, ["\"xyzzy\""]);
    // Keys and references of JSON are not secrets.
    let text = r#"{"variable": {"v": {"default": "xyzzy", "x": "${local.a}", "n": 12}}}"#;
    let sources = Sources::from_text("main.tf.json", text).unwrap();
    let hidden = HiddenSource::new(&sources, |_, _| None, []);
    let hidden: Vec<&str> = hidden.spans().iter().map(|span| &text[span.range()]).collect();
    assert_eq!(hidden, ["\"xyzzy\"", "12"]);
}

#[test]
fn source_lines_show_what_is_no_secret() {
    let text = "variable \"v\" {\n  default = \"fine\"\n}\nlocals {\n  a = upper(\"x\")\n  b = sensitive(\"y\")\n}\n";
    let sources = Sources::from_text("main.tf", text).unwrap();
    let hidden = HiddenSource::new(&sources, |_, _| None, []);
    let hidden: Vec<&str> = hidden.spans().iter().map(|span| &text[span.range()]).collect();
    assert_eq!(hidden, ["\"y\""]);
    let hidden = HiddenSource::in_expression("[sensitive(\"a\"), \"b\"]");
    assert_eq!(hidden.spans(), [Span::new(11, 14)]);
}

/// An argument of `sensitive` is quoted in no error, although it has no mark yet.
#[test]
fn arguments_of_sensitive_are_in_no_error() {
    let variables: Variables = [("plain", Value::from(SECRET))].into_iter().collect();
    for text in ["sensitive(file(\"xyzzy\"))", "sensitive(plain + 1)", "upper(sensitive(file(plain)))"] {
        let parsed = parse_expression(text).unwrap();
        let (_, errors) = evaluate(&parsed, &Scope::new(&variables), &functions());
        assert!(!errors.is_empty(), "{text}");
        assert!(!format!("{errors:?}").contains(SECRET), "{text}: {errors:?}");
    }
    let body = parse_body("token = file(\"xyzzy\")\n").unwrap();
    let schema = Block::new([("token", secret_attribute())], []);
    let errors = decode(&body, &schema, &Scope::new(&variables), &functions()).errors;
    assert!(!errors.is_empty() && !format!("{errors:?}").contains(SECRET), "{errors:?}");
}

/// The text with a mark in place of what is hidden.
fn shown(name: &str, text: &str) -> String {
    let sources = Sources::from_text(name, text).unwrap();
    let hidden = HiddenSource::new(&sources, |_, _| None, []);
    let mut shown = text.to_owned();
    for span in hidden.spans().iter().rev() {
        shown.replace_range(span.range(), "~");
    }
    shown
}

#[test]
fn what_says_nothing_of_values_is_shown_without_a_schema() {
    for (text, wanted) in [
        ("module \"naming\" { source = \"acme/naming/aws\" }\n", None),
        (
            "module \"m\" {\n  source  = \"acme/naming/aws\"\n  version = \"1.2.3\"\n  count   = 3\n  prefix  = \"web\"\n  tags = { k = var.x }\n}\n",
            Some(
                "module \"m\" {\n  source  = \"acme/naming/aws\"\n  version = \"1.2.3\"\n  count   = 3\n  prefix  = ~\n  tags = { ~ = var.x }\n}\n",
            ),
        ),
        (
            "module \"m\" {\n  source = \"git::https://me:swordfish@example.com/m.git\"\n}\n",
            Some("module \"m\" {\n  source = ~\n}\n"),
        ),
        (
            "resource \"x_y\" \"a\" {\n  for_each = toset([\"a\"])\n  on = true\n  name = each.key\n  password = swordfish\n  disk {\n    size = 1\n  }\n}\n",
            Some(
                "resource \"x_y\" \"a\" {\n  for_each = toset([\"a\"])\n  on = true\n  name = each.key\n  password = ~\n  disk {\n    size = ~\n  }\n}\n",
            ),
        ),
        // Broken texts.
        (
            "module \"m\" {\n  source = \"acme/naming/aws\n  count = 3\n}\n",
            Some("module \"m\" {\n  source = \"acme/naming/aws\n  ~\n}\n"),
        ),
        (
            "variable \"pw\" {\n  type = string\n  default = abc$\n  sensitive = true\n}\n",
            Some("variable \"pw\" {\n  type = string\n  default = ~\n  ~\n}\n"),
        ),
    ] {
        assert_eq!(shown("main.tf", text), wanted.unwrap_or(text), "{text}");
    }
    assert_eq!(
        shown("main.tf.json", r#"{"module": {"m": {"source": "acme/m/aws", "pw": {"k": "x"}}}}"#),
        r#"{"module": {"m": {"source": "acme/m/aws", "pw": {~: ~}}}}"#
    );
    assert_eq!(shown("x.tfvars", "pw = abc$\n"), "~\n");
}

#[test]
fn values_of_variables_are_shown_if_they_are_known_to_be_public() {
    let declared = "variable \"pw\" {\n  sensitive = true\n}\nvariable \"region\" {}\n";
    for (name, text, wanted) in [
        ("x.tfvars", "region = \"eu\npw = abc$\n", "region = \"eu\npw = ~\n"),
        ("x.tfvars", "region = abc$\npw = \"x\"\n", "region = abc$\npw = ~\n"),
        ("x.tfvars", "pw = \"a\nregion = \"eu\"pw = \"x\"\n", "pw = ~\nregion = ~\n"),
        ("x.tfvars.json", r#"{"region": "eu", "pw": {"k": 1}}"#, r#"{"region": "eu", "pw": ~}"#),
        ("x.tfvars.json", r#"{"region": "eu", "pw": {"k": 1}"#, r#"{"region": ~, "pw": {~: ~}"#),
    ] {
        let mut sources = Sources::from_text("main.tf", declared).unwrap();
        sources.add(name, text).unwrap();
        let hidden = HiddenSource::new(&sources, |_, _| None, []);
        let start = declared.len() + 1;
        let mut shown = text.to_owned();
        for span in hidden.spans().iter().rev().filter(|span| span.start as usize >= start) {
            shown.replace_range(span.start as usize - start..span.end as usize - start, "~");
        }
        assert_eq!(shown, wanted, "{text}");
    }
}

/// Parts of the declarations of secrets, and what secrets are compared with.
#[test]
fn what_is_beside_secrets_is_hidden() {
    let schema =
        Block::new([("secret", secret_attribute()), ("name", Attribute::optional(Type::String))], []);
    let declared = "variable \"s\" {\n  sensitive = true\n}\nresource \"disk\" \"d\" {\n}\n";
    for (text, wanted) in [
        (
            "variable \"w\" {\n  sensitive = true\n  type = object({ a = optional(number, \"xyzzy\") })\n}\n",
            "variable \"w\" {\n  sensitive = true\n  type = object({ a = optional(number, ~) })\n}\n",
        ),
        (
            "variable \"w\" {\n  sensitive = true\n  defaults = \"xyzzy\"\n}\n",
            "variable \"w\" {\n  sensitive = true\n  defaults = ~\n}\n",
        ),
        (
            "variable \"w\" {\n  sensitive = true\n  default \"xyzzy\" { }\n}\n",
            "variable \"w\" {\n  sensitive = true\n  default ~ { }\n}\n",
        ),
        (
            "locals {\n  a = var.s == \"xyzzy\" ? \"a\" : \"b\"\n}\n",
            "locals {\n  a = var.s == ~ ? \"a\" : \"b\"\n}\n",
        ),
        (
            "locals {\n  t = \"x-${var.s}\"\n  u = local.t\n  a = \"xyzzy\" != trimspace(local.u)\n}\n",
            "locals {\n  t = \"x-${var.s}\"\n  u = local.t\n  a = ~ != trimspace(local.u)\n}\n",
        ),
        (
            "locals {\n  a = contains([\"xyzzy\"], disk.d[0].secret)\n  b = disk.d.name == \"fine\"\n}\n",
            "locals {\n  a = contains([~], disk.d[0].secret)\n  b = disk.d.name == \"fine\"\n}\n",
        ),
        (
            "resource \"disk\" \"e\" {\n  lifecycle {\n    postcondition {\n      condition = self.secret != \"xyzzy\" && self.name != null\n    }\n  }\n}\n",
            "resource \"disk\" \"e\" {\n  lifecycle {\n    postcondition {\n      condition = self.secret != ~ && self.name != null\n    }\n  }\n}\n",
        ),
    ] {
        let sources = Sources::from_text("main.tf", format!("{declared}{text}")).unwrap();
        let of_type = |kind: &str, label: &str| ((kind, label) == ("resource", "disk")).then_some(&schema);
        let hidden = HiddenSource::new(&sources, of_type, []);
        let mut shown = text.to_owned();
        for span in hidden.spans().iter().rev() {
            shown
                .replace_range(span.start as usize - declared.len()..span.end as usize - declared.len(), "~");
        }
        assert_eq!(shown, wanted);
    }
    assert_eq!(
        shown("main.tf.json", r#"{"variable": {"w": {"sensitive": true, "xyzzy": 1, "type": "string"}}}"#),
        r#"{"variable": {"w": {"sensitive": true, ~: ~, "type": ~}}}"#
    );
    // Nothing can be referred to in a file of values.
    assert_eq!(shown("x.tfvars", "w = var.xyzzy\n"), "w = ~\n");
}
