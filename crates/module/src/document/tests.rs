//! A plan made by hand.

use std::sync::Arc;

use objchange::address::InstanceAddress;
use objchange::schema::{Attribute, Block, Schema};
use objchange::value::Path;
use objchange::{Type, Value};
use objchange_document::{Plan, Prediction};
use objchange_hcl::Span;
use objchange_plan::{Filter, Options, Report};

use super::{DocumentInfo, change_set, write_plan};
use crate::config::{Config, LoadOptions};
use crate::files::MemoryFiles;
use crate::plan::{
    ActionReason, Identities, ImportedBy, ModulePlan, PlannedAction, PlannedObject, PlannedOutput,
    RelevantAttribute, RelevantStep, UndecidedReason, UndecidedResource,
};
use crate::{ProviderAddress, Schemas};

fn schema() -> Arc<Schema> {
    let block = Block::new(
        [
            ("id", Attribute::computed(Type::String)),
            ("name", Attribute::optional(Type::String)),
            ("token", Attribute::optional(Type::String).sensitive()),
        ],
        [],
    );
    Arc::new(Schema::new(0, block))
}

fn object(id: Value, name: &str, token: &str) -> Value {
    Value::object([("id", id), ("name", name.into()), ("token", token.into())])
}

fn planned(address: &str, action: PlannedAction, before: Value, after: Value) -> PlannedObject {
    PlannedObject {
        address: address.parse().unwrap(),
        previous_address: None,
        provider: ProviderAddress::implied("t"),
        deposed: None,
        action,
        reason: None,
        before,
        after,
        schema: Some(schema()),
        replace_paths: Vec::new(),
        importing: None,
        generated_config: None,
        identities: Identities::default(),
    }
}

fn plan() -> ModulePlan {
    let none = || Value::null(schema().block.implied_type().clone());
    let unknown = || Value::unknown(Type::String);
    let mut plan = ModulePlan::default();
    let orphan = PlannedObject {
        reason: Some(ActionReason::DeleteBecauseEachKey),
        ..planned(r#"t_x.a["<k>"]"#, PlannedAction::Delete, object("1".into(), "a", "s3cret"), none())
    };
    let replaced = PlannedObject {
        replace_paths: vec![Path::root().attribute("name")],
        reason: Some(ActionReason::ReplaceBecauseCannotUpdate),
        ..planned(
            "module.m[1].t_x.b",
            PlannedAction::DeleteThenCreate,
            object("1".into(), "a", "s3cret"),
            object(unknown(), "b", "s3cret"),
        )
    };
    let imported = PlannedObject {
        importing: Some(ImportedBy::Id(unknown())),
        ..planned("t_x.c", PlannedAction::Update, object("1".into(), "a", "x"), object("1".into(), "b", "x"))
    };
    let moved = PlannedObject {
        previous_address: Some("t_x.e[0]".parse().unwrap()),
        ..planned("t_x.e", PlannedAction::NoOp, object("1".into(), "a", "x"), object("1".into(), "a", "x"))
    };
    let deposed = PlannedObject {
        deposed: Some("0a1b2c3d".into()),
        ..planned("t_x.c", PlannedAction::Delete, object("0".into(), "z", "y"), none())
    };
    plan.changes = vec![replaced, deposed, imported, moved, orphan];
    plan.drift = vec![planned(
        "t_x.c",
        PlannedAction::Update,
        object("1".into(), "0", "x"),
        object("1".into(), "a", "x"),
    )];
    plan.undecided = vec![UndecidedResource {
        reason: UndecidedReason::InstancesUnknown,
        before: Value::null(objchange::Type::Dynamic),
        address: "module.m[0].t_x.many".parse::<InstanceAddress>().unwrap(),
        provider: ProviderAddress::implied("t"),
        span: Span::at(0),
        because_of: Vec::new(),
        schema: Some(schema()),
        after: object(unknown(), "n", "s3cret"),
    }];
    let output = |action, before: Value, after: Value| PlannedOutput {
        action,
        before,
        after,
        sensitive: false,
        sensitive_change: false,
        declared: true,
    };
    let null = || Value::null(Type::Dynamic);
    plan.outputs.insert("u".into(), output(PlannedAction::Create, null(), unknown()));
    plan.outputs.insert("k".into(), output(PlannedAction::Update, Value::from(1), Value::from(2)));
    let hidden = output(PlannedAction::Update, "before".into(), "after".into());
    plan.outputs.insert("s".into(), PlannedOutput { sensitive: true, sensitive_change: true, ..hidden });
    plan.relevant_attributes = vec![RelevantAttribute {
        resource: "t_x.c".to_owned(),
        path: vec![RelevantStep::Name("name".into())],
    }];
    plan.applyable = true;
    plan
}

fn written(plan: &ModulePlan) -> String {
    let info = DocumentInfo {
        terraform_version: "1.15.5",
        is_simulated: false,
        prediction: Prediction { is_trusting: false, is_refreshed: true },
        timestamp: "2026-01-01T00:00:00Z",
    };
    write_plan(plan, &Config::default(), &Schemas::default(), &info)
}

#[test]
fn an_empty_plan_has_the_sections_that_all_have() {
    assert_eq!(
        written(&ModulePlan::default()),
        r#"{"format_version":"1.2","terraform_version":"1.15.5","planned_values":{"root_module":{}},"configuration":{"root_module":{}},"timestamp":"2026-01-01T00:00:00Z","applyable":false,"complete":false,"errored":false}"#
    );
}

/// The `configuration` section of a rule, which is a nested attribute written as blocks (the older SDK's types).
fn rule(written: &str) -> serde_json::Value {
    let schemas = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/t":{
        "resource_schemas":{"t_x":{"version":0,"block":{"attributes":{
            "rule":{"optional":true,"computed":true,"type":["list",["object",{
                "port":"number","text":"string","inner":["list",["object",{"x":"string"}]]}]]}}}}}}}}"#;
    let schemas = Schemas::new([objchange::schema::ProviderSchemas::parse(schemas).unwrap()]);
    let main = format!(
        "variable \"v\" {{\n}}\nlocals {{\n  l = \"\"\n}}\nresource \"t_x\" \"a\" {{\n{written}\n}}\n"
    );
    let files: MemoryFiles = [("main.tf", &*main)].into_iter().collect();
    let options = LoadOptions::new("1.15.5");
    let (config, found) = Config::load(&files, ".", &options);
    assert!(!found.has_errors(), "{found:?}");
    let info = DocumentInfo {
        terraform_version: "1.15.5",
        is_simulated: true,
        prediction: Prediction { is_trusting: false, is_refreshed: true },
        timestamp: "2026-01-01T00:00:00Z",
    };
    let document = write_plan(&ModulePlan::default(), &config, &schemas, &info);
    let document: serde_json::Value = serde_json::from_str(&document).unwrap();
    document["configuration"]["root_module"]["resources"][0]["expressions"]["rule"].clone()
}

#[test]
fn attributes_that_are_written_as_blocks_are_expressions() {
    let constant = serde_json::json!({"constant_value": [{"port": 80, "text": "a", "inner": null}]});
    assert_eq!(rule("rule {\n port = \"80\"\n text = \"a\"\n}"), constant);
    assert_eq!(
        rule("rule {\n port = 1\n}\nrule {\n port = var.v\n text = local.l\n}"),
        serde_json::json!({"references": ["var.v", "local.l"]})
    );
    // Terraform does not look at what is in blocks of blocks.
    let inner = "rule {\n port = var.v\n inner {\n x = local.l\n }\n}";
    assert_eq!(rule(inner), serde_json::json!({"references": ["var.v"]}));
    assert_eq!(rule("rule {\n text = lower(\"A\")\n}"), serde_json::json!({}));
    assert_eq!(rule("dynamic \"rule\" {\n for_each = [1]\n content {\n }\n}"), serde_json::Value::Null);
    assert_eq!(rule("rule = []"), serde_json::json!({"constant_value": []}));
}

#[test]
fn changes_have_the_identities_that_are_known() {
    let id = |id: &str| Some(Value::object([("id", id)]));
    let change = |before: Option<Value>, after: Option<Value>| {
        let object = || Value::object([("name", "n")]);
        let planned = planned("t_x.a", PlannedAction::NoOp, object(), object());
        let plan = ModulePlan {
            changes: vec![PlannedObject { identities: Identities { before, after }, ..planned }],
            ..ModulePlan::default()
        };
        let document: serde_json::Value = serde_json::from_str(&written(&plan)).unwrap();
        let change = &document["resource_changes"][0]["change"];
        [change["before_identity"].clone(), change["after_identity"].clone()]
    };
    assert_eq!(change(id("a"), id("b")), [serde_json::json!({"id": "a"}), serde_json::json!({"id": "b"})]);
    assert_eq!(change(None, None), [serde_json::Value::Null, serde_json::Value::Null]);
}

#[test]
fn a_resource_without_known_instances_is_deferred() {
    let plan = ModulePlan { undecided: plan().undecided, ..ModulePlan::default() };
    let document = written(&plan);
    let deferred = r#""deferred_changes":[{"reason":"instances_unknown","resource_change":{"address":"module.m[0].t_x.many","module_address":"module.m[0]","mode":"managed","type":"t_x","name":"many","provider_name":"registry.terraform.io/hashicorp/t","change":{"actions":["create"],"before":null,"after":{"name":"n","token":"s3cret"},"after_unknown":{"id":true},"before_sensitive":false,"after_sensitive":{"token":true}}}}]"#;
    assert!(document.contains(deferred), "{document}");
}

#[test]
fn reports_of_the_plan_are_those_of_its_document() {
    let plan = plan();
    let document = written(&plan);
    let parsed = Plan::parse(&document).unwrap();
    let schemas = objchange_document::Schemas::single(&schema().block);
    let (options, filter) = (Options::default(), Filter::default());
    let of_document = Report::of_plan(&parsed, &schemas, &options, &filter).unwrap();
    let changes = change_set(&plan);
    let options = Options { program: Some(of_document.program), ..options };
    let of_changes = Report::of_changes(&changes, &schemas, &options, &filter).unwrap();
    let of_changes = serde_json::to_string(&of_changes).unwrap();
    assert_eq!(serde_json::to_string(&of_document).unwrap(), of_changes);
    assert!(!of_changes.contains("s3cret"));
}
