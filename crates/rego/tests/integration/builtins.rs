//! Calls of built-in functions, with the answers that OPA gives.

use crate::term;

use objchange_rego::builtins::{BuiltinErrorKind, Context, lookup};
use objchange_rego::{Limit, Value};

/// The time of all evaluations here: 1 October 2026.
const NOW: i64 = 1_790_812_800_000_000_000;

/// The result of a call: its value as a term, `undefined`, or `error` with the message.
fn call(name: &str, operands: &[Value]) -> String {
    let builtin = lookup(name).unwrap_or_else(|| panic!("there is no {name}"));
    let mut context = Context::new(NOW, 1, |_| Ok(()));
    match builtin.call(&mut context, operands) {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "undefined".to_owned(),
        Err(error) => {
            let kind = match error.kind {
                BuiltinErrorKind::Type => "eval_type_error",
                BuiltinErrorKind::Failed => "eval_builtin_error",
                _ => "limit",
            };
            format!("error {kind}: {name}: {error}")
        }
    }
}

/// Each line of `builtins.jsonl` is a call and OPA's answer. `OBJCHANGE_BUILTIN_CASES` names another such
/// file.
#[test]
fn calls_give_what_opa_gives() {
    let text = match std::env::var("OBJCHANGE_BUILTIN_CASES") {
        Ok(path) => std::fs::read_to_string(path).unwrap(),
        Err(_) => include_str!("builtins.jsonl").to_owned(),
    };
    let mut count = 0;
    let mut wrong = Vec::new();
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| case.get(name).and_then(serde_json::Value::as_str);
        let (name, args) = (field("call").unwrap(), field("args").unwrap());
        let operands = term::read(args).unwrap_or_else(|at| panic!("{args}: no term at {at}"));
        let operands = operands.as_array().unwrap().items();
        let got = call(name, operands);
        let is_right = match (field("result"), field("error")) {
            (Some(want), _) => got == want,
            (None, Some(want)) => {
                got.starts_with("error ")
                    && (want.starts_with("eval_type_error") == got.starts_with("error eval_type_error"))
            }
            (None, None) => got == "undefined",
        };
        count += 1;
        if !is_right {
            wrong.push(format!("{name}{args}\n  want {case}\n  got  {got}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} calls differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 0);
}

/// OPA's functions, without those of the language itself.
const NAMES: &str = "
    abs ceil floor round rem plus minus mul div numbers.range numbers.range_step bits.and bits.or bits.xor
    bits.negate bits.lsh bits.rsh rand.intn equal neq lt lte gt gte count sum product max min sort all any
    array.concat array.reverse array.slice array.flatten and or intersection union set_diff object.get
    object.keys object.remove object.subset object.union object.union_n object.filter json.filter
    json.remove json.patch walk concat contains endswith startswith format_int indexof indexof_n lower upper
    replace split sprintf strings.any_prefix_match strings.any_suffix_match strings.count
    strings.render_template strings.replace_n strings.reverse substring trim trim_left trim_right
    trim_prefix trim_suffix trim_space regex.match regex.is_valid regex.find_n
    regex.find_all_string_submatch_n regex.replace regex.split regex.template_match regex.globs_match
    re_match glob.match glob.quote_meta to_number cast_array cast_boolean cast_null cast_object cast_set
    cast_string is_array is_boolean is_null is_number is_object is_set is_string type_name json.marshal
    json.marshal_with_options json.unmarshal json.is_valid yaml.marshal yaml.unmarshal yaml.is_valid
    base64.encode base64.decode base64.is_valid base64url.encode base64url.encode_no_pad base64url.decode
    hex.encode hex.decode urlquery.encode urlquery.decode urlquery.encode_object urlquery.decode_object
    json.match_schema json.verify_schema crypto.md5 crypto.sha1 crypto.sha256 crypto.hmac.md5
    crypto.hmac.sha1 crypto.hmac.sha256 crypto.hmac.sha512 crypto.hmac.equal crypto.x509.parse_certificates
    crypto.x509.parse_and_verify_certificates crypto.x509.parse_and_verify_certificates_with_options
    crypto.x509.parse_certificate_request crypto.x509.parse_keypair crypto.x509.parse_rsa_private_key
    crypto.parse_private_keys io.jwt.decode io.jwt.decode_verify io.jwt.encode_sign io.jwt.encode_sign_raw
    io.jwt.verify_hs256 io.jwt.verify_hs384 io.jwt.verify_hs512 io.jwt.verify_rs256 io.jwt.verify_rs384
    io.jwt.verify_rs512 io.jwt.verify_ps256 io.jwt.verify_ps384 io.jwt.verify_ps512 io.jwt.verify_es256
    io.jwt.verify_es384 io.jwt.verify_es512 io.jwt.verify_eddsa time.now_ns time.parse_rfc3339_ns
    time.parse_ns time.parse_duration_ns time.format time.date time.clock time.weekday time.add_date
    time.diff net.cidr_contains net.cidr_contains_matches net.cidr_intersects net.cidr_merge net.cidr_expand
    net.cidr_is_valid net.cidr_overlap net.lookup_ip_addr uuid.rfc4122 uuid.parse semver.compare
    semver.is_valid units.parse units.parse_bytes graph.reachable graph.reachable_paths graphql.parse
    graphql.parse_and_verify graphql.parse_query graphql.parse_schema graphql.is_valid
    graphql.schema_is_valid rego.parse_module opa.runtime trace http.send providers.aws.sign_req
    internal.member_2 internal.member_3 internal.template_string strings.split_n uri.parse uri.is_valid
";

#[test]
fn every_function_of_opa_is_known() {
    let missing: Vec<_> = NAMES.split_whitespace().filter(|name| lookup(name).is_none()).collect();
    assert_eq!(missing, [""; 0]);
    let refused = ["providers.aws.sign_req", "io.jwt.encode_sign", "graphql.parse", "rego.parse_module"];
    for name in refused {
        assert!(lookup(name).unwrap().unsupported_because().is_some(), "{name}");
    }
    assert!(lookup("nosuch").is_none());
}

/// Calls that would take long or make much, with a budget of a million steps.
#[test]
fn calls_end_when_the_budget_is_spent() {
    let text = |len| Value::from("a".repeat(len));
    let calls = [
        ("numbers.range", vec![Value::int(1), Value::int(i64::from(u32::MAX))]),
        ("net.cidr_expand", vec![Value::from("10.0.0.0/8")]),
        ("replace", vec![text(100_000), Value::from("a"), text(100_000)]),
        ("regex.replace", vec![text(100_000), Value::from("a"), text(100_000)]),
        ("regex.find_n", vec![Value::from("(a*)*b|a"), text(20_000), Value::int(-1)]),
        ("sprintf", vec![text(10), Value::array(vec![text(1_000_000); 100])]),
        ("indexof_n", vec![text(100_000), text(50_000)]),
        (
            "object.subset",
            vec![Value::array(vec![Value::Null; 50_000]), Value::array(vec![Value::Null; 25_000])],
        ),
    ];
    for (name, operands) in calls {
        let mut left = 1_000_000_usize;
        let mut context = Context::new(NOW, 1, move |work| {
            left = left.checked_sub(work).ok_or(Limit::Memory)?;
            Ok(())
        });
        let outcome = lookup(name).unwrap().call(&mut context, &operands);
        let kind = outcome.map_err(|error| error.kind).err();
        let is_limit = matches!(kind, Some(BuiltinErrorKind::Limit(Limit::Memory | Limit::Size)));
        assert!(is_limit, "{name}: {kind:?}");
    }
}

/// A result that grows exponentially is refused before it fills the memory, with any budget.
#[test]
fn large_results_are_refused_before_they_are_made() {
    let text = |len| Value::from("a".repeat(len));
    let node = |step: i64, side: i64| Value::int(2 * step + side);
    let next = |step: i64| Value::array(vec![node(step + 1, 0), node(step + 1, 1)]);
    let ladder = (0..40)
        .flat_map(|step| [(node(step, 0), next(step)), (node(step, 1), next(step))])
        .collect::<Vec<_>>();
    for (name, operands) in [
        ("concat", vec![Value::from(""), Value::array(vec![text(1 << 20); 65])]),
        ("replace", vec![text(10_000), Value::from("a"), text(10_000)]),
        ("regex.replace", vec![text(10_000), Value::from("a+"), Value::from("$0".repeat(10_000))]),
        ("strings.replace_n", vec![Value::object([(Value::from("a"), text(10_000))]), text(10_000)]),
        ("graph.reachable_paths", vec![Value::object(ladder), Value::array(vec![node(0, 0)])]),
    ] {
        let outcome = lookup(name).unwrap().call(&mut Context::new(NOW, 1, |_| Ok(())), &operands);
        let kind = outcome.map_err(|error| error.kind).err();
        assert!(matches!(kind, Some(BuiltinErrorKind::Limit(Limit::Size))), "{name}: {kind:?}");
    }
    // A long text that does not grow is no result of others.
    let (long, shorter) = (text(65 << 20), vec![Value::from("b"), Value::from("")]);
    let outcome = lookup("replace")
        .unwrap()
        .call(&mut Context::new(NOW, 1, |_| Ok(())), &[vec![long], shorter].concat());
    assert!(outcome.is_ok());
}

/// Merging many small objects takes steps in proportion to their content.
#[test]
fn uniting_objects_takes_linear_steps() {
    let steps = |count: i64| {
        let of = |i| {
            Value::object([
                (Value::int(i), Value::int(i)),
                (Value::from("all"), Value::object([(Value::int(i), Value::Null)])),
            ])
        };
        let objects = Value::array((0..count).map(of).collect::<Vec<_>>());
        let spent = std::cell::Cell::new(0);
        let mut context = Context::new(NOW, 1, |work| {
            spent.set(spent.get() + work);
            Ok(())
        });
        let united = lookup("object.union_n").unwrap().call(&mut context, &[objects]).unwrap().unwrap();
        let all = united.as_object().unwrap().get_str("all").unwrap().as_object().unwrap().len();
        assert_eq!(all as i64, count);
        drop(context);
        spent.get()
    };
    let (few, many) = (steps(1000), steps(4000));
    assert!(many <= 5 * few, "{few} steps, then {many}");
}

/// Each operation changes the document, and copies no more of it than it reaches.
#[test]
fn patching_takes_linear_steps() {
    let steps = |count: i64| {
        let add = |i: i64| {
            let path = Value::from(format!("/k{i}"));
            Value::object([
                (Value::from("op"), Value::from("add")),
                (Value::from("path"), path),
                (Value::from("value"), Value::int(i)),
            ])
        };
        let operations = Value::array((0..count).map(add).collect::<Vec<_>>());
        let spent = std::cell::Cell::new(0);
        let mut context = Context::new(NOW, 1, |work| {
            spent.set(spent.get() + work);
            Ok(())
        });
        let patched = lookup("json.patch")
            .unwrap()
            .call(&mut context, &[Value::object([]), operations])
            .unwrap()
            .unwrap();
        assert_eq!(patched.as_object().unwrap().len() as i64, count);
        drop(context);
        spent.get()
    };
    let (few, many) = (steps(1000), steps(4000));
    assert!(many <= 5 * few, "{few} steps, then {many}");
}

#[test]
fn time_and_random_values_stay_the_same_within_an_evaluation() {
    let mut context = Context::new(NOW, 7, |_| Ok(()));
    let mut call = |name: &str, operands: &[Value]| {
        lookup(name).unwrap().call(&mut context, operands).unwrap().unwrap().to_string()
    };
    assert_eq!(call("time.now_ns", &[]), NOW.to_string());
    let (a, b) = (Value::from("a"), Value::from("b"));
    let uuid = call("uuid.rfc4122", std::slice::from_ref(&a));
    assert_eq!(call("uuid.rfc4122", std::slice::from_ref(&a)), uuid);
    assert_ne!(call("uuid.rfc4122", &[b]), uuid);
    let number = call("rand.intn", &[a.clone(), Value::int(1_000_000_000_000_i64)]);
    assert_eq!(call("rand.intn", &[a, Value::int(1_000_000_000_000_i64)]), number);
}

/// Keywords that hold for some values only.
#[test]
fn schemas_with_conditions_and_patterns() {
    let call = |name: &str, operands: &[&str]| {
        let operands: Vec<_> = operands.iter().map(|text| Value::from_json(text).unwrap()).collect();
        lookup(name).unwrap().call(&mut Context::new(NOW, 1, |_| Ok(())), &operands)
    };
    let conditional = r#"{"if": {"properties": {"kind": {"const": "disk"}}}, "then": {"required": ["size"]},
        "else": {"required": ["name"]}}"#;
    let patterns = r#"{"properties": {"id": {}}, "patternProperties": {"^x-": {"type": "string"}},
        "additionalProperties": false}"#;
    let needs = r#"{"dependencies": {"a": ["b", "c"], "d": {"required": ["e"]}}}"#;
    for (schema, document, kinds) in [
        (conditional, r#"{"kind": "disk", "size": 1}"#, &[][..]),
        (conditional, r#"{"kind": "disk"}"#, &["condition_then", "required"]),
        (conditional, r#"{"kind": "vm"}"#, &["condition_else", "required"]),
        (conditional, r#"{"kind": "vm", "name": "a"}"#, &[]),
        (patterns, r#"{"id": 1, "x-a": "b"}"#, &[]),
        (patterns, r#"{"id": 1, "x-a": 2}"#, &["invalid_type"]),
        (patterns, r#"{"y": 2}"#, &["additional_property_not_allowed"]),
        (needs, r#"{"b": 1}"#, &[]),
        (needs, r#"{"a": 1, "b": 2}"#, &["missing_dependency"]),
        (needs, r#"{"d": 1}"#, &["required"]),
    ] {
        let answer = call("json.match_schema", &[document, schema]).unwrap().unwrap();
        let answer: serde_json::Value = serde_json::from_str(&answer.to_json()).unwrap();
        let found: Vec<_> = answer[1].as_array().unwrap().iter().map(|one| one["type"].clone()).collect();
        assert_eq!(
            (answer[0] == true, found),
            (kinds.is_empty(), kinds.iter().map(|&kind| kind.into()).collect()),
            "{document}"
        );
    }
    for schema in [
        r#"{"if": 1}"#,
        r#"{"patternProperties": {"(": {}}}"#,
        r#"{"dependencies": {"a": [1]}}"#,
        // Drafts before 7 do not have it.
        r#"{"$schema": "http://json-schema.org/draft-04/schema#", "if": {}}"#,
    ] {
        assert!(call("json.match_schema", &["{}", schema]).is_err(), "{schema}");
    }
}
