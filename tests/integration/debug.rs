//! Each type whose `Debug` is written by hand shows its content, for failed assertions.

use std::fmt::Debug;

use objchange::change::{
    AppliedResource, ApplyRequest, ApplyResourceChange, PlanRequest, PlanResourceChange, PlannedResource,
    PrivateData, apply_change, plan_change,
};
use objchange::schema::{Attribute, Block, NestedBlock, NestedType, NestingMode, ProviderSchemas};
use objchange::value::{Bound, Descend, Marks, Number, Path, Refinements};
use objchange::{Type, Value};

#[track_caller]
fn check(shown: impl Debug, expected: &str) {
    assert_eq!(format!("{shown:?}"), expected);
}

#[track_caller]
fn assert_contains(shown: &impl Debug, parts: &[&str]) {
    let shown = format!("{shown:?}");
    for part in parts {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
}

#[test]
fn of_types_values_and_what_is_known_of_them() {
    check(Type::list(Type::String), r#"["list","string"]"#);
    let object = Type::object([("size", Type::Number)]);
    let Type::Object(attributes) = &object else { panic!("{object}") };
    check(attributes, r#"{"size": "number"}"#);
    check(Number::parse("0.5").unwrap(), "0.5");
    check(Value::list(Type::String, [Value::from("a")]).unwrap(), r#"["a"]"#);
    check(Marks::SENSITIVE | Marks::EPHEMERAL, r#"{"sensitive", "ephemeral"}"#);
    let ten = Bound { value: Number::from(10), inclusive: true };
    check(
        Refinements { number_upper: Some(ten), ..Refinements::not_null() },
        "Refinements { not_null: true, number_upper: Bound { value: 10, inclusive: true } }",
    );
    let counted =
        Refinements { string_prefix: Some("ab".into()), length_lower: Some(2), ..Refinements::default() };
    check(counted, r#"Refinements { string_prefix: "ab", length_lower: 2 }"#);
}

#[test]
fn of_paths() {
    let path = Path::root().attribute("disk").index(0).index("k");
    check(&path, r#"Path([.disk, [0], ["k"]])"#);
    check(path.steps(), r#"[.disk, [0], ["k"]]"#);
    let mut shown = Vec::new();
    Value::object([("a", Value::tuple([Value::from(1)]))]).visit(|path, _| {
        shown.push(format!("{path:?}"));
        Descend::Into
    });
    assert_eq!(shown, ["Path([])", "Path([.a])", "Path([.a, [0]])"]);
}

#[test]
fn of_schemas() {
    let attribute = Attribute::optional_computed(Type::Bool).sensitive();
    check(&attribute, r#"Attribute { ty: Plain("bool"), optional: true, computed: true, sensitive: true }"#);
    let nested = NestedType::new(NestingMode::List, [("on", Attribute::required(Type::Bool))]);
    check(&nested, r#"List {"on": Attribute { ty: Plain("bool"), required: true }}"#);
    let label = Block::new([("label", Attribute::required(Type::String))], []);
    let block = Block::new(
        [("id", Attribute::computed(Type::String))],
        [("disk", NestedBlock::new(NestingMode::Set, label))],
    );
    assert_contains(
        &block,
        &[r#"{"id": Attribute"#, r#""disk": NestedBlock { nesting: Set, block: {"label""#],
    );
    let document = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/a/b":{}}}"#;
    check(
        ProviderSchemas::parse(document).unwrap(),
        r#"ProviderSchemas { providers: ["registry.terraform.io/a/b"], .. }"#,
    );
}

/// Objects are only shown as present or absent, because only a schema tells which of their parts are secret.
#[test]
fn of_questions_and_answers() {
    let schema = Block::new(
        [("id", Attribute::computed(Type::String)), ("key", Attribute::optional(Type::String).sensitive())],
        [],
    );
    let nothing = Value::null(schema.implied_type().clone());
    let config = Value::object([("id", Value::null(Type::String)), ("key", Value::from("k"))]);
    let mut request = PlanRequest::new(&schema, &nothing, &config);
    request.private = PrivateData(vec![1, 2, 3]);
    assert_contains(
        &request,
        &["prior: null", "config: {id = null, key = (sensitive value)}", "private: PrivateData(3 bytes)"],
    );
    let mut provider = |question: &PlanResourceChange| {
        assert_contains(
            question,
            &["PlanResourceChange {", "prior: null", "proposed: (sensitive value)", "(3 bytes)"],
        );
        let mut answer = PlannedResource::new(question.proposed.clone());
        answer.identity = Some(Value::unknown(Type::String));
        answer.requires_replace = vec![Path::root().attribute("key")];
        assert_contains(
            &answer,
            &["planned: (sensitive value)", "1 paths", "identity: Some((known after apply))"],
        );
        Ok(answer)
    };
    let change = plan_change(&request, &mut provider).unwrap();
    let mut provider = |question: &ApplyResourceChange| {
        assert_contains(question, &["ApplyResourceChange {", "prior: null", "planned: (sensitive value)"]);
        let answer = AppliedResource::new(question.planned.clone());
        assert_contains(&answer, &["AppliedResource {", "new_state: Some((sensitive value))"]);
        Ok(answer)
    };
    apply_change(&ApplyRequest::new(&schema, &change, &config), &mut provider).unwrap();
}
