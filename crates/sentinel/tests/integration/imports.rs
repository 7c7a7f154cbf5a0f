//! Imports: standard ones, modules, data, and those of a host.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use objchange_sentinel::{Function, Import, Map, Members, Policy, Run, Setup, Source, Text, Value, Verdict};
use serde_json::json;

fn shown_with(source: &str, setup: &Setup) -> String {
    let policy = Policy::parse("p", source).unwrap_or_else(|errors| panic!("{source}: {errors:?}"));
    match Run::new(&policy, setup).value("v") {
        Ok(Some(value)) => format!("{value:?}"),
        Ok(None) => "absent".to_owned(),
        Err(error) => format!("error {}", error.message),
    }
}

#[track_caller]
fn check(import: &str, cases: &[(&str, &str)]) {
    // 2024-02-29T12:30:05.000000007Z.
    let mut setup = Setup::default();
    setup.now = 1_709_209_805_000_000_007;
    for (expression, expected) in cases {
        let source = format!("import \"{import}\" as i\nv = {expression}");
        assert_eq!(shown_with(&source, &setup), *expected, "{expression}");
    }
}

#[test]
fn strings() {
    check(
        "strings",
        &[
            ("i.has_prefix(\"abc\", \"ab\")", "true"),
            ("i.has_suffix(12, 2)", "true"),
            ("i.has_prefix(undefined, \"a\")", "undefined"),
            ("i.has_prefix(null, \"a\")", "error expected a string, found null"),
            ("i.trim_prefix(\"aab\", \"a\")", "\"ab\""),
            ("i.trim_suffix(\"abb\", \"b\")", "\"ab\""),
            ("i.to_lower(\"ÀB\") + i.to_upper(\"ß\")", "\"àbß\""),
            ("i.split(\"a,b\", \",\")", "[\"a\", \"b\"]"),
            ("i.split(\"日b\", \"\")", "[\"日\", \"b\"]"),
            ("i.split([1], \",\")", "[1]"),
            ("i.join([\"a\", [1, [2.5]], true], \"-\")", "\"a-1-2.5-true\""),
            ("i.join([{}], \"-\")", "error expected a string, found map"),
            ("i.replace(\"aaa\", \"a\", \"b\", 2)", "\"bba\""),
            ("i.replace(\"aaa\", \"a\", \"b\", -1)", "\"bbb\""),
            (
                "i.trim(\"xyaxy\", \"yx\") + i.trim_left(\"xax\", \"x\") + i.trim_right(\"xax\", \"x\")",
                "\"aaxxa\"",
            ),
            ("i.trim_space(\" a\\n\")", "\"a\""),
            ("i.nope", "undefined"),
            ("i.nope(1)", "undefined"),
        ],
    );
}

#[test]
fn json_base64_types_units_runtime() {
    check(
        "json",
        &[
            ("i.unmarshal(\"{\\\"a\\\": [1, 1.5, null, true]}\")", "{\"a\": [1, 1.5, null, true]}"),
            ("i.unmarshal(\"{\")", "error this is not JSON: EOF while parsing an object at line 1 column 1"),
            ("i.unmarshal(1)", "error expected a string, found int"),
            (
                "i.marshal({\"b\": [undefined, 1], \"a\": undefined, \"c\": \"é\"})",
                "\"{\\\"b\\\":[1],\\\"c\\\":\\\"é\\\"}\"",
            ),
            ("i.marshal(length)", "undefined"),
            ("i.marshal([1.0 / 0])", "error +Inf has no form in JSON"),
            ("i.valid(\"[]\") and not i.valid(\"[\")", "true"),
        ],
    );
    check(
        "base64",
        &[
            ("i.encode(\"a?>\")", "\"YT8+\""),
            ("i.decode(\"YT8+\")", "\"a?>\""),
            ("i.urlencode(\"a?>\") + i.urldecode(\"YT8-\")", "\"YT8-a?>\""),
            ("i.decode(\"!\") is defined", "error this is not base64: invalid length at 0"),
        ],
    );
    check(
        "types",
        &[(
            "map [1, 1.5, \"\", [], {}, null, undefined, true, length, rule { 1 }] as x { i.type_of(x) }",
            "[\"int\", \"float\", \"string\", \"list\", \"map\", \"null\", \"undefined\", \"bool\", \"func\", \"int\"]",
        )],
    );
    check("units", &[("i.megabyte + i.kilobyte", "1049600"), ("i.petabyte", "1125899906842624")]);
    check("runtime", &[("i.version", "\"0.40.0\"")]);
}

#[test]
fn sockaddr() {
    check(
        "sockaddr",
        &[
            ("i.is_contained(\"10.0.0.0/8\", \"10.1.2.3\")", "true"),
            ("i.is_contained(\"10.0.0.0/8\", \"10.0.0.0/7\")", "false"),
            ("i.is_contained(\"0.0.0.0/0\", \"::1\")", "false"),
            ("i.is_contained(\"::/0\", \"::1/128\")", "true"),
            ("i.is_contained(\"x\", \"::1\")", "error this is neither an address nor a range of addresses"),
            ("i.is_equal(\"1.2.3.4\", \"1.2.3.4/32\")", "true"),
            (
                "[i.is_ipv4(\"1.2.3.4/8\"), i.is_ipv6(\"::1\"), i.is_ipv4(\"x\"), i.is_ipv6(\"1.2.3.4\")]",
                "[true, true, false, false]",
            ),
        ],
    );
}

#[test]
fn versions() {
    check(
        "version",
        &[
            ("i.new(\"v1.2\").patch", "0"),
            ("i.new(\"1.2.3-rc.1+meta\")", "1.2.3-rc.1+meta"),
            ("i.new(\"1.2.3-rc.1+meta\").prerelease + i.new(\"1.0.0+m\").metadata", "\"rc.1m\""),
            ("i.new(\"1.x\")", "error this is no version"),
            ("i.new(\"1.2.3\").greater_than(\"1.2.3-rc.1\")", "true"),
            ("i.new(\"1.2.3-rc.10\").gt(i.new(\"1.2.3-rc.9\"))", "true"),
            ("i.new(\"1.2.3+a\").eq(\"1.2.3+b\")", "true"),
            ("i.new(\"1.2.3\") is i.new(\"1.2.3\")", "true"),
            ("i.new(\"1.2.3\").cmp(\"2\")", "-1"),
            (
                "map [\"~> 1.2\", \"~> 1.2.0\", \">= 1, != 1.5.0\", \"= 1.5.0\", \"1.5\", \"~> 1\"] as c { i.new(\"1.5.0\").satisfies(c) }",
                "[true, false, false, true, true, true]",
            ),
            (
                "map [\">= 1.0\", \">= 1.5.0-a\", \">= 1.5.0-z\", \"!= 2\"] as c { i.new(\"1.5.0-b\").sat(c) }",
                "[false, true, false, true]",
            ),
            ("i.new(\"1.5.0\").sat(\"what\")", "error this is no constraint of versions"),
            ("-i.new(\"1.5.0\")", "error expected a number, found version"),
        ],
    );
}

#[test]
fn decimals() {
    check(
        "decimal",
        &[
            ("i.new(\"1.25\").add(1)", "2.25"),
            ("i.new(\"0.1\").add(\"0.2\") is i.new(\"0.3\")", "true"),
            ("i.new(0.1).string", "\"0.1\""),
            ("i.new(100)", "100"),
            ("[i.new(\"-12.5e3\").coefficient, i.new(\"-12.5e3\").exponent]", "[-12500, 0]"),
            ("[i.new(\"1.25\").coefficient, i.new(\"1.25\").exponent]", "[125, -2]"),
            ("map [-2, 0, \"0.001\"] as x { i.new(x).sign }", "[-1, 0, 1]"),
            ("i.new(1).div(3).string", &format!("\"0.{}\"", "3".repeat(100))),
            ("i.new(2).div(3).string", &format!("\"0.{}7\"", "6".repeat(99))),
            ("i.new(\"0.0000001\")", "1E-7"),
            ("i.new(\"0.000001\")", "0.000001"),
            ("i.new(\"12e200\")", "1.2E+201"),
            (
                "[i.new(\"-1.5\").int, i.new(\"1.5\").int, i.new(\"1.5\").float, i.new(\"1e30\").int]",
                "[-2, 1, 1.5, undefined]",
            ),
            (
                "[i.new(\"9223372036854775807\").int, i.new(\"9223372036854775808\").int]",
                "[9223372036854775807, undefined]",
            ),
            ("i.new(7).mod(-3)", "1"),
            ("i.new(-7).rem(\"2.5\")", "-2"),
            ("[i.new(7).rem(0), i.new(7).mod(0)]", "[NaN, NaN]"),
            ("i.new(2).pow(10)", "1024"),
            ("i.new(2).power(-1)", "0.5"),
            ("i.new(2).pow(\"0.5\").string is i.new(2).sqrt().string", "true"),
            ("i.new(-8).pow(\"0.5\")", "NaN"),
            ("[i.new(0).pow(0), i.new(0).pow(2), i.new(0).pow(-2)]", "[1, 0, Infinity]"),
            (
                "[i.new(2).pow(1000000), i.new(-2).pow(1000001), i.new(2).pow(-1000000)]",
                "[Infinity, -Infinity, 0]",
            ),
            ("i.new(1).exp().ln().sub(1).abs().lt(\"1e-98\")", "true"),
            ("[i.new(1000000).exp(), i.new(-1000000).exp(), i.new(0).exp()]", "[Infinity, 0, 1]"),
            ("[i.new(1000).log10(), i.new(0).log10(), i.new(-1).ln()]", "[3, -Infinity, NaN]"),
            (
                "[i.new(\"1.5\").ceil(), i.new(\"-1.5\").floor(), i.new(-2).abs(), i.new(2).neg()]",
                "[2, -2, 2, -2]",
            ),
            ("[i.new(16).square_root(), i.new(-1).sqrt()]", "[4, NaN]"),
            (
                "[i.new(1).lt(2), i.new(1).gte(\"1.0\"), i.new(1).is(1), i.new(1).is_not(1), i.new(2).less_than_or_equals(1)]",
                "[true, true, true, false, false]",
            ),
            (
                "[i.nan.is(i.nan), i.nan is i.nan, i.nan.is_not(1), i.nan.lt(1)]",
                "[false, false, true, false]",
            ),
            (
                "[i.infinity(-1), i.inf(1).add(1), i.inf(1).sub(i.inf(1)), i.inf(1).mul(0)]",
                "[-Infinity, Infinity, NaN, NaN]",
            ),
            (
                "[i.new(1).div(0), i.new(-1).div(0), i.new(0).div(0), i.new(1).div(i.inf(1))]",
                "[Infinity, -Infinity, NaN, 0]",
            ),
            (
                "[i.inf(-1).lt(-5), i.is_infinite(i.inf(1)), i.isnan(i.nan), i.is_nan(1)]",
                "[true, true, true, false]",
            ),
            (
                "[i.new(\"1e100001\"), i.new(\"-1e999999999999\"), i.new(\"1e-100002\")]",
                "[Infinity, -Infinity, 0]",
            ),
            ("i.new(\"1e90000\").mul(\"1e90000\")", "Infinity"),
            ("i.new(\"1e100000\").add(1).is(\"1e100000\")", "true"),
            ("i.new(\"1e90000\").mod(7).lt(7)", "true"),
            ("i.new(\"x\")", "error this is no decimal number: x"),
            ("i.new(\"\")", "error this is no decimal number: "),
            ("i.new(true)", "error expected a string, found bool"),
            ("-i.new(1)", "error expected a number, found decimal"),
            ("i.new(undefined)", "undefined"),
            ("i.new(1).add(undefined)", "undefined"),
            ("i.new(1).nope", "undefined"),
            ("i.new(\"é\")", "error this is no decimal number: é"),
        ],
    );
}

#[test]
fn time() {
    check(
        "time",
        &[
            ("i.now", "2024-02-29T12:30:05.000000007+00:00"),
            (
                "[i.now.year, i.now.month, i.now.day, i.now.hour, i.now.minute, i.now.second]",
                "[2024, 2, 29, 12, 30, 5]",
            ),
            ("[i.now.weekday, i.now.weekday_name, i.now.month_name]", "[4, \"Thursday\", \"February\"]"),
            ("[i.now.unix, i.now.unix_nano]", "[1709209805, 1709209805000000007]"),
            ("i.load(\"2024-01-01T01:00:00-05:30\").zone_string", "\"-05:30\""),
            ("i.load(\"2024-01-01T01:00:00-05:30\").hour", "1"),
            ("i.load(0).add(2 * i.hour).hour", "2"),
            ("i.load(\"1970-01-01T00:00:01Z\").equal(1)", "true"),
            ("i.now.after(0) and i.load(0).before(i.now)", "true"),
            ("i.load(10).sub(4) is 6 * i.second", "true"),
            ("i.load(0) is i.load(\"1970-01-01T00:00:00Z\")", "true"),
            ("i.load(0) is i.load(1)", "false"),
            (
                "i.load(\"x\")",
                "error this is no moment: expected one, seconds since 1970, or a text of RFC 3339",
            ),
            ("i.now.nope", "undefined"),
            ("-i.now", "error expected a number, found timespace"),
        ],
    );
}

#[test]
fn collection() {
    check(
        "collection",
        &[
            ("i.filter([1, 2, 3], func(x) { return x > 1 })", "[2, 3]"),
            ("i.filter({\"a\": 1, \"b\": 2}, func(x, k) { return k is \"b\" })", "[2]"),
            ("i.reject([1, 2, {}], func(x) { return x < 2 })", "[2, {}]"),
            ("i.find([1, 2, 3], func(x) { return x > 1 })", "2"),
            ("i.find([1], func(x) { return false })", "undefined"),
            (
                "i.matches([{\"a\": {\"b\": 1, \"c\": 2}}, {\"a\": 1}], {\"a\": {\"b\": 1}})",
                "[{\"a\": {\"b\": 1, \"c\": 2}}]",
            ),
            ("i.reduce([1, 2, 3], func(a, x) { return a + x })", "6"),
            ("i.reduce({\"a\": 1}, func(a, x, k) { return a + k }, \"z\")", "\"za\""),
            ("i.filter(null, func(x) { return true })", "error expected a list, found null"),
            ("i.filter([1], func(x) { return 1 })", "error expected a bool from this function, found int"),
            ("i.filter([1], func(x) { return rule { true } })", "[1]"),
            ("i.filter([1], func(x) { return error(\"in\") })", "error in"),
        ],
    );
    check(
        "collection/lists",
        &[
            ("i.concat([1], [2, 3])", "[1, 2, 3]"),
            ("i.sort([3, 1, 2, 1], func(a, b) { return compare(a, b) })", "[1, 1, 2, 3]"),
            (
                "i.sort([[1, \"a\"], [0, \"b\"], [1, \"c\"]], func(a, b) { return a[0] - b[0] })",
                "[[0, \"b\"], [1, \"a\"], [1, \"c\"]]",
            ),
            ("i.sort(range(50), func(a, b) { return 1 })[0] is defined", "true"),
            ("i.sum([1, 2.5, \"3\"])", "6.5"),
            ("i.union([1, 2, 1], [2.0, 3])", "[1, 2, 3]"),
            ("i.difference([1, 2, 3], [2])", "[1, 3]"),
            ("i.intersection([1, 2, 2, 3], [3, 2])", "[2, 3]"),
        ],
    );
    let map = "{\"a\": {\"b\": [{\"c\": 1}, {\"d\": null}, {\"c\": 3}]}}";
    let cases = [
        ("get(M, \"a.b.0.c\")", "1"),
        ("get(M, \"a.b.*.c\")", "[1, 3]"),
        ("get(M, \"a.x\", 5)", "5"),
        ("get(M, \"a.b.1.d\", 5)", "null"),
        ("get(undefined, \"a\")", "undefined"),
        ("has(M, \"a.b.9\")", "false"),
        ("set(M, \"a.b.*.c\", 7)", "{\"a\": {\"b\": [{\"c\": 7}, {\"c\": 7, \"d\": null}, {\"c\": 7}]}}"),
        ("set({}, \"x.y\", 1)", "{\"x\": {\"y\": 1}}"),
        ("unset({\"a\": 1}, \"a.b\")", "{\"a\": 1}"),
        ("unset(M, \"a.b.1\")", "{\"a\": {\"b\": [{\"c\": 1}, {\"c\": 3}]}}"),
        ("pick(M, [\"a.b.*.c\", \"z\"])", "{\"a\": {\"b\": [{\"c\": 1}, {}, {\"c\": 3}]}}"),
        ("omit(M, [\"a.b\"])", "{\"a\": {}}"),
    ];
    let cases: Vec<(String, &str)> =
        cases.iter().map(|(call, v)| (format!("i.{}", call.replace('M', map)), *v)).collect();
    let cases: Vec<(&str, &str)> = cases.iter().map(|(call, v)| (&**call, *v)).collect();
    check("collection/maps", &cases);
}

#[test]
fn modules() {
    let module = |text: &str| Source::Module(Policy::parse("m.sentinel", text).unwrap());
    let mut setup = Setup::default();
    setup.imports.insert(
        "m".to_owned(),
        module("import \"strings\"\nn = [0]\nbig = rule { count() > 0 }\nfunc count() { n[0] += 1\nreturn n[0] }\nup = func(s) { return strings.to_upper(s) }"),
    );
    setup.imports.insert("a".to_owned(), module("import \"b\"\nx = b.x"));
    setup.imports.insert("b".to_owned(), module("import \"a\"\nx = 1"));
    setup.imports.insert("bad".to_owned(), module("x = 1 / 0"));
    setup.imports.insert("param".to_owned(), module("param x default 1"));
    setup.imports.insert("data".to_owned(), Source::Data(Arc::new(json!({ "k": { "in": 1.0 } }))));
    setup.imports.insert("list".to_owned(), Source::Data(Arc::new(json!([]))));
    let cases = [
        ("import \"m\"\nv = [m.big, m.big, m.n, m.up(\"a\"), m.none]", "[true, true, [1], \"A\", undefined]"),
        ("import \"m\" as x\nm = 1\nv = x.n[0] + m", "1"),
        ("import \"a\"\nv = 1", "error the module a imports itself"),
        ("import \"bad\"\nv = 1", "error division by zero"),
        ("import \"param\"\nv = 1", "error a module has no parameters: x"),
        ("import \"none\"\nv = 1", "error there is no import none"),
        ("import \"data\"\nv = data.k.in", "1"),
        ("import \"list\"\nv = 1", "error the data of the import list is no object: list"),
        ("import \"m\"\nv = m", "error m is an import: only its members are values"),
        ("import \"m\"\nm = 1\nv = m", "error m is an import, to which nothing can be assigned"),
        ("import \"m\"\nf = func(m) { return m }\nv = f(2)", "2"),
    ];
    for (source, expected) in cases {
        assert_eq!(shown_with(source, &setup), expected, "{source}");
    }
}

#[test]
fn paths_that_share_what_is_above_them() {
    check(
        "collection/maps",
        &[
            (
                "i.pick({\"a\": [{\"b\": 1, \"c\": 1, \"d\": 0}, {\"b\": 2}]}, [\"a.*.b\", \"a.*.c\"])",
                "{\"a\": [{\"b\": 1, \"c\": 1}, {\"b\": 2}]}",
            ),
            ("i.pick({\"a\": [1, 2]}, [\"a.1\"])", "{\"a\": [2]}"),
            (
                "i.pick({\"a\": {\"b\": 1, \"c\": 2}}, [\"a.b\", \"a\", \"x.y\"])",
                "{\"a\": {\"b\": 1, \"c\": 2}}",
            ),
            ("i.set(undefined, \"a\", 1)", "undefined"),
            ("i.has({\"a\": 1}, undefined)", "undefined"),
        ],
    );
    check("collection", &[("i.reduce([3, 1], compare)", "1")]);
    check("collection/lists", &[("string(i.sum([]))", "\"0.000000\"")]);
    check("json", &[("i.unmarshal(\"123456789.12345679\") is 123456789.12345679", "true")]);
    check("decimal", &[("i.new(100).log().int", "2")]);
}

#[test]
fn parameters_and_globals() {
    let mut setup = Setup::default();
    setup.params.insert("a".to_owned(), json!([1]));
    setup.globals.insert("g".to_owned(), json!({ "x": 2 }));
    let cases = [
        ("param a\nv = a", "[1]"),
        ("param a default 5\nv = a", "[1]"),
        ("param b default {\"x\": [-1, 2.5]}\nv = b", "{\"x\": [-1, 2.5]}"),
        ("param b\nv = 1", "error the parameter b has no value"),
        ("v = g.x", "2"),
        ("g = 3\nv = g", "3"),
    ];
    for (source, expected) in cases {
        assert_eq!(shown_with(source, &setup), expected, "{source}");
    }
}

/// A host that counts its calls.
#[derive(Debug, Default)]
struct Host(AtomicUsize);

struct Lazy(Cell<usize>);

impl Members for Lazy {
    fn count(&self) -> usize {
        1000
    }

    fn position(&self, key: &str) -> Option<usize> {
        key.strip_prefix('k')?.parse().ok()
    }

    fn key(&self, position: usize) -> Text {
        Text::from(&*format!("k{position:03}"))
    }

    fn value(&self, position: usize) -> Value {
        self.0.set(self.0.get() + 1);
        assert!(self.0.get() < 10, "everything is made");
        Value::from(position as i64)
    }
}

impl Import for Host {
    fn member(&self, name: &str) -> Option<Value> {
        self.0.fetch_add(1, Ordering::Relaxed);
        match name {
            "items" => Some(Value::Map(Map::lazy(Lazy(Cell::new(0))))),
            "twice" => {
                Some(Value::Function(Function::host("twice", 1..=1, |arguments| match &arguments[0] {
                    Value::Int(int) => Ok(Value::Int(2 * int)),
                    _ => Err("expected an int".into()),
                })))
            }
            _ => None,
        }
    }
}

#[test]
fn a_host_is_asked_once_and_only_for_what_is_looked_at() {
    let host = Arc::new(Host::default());
    let mut setup = Setup::default();
    setup.imports.insert("h".to_owned(), Source::Host(Arc::<Host>::clone(&host)));
    let cases = [
        ("import \"h\"\nv = any h.items as k, n { n is 3 }", "true"),
        (
            "import \"h\"\nv = length(filter h.items as k { k in [\"k001\"] }) + h.items.k007 + length(h.items)",
            "1008",
        ),
        ("import \"h\"\nv = h.twice(rule { 4 })", "8"),
        ("import \"h\"\nv = h.twice(\"\")", "error twice: expected an int"),
    ];
    for (source, expected) in cases {
        assert_eq!(shown_with(source, &setup), expected, "{source}");
    }
    assert_eq!(host.0.load(Ordering::Relaxed), cases.len());
}

/// A JSON object whose members are made on demand.
#[derive(Debug, Clone)]
struct Object(serde_json::Map<String, serde_json::Value>);

impl Members for Object {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.0.keys().position(|other| other == key)
    }

    fn key(&self, position: usize) -> Text {
        Text::from(self.0.keys().nth(position).unwrap().as_str())
    }

    fn value(&self, position: usize) -> Value {
        match self.0.values().nth(position).unwrap() {
            serde_json::Value::Object(members) => Value::Map(Map::lazy(Object(members.clone()))),
            other => Value::from_json(other),
        }
    }

    fn reach(&self, path: &[&str]) -> Option<Value> {
        let [names @ .., last] = path else { return None };
        let object = names.iter().try_fold(&self.0, |object, name| object.get(*name)?.as_object())?;
        let value = object.get(*last)?;
        (!value.is_object() && !value.is_array()).then(|| Value::from_json(value))
    }
}

impl Import for Object {
    fn member(&self, name: &str) -> Option<Value> {
        self.position(name).map(|position| self.value(position))
    }
}

#[test]
fn a_map_of_a_host_is_as_any_other() {
    let json =
        json!({"m": {"a": {"n": 1, "l": [1]}, "b": {"n": 2, "o": {"x": null}}, "c": {"n": 3}}, "e": {}});
    let serde_json::Value::Object(members) = &json else { panic!() };
    let mut setups = [Setup::default(), Setup::default()];
    setups[0].imports.insert("h".to_owned(), Source::Host(Arc::new(Object(members.clone()))));
    setups[1].imports.insert("h".to_owned(), Source::Data(Arc::new(json.clone())));
    for source in [
        "v = h.m",
        "v = [keys(h.m), values(h.m), length(h.m), length(h.e), h.e is empty, h.m is empty]",
        "v = [h.m.a.n, h.m.z else 0, h.m[\"b\"].o.x, h.m[1] else 2, \"a\" in h.m, \"z\" in h.m]",
        "v = filter h.m as k, x { x.n > 1 }",
        "v = filter h.m as k { k > \"a\" }",
        "v = map h.m as _, x { x.n }",
        "v = [any h.m as _, x { x.n is 3 }, all h.m as k, x { x[\"n\"] < 3 }]",
        "h.m.a[\"n\"] = 7\nv = [h.m, map h.m as _, x { x.n }]",
        "append(h.m.a.l, 2)\nv = h.m.a.l",
        "x = h.m\nx[\"d\"] = {\"n\": 4}\nv = [h.m, length(x), h.m is x]",
        "delete(h.m, \"a\")\nv = h.m",
        "s = []\nfor h.m as k, x {\n delete(h.m, k)\n x[\"k\"] = k\n append(s, x)\n}\nv = [s, h.m]",
        "s = []\nfor h.m as k, x {\n h.m[\"c\"] = 5\n append(s, x)\n}\nv = [s, h.m]",
        "for h.m as k, x { x[\"k\"] = k }\nv = [h.m.a.k, h.m]",
        "x = null\nfor h.m as k, y { if k is \"b\" { x = y } }\nx[\"n\"] = 9\nv = h.m.b.n",
        "v = [h.m.a.n, h.m.b.o.x, h.m.b.o.y else 1, h.m.b.n.y else 2, h.z.y else 3, h.m.a.l, h.m.b.o, h.m.b.o.x.y else 4]",
        "x = h.m\nv = [x.b.o.x is null, x.b.n + x.a.n, (x.z else x).b.n, x.a.l[0]]",
        "x = h.m.b.o\nx[\"x\"] = 5\nv = [h.m.b.o.x, h.m.b]",
        "h.m.b.o[\"y\"] = {\"z\": 6}\nv = [h.m.b.o.y.z, h.m.b.o.x]",
        "x = h.m.b\ny = x.o.x\ndelete(h.m, \"b\")\nv = [h.m.b.n else 7, x.n, y]",
        "v = [h.m is {\"a\": h.m.a, \"b\": h.m.b, \"c\": {\"n\": 3}}, h.m is h.e, h.e is {}]",
    ] {
        let source = format!("import \"h\"\n{source}");
        let [lazy, data] = setups.each_ref().map(|setup| shown_with(&source, setup));
        assert_eq!(lazy, data, "{source}");
        assert!(!data.starts_with("error"), "{source}: {data}");
    }
}

#[test]
fn a_policy_is_shared_between_threads() {
    let policy = Policy::parse(
        "p",
        "import \"time\"\nx = []\nfor range(100) as i { append(x, i) }\nmain = rule { length(x) is 100 }",
    )
    .unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(Run::new(&policy, &Setup::default()).verdict(), Verdict::Pass));
        }
    });
}
