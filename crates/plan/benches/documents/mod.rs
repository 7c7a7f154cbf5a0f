//! Documents of the shapes that rendering is measured on, made from numbers that are always the same.

use std::fmt::Write;

/// A plan with the schemas of its resources.
#[derive(Debug)]
pub(crate) struct Document {
    /// The name of the shape.
    pub(crate) name: &'static str,
    /// The document of `terraform show -json`.
    pub(crate) plan: String,
    /// The document of `terraform providers schema -json`.
    pub(crate) schemas: String,
}

const WORDS: [&str; 10] = [
    "web",
    "db",
    "prod",
    "alpha",
    "beta",
    "gamma",
    "delta",
    "t3.micro",
    "us-east-1",
    "arn:aws:iam::123456789012:role/example",
];

/// A linear congruential generator: it gives equal words in every run.
struct Words(u64);

impl Words {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn word(&mut self) -> String {
        let word = WORDS[self.number() as usize % WORDS.len()];
        format!("{word}-{:04}", self.number() % 10_000)
    }
}

/// All shapes that the figures are given for.
pub(crate) fn all() -> Vec<Document> {
    vec![
        plan("plan_1000x30", 1000, |i| if i % 10 == 0 { "update" } else { "no-op" }),
        set_block("set_block_100", 100),
        set_block("set_block_1000", 1000),
        set_block("set_block_3000", 3000),
        list_in_place("list_inplace_100", 100),
        list_in_place("list_inplace_1000", 1000),
        list_in_place("list_inplace_5000", 5000),
        list("list_insert_delete_100", 100, insert_delete),
        list("list_insert_delete_1000", 1000, insert_delete),
        list("list_insert_delete_5000", 5000, insert_delete),
        list_shifted("list_shifted_5000", 5000),
        json("json_200k", 1000),
        text("text_2000_lines", 2000),
    ]
}

/// A plan in which most resources are updated, and others created, deleted and left as they are.
#[allow(dead_code, reason = "not every bench has it")]
pub(crate) fn of_every_action(name: &'static str, resources: usize) -> Document {
    plan(name, resources, |i| match i % 10 {
        0..=5 => "update",
        6 | 7 => "create",
        8 => "delete",
        _ => "no-op",
    })
}

fn in_place(items: &mut [String], words: &mut Words) {
    for item in items.iter_mut().skip(50).step_by(100) {
        *item = format!("changed-{}", words.word());
    }
}

fn insert_delete(items: &mut Vec<String>, words: &mut Words) {
    let before = std::mem::take(items);
    for (i, item) in before.into_iter().enumerate() {
        match i % 200 {
            50 => items.extend([format!("new-{}", words.word()), item]),
            150 => {}
            _ => items.push(item),
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn schemas(block: &str) -> String {
    format!(
        r#"{{"format_version":"1.0","provider_schemas":{{"registry.terraform.io/hashicorp/bench":{{
"provider":{{"version":0}},"resource_schemas":{{"bench_thing":{{"version":0,"block":{block}}}}}}}}}}}"#
    )
}

fn attributes(types: &[(&str, &str)]) -> String {
    let members: Vec<String> =
        types.iter().map(|(name, ty)| format!(r#""{name}":{{"type":{ty},"optional":true}}"#)).collect();
    format!("{{{}}}", members.join(","))
}

fn resource(address: &str, actions: &str, before: &str, after: &str, marks: &str) -> String {
    format!(
        r#"{{"address":{},"mode":"managed","type":"bench_thing","name":"r","provider_name":"registry.terraform.io/hashicorp/bench","change":{{"actions":["{actions}"],"before":{before},"after":{after},"after_unknown":{{}},"before_sensitive":{marks},"after_sensitive":{marks}}}}}"#,
        quoted(address)
    )
}

fn plan_of(resources: &str, planned_values: &str) -> String {
    format!(
        r#"{{"format_version":"1.2","terraform_version":"1.11.4",{planned_values}"resource_changes":[{resources}],"configuration":{{"root_module":{{}}}},"applyable":true,"complete":true,"errored":false}}"#
    )
}

fn one_change(name: &'static str, block: &str, before: &str, after: &str, marks: &str) -> Document {
    let resource = resource("bench_thing.r", "update", before, after, marks);
    Document { name, plan: plan_of(&resource, ""), schemas: schemas(block) }
}

/// An update of every hundredth element of a list.
pub(crate) fn list_in_place(name: &'static str, len: usize) -> Document {
    list(name, len, |items, words| in_place(items, words))
}

/// An update that moves the first element of a list to its end.
pub(crate) fn list_shifted(name: &'static str, len: usize) -> Document {
    list(name, len, |items, _| items.rotate_left(1))
}

fn list(name: &'static str, len: usize, change: impl Fn(&mut Vec<String>, &mut Words)) -> Document {
    let mut words = Words(1);
    let mut items: Vec<String> = (0..len).map(|i| format!("item-{i:05}-{}", words.word())).collect();
    let value = |items: &[String]| {
        let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
        format!(r#"{{"id":"x","items":[{}]}}"#, items.join(","))
    };
    let before = value(&items);
    change(&mut items, &mut words);
    let block = format!(
        r#"{{"attributes":{}}}"#,
        attributes(&[("id", r#""string""#), ("items", r#"["list","string"]"#)])
    );
    let marks = format!(r#"{{"items":[{}]}}"#, vec!["false"; len].join(","));
    one_change(name, &block, &before, &value(&items), &marks)
}

/// An update of one block of a set.
pub(crate) fn set_block(name: &'static str, len: usize) -> Document {
    let value = |changed: Option<usize>| {
        let mut rules: Vec<String> = (0..len)
            .map(|i| {
                let port = if changed == Some(i) { 9 } else { 1000 + i };
                format!(
                    r#"{{"cidr":"10.{}.{}.0/24","desc":"a rule of the set","name":"rule-{i}","port":{port}}}"#,
                    i / 256,
                    i % 256
                )
            })
            .collect();
        rules.sort();
        format!(r#"{{"id":"x","rule":[{}]}}"#, rules.join(","))
    };
    let inner = attributes(&[
        ("cidr", r#""string""#),
        ("desc", r#""string""#),
        ("name", r#""string""#),
        ("port", r#""number""#),
    ]);
    let block = format!(
        r#"{{"attributes":{},"block_types":{{"rule":{{"nesting_mode":"set","block":{{"attributes":{inner}}}}}}}}}"#,
        attributes(&[("id", r#""string""#)])
    );
    let marks = format!(r#"{{"rule":[{}]}}"#, vec!["{}"; len].join(","));
    one_change(name, &block, &value(None), &value(Some(len / 2)), &marks)
}

fn string_change(name: &'static str, before: &str, after: &str) -> Document {
    let block =
        format!(r#"{{"attributes":{}}}"#, attributes(&[("id", r#""string""#), ("content", r#""string""#)]));
    let value = |content: &str| format!(r#"{{"id":"x","content":{}}}"#, quoted(content));
    one_change(name, &block, &value(before), &value(after), "{}")
}

fn json(name: &'static str, statements: usize) -> Document {
    let policy = |changed: Option<usize>| {
        let mut words = Words(2);
        let statements: Vec<String> = (0..statements)
            .map(|i| {
                let effect = if changed == Some(i) { "Deny" } else { "Allow" };
                format!(
                    r#"{{"Action":["s3:GetObject","s3:PutObject","{}"],"Condition":{{"StringEquals":{{"aws:SourceVpc":"{}","n":{i}}}}},"Effect":"{effect}","Resource":["arn:aws:s3:::bucket/{}/*"],"Sid":"Statement{i}"}}"#,
                    words.word(),
                    words.word(),
                    words.word()
                )
            })
            .collect();
        format!(r#"{{"Statement":[{}],"Version":"2012-10-17"}}"#, statements.join(","))
    };
    string_change(name, &policy(None), &policy(Some(statements / 2)))
}

fn text(name: &'static str, len: usize) -> Document {
    let mut words = Words(3);
    let before: Vec<String> = (0..len).map(|i| format!("line {i} {}", words.word())).collect();
    let mut after = before.clone();
    for at in (50..len).step_by(100).rev() {
        after.insert(at, format!("new {}", words.word()));
    }
    string_change(name, &before.join("\n"), &after.join("\n"))
}

/// A plan of many resources with thirty attributes, each with the action that `action` gives it.
pub(crate) fn plan(name: &'static str, resources: usize, action: impl Fn(usize) -> &'static str) -> Document {
    let mut words = Words(4);
    let names: Vec<String> = (1..30).map(|i| format!("attr_{i:02}")).collect();
    let ty = |i: usize| match i {
        0..=18 => r#""string""#,
        19..=22 => r#""number""#,
        23..=24 => r#""bool""#,
        25..=26 => r#"["list","string"]"#,
        _ => r#"["map","string"]"#,
    };
    let mut types: Vec<(&str, &str)> = names.iter().enumerate().map(|(i, n)| (n.as_str(), ty(i))).collect();
    types.push(("id", r#""string""#));
    let block = format!(r#"{{"attributes":{}}}"#, attributes(&types));
    let mut changes = String::new();
    let (mut values, mut prior) = (String::new(), String::new());
    for index in 0..resources {
        let address = format!("bench_thing.r[{index}]");
        let before = thing(&names, &mut words);
        let first = names.first().map_or("", String::as_str);
        let after = before.replacen(&format!("\"{first}\":\""), &format!("\"{first}\":\"changed-"), 1);
        let action = action(index);
        let (before, after) = match action {
            "create" => ("null", after.as_str()),
            "delete" => (before.as_str(), "null"),
            "no-op" => (before.as_str(), before.as_str()),
            _ => (before.as_str(), after.as_str()),
        };
        let marks = r#"{"attr_26":[false,false,false,false,false],"attr_27":[false,false,false,false,false],"attr_28":{},"attr_29":{}}"#;
        let comma = if index == 0 { "" } else { "," };
        changes.push_str(comma);
        changes.push_str(&resource(&address, action, before, after, marks));
        // Writing to a string cannot fail.
        _ = write!(values, r#"{comma}{{"address":{},"values":{after}}}"#, quoted(&address));
        _ = write!(prior, r#"{comma}{{"address":{},"values":{before}}}"#, quoted(&address));
    }
    let planned = format!(
        r#""planned_values":{{"root_module":{{"resources":[{values}]}}}},"prior_state":{{"values":{{"root_module":{{"resources":[{prior}]}}}}}},"#
    );
    Document { name, plan: plan_of(&changes, &planned), schemas: schemas(&block) }
}

fn thing(names: &[String], words: &mut Words) -> String {
    let mut value = String::from("{");
    for (i, name) in names.iter().enumerate() {
        _ = write!(value, "\"{name}\":");
        _ = match i {
            0..=18 => write!(value, "{}", quoted(&words.word())),
            19..=22 => write!(value, "{}", words.number() % 10_000),
            23..=24 => write!(value, "{}", words.number().is_multiple_of(2)),
            25..=26 => {
                let items: Vec<String> = (0..5).map(|_| quoted(&words.word())).collect();
                write!(value, "[{}]", items.join(","))
            }
            _ => {
                let items: Vec<String> =
                    (0..5).map(|k| format!("\"key{k}\":{}", quoted(&words.word()))).collect();
                write!(value, "{{{}}}", items.join(","))
            }
        };
        value.push(',');
    }
    _ = write!(value, "\"id\":{}}}", quoted(&words.word()));
    value
}
