//! Unknown values of a host: a run reports where a policy looked at them, and which rules did.

mod law;
mod policies;

use std::sync::Arc;

use objchange_sentinel::{Import, List, Map, Members, Policy, Run, Setup, Source, Text, Value};

/// An object with some members, and others that are unknown.
struct Object(Vec<(&'static str, Value)>, Vec<&'static str>);

impl Members for Object {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.0.iter().position(|(other, _)| *other == key)
    }

    fn key(&self, position: usize) -> Text {
        Text::from(self.0[position].0)
    }

    fn value(&self, position: usize) -> Value {
        self.0[position].1.clone()
    }

    fn unknown(&self, key: &str) -> Option<String> {
        self.1.contains(&key).then(|| format!("x.{key}"))
    }

    fn unknowns(&self) -> Vec<String> {
        self.1.iter().map(|key| format!("x.{key}")).collect()
    }
}

#[derive(Debug)]
struct Host;

impl Import for Host {
    fn member(&self, name: &str) -> Option<Value> {
        let list = List::partly_unknown(vec![Value::from(1), Value::Null], vec![(1, "x.list[1]".to_owned())]);
        let known = vec![
            ("a", Value::from(1)),
            ("list", Value::List(list)),
            ("undefined", Value::undefined()),
            ("whole", Value::Map(Map::lazy(Object(vec![("k", Value::from(1))], vec![])))),
        ];
        (name == "m").then(|| Value::Map(Map::lazy(Object(known, vec!["id", "undefined"]))))
    }
}

fn with_host<T>(source: &str, look: impl FnOnce(&mut Run<'_>) -> T) -> T {
    let policy = Policy::parse("p", &format!("import \"h\"\n{source}")).unwrap();
    let mut setup = Setup::default();
    setup.imports.insert("h".to_owned(), Source::Host(Arc::new(Host)));
    let mut run = Run::new(&policy, &setup);
    if let Err(error) = run.value("main") {
        panic!("{source}: {error}");
    }
    look(&mut run)
}

#[test]
fn who_looks_is_noted() {
    let cases = [
        ("h.m.a", ""),
        ("h.m.none", ""),
        ("h.m.id", "x.id"),
        ("h.m[\"id\"]", "x.id"),
        ("h.m.id else 5", "x.id"),
        ("h.m.id is defined", "x.id"),
        ("\"id\" in h.m", "x.id"),
        ("\"a\" in h.m", ""),
        ("h.m.undefined", "x.undefined"),
        ("length(h.m)", "x.id x.undefined"),
        ("keys(h.m) is []", "x.id x.undefined"),
        ("\"a\" in keys(h.m)", ""),
        ("\"none\" not in keys(h.m)", ""),
        ("\"id\" in keys(h.m)", "x.id"),
        ("h.m is empty", "x.id x.undefined"),
        ("h.m is defined", ""),
        ("any h.m as k { k is 1 }", "x.id x.undefined"),
        // It has a member for certain.
        ("h.m is {}", ""),
        ("{\"b\": 1} is h.m", ""),
        ("[h.m] is [{}]", ""),
        ("h.m.list", ""),
        ("h.m.list[0]", ""),
        ("h.m.list[1]", "x.list[1]"),
        ("h.m.list[-1]", "x.list[1]"),
        ("h.m.list[9]", ""),
        ("h.m.list[0:1]", "x.list[1]"),
        ("h.m.list contains 7", "x.list[1]"),
        ("h.m.list + [2] is []", "x.list[1]"),
        ("all h.m.list as x { true }", "x.list[1]"),
        ("length(h.m.list)", "x.list[1]"),
        ("h.m.whole is {\"k\": 1}", ""),
        ("length(h.m.whole)", ""),
        ("print(h.m.list)", "x.list[1]"),
    ];
    for (expression, expected) in cases {
        let source = format!("x = {expression}\nmain = rule {{ x is 7 }}\n");
        let found = with_host(&source, |run| {
            let list = run.unknown_reads().list;
            list.iter().map(|read| read.what.clone()).collect::<Vec<_>>().join(" ")
        });
        assert_eq!(found, expected, "{expression}");
    }
}

#[test]
fn imports_look_too() {
    for (import, expression, expected) in [
        ("collection/maps", "i.get(h.m, \"id\", 3)", "x.id"),
        ("collection/maps", "i.get({\"m\": h.m}, \"m.id\", 3)", "x.id"),
        ("collection/maps", "i.has({\"m\": h.m}, \"m.a\")", ""),
        ("json", "i.marshal([h.m.list])", "x.list[1]"),
        ("collection", "i.filter([1], func(x) { return h.m.id else false })", "x.id"),
    ] {
        let found = with_host(
            &format!("import \"{import}\" as i\nx = {expression}\nmain = rule {{ x is 7 }}"),
            |run| {
                let list = run.unknown_reads().list;
                list.iter().map(|read| read.what.clone()).collect::<Vec<_>>().join(" ")
            },
        );
        assert_eq!(found, expected, "{expression}");
    }
}

#[test]
fn rules_that_look_are_named_and_those_that_use_them() {
    let source = "a = rule { h.m.id is 1 }\nb = rule { h.m.a is 1 }\nc = rule { b and (a else true) }\n\
                  main = rule { b and c }\n";
    let found = with_host(source, |run| {
        let rules = run.rules();
        let reads = run.unknown_reads();
        assert_eq!(reads.more, 0);
        let one = |read: &objchange_sentinel::UnknownRead| {
            let names: Vec<&str> = read.rules.iter().map(|&index| &*rules[index].name).collect();
            format!("{} {} {}", read.what, read.location.position, names.join(" "))
        };
        reads.list.iter().map(one).collect::<Vec<_>>()
    });
    assert_eq!(found, ["x.id 2:15 a c main"]);
    with_host("x = h.m.id\nmain = true", |run| assert!(run.unknown_reads().list.is_empty()));
    with_host("main = h.m.id else true", |run| {
        let reads = run.unknown_reads();
        assert!(reads.is_undecided && reads.list[0].rules.is_empty());
    });
}

/// A variable is as uncertain as the block of the function that may assign to it.
#[test]
fn a_block_that_may_run_may_assign_outside_of_its_function() {
    for assignment in ["x = 2", "x += 1"] {
        let f = format!("func() {{\n if h.m.id is 3 {{ {assignment} }}\n return true\n}}");
        let source = format!("x = 1\nf = {f}\nmain = rule {{ f() and x is 1 }}");
        with_host(&source, |run| assert!(run.unknown_reads().is_undecided, "{source}"));
    }
}

#[test]
fn looks_are_bounded() {
    let source = "x = []\n".to_owned() + &"append(x, h.m.id)\n".repeat(1500) + "main = rule { 5 in x }";
    with_host(&source, |run| {
        let reads = run.unknown_reads();
        assert_eq!((reads.list.len(), reads.more), (1000, 500));
    });
}
