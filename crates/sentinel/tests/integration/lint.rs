//! Lints of policies that are not run.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

use objchange_sentinel::{Diagnostic, Fields, LineIndex, LintContext, LintKind, Shape, lint};

/// Imports as a host may describe them.
fn import(path: &str) -> Option<Shape> {
    (path == "zoo").then(|| {
        let animal = Shape::fields(Arc::new(Animal(None)));
        let map = Shape::map(animal.clone());
        Shape::fields(Arc::new(Zoo(vec![
            ("animals", map),
            ("list", Shape::list(animal)),
            ("name", Shape::STRING),
        ])))
    })
}

#[derive(Debug)]
struct Zoo(Vec<(&'static str, Shape)>);

impl Fields for Zoo {
    fn field(&self, name: &str) -> Option<Shape> {
        self.0.iter().find(|(field, _)| *field == name).map(|(_, shape)| shape.clone())
    }

    fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    fn missing(&self, name: &str) -> String {
        format!("the import zoo has no {name}")
    }
}

/// An animal of some kinds: birds have wings, fish have fins.
#[derive(Debug)]
struct Animal(Option<Vec<String>>);

impl Fields for Animal {
    fn field(&self, name: &str) -> Option<Shape> {
        let is = |kind: &str| self.0.as_ref().is_none_or(|kinds| kinds.iter().any(|known| known == kind));
        Some(match name {
            "kind" => Shape::STRING,
            "age" => Shape::NUMBER,
            "names" => Shape::list(Shape::STRING).or(&Shape::NULL).or_missing(),
            "wings" if is("bird") => Shape::NUMBER,
            "fins" if is("fish") => Shape::NUMBER,
            _ => return None,
        })
    }

    fn names(&self) -> Vec<String> {
        ["kind", "age", "names", "wings", "fins"].map(str::to_owned).to_vec()
    }

    fn missing(&self, name: &str) -> String {
        let title = self.0.as_ref().map_or("an animal".to_owned(), |kinds| kinds.join(" or "));
        format!("{title} has no {name}")
    }

    fn narrowed(&self, field: &str, values: &[String]) -> Option<Arc<dyn Fields>> {
        (field == "kind").then(|| Arc::new(Animal(Some(values.to_vec()))) as Arc<dyn Fields>)
    }
}

#[track_caller]
fn lints(text: &str, is_policy: bool) -> Vec<String> {
    let imports = |path: &str| import(path);
    let context = LintContext { is_policy, globals: vec!["region".to_owned()], imports: Some(&imports) };
    let found = lint(text, &context).unwrap_or_else(|errors| panic!("{}", errors[0]));
    for lint in &found {
        assert!(text.get(lint.subject.unwrap().range()).is_some(), "{lint}");
    }
    let lines = LineIndex::new(text);
    let shown = |lint: &Diagnostic| {
        let hints: String = lint.hints.iter().map(|hint| format!("; {hint}")).collect();
        format!("{} [{}]{hints}", lint.with_position(&lines), lint.kind)
    };
    found.iter().map(shown).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(lints(text, false), expected, "{text}");
}

#[track_caller]
fn clean(text: &str) {
    check(text, &[]);
}

#[test]
fn a_policy_without_faults() {
    clean(
        r#"
import "zoo"
import "strings"
import "other" as thing

param limit default 3

old = func(animal) {
	return animal.age else 0 > limit
}

birds = filter zoo.animals as _, animal {
	animal.kind is "bird" and animal.wings is 2
}

names = []
for birds as name, bird {
	for bird.names else [] as own {
		append(names, strings.to_lower(own) + name)
	}
	if old(bird) {
		print(name, "is old in", region)
		continue
	}
}

_later = 1
few = rule { length(birds) < 5 }
good = rule when few { all birds as bird { bird is not "dodo" } }
main = rule { good and thing.is_open and names is not empty }
"#,
    );
}

#[test]
fn names() {
    check(
        "limit = 1\nf = func() {\n  inner = limi\n  return inner\n}\nmain = inner + strings.x + f()",
        &[
            "1:1: the variable limit is not used [unused-variable]",
            "3:11: there is nothing called limi [undefined-name]; did you mean limit?",
            "6:8: there is nothing called inner [undefined-name]; it is known only in the function or loop that gives it a value",
            "6:16: there is nothing called strings [undefined-name]; write import \"strings\" at the top of the file",
        ],
    );
    clean("for [1] as x { y = x\nprint(y) }\nmain = length(region) is 0");
    check(
        "for [1] as x { y = x }\nmain = y",
        &[
            "1:16: the variable y is not used [unused-variable]",
            "2:8: there is nothing called y [undefined-name]; it is known only in the function or loop that gives it a value",
        ],
    );
}

#[test]
fn what_is_not_used() {
    check(
        "import \"json\"\nparam a\nb = 1\nfunc c(d, _e) { f = 1 }\ng = func(h) { return 2 }\nmain = any {1: 2} as k, v { v is 1 }",
        &[
            "1:8: the import json is not used [unused-import]; remove it",
            "2:7: the parameter a is not used [unused-param]; remove it",
            "3:1: the variable b is not used [unused-variable]",
            "4:6: the function c is not used [unused-variable]",
            "4:8: the parameter d of this function is not used [unused-parameter]; call it _d if it must be there",
            "4:17: the variable f is not used [unused-variable]",
            "5:1: the function g is not used [unused-variable]",
            "5:10: the parameter h of this function is not used [unused-parameter]; call it _h if it must be there",
        ],
    );
    // Importers use the names of a module.
    clean("b = 1\nfunc c() { return 1 }\nr = rule { true }");
    // How many parameters a function has that is handed to another is not for it to say.
    clean("import \"collection\"\nmain = collection.reduce([1], func(a, b, c) { return a })");
    check(
        "r = rule { s }\ns = rule { true }\nt = rule { true }\nprint(t)\nmain = rule { true }",
        &[
            "1:1: the rule r has no part in what main is [unused-rule]",
            "2:1: the rule s has no part in what main is [unused-rule]",
        ],
    );
    check("f = func() { return r }\nr = rule { true }\nmain = rule { f() }", &[]);
    assert_eq!(lints("x = 1", true).len(), 2);
    check(
        "length = 1\nmain = length",
        &[
            "1:1: this hides the function length of the language in the whole file [hidden-builtin]; give the variable another name",
        ],
    );
}

#[test]
fn flow() {
    check(
        "func f() {\n  return 1\n  print(2)\n  print(3)\n}\nfor [1] as _ { if _ is 1 { break; print(1) }\ncontinue }",
        &[
            "3:3: this is never run: return stands before it [unreachable]",
            "6:35: this is never run: break stands before it [unreachable]",
        ],
    );
    check(
        "if true { x = 1 } else if not (1 is 2) { x = 2 }",
        &[
            "1:4: this condition is always the same [constant-condition]",
            "1:27: this condition is always the same [constant-condition]",
        ],
    );
    clean("x = rule { true }\nif region is 1 { y = 1 }");
    check(
        "m = {\"a\": 1, 2: 1, \"\\x61\": 2, 0x2: 3}",
        &[
            "1:20: this key is in the map already [duplicate-key]; only the last value counts: remove the others",
            "1:31: this key is in the map already [duplicate-key]; only the last value counts: remove the others",
        ],
    );
}

#[test]
fn unlike_values() {
    check(
        "a = length(region) is \"5\"",
        &["1:5: a number is never equal to a string [unlike-comparison]; write the number without quotes"],
    );
    check(
        "a = 5\nb = a is \"x\"\nc = a is not null",
        &["2:5: a number is never equal to a string [unlike-comparison]"],
    );
    // It has either value.
    clean("a = 5\na = \"x\"\nb = a is \"x\"");
    clean("func f(a) { return a is \"x\" }\nx = f(1)");
    clean("import \"zoo\"\na = zoo.animals.x.names is null");
    check(
        "import \"zoo\"\na = filter zoo.animals as a { true } is false",
        &["2:5: a map is never equal to a bool [unlike-comparison]; write `is empty` or `is not empty`"],
    );
    check(
        "import \"zoo\"\na = zoo.list[0].names is \"x\" or zoo.list[0].names contains 1",
        &[
            "2:5: a list or null is never equal to a string [unlike-comparison]",
            "2:33: this list has a string in it, which is never equal to a number [unlike-comparison]",
        ],
    );
    check(
        "a = region is undefined\nb = length(region) < \"5\"",
        &[
            "1:5: what is compared with undefined is undefined, and never true [undefined-comparison]; write `is defined` or `is not defined`",
            "2:5: a number and a string have no order: this is always undefined [unlike-comparison]",
        ],
    );
}

#[test]
fn wrong_operands() {
    check(
        "import \"zoo\"\nif filter zoo.animals as a { true } { }",
        &[
            "2:4: a condition is a bool, and this is a map [wrong-operand]; write `is empty` or `is not empty`",
        ],
    );
    check(
        "a = \"x\" + length(region)\nb = [1] matches \"x\"\nc = region matches \"(\"\nd = 5 contains 1",
        &[
            "1:5: a string and a number cannot be added [wrong-operand]; string(…) makes a string of a number",
            "2:5: matches needs a string, and this is a list [wrong-operand]",
            "3:20: this is not a pattern: missing closing ): `(` [invalid-pattern]",
            "4:5: only a string, a list or a map contains something, and this is a number [wrong-operand]",
        ],
    );
    check(
        "a = all 5 as x { x }\nb = not [1]\nc = length(1) is empty\nd = keys([1])",
        &[
            "1:9: only a list or a map has elements, and this is a number [wrong-operand]",
            "2:9: not needs a bool, and this is a list [wrong-operand]; write `is empty` or `is not empty`",
            "3:5: only a string, a list or a map is empty or not, and this is a number [wrong-operand]",
            "3:12: only a string, a list or a map has a length, and this is a number [wrong-operand]",
            "4:10: only a map has keys, and this is a list [wrong-operand]",
        ],
    );
}

#[test]
fn members() {
    check(
        "import \"zoo\"\nimport \"strings\"\na = zoo.anmals\nb = strings.to_lowr(\"A\")\nc = zoo.name.first\nd = zoo[\"nam\"]",
        &[
            "3:8: the import zoo has no anmals [unknown-member]; did you mean animals?",
            "4:12: the import strings has no to_lowr [unknown-member]; did you mean to_lower?",
            "5:13: a string has no first: this is always undefined [unknown-member]",
            "6:9: the import zoo has no nam [unknown-member]; did you mean name?",
        ],
    );
    check(
        "import \"zoo\"\na = zoo.list.age\nb = zoo.list[0].age.x\nc = zoo.list[\"x\"]",
        &[
            "2:13: a list has no age: this is always undefined [unknown-member]; [0] is its first element",
            "3:20: a number has no x: this is always undefined [unknown-member]",
            "4:14: the index of a list is a number, not a string [wrong-operand]",
        ],
    );
}

#[test]
fn conditions_tell_what_a_value_is() {
    for (text, expected) in [
        ("a = any zoo.animals as _, x { x.kind is \"bird\" and x.fins > 1 }", Some("bird")),
        ("a = any zoo.animals as _, x { x.fins > 1 and x.kind is \"bird\" }", None),
        ("a = any zoo.list as x { \"bird\" is x[\"kind\"] and (x.age > 1 and x.fins > 1) }", Some("bird")),
        ("a = any zoo.list as x { x.kind in [\"bird\", \"ape\"] and x.fins > 1 }", Some("bird or ape")),
        ("a = any zoo.list as x { (x.kind is \"bird\" or x.kind is \"fish\") and x.fins > 1 }", None),
        ("a = any zoo.list as x { (x.kind is \"bird\" or x.age is 1) and x.fins > 1 }", None),
        ("a = any zoo.list as x { x.kind is not \"fish\" and x.fins > 1 }", None),
        (
            "b = filter zoo.animals as _, x { x.kind is \"bird\" }\na = all b as _, y { y.fins > 1 }",
            Some("bird"),
        ),
        ("b = filter zoo.list as x { x.kind is \"bird\" }\na = map b as y { y.fins }", Some("bird")),
        (
            "for zoo.list as x { if x.kind is \"bird\" { print(x.fins) } else { print(x.fins) } }",
            Some("bird"),
        ),
        ("for zoo.list as x { if x.kind is \"bird\" { x = 1\nprint(x.fins) } }", None),
        ("x = zoo.list[0]\na = rule when x.kind is \"bird\" { x.fins > 1 }", Some("bird")),
        ("x = zoo.list[0]\nx = zoo.list[1]\na = rule when x.kind is \"bird\" { x.fins > 1 }", None),
        ("a = any zoo.list as x { x.kind is \"bird\" and func() { return x.fins }() }", None),
    ] {
        let found = lints(&format!("import \"zoo\"\n{text}"), false);
        match expected {
            None => assert!(found.is_empty(), "{text}: {found:?}"),
            Some(title) => {
                assert_eq!(found.len(), 1, "{text}: {found:?}");
                assert!(
                    found[0].contains(&format!("{title} has no fins [unknown-member]")),
                    "{text}: {found:?}"
                );
            }
        }
    }
}

#[test]
fn loops_over_what_may_be_missing() {
    let lost = "what this loop goes over may be undefined, which is an error [loop-over-undefined]; write `else []` behind it, or ask before whether it `is defined`";
    check("import \"zoo\"\nfor zoo.list[0].names as x { }", &[&format!("2:5: {lost}")]);
    check("import \"zoo\"\nnames = zoo.list[0].names\nfor names as x { }", &[&format!("3:5: {lost}")]);
    clean("import \"zoo\"\nfor zoo.list[0].names else [] as x { }");
    clean("import \"zoo\"\nif zoo.list[0].names is defined { for zoo.list[0].names as x { } }");
    clean("import \"zoo\"\nif \"names\" in keys(zoo.list[0]) { for zoo.list[0].names as x { } }");
    clean("import \"zoo\"\ncase { when zoo.list[0].names is defined: for zoo.list[0].names as x { } }");
    clean("func f(x) { for x.y as z { print(z) } }\nx = f(1)");
}

#[test]
fn kinds_have_names() {
    let names: BTreeSet<&str> = LintKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(names.len(), LintKind::ALL.len());
}

#[test]
fn deep_texts_need_little_stack() {
    let check = || {
        let nests = [
            ("[", "]"),
            ("(", ")"),
            ("{1:", "}"),
            ("-", ""),
            ("rule {", "}"),
            ("f(", ")"),
            ("func() { return ", "}"),
        ];
        for (open, close) in nests {
            let deepest = (0..200).rev().find_map(|depth| {
                let text = format!("a = {}1{}", open.repeat(depth), close.repeat(depth));
                lint(&text, &LintContext::default()).ok()
            });
            assert!(deepest.is_some(), "{open}");
        }
    };
    thread::Builder::new().stack_size(2 << 20).spawn(check).unwrap().join().unwrap();
}
