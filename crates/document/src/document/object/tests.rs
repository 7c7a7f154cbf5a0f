use super::*;

fn block(json: &str) -> Block {
    serde_json::from_str(json).unwrap()
}

const SCHEMA: &str = r#"{
    "attributes":{
        "id":{"type":"string","computed":true},
        "any":{"type":"dynamic","optional":true},
        "name":{"type":"string","required":true},
        "tags":{"type":["map","string"],"optional":true}},
    "block_types":{"disk":{"nesting_mode":"list","block":{"attributes":{
        "size":{"type":"number","required":true}}}}}}"#;

#[track_caller]
fn check(text: &str, expected: &str) {
    let schema = block(SCHEMA);
    let value = read_object(text, &schema, Form::Markers).unwrap();
    assert_eq!(value.to_marker_json(schema.implied_type()).unwrap(), expected);
}

#[track_caller]
fn refused(text: &str, kind: ObjectErrorKind, expected: &str) {
    let error = read_object(text, &block(SCHEMA), Form::Markers).unwrap_err();
    assert_eq!(format!("{}:{}: {error}", error.line, error.column), expected);
    assert_eq!(error.kind, kind);
}

#[test]
fn plain_json_takes_the_types_of_the_schema() {
    check(
        r#"{"name":12,"tags":{"a":"b"},"disk":[{"size":"10"}],"any":[1,"x",null]}"#,
        r#"{"any":{"type":["tuple",["number","string","dynamic"]],"value":[1,"x",null]},"disk":[{"size":10}],"id":null,"name":"12","tags":{"a":"b"}}"#,
    );
}

#[test]
fn dynamic_values_may_state_their_type() {
    check(
        r#"{"name":"x","any":{"type":["set","number"],"value":[2,1]}}"#,
        r#"{"any":{"type":["set","number"],"value":[1,2]},"disk":[],"id":null,"name":"x","tags":null}"#,
    );
    check(
        r#"{"name":"x","any":{"value":1,"type":"t3.micro"}}"#,
        r#"{"any":{"type":["object",{"type":"string","value":"number"}],"value":{"type":"t3.micro","value":1}},"disk":[],"id":null,"name":"x","tags":null}"#,
    );
}

#[test]
fn markers_are_understood() {
    check(
        r#"{"name":{"$unknown":{"string_prefix":"web-"}},"tags":{"$sensitive":{"a":"b"}},"any":{"$literal":{"$unknown":1}}}"#,
        r#"{"any":{"type":["object",{"$unknown":"number"}],"value":{"$literal":{"$unknown":1}}},"disk":[],"id":null,"name":{"$unknown":{"string_prefix":"web-"}},"tags":{"$sensitive":{"a":"b"}}}"#,
    );
}

#[test]
fn what_terraform_writes_has_no_markers() {
    let schema = block(SCHEMA);
    let value = read_object(r#"{"name":"x","tags":{"$sensitive":"y"}}"#, &schema, Form::Plain).unwrap();
    assert_eq!(value.attribute("tags").unwrap().to_string(), r#"{"$sensitive" = "y"}"#);
}

#[test]
fn errors_name_the_place() {
    use ObjectErrorKind::{Document, Json, RepeatedKey, Schema, Value};
    refused("{\n  \"name\": oops}", Json, "2:11: a JSON value is expected here");
    refused("{\n  \"name\": \"a\"", Json, "2:14: the text ends inside of an object or array");
    refused(
        "{\n  \"name\": \"a\",\n  \"nope\": 1}",
        Schema,
        "3:11: the schema has no attribute or block type \"nope\"",
    );
    refused(
        "{\n  \"name\": \"a\",\n  \"name\": \"b\"\n}",
        RepeatedKey,
        "3:11: this key stands twice in one object",
    );
    refused(
        "{\"name\":\"a\",\n \"disk\":[{\"size\":1},\n  {\"size\": []}]}",
        Schema,
        "3:12: disk[1].size: number required, but have tuple",
    );
    refused("{\"disk\":[]}", Schema, "1:1: the attribute \"name\" is required");
    refused(
        "{\"any\": {\"type\":\"number\",\n\"value\":\"x\"}}",
        Value,
        "2:11: any: a number is expected here, not a string",
    );
    refused(
        "{\"format_version\":\"1.0\"}",
        Document,
        "1:1: this is a document of Terraform, not an object of a resource",
    );
}
