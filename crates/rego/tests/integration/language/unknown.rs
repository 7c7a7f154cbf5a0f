//! Answers that are decided although parts of the input are not known yet.

use objchange_rego::value::Types;
use objchange_rego::{CompileOptions, Program, Setup, SourceFile, Unknown, Value};

fn unknown(id: u32) -> Value {
    Value::Unknown(Unknown::new(id))
}

fn of_types(id: u32, types: Types) -> Value {
    Value::Unknown(Unknown::of_types(id, types))
}

const SCALAR: Types = Types::NULL.or(Types::BOOLEAN).or(Types::NUMBER).or(Types::STRING);

/// `o` has a member that is not known yet, and `u` and `v` are not known at all.
fn input() -> Value {
    let object = |members: &[(&str, Value)]| {
        Value::object(
            members.iter().map(|(key, value)| (Value::from(*key), value.clone())).collect::<Vec<_>>(),
        )
    };
    let tags = object(&[("owner", Value::from("ann")), ("env", unknown(2))]);
    object(&[
        ("u", unknown(0)),
        ("v", unknown(1)),
        ("s", of_types(3, SCALAR)),
        ("text", of_types(4, Types::STRING.or(Types::NULL))),
        ("flag", of_types(5, Types::BOOLEAN.or(Types::NULL))),
        ("list", of_types(6, Types::ARRAY.or(Types::NULL))),
        ("map", of_types(7, Types::OBJECT.or(Types::NULL))),
        ("tags", tags.clone()),
        ("same", object(&[("tags", tags)])),
    ])
}

/// The value of `r`, or `None` if it depends on unknown values.
fn r(files: &[&str]) -> Option<String> {
    let files = files.iter().enumerate();
    let files = files
        .map(|(at, text)| SourceFile { name: format!("{at}.rego"), text: format!("package a\n\n{text}\n") });
    let program = Program::compile(&files.collect::<Vec<_>>(), &CompileOptions::default()).unwrap();
    let rule = program.rules().find(|rule| rule.name == "r").unwrap().id;
    let setup = Setup { input: Some(input()), ..Setup::default() };
    let (value, doubt) = program.run(setup, |session| session.rule(rule)).unwrap();
    let value = value.map_or_else(|| "undefined".to_owned(), |value| value.to_string());
    (doubt.is_none() && !value.contains("known after apply")).then_some(value)
}

#[test]
fn an_unknown_value_equals_itself() {
    for (text, expected) in [
        ("r := input.u == input.u", Some("true")),
        ("r := input.u != input.u", Some("false")),
        ("r := input.u <= input.u", Some("true")),
        ("r := input.u < input.u", Some("false")),
        ("r := input.u == input.v", None),
        ("r := input.tags == input.same.tags", Some("true")),
        ("r := [input.u, 1] == [input.u, 1]", Some("true")),
        ("r := {input.u, 1} == {1, input.u}", Some("true")),
        ("r := count({input.u, input.u})", Some("1")),
        ("r := count({input.u, input.v})", None),
        ("r := input.u in [1, input.u]", Some("true")),
        ("r := (input.u == 1) == (input.u == 1)", Some("true")),
        ("r := (input.u == 1) == (input.u == 2)", None),
        ("r := count({input.u == 1, input.u == 2})", None),
        ("r := sprintf(\"%v\", [input.u]) == sprintf(\"%v\", [input.u])", Some("true")),
        ("f(x) := x.owner\nr := f(input.tags) == f(input.same.tags)", Some("true")),
        // Each member of something that is not known yet may be another one.
        ("r if { some x, y in input.u; x != y }", None),
        ("r if { some x in input.u; some y in input.u; x == y }", None),
    ] {
        assert_eq!(r(&[text]).as_deref(), expected, "{text}");
    }
}

#[test]
fn a_definition_may_be_there_twice() {
    let library =
        "owner(x) := y if {\n\tsome k\n\ty := x[k]\n\tk == input.u\n}\n\nall := [x | some x in input.v]";
    let rule = "r if all == all";
    assert_eq!(r(&[library, library, rule]), Some("true".to_owned()));
    // Other imports give the same text another meaning.
    let one = "import input.tags.owner as x\n\nf(_) := x";
    let other = "import input.tags as x\n\nf(_) := x";
    let files = [one, other, "r := f(1)"];
    let files = files.iter().enumerate();
    let files = files
        .map(|(at, text)| SourceFile { name: format!("{at}.rego"), text: format!("package a\n\n{text}\n") });
    let program = Program::compile(&files.collect::<Vec<_>>(), &CompileOptions::default()).unwrap();
    let rule = program.rules().find(|rule| rule.name == "r").unwrap().id;
    let setup = Setup { input: Some(input()), ..Setup::default() };
    assert!(program.run(setup, |session| session.rule(rule)).is_err());
}

#[test]
fn the_keys_of_an_object_are_known_although_a_value_is_not() {
    for (text, expected) in [
        ("r := object.keys(input.tags)", Some(r#"{"env", "owner"}"#)),
        ("r := {\"cost\"} - object.keys(input.tags)", Some(r#"{"cost"}"#)),
        ("r := object.remove(input.tags, [\"env\"])", Some(r#"{"owner": "ann"}"#)),
        ("r := object.filter(input.tags, {\"owner\"})", Some(r#"{"owner": "ann"}"#)),
        ("r := object.keys(object.filter(input.tags, [\"env\", \"x\"]))", Some(r#"{"env"}"#)),
        ("r := object.remove(input.tags, [input.u])", None),
        ("r := object.union(input.tags, {\"a\": 1}).owner", Some(r#""ann""#)),
        ("r := object.union(input.tags, {\"env\": 1})", Some(r#"{"env": 1, "owner": "ann"}"#)),
        ("r := object.union(input.tags, {\"env\": {}})", None),
        ("r := object.union(input.tags, {\"env\": {\"a\": 1}}).env.a", None),
        ("r := object.union_n([{\"owner\": 1}, input.tags]).owner", Some(r#""ann""#)),
        ("r := object.subset(input.tags, {\"owner\": \"ann\"})", Some("true")),
        ("r := object.subset(input.tags, {\"owner\": \"bob\"})", Some("false")),
        ("r := object.subset(input.tags, {\"cost\": 1})", Some("false")),
        ("r := object.subset(input.tags, {\"env\": 1})", None),
        ("r := object.subset(input.tags, input.same.tags)", Some("true")),
        ("r := json.filter(input.tags, [\"owner\"])", Some(r#"{"owner": "ann"}"#)),
        ("r := json.filter(input.same, [\"tags/owner\"])", Some(r#"{"tags": {"owner": "ann"}}"#)),
        ("r := json.filter(input.same, [\"tags/env/a\"])", None),
        ("r := json.remove(input.tags, [\"env\"])", Some(r#"{"owner": "ann"}"#)),
        ("r := object.get(input.tags, \"cost\", 5)", Some("5")),
    ] {
        assert_eq!(r(&[text]).as_deref(), expected, "{text}");
    }
}

#[test]
fn nothing_is_in_a_scalar() {
    for (text, expected) in [
        ("r if { walk(input.s, [path, _]); count(path) > 0 }", Some("undefined")),
        ("r if { some x in input.s; x == 1 }", Some("undefined")),
        ("r if input.s.a == 1", Some("undefined")),
        ("r := is_object(input.s)", Some("false")),
        ("r := is_array(input.u)", None),
        ("r := input.s == {}", Some("false")),
        ("r := input.s == \"a\"", None),
        ("r := input.s == null", None),
        ("r := input.s == input.s", Some("true")),
        ("default r := 0\n\nr := 1 if input.s", None),
        ("r if { every x in input.s { x } }", Some("undefined")),
        ("r if { [a, b] = input.s; a == b }", Some("undefined")),
    ] {
        assert_eq!(r(&[text]).as_deref(), expected, "{text}");
    }
}

#[test]
fn what_a_branch_assumes_holds_on_it() {
    for (text, expected) in [
        ("r if { input.u == \"a\"; input.u == \"b\" }", Some("undefined")),
        ("r if { input.u == \"a\"; input.u != \"a\" }", Some("undefined")),
        ("r if { input.u == \"a\"; not input.u == \"a\" }", Some("undefined")),
        ("r if { not input.u == \"a\"; input.u == \"a\" }", Some("undefined")),
        ("r if { input.u = \"a\"; startswith(input.u, \"b\") }", Some("undefined")),
        ("r if { input.u > 1; input.u <= 1 }", Some("undefined")),
        ("r if { startswith(input.u, \"a\"); not startswith(input.u, \"a\") }", Some("undefined")),
        ("r if { x := input.tags.env; x == \"a\"; some y in [x, \"c\"]; y == \"b\" }", Some("undefined")),
        ("r if { input.u == \"a\"; input.v == \"b\" }", None),
        ("r if { input.u == \"a\"; not input.u == \"b\" }", None),
        // One number may be written in several ways.
        ("r if { input.u == 1; sprintf(\"%v\", [input.u]) != \"1\" }", None),
        // Other branches and rules assume nothing.
        ("r if { some x in [\"a\", \"b\"]; input.u == x }", None),
        ("r := [x | some x in [1, 2]; input.u == x] == [1, 2]", None),
        ("r if { input.u == \"a\"; b }\nb if input.u == \"b\"", None),
        ("r if { input.u == \"a\"; c }\nc if not b\nb if input.u == \"b\"", None),
        // A call that may be undefined need not be false.
        ("r if { not startswith(input.u, \"a\"); startswith(input.u, \"a\") == false }", None),
        // Whether it is a member is open, although the branch knows its value.
        ("r if { input.text == \"a\"; {input.v, \"b\"}[input.text] }", None),
    ] {
        assert_eq!(r(&[text]).as_deref(), expected, "{text}");
    }
}

#[test]
fn collections_have_no_more_than_what_may_be_in_them() {
    for (text, expected) in [
        ("r := count([x | some x in [1, 2]; input.u == x]) > 2", Some("false")),
        ("r := count([x | some x in [1, 2]; input.u == x]) < 3", Some("true")),
        ("r := count([x | some x in [1, 2]; input.u == x]) > 1", None),
        ("r := count({x | some x in [1, 2]; input.u == x}) > 2", Some("false")),
        ("r := count(b) > 1\nb contains 1 if input.u == 1", Some("false")),
        ("r := count([x | some x in input.u; x != 1]) > 2", None),
        ("r := count({x | some x in input.u; x != 1}) > 2", None),
        ("r := count([1 | some x in input.u]) > 2", None),
        ("r := count([1 | walk(input.u, [_, x]); x == 1]) > 2", None),
        ("r := count([1 | some x in [y | some y in input.u]]) > 2", None),
        ("r := [x | some x in [1, 2]; input.u == x] == [1, 2, 3]", Some("false")),
        ("r := input.tags == {}", Some("false")),
        ("r := input.tags == {\"owner\": \"ann\"}", Some("false")),
        ("r := input.tags == {\"owner\": \"bob\", \"env\": 1}", Some("false")),
        ("r := input.tags == {\"owner\": \"ann\", \"env\": 1}", None),
        ("r := [input.u] == [1, 2]", Some("false")),
        ("r := {input.u: 1} == {\"a\": 1}", None),
    ] {
        assert_eq!(r(&[text]).as_deref(), expected, "{text}");
    }
}

#[test]
fn texts_begin_and_end_with_what_is_known_of_them() {
    for (text, expected) in [
        ("r := startswith(sprintf(\"a-%s-z\", [input.u]), \"a-\")", Some("true")),
        ("r := startswith(sprintf(\"a-%s-z\", [input.u]), \"b\")", Some("false")),
        ("r := startswith(sprintf(\"a-%s-z\", [input.u]), \"a-b\")", None),
        ("r := endswith(sprintf(\"a-%s-%d\", [input.u, 7]), \"-7\")", Some("true")),
        ("r := contains(sprintf(\"a%%b-%v\", [input.u]), \"%b\")", Some("true")),
        ("r := contains(sprintf(\"a-%v\", [input.u]), \"b\")", None),
        ("r := sprintf(\"%s/%s\", [\"a\", input.u]) == \"b/c\"", Some("false")),
        ("r := sprintf(\"%s/%s\", [\"a\", input.u]) == \"a/c\"", None),
        ("r := sprintf(\"a%s\", [input.u]) == sprintf(\"b%s\", [input.v])", Some("false")),
        ("r := sprintf(\"ab%s\", [input.u]) == sprintf(\"a%s\", [input.v])", None),
        ("r := sprintf(\"%5s|\", [input.u]) == \"a\"", None),
        ("r := sprintf(\"a%s\", [input.u, 1]) == \"b\"", None),
        ("r := $\"a-{input.u}\" == \"b-c\"", Some("false")),
        ("r if startswith(concat(\"/\", [\"a\", input.u]), \"b\")", Some("undefined")),
        ("r if startswith(concat(\"/\", [\"a\", input.u]), \"a/\")", None),
    ] {
        assert_eq!(r(&[text]).as_deref(), expected, "{text}");
    }
}

#[test]
fn types_decide_what_no_value_of_them_changes() {
    for (text, expected) in [
        // Only `false` is not true in a condition.
        ("r if input.text", Some("true")),
        ("r if not input.text", Some("undefined")),
        ("r if input.list", Some("true")),
        ("r if not input.map", Some("undefined")),
        ("r if input.flag", None),
        ("r if not input.flag", None),
        ("r := input.text == true", Some("false")),
        ("r := input.text == 1", Some("false")),
        ("r := input.text == \"a\"", None),
        ("r := input.text == null", None),
        ("r := input.flag == \"true\"", Some("false")),
        ("r := input.list == {}", Some("false")),
        ("r := input.list == []", None),
        ("r := input.text == input.map", None),
        ("r := input.text < []", Some("true")),
        ("r := input.list >= {\"a\": 1}", Some("false")),
        ("r := input.text < \"b\"", None),
        ("r := is_string(input.text)", None),
        ("r := is_number(input.text)", Some("false")),
        ("r := is_array(input.list)", None),
        ("r := is_object(input.list)", Some("false")),
        ("r := is_boolean(input.u == 1)", Some("true")),
        // Neither is there a call of something of a wrong type, nor a result of another type.
        ("r if upper(input.list)", Some("undefined")),
        ("r if not upper(input.list)", Some("true")),
        ("r if is_number(upper(input.u))", Some("undefined")),
        ("r if is_string(upper(input.u))", None),
        ("r := is_set({x | some x in [1, 2]; input.u == x})", Some("true")),
        ("r := count([x | some x in [1]; input.u == x]) < \"a\"", Some("true")),
        ("r if { some x in input.list; x == 1 }", None),
        ("r if { some x in input.text; x == 1 }", Some("undefined")),
        ("r if { every x in input.list { x == 1 } }", None),
        ("r if input.list[0] == 1", None),
        ("r if input.map.a == 1", None),
        ("r if { [a, b] = input.list; a == b }", None),
        ("r if { [a, b] = input.map; a == b }", Some("undefined")),
        ("r if { {\"a\": a} = input.map; a == 1 }", None),
        ("r if { {\"a\": a} = input.list; a == 1 }", Some("undefined")),
        ("r if { walk(input.list, [path, x]); count(path) > 0; x == 1 }", None),
        ("r := object.union({\"a\": input.list}, {\"a\": {\"b\": 1}})", Some(r#"{"a": {"b": 1}}"#)),
    ] {
        assert_eq!(r(&[text]).as_deref(), expected, "{text}");
    }
}

#[test]
fn keys_of_a_path_say_where_walk_goes() {
    for (text, expected) in [
        ("r if { walk(input, [[\"tags\", \"owner\"], v]); v == \"ann\" }", Some("true")),
        ("r if { walk(input, [[\"tags\", \"owner\"], v]); v == \"bob\" }", Some("undefined")),
        ("r if { walk(input, [[\"tags\", k], v]); v == \"bob\" }", None),
        ("r if { walk(input, [[\"tags\", k, \"x\"], v]); v == \"bob\" }", None),
        ("r if { walk(input, [[\"same\", \"x\", _, _, _], v]); v == \"bob\" }", Some("undefined")),
        ("r if { walk(input, [[\"same\", _, \"owner\", _], v]); v == \"bob\" }", Some("undefined")),
        ("r if { walk(input, [p, v]); p[0] == \"s\"; v == \"bob\" }", None),
        ("r if { walk(input, [p, v]); p[0] == \"x\"; v == \"bob\" }", Some("undefined")),
        ("r if { walk(input, [p, _]); p[count(p) - 1] == \"x\" }", None),
        // Each value in an unknown one may be another one.
        ("r if { walk(input.u, [_, v]); v != input.u }", None),
    ] {
        assert_eq!(r(&[text]).as_deref(), expected, "{text}");
    }
}

#[test]
fn a_rule_below_another_one_hides_none_of_its_doubts() {
    for (text, expected) in [
        ("p[k] := 1 if k := input.u\np.ok := 2\nr := p.bad", None),
        ("p[k] := 1 if k := input.u\np.ok := 2\nr := p.ok", None),
        ("p[k] := 1 if { k := \"bad\"; input.u }\np.ok := 2\nr := p.ok", Some("2")),
        ("p[k] := 1 if { k := \"bad\"; input.u }\np.ok := 2\nr := p.bad", None),
        ("p[k] := 1 if { k := \"bad\"; input.u }\np.ok := 2\nr if { p[_] == 1 }", None),
        ("p[k] := 1 if { k := \"bad\"; input.u }\np.ok := 2\nr := p.other", Some("undefined")),
        ("p[k] := 1 if k := \"bad\"\np.ok := 2 if input.u\nr := p.bad", Some("1")),
        ("p[k] := 1 if k := \"bad\"\np.ok := 2 if input.u\nr := p.ok", None),
        ("p[k][j] := 1 if { k := \"ok\"; j := input.u }\np.ok.y := 2\nr := p.ok.y", None),
        ("p[k] contains 1 if k := input.u\np.ok contains 2\nr := p.ok", None),
    ] {
        assert_eq!(r(&[text]).as_deref(), expected, "{text}");
    }
}
