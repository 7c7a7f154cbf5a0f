//! Sentences of providers, each with the wish that is understood.

use objchange::value::Number;

use super::super::generate::Form;
use super::sentence::{Measure, PATTERNS, Wish, wish};

fn number(text: &str) -> Option<Number> {
    Number::parse(text).ok()
}

/// The wish, given attributes of these names.
#[track_caller]
fn check(sentence: &str, wanted: &Wish) {
    let known = ["size", "a", "b", "c", "auth_type", "vlan_id", "list", "port_id"];
    assert_eq!(&wish(sentence, Some("name"), &|name| known.contains(&name)), wanted, "{sentence}");
}

fn one_of(items: &[&str]) -> Wish {
    Wish::OneOf(items.iter().map(|item| (*item).to_owned()).collect())
}

fn range(least: Option<&str>, most: Option<&str>, measure: Measure) -> Wish {
    Wish::Range { least: least.and_then(number), most: most.and_then(number), measure }
}

fn present(names: &[&str], all: bool) -> Wish {
    Wish::Present { names: names.iter().map(|name| (*name).to_owned()).collect(), all }
}

#[test]
fn all_patterns_are_regular_expressions() {
    for (name, pattern) in PATTERNS {
        assert!(pattern.is_some(), "{name}");
    }
}

#[test]
fn choices() {
    let abc = one_of(&["x1", "x2", "x3"]);
    for sentence in [
        "expected name to be one of [x1 x2 x3], got y",
        r#"expected name to be one of ["x1" "x2" "x3"], got y"#,
        r#"Attribute name value must be one of: ["x1" "x2" "x3"], got: "y""#,
        r#"Attribute allowed_uses[0] value must be one of: ["x1" "x2" "x3"], got: "y""#,
        r#"Attribute allowed_uses[Value("y")] value must be one of: ["x1" "x2" "x3"], got: "y""#,
        r#"expected allowed_uses.0 to be one of ["x1" "x2" "x3"], got y"#,
        "Device must have a type of: [x1 x2 x3]",
        "only 'x1', 'x2', and 'x3' are supported values for 'name'",
        "Only x1, x2, and x3 are supported values for 'name'",
        "Input should be 'x1', 'x2' or 'x3'",
        "value is not a valid enumeration member; permitted: 'x1', 'x2', 'x3'",
        "name: must be one of x1, x2, x3",
        "invalid name \"y\": valid values are x1, x2 and x3",
        "name must be either \"x1\", \"x2\", or \"x3\"",
    ] {
        check(sentence, &abc);
    }
}

#[test]
fn bounds() {
    for (sentence, wanted) in [
        ("expected name to be in the range (1 - 10), got 20", range(Some("1"), Some("10"), Measure::Itself)),
        (
            "expected name to be in the range (-5 - 10), got 20",
            range(Some("-5"), Some("10"), Measure::Itself),
        ),
        ("expected name to be at least (5), got 1", range(Some("5"), None, Measure::Itself)),
        ("expected name to be at most (5), got 9", range(None, Some("5"), Measure::Itself)),
        (
            "Attribute name value must be between 1 and 10, got: 20",
            range(Some("1"), Some("10"), Measure::Itself),
        ),
        ("Attribute name value must be at least 0.5, got: 0", range(Some("0.5"), None, Measure::Itself)),
        ("Input should be greater than or equal to 3", range(Some("3"), None, Measure::Itself)),
        ("Input should be greater than 3", range(Some("4"), None, Measure::Itself)),
        ("Input should be less than 3", range(None, Some("2"), Measure::Itself)),
        ("name must be >= 2", range(Some("2"), None, Measure::Itself)),
        ("name must be a positive number", range(Some("1"), None, Measure::Itself)),
        (
            "expected length of name to be in the range (1 - 80), got ",
            range(Some("1"), Some("80"), Measure::Length),
        ),
        (
            "Attribute name string length must be between 1 and 5, got: 9",
            range(Some("1"), Some("5"), Measure::Characters),
        ),
        ("String should have at least 3 characters", range(Some("3"), None, Measure::Characters)),
        ("String should have at most 3 characters", range(None, Some("3"), Measure::Characters)),
        ("name cannot be longer than 63 characters", range(None, Some("63"), Measure::Characters)),
        ("Attribute supports 2 item minimum, config has 1 declared", range(Some("2"), None, Measure::Length)),
        (
            "Attribute supports 1 item maximum, but config has 2 declared",
            range(None, Some("1"), Measure::Length),
        ),
        (
            "Attribute requires 1 item minimum, but config has only 0 declared.",
            range(Some("1"), None, Measure::Length),
        ),
        (
            "Attribute name list must contain at least 2 elements, got: 1",
            range(Some("2"), None, Measure::Length),
        ),
        ("List should have at least 1 item after validation, not 0", range(Some("1"), None, Measure::Length)),
        ("name must not be less than 2", range(Some("2"), None, Measure::Itself)),
        ("name must be no more than 2 or so", range(None, Some("2"), Measure::Itself)),
        ("name needs 8 characters or more", range(Some("8"), None, Measure::Characters)),
        ("name must be non-negative", range(Some("0"), None, Measure::Itself)),
        ("expected name to be divisible by 4, got: 5", Wish::MultipleOf(Number::from(4))),
    ] {
        check(sentence, &wanted);
    }
}

#[test]
fn presence() {
    let absent =
        |names: &[&str]| Wish::Absent { unless: names.iter().map(|name| (*name).to_owned()).collect() };
    for (sentence, wanted) in [
        ("ConflictsWith \"name\": conflicts with vlan_id", absent(&["vlan_id"])),
        ("Invalid or unknown key", absent(&[])),
        ("Attribute \"name\" cannot be specified when \"a\" is specified", absent(&["a"])),
        ("\"name\": one of `a,b` must be specified", present(&["a", "b"], false)),
        ("\"name\": all of `a,b` must be specified", present(&["a", "b"], true)),
        (
            "\"name\": only one of `a,b` can be specified, but `a,b` were specified.",
            Wish::OnlyOne(vec!["a".into(), "b".into()]),
        ),
        ("No attribute specified when one (and only one) of [a,b] is required", present(&["a", "b"], false)),
        (
            "2 attributes specified when one (and only one) of [a,b] is required",
            Wish::OnlyOne(vec!["a".into(), "b".into()]),
        ),
        ("At least one attribute out of [a,b] must be specified", present(&["a", "b"], false)),
        ("one of a or b must be specified", present(&["a", "b"], false)),
        (
            "Missing required argument The argument \"size\" is required, but no definition was found.",
            present(&["size"], true),
        ),
        ("Field required", present(&[], true)),
        ("Attribute \"b\" must be specified when \"name\" is specified", present(&["b"], true)),
    ] {
        check(sentence, &wanted);
    }
}

#[test]
fn forms() {
    for (sentence, wanted) in [
        (
            "expected name to contain a valid CIDR, got: x with err: invalid CIDR address: x",
            Wish::Like(Form::Cidr),
        ),
        ("expected name to be a valid IPv4 Value", Wish::Like(Form::Ip)),
        ("expected name to contain a valid IP, got: x", Wish::Like(Form::Ip)),
        ("expected \"name\" to have a url with schema of: \"http,https\"", Wish::Like(Form::Url)),
        ("\"name\" contains an invalid JSON: invalid character 'x'", Wish::Like(Form::Json)),
        ("expected name to be a valid RFC3339 date, got x: parsing time", Wish::Like(Form::Time)),
        ("expected \"name\" to be a valid UUID, got x", Wish::Like(Form::Uuid)),
        ("name: time: invalid duration \"x\"", Wish::Like(Form::Duration)),
        ("Attribute must be a whole number, got 0.1", Wish::Whole),
        ("strconv.ParseBool: parsing \"x\": invalid syntax", Wish::Bool),
        ("strconv.ParseInt: parsing \"x\": invalid syntax", Wish::Whole),
        ("vmdk_path must end with '.vmdk'", Wish::End(".vmdk".into())),
        ("name must begin with \"sg-\"", Wish::Begin("sg-".into())),
        ("expected \"name\" to not be an empty string, got ", Wish::NotEmpty),
        ("invalid value for name (must match regex ^[a-z]+$)", Wish::Matching("^[a-z]+$".into())),
        (
            "Attribute name value must match regular expression '^[a-z]{3}$', got: X",
            Wish::Matching("^[a-z]{3}$".into()),
        ),
        ("String should match pattern '^[a-z]+$'", Wish::Matching("^[a-z]+$".into())),
        ("active entry \"x\" not present in list", Wish::Include("x".into())),
        (
            "name can be managed only when auth_type = \"idp\"",
            Wish::Elsewhere { name: "auth_type".into(), value: "idp".into() },
        ),
        ("read bundle \"/tmp/0\" failed: stat /tmp/0: no such file or directory", Wish::Existing),
        ("something is wrong here", Wish::Other),
        ("", Wish::Other),
    ] {
        check(sentence, &wanted);
    }
}
