//! Properties of all functions, for any arguments.

use objchange::value::{Marks, Refinements};
use objchange::{Type, Value};
use objchange_hcl::{
    BaseDirectory, Function, FunctionError, Functions, Scope, Variables, evaluate, parse_expression,
    variables,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A secret that must not appear in any output.
const SECRET: &str = "hunter2";

const TEXTS: [&str; 40] = [
    "",
    "a",
    "é日 x",
    "hunter2",
    "1",
    "-3",
    "0.5",
    "1e30",
    "true",
    ",",
    "a,b\n1,2\n",
    "%s %d %v",
    "%[2]q%-08.3f|",
    "[a-z]+(b)?",
    "/(?P<x>a*)/",
    "$1${x}",
    "{\"a\": [1, null]}",
    "[true]",
    "a: &x [1, *x]\nb: !!str 1",
    "- a\n- <<: {b: 1}",
    "2020-02-03T04:05:06+01:00",
    "1h30m",
    "YYYY-MM-DD'x'hh",
    "10.0.0.0/8",
    "fd00::/32",
    "::ffff:10.0.0.0/104",
    "aGk=",
    "w6k",
    "UTF-16",
    "dns",
    "../a/./b//",
    "hello \r\n\n",
    "\u{1F468}\u{200D}\u{1F469}\u{915}\u{94D}\u{937}",
    "-----BEGIN RSA PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----",
    "%1000000000d",
    "a{1000}{1000}",
    "[[[[[[[[[[[[[[[[",
    "ZZ",
    "~",
    "<",
];

fn text() -> BoxedStrategy<Value> {
    prop_oneof![4 => select(&TEXTS[..]).prop_map(Value::from), 1 => ".{0,8}".prop_map(Value::from)].boxed()
}

fn number() -> BoxedStrategy<Value> {
    const NUMBERS: [&str; 12] =
        ["0", "1", "2", "3", "-1", "8", "16", "0.5", "1e20", "-1e400", "1e-30", "1048577"];
    let parsed = select(&NUMBERS[..]).prop_map(|text| Value::from(text).convert(&Type::Number).unwrap());
    prop_oneof![4 => parsed, 1 => any::<f64>().prop_filter_map("NaN", |double| Value::try_from(double).ok())]
        .boxed()
}

/// Known values, some of their parts null or unknown.
fn value() -> BoxedStrategy<Value> {
    let special = prop_oneof![
        Just(Value::null(Type::Dynamic)),
        Just(Value::null(Type::String)),
        Just(Value::unknown(Type::String)),
        Just(Value::unknown(Type::Dynamic)),
    ];
    let leaf =
        prop_oneof![4 => text(), 3 => number(), 1 => any::<bool>().prop_map(Value::from), 1 => special];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let several = prop::collection::vec(inner.clone(), 0..4);
        let named = prop::collection::vec((select(&["a", "b", "c d"][..]), inner), 0..3);
        let as_type = |ty: Type| move |value: Value| value.convert(&ty).unwrap_or(value);
        prop_oneof![
            several.clone().prop_map(Value::tuple),
            several.clone().prop_map(Value::tuple).prop_map(as_type(Type::list(Type::Dynamic))),
            several.prop_map(Value::tuple).prop_map(as_type(Type::set(Type::Dynamic))),
            named.clone().prop_map(Value::object),
            named.prop_map(Value::object).prop_map(as_type(Type::map(Type::Dynamic))),
        ]
    })
    .boxed()
}

/// A value for a parameter of this type, most often one that converts to it.
fn argument(ty: &Type) -> BoxedStrategy<Value> {
    match ty {
        Type::String => prop_oneof![9 => text(), 1 => number()].boxed(),
        Type::Number => prop_oneof![9 => number(), 1 => text()].boxed(),
        Type::List(element) | Type::Set(element) if element.is_primitive() => {
            prop::collection::vec(argument(element), 0..4).prop_map(Value::tuple).boxed()
        }
        _ => value(),
    }
}

/// A function by name, with arguments that are converted.
fn call() -> impl Strategy<Value = (String, Function, Vec<Value>)> {
    let functions = Functions::pure();
    let mut names: Vec<String> = functions.names().map(str::to_owned).collect();
    names.sort();
    (select(names), 0..4_usize).prop_flat_map(|(name, further)| {
        let function = Functions::pure().get(&name).unwrap().clone();
        let further = std::iter::repeat_n(function.variadic_parameter(), further).flatten();
        let arguments: Vec<_> =
            function.parameters().iter().chain(further).map(|parameter| argument(&parameter.ty)).collect();
        let converting = function.clone();
        let converted = arguments.prop_filter_map("an argument does not convert", move |arguments| {
            let each = arguments.iter().enumerate();
            each.map(|(i, argument)| converting.convert(i, argument)).collect::<Result<Vec<_>, _>>().ok()
        });
        (Just(name), Just(function), converted)
    })
}

/// The call with one of its arguments changed.
fn with(
    function: &Function,
    arguments: &[Value],
    at: Index,
    change: impl Fn(&Value) -> Value,
) -> Option<Result<Value, FunctionError>> {
    let mut arguments = arguments.to_vec();
    if arguments.is_empty() {
        return None;
    }
    let at = at.index(arguments.len());
    arguments[at] = change(&arguments[at]);
    Some(function.call(arguments))
}

/// Sets with unknown parts are never found to be equal.
fn has_set(ty: &Type) -> bool {
    ty.to_string().contains(r#""set""#)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    /// An answer for an unknown argument holds for every value that the argument may become.
    #[test]
    fn a_known_answer_does_not_contradict_the_unknown_one((name, function, arguments) in call(), at: Index) {
        // Terraform answers an empty list where it meets something unknown to search for.
        prop_assume!(name != "matchkeys");
        let Ok(known) = function.call(arguments.clone()) else { return Ok(()) };
        let hide = |value: &Value| match value.is_null() {
            true => Value::unknown(value.ty().clone()),
            false => Value::refined_unknown(value.ty().clone(), Refinements::not_null()).unwrap(),
        };
        match with(&function, &arguments, at, hide) {
            None => {}
            // A type that is not known may turn out to be another one.
            Some(Ok(unknown)) if unknown.ty().has_dynamic() => {}
            Some(Ok(unknown)) => prop_assert!(
                has_set(unknown.ty())
                    || unknown.equals(&known) != Some(false) && (unknown.is_known() || unknown.may_become(&known)),
                "{name}{arguments:?}: {known:?}, but {unknown:?}"
            ),
            Some(Err(error)) => prop_assert!(false, "{name}{arguments:?}: {known:?}, but {error}"),
        }
    }

    /// Sensitive arguments give sensitive results.
    #[test]
    fn marks_of_known_values_stay((name, function, arguments) in call(), at: Index) {
        // These are for that, and a default that is not needed is not looked at.
        prop_assume!(!["issensitive", "nonsensitive", "lookup"].contains(&name.as_str()));
        let is_kept = |value: &Value| value.is_known() && !(name == "merge" && value.is_null());
        let all_known = arguments.iter().all(is_kept);
        let marked = with(&function, &arguments, at, |value| value.clone().sensitive());
        if let Some(Ok(answer)) = marked && all_known {
            let marks = answer.marks_deep();
            prop_assert!(marks.contains(Marks::SENSITIVE), "{name}{arguments:?}: {answer:?}");
        }
    }

    /// No error shows what is sensitive.
    #[test]
    fn errors_keep_secrets((_, function, arguments) in call(), at: Index) {
        let marked = with(&function, &arguments, at, |_| Value::from(SECRET).sensitive());
        if let Some(Err(error)) = marked {
            prop_assert!(!error.to_string().contains(SECRET), "{error}");
        }
    }
}

/// Evaluates an expression; `None` if it fails.
fn evaluated(expression: &str) -> Option<Value> {
    let parsed = parse_expression(expression).unwrap();
    let (value, errors) = evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure());
    errors.is_empty().then_some(value)
}

#[test]
fn a_short_call_makes_no_large_value() {
    let bomb = (0..9)
        .map(|i| format!("a{i}: &a{i} [{}]", ["x"; 10].map(|_| format!("*a{}", i - 1)).join(",")))
        .skip(1);
    let bomb: String = std::iter::once("a0: &a0 [x]".to_owned()).chain(bomb).collect::<Vec<_>>().join("\\n");
    let thousand = "range(1000)";
    for expression in [
        r#"format("%1000000000d", 1)"#,
        r#"format("%.1000000000f", 1)"#,
        r#"format("%99999999999999999999s", "")"#,
        r#"formatlist("%1000000s", range(1000))"#,
        r#"indent(1000000000, "a\nb")"#,
        r#"replace(format("%1000000s", ""), " ", format("%1000s", ""))"#,
        r#"replace(format("%1000000s", ""), "/ /", format("%1000s", ""))"#,
        r#"join(format("%1000000s", ""), range(1000))"#,
        r#"split("", join("", formatlist("%1000000s", ["", ""])))"#,
        r#"regexall("", join("", formatlist("%1000000s", ["", ""])))"#,
        r#"regex("(x{1000}){1000}", "")"#,
        r#"regex("\\pL{1000}\\pL{1000}", "")"#,
        "range(1025)",
        "range(0, 1e300, 1e-300)",
        &format!("setproduct({thousand}, {thousand}, {thousand})"),
        &format!("setproduct({thousand}, {thousand})"),
        &format!(r#"yamldecode("{bomb}")"#),
        &format!(r#"yamldecode("{}")"#, "[".repeat(100_000)),
        &format!(r#"yamldecode("{}")"#, "- ".repeat(100_000)),
        &format!(r#"jsondecode("{}")"#, "[".repeat(100_000)),
        r#"jsondecode("1e999999999")"#,
        "pow(10, 1e400)",
        r#"parseint(format("%01000d", 1), 10) / parseint(format("%01000d", 9) , 2)"#,
    ] {
        assert_eq!(evaluated(expression), None, "{}", &expression[..expression.len().min(80)]);
    }
    assert_eq!(evaluated("pow(10, 1000000) > pow(2, 1000)"), Some(Value::from(true)));
}

#[test]
fn nothing_is_read_beyond_the_base_directory() {
    let place = std::env::temp_dir().join(format!("objchange-base-{}", std::process::id()));
    std::fs::create_dir_all(place.join("in/sub")).unwrap();
    std::fs::write(place.join("secret.txt"), SECRET).unwrap();
    std::fs::write(place.join("in/own.txt"), "own").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(place.join("secret.txt"), place.join("in/link.txt")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&place, place.join("in/sub/up")).unwrap();
    let functions = Functions::pure().clone().with_files(&BaseDirectory::open(place.join("in")).unwrap());
    let call = |name: &str, arguments: &[&str]| {
        functions.get(name).unwrap().call(arguments.iter().copied().map(Value::from).collect())
    };
    assert_eq!(call("file", &["sub/../own.txt"]), Ok(Value::from("own")));
    let absolute = place.join("secret.txt");
    for path in
        ["../secret.txt", "link.txt", "sub/up/secret.txt", "sub/../../secret.txt", absolute.to_str().unwrap()]
    {
        for name in ["file", "filebase64", "filemd5", "filebase64sha512"] {
            assert!(call(name, &[path]).is_err(), "{name} {path}");
        }
        assert!(call("templatefile", &[path, ""]).is_err(), "{path}");
        // Whether it is there is not for the configuration to know, and `false` would be a guess.
        assert!(call("fileexists", &[path]).is_err(), "{path}");
    }
    assert_eq!(call("fileexists", &["none.txt"]), Ok(Value::from(false)));
    assert_eq!(call("fileset", &[".", "o*"]).map(|names| names.len()), Ok(Some(1)));
    assert_eq!(
        call("fileset", &[place.join("in").to_str().unwrap(), "own.*"]).map(|names| names.len()),
        Ok(Some(1))
    );
    assert!(call("fileset", &[".", &"**/x/".repeat(100_000)]).is_err());
    assert!(call("fileset", &[".", &"*{a,b}".repeat(100_000)]).is_err());
    for pattern in ["../*.txt", "link*", "sub/up/*.txt", "**", "**/secret.txt", "sub/*/secret.txt"] {
        let error = call("fileset", &[".", pattern]).unwrap_err().to_string();
        assert!(error.contains("outside of the directories that may be read"), "{pattern}: {error}");
    }
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn files_of_allowed_directories_are_read_too() {
    let place = std::env::temp_dir().join(format!("objchange-allowed-{}", std::process::id()));
    for directory in ["in", "beside/sub", "closed"] {
        std::fs::create_dir_all(place.join(directory)).unwrap();
    }
    std::fs::write(place.join("beside/text.txt"), "beside").unwrap();
    std::fs::write(place.join("beside/sub/text.txt"), "below").unwrap();
    std::fs::write(place.join("closed/text.txt"), SECRET).unwrap();
    let base = BaseDirectory::open(place.join("in")).unwrap().allow(place.join("beside")).unwrap();
    let functions = Functions::pure().clone().with_files(&base);
    let call = |name: &str, arguments: &[&str]| {
        functions.get(name).unwrap().call(arguments.iter().copied().map(Value::from).collect())
    };
    let absolute = place.join("beside");
    let absolute = absolute.to_str().unwrap();
    assert_eq!(call("file", &["./../beside/text.txt"]), Ok(Value::from("beside")));
    assert_eq!(call("file", &[&format!("{absolute}/text.txt")]), Ok(Value::from("beside")));
    assert_eq!(call("fileexists", &["../beside/none"]), Ok(Value::from(false)));
    let names = Value::set(Type::String, ["sub/text.txt", "text.txt"].map(Value::from)).unwrap();
    assert_eq!(call("fileset", &["./../beside", "**"]), Ok(names.clone()));
    assert_eq!(call("fileset", &[absolute, "**"]), Ok(names));
    for path in ["../closed/text.txt", "../beside/../closed/text.txt"] {
        assert!(call("file", &[path]).is_err(), "{path}");
        assert!(call("fileset", &[".", path]).is_err(), "{path}");
    }
    assert!(call("fileset", &["..", "*/text.txt"]).is_err());
    // Without a home it is unknown what is in it.
    assert!(call("fileexists", &["~/text.txt"]).is_err());
    assert!(call("pathexpand", &["~/text.txt"]).is_err());
    let functions = Functions::pure().clone().with_files(&base.with_home(place.join("beside")));
    let call = |name: &str, argument: &str| functions.get(name).unwrap().call(vec![Value::from(argument)]);
    assert_eq!(call("file", "~/text.txt"), Ok(Value::from("beside")));
    assert!(call("file", "~/../closed/text.txt").is_err());
    assert_eq!(call("pathexpand", "~/a/../b"), Ok(Value::from(format!("{absolute}/b"))));
    assert_eq!(call("pathexpand", "~"), Ok(Value::from(absolute)));
    assert_eq!(call("pathexpand", "a/~"), Ok(Value::from("a/~")));
    assert!(call("pathexpand", "~other/a").unwrap_err().to_string().contains("user-specific"));
    std::fs::remove_dir_all(place).unwrap();
}

/// A path that is checked and then opened may have changed in between.
#[cfg(unix)]
#[test]
fn links_that_are_put_into_the_base_directory_meanwhile_lead_nowhere() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let place = std::env::temp_dir().join(format!("objchange-race-{}", std::process::id()));
    std::fs::create_dir_all(place.join("in/a")).unwrap();
    std::fs::create_dir_all(place.join("out")).unwrap();
    std::fs::write(place.join("in/a/own.txt"), "own").unwrap();
    std::fs::write(place.join("out/own.txt"), SECRET).unwrap();
    std::os::unix::fs::symlink(place.join("out"), place.join("in/b")).unwrap();
    let functions = Functions::pure().clone().with_files(&BaseDirectory::open(place.join("in")).unwrap());
    let is_over = AtomicBool::new(false);
    let (mut read, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let name = |name| place.join("in").join(name);
            while !is_over.load(Ordering::Relaxed) {
                // `a` is the folder and the link by turns.
                for (from, to) in [("a", "c"), ("b", "a"), ("a", "b"), ("c", "a")] {
                    std::fs::rename(name(from), name(to)).unwrap();
                }
            }
        });
        for _ in 0..20_000 {
            match functions.get("file").unwrap().call(vec![Value::from("a/own.txt")]) {
                Ok(value) if value == Value::from("own") => read += 1,
                Ok(value) => {
                    is_over.store(true, Ordering::Relaxed);
                    panic!("{value:?}");
                }
                Err(_) => refused += 1,
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    std::fs::remove_dir_all(&place).unwrap();
    assert!(read > 0, "{read} read, {refused} refused");
}

#[test]
fn without_a_directory_no_file_is_read() {
    let names = ["file", "filebase64", "filemd5", "fileexists", "abspath"];
    for name in names {
        assert!(
            Functions::pure().get(name).unwrap().call(vec![Value::from("Cargo.toml")]).is_err(),
            "{name}"
        );
    }
}

/// Functions with a different answer in each call are unknown in a plan.
#[test]
fn what_cannot_be_planned_is_unknown() {
    let unknown = Value::refined_unknown(Type::String, Refinements::not_null()).unwrap();
    for expression in ["timestamp()", "uuid()", "plantimestamp()", r#"bcrypt("x", 4)"#] {
        assert_eq!(evaluated(expression), Some(unknown.clone()), "{expression}");
    }
    let planned = Functions::pure().clone().with_plan_time("2026-01-02T03:04:05Z");
    assert_eq!(
        planned.get("plantimestamp").unwrap().call(Vec::new()),
        Ok(Value::from("2026-01-02T03:04:05Z"))
    );
}

/// In the type of a `convert` the names of types are not variables; where a version has no such function, it
/// is not there.
#[test]
fn types_to_convert_to_are_no_references() {
    let expr = parse_expression("convert(a, object({ b = optional(string, c) })) + string").unwrap();
    let names: Vec<&str> = variables(&expr).iter().map(|reference| reference.name.as_str()).collect();
    assert_eq!(names, ["a", "c", "string"]);
    let expr = parse_expression("convert(1, string)").unwrap();
    let nothing = Variables::default();
    let errors =
        |minor| evaluate(&expr, &Scope::new(&nothing), &Functions::pure().clone().of_version((1, minor))).1;
    assert_eq!(errors(15).len(), 0);
    assert_eq!(errors(14)[0].summary, "Call to unknown function");
}

/// Before 1.12 both operands of `&&` and `||` count, and a null without a type makes what is formatted unknown.
#[test]
fn older_versions_evaluate_as_they_did() {
    let variables: Variables = [("u", Value::unknown(Type::Bool))].into_iter().collect();
    let asked = [
        ("u || true", "true", "unknown"),
        ("false && u", "false", "unknown"),
        ("try(u && tobool(\"x\"), \"E\")", "unknown", "\"E\""),
        ("try(false && tobool(\"x\"), \"E\")", "false", "\"E\""),
        ("try(null && false, \"E\")", "false", "\"E\""),
        ("try(tobool(\"x\") && null, \"E\")", "false", "\"E\""),
        ("try(null || tobool(\"x\"), \"E\")", "\"E\"", "\"E\""),
        ("try(true || null, \"E\")", "true", "\"E\""),
        ("true && true || false", "true", "true"),
        ("try(format(\"%s\", null), \"E\")", "\"E\"", "unknown"),
        ("try(formatlist(\"%s\", [\"a\"], null), \"E\")", "\"E\"", "unknown"),
        ("try(format(\"%s\", tostring(null)), \"E\")", "\"E\"", "\"E\""),
    ];
    for (text, newer, older) in asked {
        let expr = parse_expression(text).unwrap();
        for (minor, expected) in [(12, newer), (11, older)] {
            let functions = Functions::pure().clone().of_version((1, minor));
            let (value, errors) = evaluate(&expr, &Scope::new(&variables), &functions);
            let shown = match value.is_known() {
                true => value
                    .as_str()
                    .map_or_else(|| value.as_bool().unwrap().to_string(), |text| format!("{text:?}")),
                false => "unknown".to_owned(),
            };
            assert_eq!((shown.as_str(), errors.len()), (expected, 0), "{text} in 1.{minor}");
        }
    }
}

/// As `terraform console` has them: a tab may not be indentation, but may be in texts and between brackets.
#[test]
fn tabs_in_yaml() {
    let decode = |text: &str| {
        let expr = parse_expression(&format!("jsonencode(yamldecode({text:?}))")).unwrap();
        let (value, errors) = evaluate(&expr, &Scope::new(&Variables::default()), Functions::pure());
        if errors.is_empty() { value.as_str().map(str::to_owned) } else { None }
    };
    for (text, json) in [
        ("a: \"b\n  -\tc\"", Some(r#"{"a":"b -\tc"}"#)),
        ("a: |\n  b\n  -\tc", Some(r#"{"a":"b\n-\tc"}"#)),
        ("a: [b,\n\tc]\n", Some(r#"{"a":["b","c"]}"#)),
        ("a: [b,\nc]\n\td", None),
        ("\ta: b", None),
    ] {
        assert_eq!(decode(text).as_deref(), json, "{text:?}");
    }
}

/// In Terraform's words.
#[test]
fn what_is_wrong_with_arguments_is_said() {
    for (expression, said) in [
        (
            r#"cidrsubnets("::ffff:10.0.0.0/104", 8, 8)"#,
            "not enough remaining address space for a subnet with a prefix of 112 bits after <nil>",
        ),
        (
            r#"cidrsubnets("10.1.0.0/16", 1, 1, 1)"#,
            "not enough remaining address space for a subnet with a prefix of 17 bits after 10.1.128.0/17",
        ),
        (
            r#"uuidv5("urn:uuix:6ba7b810-9dad-11d1-80b4-00c04fd430c8", "a")"#,
            r#"invalid urn prefix: "urn:uuix:""#,
        ),
        (r#"uuidv5("urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430cx", "a")"#, "invalid UUID format"),
        (r#"uuidv5("urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430", "a")"#, "invalid UUID length: 43"),
    ] {
        let parsed = parse_expression(expression).unwrap();
        let (_, errors) = evaluate(&parsed, &Scope::new(&Variables::default()), Functions::pure());
        let details: Vec<&str> = errors.iter().map(|error| &*error.detail).collect();
        assert!(matches!(details[..], [detail] if detail.contains(said)), "{expression}: {details:?}");
    }
}

/// How long it may be is known as far as 2048.
#[test]
fn the_length_of_an_unknown_product_is_bounded() {
    let list = |most: u64| {
        let promised = Refinements { length_upper: Some(most), ..Refinements::not_null() };
        Value::refined_unknown(Type::list(Type::String), promised).unwrap()
    };
    for (a, b, bound) in [(2, 3, Some(6)), (64, 32, Some(2048)), (683, 3, None)] {
        let variables: Variables = [("a", list(a)), ("b", list(b))].into_iter().collect();
        let parsed = parse_expression("setproduct(a, b)").unwrap();
        let (value, errors) = evaluate(&parsed, &Scope::new(&variables), Functions::pure());
        assert_eq!(errors, []);
        assert_eq!(value.refinements().unwrap().length_upper, bound, "{a} * {b}");
    }
}
