//! Policies over plans: verdicts, what is undecided, and what is hidden.

use objchange_document::PlanFile;
use objchange_policy::rego::{
    Finding, InputMode, Options, Outcome, Policies, PolicyErrorKind, PolicyFile, RuleVerdict, TextReport,
};

const HEAD: &str = "package main\n\n";

fn file(text: impl AsRef<str>) -> PlanFile {
    PlanFile::parse("plan.json", text.as_ref().to_owned()).unwrap()
}

fn policies(text: &str) -> Policies {
    compiled(&format!("{HEAD}{text}"), Options::new(|| 0))
}

#[track_caller]
fn compiled(text: &str, options: Options) -> Policies {
    let policies =
        Policies::compile(&[PolicyFile::new("p.rego", text)], options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(policies.notes(), &[] as &[String], "{text}");
    policies
}

/// A plan with resources of which this is the change, called `t.0` and so on.
fn plan(changes: &[&str]) -> String {
    let resources = changes.iter().enumerate().map(|(i, change)| {
        format!(
            r#"{{"address":"t.r{i}","mode":"managed","type":"t","name":"r{i}","provider_name":"p",
                "change":{{"actions":["create"],"before":null,{change}}}}}"#
        )
    });
    format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, resources.collect::<Vec<_>>().join(","))
}

fn said(verdict: &RuleVerdict) -> Vec<&str> {
    verdict.findings.iter().map(Finding::text).collect()
}

fn waits(verdict: &RuleVerdict) -> Vec<String> {
    let waits = verdict.undecided.iter().flat_map(|undecided| &undecided.waits_for);
    waits.map(|unknown| format!("{} {}", unknown.address, unknown.path)).collect()
}

/// The verdict of a single rule on plans with one resource.
#[track_caller]
fn verdict(body: &str, change: &str) -> RuleVerdict {
    let policies = policies(body);
    let verdicts = policies.evaluate(&file(plan(&[change]))).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(verdicts.rules.len(), 1, "{verdicts:?}");
    verdicts.rules.into_iter().next().unwrap()
}

/// Policies of one rule whose body this is, with `rc` in it.
fn deny(body: &str) -> String {
    format!(
        "deny contains msg if {{\n\tsome rc in input.tfplan.resource_changes\n\t{body}\n\tmsg := rc.address\n}}\n"
    )
}

#[test]
fn each_construct_waits_for_what_is_unknown() {
    let unknown = r#""after":{"known":1,"list":[{"k":"x"},{}],"tags":{"a":"b"},"on":true},
        "after_unknown":{"a":true,"list":[{},{"k":true}],"tags":{"c":true},"block":[{"x":true}],"whole":true}"#;
    let undecided = [
        (r#"rc.change.after.a == "x""#, "a"),
        (r#"rc.change.after["a"] == "x""#, "a"),
        (r#"rc.change.after.a != "x""#, "a"),
        ("rc.change.after.a", "a"),
        ("not rc.change.after.a", "a"),
        (r#"not rc.change.after.a == "x""#, "a"),
        (r#"startswith(rc.change.after.a, "x")"#, "a"),
        ("rc.change.after.a in [1, 2]", "a"),
        (r#""x" in rc.change.after.whole"#, "whole"),
        (r#"rc.change.after.list[_].k == "y""#, "list[1].k"),
        ("some i\n\trc.change.after.list[i].k == \"y\"", "list[1].k"),
        (r#"rc.change.after.whole[_].k == "y""#, "whole"),
        (r#"rc.change.after.whole.deep.er == "y""#, "whole"),
        ("some x in rc.change.after.list\n\tx.k == \"y\"", "list[1].k"),
        ("some x in rc.change.after.whole\n\tx.k == \"y\"", "whole"),
        ("every x in rc.change.after.list { x.k == \"x\" }", "list[1].k"),
        ("every x in rc.change.after.whole { x == 1 }", "whole"),
        (r#"rc.change.after.tags == {"a": "b", "c": "d"}"#, "tags.c"),
        (r#"{"a": "b", "c": "d"} == rc.change.after.tags"#, "tags.c"),
        ("after := rc.change.after\n\tafter.a == 1", "a"),
        ("f(rc.change.after)", "a"),
        ("f(rc.change.after) == 2", "a"),
        (r#"object.get(rc.change.after, "a", "y") == "z""#, "a"),
        (r#"object.get(rc.change.after, ["whole", "k"], "y") == "z""#, "whole"),
        ("[x | x := rc.change.after.a] == [1]", "a"),
        // Without schemas, a list may be a set, and its elements one.
        ("count(rc.change.after.list) == 2", "list[1].k"),
        ("count([1 | rc.change.after.a == 1]) == 1", "a"),
        (r#"{k: v | some k, v in rc.change.after.tags; v == "b"} == {}"#, "tags.c"),
        ("rc.change.after.a > 3", "a"),
        ("1 + rc.change.after.a > 3", "a"),
        ("rc.change.after.a = \"x\"", "a"),
        ("x = rc.change.after.a\n\tx == 1", "a"),
        ("rc.change.after.block[0].x == 1", "block[0].x"),
        ("walk(rc.change.after, [_, v])\n\tv == \"none\"", "a"),
        ("json.marshal(rc.change.after.tags) == \"\"", "tags.c"),
        ("sprintf(\"%s\", [rc.change.after.a]) == \"x\"", "a"),
        ("helper", "a"),
        (r#"rc.change.after_full.a == "x""#, "a"),
        ("any_of(rc.change.after.list)", "list[1].k"),
        ("some v in rc.change.after.tags\n\tv == \"c\"", "tags.c"),
        ("some v in rc.change.after.tags\n\tv = \"c\"", "tags.c"),
        ("some v in rc.change.after.tags\n\tis_c(v)", "tags.c"),
        ("some v in rc.change.after.tags\n\t{\"c\": 1}[v]", "tags.c"),
        ("some {\"k\": \"y\"} in rc.change.after.list", "list[1].k"),
        ("count({v | some v in rc.change.after.tags}) == 1", "tags.c"),
        ("rc.change.after[_] == \"y\"", "a"),
        ("keys := {\"a\"}\n\tsome k in keys\n\trc.change.after[k] == 1", "a"),
    ];
    let helpers = "f(after) := 2 if after.a == 1\nhelper if {\n\tsome rc in input.tfplan.resource_changes\n\trc.change.after.a == 1\n}\n\
        any_of(list) if {\n\tsome x in list\n\tx.k == \"z\"\n}\nany_of(list) if list[0].k == \"w\"\nis_c(\"c\") := true\n";
    for (body, path) in undecided {
        let policy = format!("{}\n{helpers}", deny(body));
        let verdict = verdict(&policy, unknown);
        assert_eq!(verdict.outcome(), Outcome::Undecided, "{body}: {verdict:?}");
        assert!(waits(&verdict).contains(&format!("t.r0 {path}")), "{body}: {:?}", waits(&verdict));
    }
    let decided = [
        ("rc.change.after.known == 2", Outcome::Pass),
        ("rc.change.after.known == 1", Outcome::Fail),
        ("rc.change.after.absent == 1", Outcome::Pass),
        ("not rc.change.after.absent", Outcome::Fail),
        ("not rc.change.after.on", Outcome::Pass),
        ("rc.change.after_unknown.a", Outcome::Fail),
        ("not rc.change.after_unknown.a\n\trc.change.after.a == 1", Outcome::Pass),
        (r#"rc.change.after.tags.a == "b""#, Outcome::Fail),
        // A member that is not known yet is there all the same.
        (r#"rc.change.after.tags == {"a": "b"}"#, Outcome::Pass),
        ("tags := rc.change.after.tags\n\ttags == {}", Outcome::Pass),
        ("[x | x := rc.change.after.a] == []", Outcome::Pass),
        ("count(rc.change.after.list) in {1, 2}\n\tcount(rc.change.after.list) > 2", Outcome::Pass),
        ("rc.change.after_full.a == {\"$unknown\": {}}", Outcome::Fail),
        ("not unknown(rc.change.after_full.a)", Outcome::Pass),
        ("unknown(rc.change.after_full.a)", Outcome::Fail),
        ("rc.change.after_full.known == 1", Outcome::Fail),
        (r#"object.get(rc.change.after, "known", 7) == 7"#, Outcome::Pass),
        (r#"rc.change.after.list[0].k == "x""#, Outcome::Fail),
        ("after := rc.change.after\n\tafter.known == 1", Outcome::Fail),
        ("rc.type == \"other\"\n\trc.change.after.a == 1", Outcome::Pass),
    ];
    for (body, outcome) in decided {
        let policy = format!("{}\nunknown(v) if v == {{\"$unknown\": {{}}}}\n", deny(body));
        let verdict = verdict(&policy, unknown);
        assert_eq!(verdict.outcome(), outcome, "{body}: {verdict:?}");
        assert_eq!(waits(&verdict), [] as [&str; 0], "{body}");
    }
}

#[test]
fn what_is_so_whatever_becomes_of_the_unknown_is_decided() {
    let policies = policies(&deny("not rc.change.after.on"));
    let plan = plan(&[r#""after":{},"after_unknown":{"on":true}"#, r#""after":{},"after_unknown":{}"#]);
    let verdicts = policies.evaluate(&file(&plan)).unwrap();
    let [verdict] = &verdicts.rules[..] else { panic!("{verdicts:?}") };
    assert_eq!(verdict.outcome(), Outcome::Fail);
    assert_eq!(said(verdict), ["t.r1"]);
    assert_eq!(waits(verdict), ["t.r0 on"]);
    assert_eq!(verdict.undecided.as_ref().unwrap().findings[0].text(), "t.r0");
}

#[test]
fn secrets_are_compared_and_not_shown() {
    let change =
        r#""after":{"password":"hunter2","size":5},"after_unknown":{},"after_sensitive":{"password":true}"#;
    let shown = |body: &str| {
        let verdict = verdict(
            &format!("deny contains msg if {{\n\tsome rc in input.tfplan.resource_changes\n\t{body}\n}}\n"),
            change,
        );
        assert_eq!(verdict.outcome(), Outcome::Fail, "{body}");
        let finding = verdict.findings[0].clone();
        (finding.message, finding.address)
    };
    let address = || Some("t.r0".to_owned());
    assert_eq!(
        shown(r#"msg := sprintf("%s has %d", [rc.address, rc.change.after.size])"#),
        (Some("t.r0 has 5".into()), address())
    );
    assert_eq!(
        shown("count(rc.change.after.password) < 12\n\tmsg := rc.address"),
        (Some("t.r0".into()), address())
    );
    assert_eq!(
        shown(r#"msg := sprintf("%s has %s", [rc.address, rc.change.after.password])"#),
        (None, address())
    );
    assert_eq!(shown("msg := upper(rc.change.after.password)"), (None, None));
    assert_eq!(shown("msg := rc.change.after.password"), (None, None));
    assert_eq!(
        shown(
            r#"rc.change.after.password in {"admin", "hunter2"}
        msg := sprintf("%s has a weak one", [rc.address])"#
        ),
        // Said for the secret alone, it may be the secret that is said.
        (None, address())
    );
    assert_eq!(
        shown(
            r#"rc.change.after.password in {"admin", "hunter2"}
        msg := sprintf("%s has %s", [rc.address, rc.change.after.password])"#
        ),
        (None, address())
    );
}

#[test]
fn errors_have_a_place() {
    let error = |text: &str| {
        let error = Policies::compile(&[PolicyFile::new("p.rego", text)], Options::new(|| 0)).unwrap_err();
        (error.kind(), error.to_string())
    };
    assert_eq!(error("package a\n\ndeny contains 1 if {").0, PolicyErrorKind::Policy);
    assert!(
        error("package a\n\ndeny contains 1 if {").1.starts_with("p.rego:3:"),
        "{:?}",
        error("package a\n\ndeny contains 1 if {")
    );
    assert_eq!(error("package a\nx := 1").0, PolicyErrorKind::NoRules);
    let recursive = error("package a\ndeny contains x if x := f(1)\nf(x) := f(x + 1)");
    assert_eq!(recursive.1, "p.rego:3: rule data.a.f is recursive: data.a.f -> data.a.f");
    let deep = format!("package a\ndeny contains x if x := {}1{}", "[".repeat(5000), "]".repeat(5000));
    assert_eq!(error(&deep).1, "p.rego:2: more than 1000 brackets or operators within each other");
    let typo = error("package a\ndeny contains x if x := cuont([1])").1;
    assert_eq!(typo, "p.rego:2: undefined function cuont; did you mean count?");
}

#[test]
fn policies_that_never_end_are_ended() {
    let timeout = std::time::Duration::from_millis(200);
    let text = format!(
        "{HEAD}warn contains 1 if input.errored\n\ndeny contains 1 if {{\n\tsome a in numbers.range(1, 1000000)\n\tsome b in numbers.range(1, 1000000)\n\ta + b == 0\n}}\n"
    );
    let policies = compiled(&text, {
        let mut options = Options::new(|| 0);
        options.timeout = timeout;
        options
    });
    let error = policies.evaluate(&file(plan(&[]))).unwrap_err();
    assert_eq!(error.kind(), PolicyErrorKind::Time);
    let message = error.to_string();
    let start = "p.rego:5: evaluating the policies takes longer than 0.2 s, in which the program used ";
    assert!(message.starts_with(start) && message.ends_with(" s of processor time"), "{message}");
}

/// A document may say anything. Python's tests have it, too.
#[test]
fn an_empty_address_is_in_no_message() {
    let text = "package a\n\ndeny contains msg if {\n\tsome rc in input.resource_changes\n\trc.change\n\tsome msg in [\": abc def\", \"\", \":\"]\n}\n";
    let document = |address: &str| {
        format!(
            r#"{{"format_version":"1.2","resource_changes":[{{"address":"{address}","change":{{"actions":["create"]}}}}]}}"#
        )
    };
    let addresses = |address: &str| -> Vec<Option<String>> {
        let verdicts = compiled(text, Options::new(|| 0)).evaluate(&file(document(address))).unwrap();
        verdicts.rules[0].findings.iter().map(|finding| finding.address.clone()).collect()
    };
    assert_eq!(addresses(""), [None, None, None]);
    assert_eq!(addresses("abc"), [None, None, Some("abc".to_owned())]);
    // The name of another resource that begins like it.
    assert_eq!(addresses("ab"), [None, None, None]);
}

/// A message of a megabyte takes no memory for each resource that has it, and its text does.
#[test]
fn what_policies_say_is_bounded_and_not_only_what_they_make() {
    let text = "package a\n\ndeny contains msg if {\n\tsome i in numbers.range(1, 2000)\n\tmsg := {\"msg\": long, \"i\": i, \"x\": input.resource_changes}\n}\n\nlong := concat(\"\", [\"0123456789\" | some i in numbers.range(1, 10000)])\n";
    let mut options = Options::new(|| 0);
    // The test counts memory, not time, which differs between machines.
    options.timeout = std::time::Duration::MAX;
    options.memory = 64 << 20;
    let error = compiled(text, options).evaluate(&file(plan(&[]))).unwrap_err();
    assert_eq!(error.kind(), PolicyErrorKind::Memory);
    assert_eq!(error.to_string(), "p.rego:3: the policies make values of more than 64 MiB");
}

#[test]
fn ranges_are_bounded() {
    let range = |call: &str| {
        let mut options = Options::new(|| 0);
        // The test counts memory, not time, which differs between machines.
        options.timeout = std::time::Duration::MAX;
        options.memory = 16 << 20;
        let text = format!("{HEAD}deny contains msg if {{\n\tmsg := sprintf(\"%v\", [{call}])\n}}\n");
        let policies = compiled(&text, options);
        policies.evaluate(&file(plan(&[]))).map(|verdicts| said(&verdicts.rules[0]).join(" "))
    };
    assert_eq!(range("numbers.range(1, 3)").unwrap(), "[1, 2, 3]");
    assert_eq!(range("numbers.range(3, 1)").unwrap(), "[3, 2, 1]");
    assert_eq!(range("numbers.range_step(1, 6, 2)").unwrap(), "[1, 3, 5]");
    let error = range("numbers.range(1, 100000000)").unwrap_err();
    assert_eq!(error.kind(), PolicyErrorKind::Size);
    let error = range("numbers.range(1, 10000000)").unwrap_err();
    assert_eq!(error.kind(), PolicyErrorKind::Memory);
    assert_eq!(error.to_string(), "p.rego:3: the policies make values of more than 16 MiB");
}

#[test]
fn policies_of_conftest() {
    let text = "package main\n\ndeny[msg] {\n\trc := input.resource_changes[_]\n\trc.change.actions[_] == \"create\"\n\tnot rc.change.after.ok\n\tmsg := {\"msg\": \"bad\", \"details\": {\"address\": rc.address}}\n}\n\nexception[rules] {\n\tinput.variables.skip.value\n\trules := [\"\"]\n}\n";
    let policies = compiled(text, {
        let mut options = Options::new(|| 0);
        options.input = InputMode::Raw;
        options
    });
    let verdicts = policies.evaluate(&file(plan(&[r#""after":{}"#]))).unwrap();
    assert_eq!(verdicts.rules[0].outcome(), Outcome::Fail);
    assert_eq!(verdicts.rules[0].findings[0].address.as_deref(), Some("t.r0"));
    let unknown = policies.evaluate(&file(plan(&[r#""after":{},"after_unknown":{"ok":true}"#]))).unwrap();
    assert_eq!(waits(&unknown.rules[0]), ["t.r0 ok"]);
    let excepted = plan(&[r#""after":{}"#]).replacen('{', r#"{"variables":{"skip":{"value":true}},"#, 1);
    assert_eq!(policies.evaluate(&file(&excepted)).unwrap().rules[0].outcome(), Outcome::Excepted);
}

/// The outcomes of rules over a plan with one resource that is partly unknown.
fn outcomes(rules: &str) -> Vec<Outcome> {
    let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"t.a","mode":"managed","type":"t","name":"a",
        "change":{"actions":["create"],"before":null,"after":{"list":["ok",null],"pair":[null,"z"],"n":1},
        "after_unknown":{"acl":true,"list":[false,true],"pair":[true,false]}}}]}"#;
    let policies = compiled(&format!("package main\n\nimport rego.v1\n\n{rules}"), Options::new(|| 0));
    policies.evaluate(&file(plan)).unwrap().rules.iter().map(RuleVerdict::outcome).collect()
}

#[test]
fn what_unknown_values_may_change_is_undecided_in_every_form() {
    let all = "some rc in input.tfplan.resource_changes";
    for rules in [
        // Negation, and all elements.
        format!("private if {{ {all}; rc.change.after.acl == \"private\" }}\ndeny contains \"none\" if not private"),
        format!("deny contains \"none\" if count([1 | {all}; rc.change.after.acl == \"private\"]) == 0"),
        format!(
            "default ok := false\nok if {{ {all}; rc.change.after.acl == \"a\" }}\ndeny contains \"x\" if ok == false"
        ),
        // Functions that read the elements of lists.
        format!("deny contains \"x\" if {{ {all}; contains(concat(\",\", rc.change.after.list), \"bad\") }}"),
        format!("deny contains \"x\" if {{ {all}; strings.any_prefix_match(rc.change.after.list, \"bad\") }}"),
        format!("deny contains \"x\" if {{ {all}; sprintf(\"%s-%s\", rc.change.after.list) == \"ok-bad\" }}"),
        // Patterns.
        format!("deny contains b if {{ {all}; [a, b] := rc.change.after.pair; a == \"bad\" }}"),
        format!("deny contains b if {{ {all}; [\"bad\", b] = rc.change.after.pair }}"),
        // The document in the collections.
        "deny contains \"x\" if { some rc in input.tfplan.raw.resource_changes; rc.change.after.acl == \"public\" }".into(),
    ] {
        assert_eq!(outcomes(&rules), [Outcome::Undecided], "{rules}");
    }
    // Results that hold for any values.
    let rules = format!("deny contains rc.address if {{ {all}; rc.change.after.n == 1 }}");
    assert_eq!(outcomes(&rules), [Outcome::Fail]);
}

#[test]
fn no_message_is_made_of_a_secret() {
    // Nor of a part that it has in common with what is shown in its place.
    let verdict = verdict(
        &deny("some letter in [l | some l in split(rc.change.after.pw, \"\")]")
            .replace("msg := rc.address", "msg := letter"),
        r#""after":{"pw":"secret"},"after_unknown":{},"after_sensitive":{"pw":true}"#,
    );
    let shown = verdict.findings.iter().map(Finding::text).filter(|text| text.len() == 1);
    assert_eq!(shown.collect::<Vec<_>>(), Vec::<&str>::new());
    let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"t.a","mode":"managed","type":"t","name":"a",
        "change":{"actions":["create"],"before":null,"after":{"pw":"Admin","pin":1,"flag":true,"list":[1,2]},
        "after_unknown":{},"before_sensitive":false,"after_sensitive":{"pw":true,"pin":true,"flag":true}}}]}"#;
    for (body, secret) in [
        ("count(rc.change.after.list) > 1; msg := sprintf(\"pin %v\", [rc.change.after.pin])", "pin 1"),
        (
            "not rc.change.after.tag == \"true\"; msg := sprintf(\"flag %v\", [rc.change.after.flag])",
            "flag true",
        ),
        (
            "some w in [\"Admin\", \"admin\", \"root\"]; lower(rc.change.after.pw) == lower(w); \
             msg := sprintf(\"weak %s\", [lower(rc.change.after.pw)])",
            "weak admin",
        ),
        (
            "rc.change.after.pw in [\"Admin\", \"Ad\"]; msg := sprintf(\"first %s\", [substring(rc.change.after.pw, 0, 2)])",
            "first Ad",
        ),
    ] {
        let rule = format!(
            "package main\n\nimport rego.v1\n\ndeny contains msg if {{ some rc in \
             input.tfplan.resource_changes; {body} }}"
        );
        let verdicts = compiled(&rule, Options::new(|| 0)).evaluate(&file(plan)).unwrap();
        assert_eq!(verdicts.rules[0].outcome(), Outcome::Fail, "{body}");
        assert!(!format!("{verdicts:?}").contains(secret), "{body}");
    }
}

/// People ask of a secret whether it is there, and long enough; such a message holds nothing of it.
#[test]
fn a_message_that_any_secret_of_the_kind_gives_is_shown() {
    let shown = |after: &str, body: &str| {
        let verdict = verdict(
            &deny(body).replace("msg := rc.address", "msg := \"bad secret\""),
            &format!(r#""after":{after},"after_unknown":{{}},"after_sensitive":{{"pw":true}}"#),
        );
        verdict.findings.iter().map(|finding| finding.text().to_owned()).collect::<Vec<_>>()
    };
    for (after, body) in [
        (r#"{"pw":"hunter2"}"#, "rc.change.after.pw"),
        (r#"{"pw":"hunter2"}"#, "count(rc.change.after.pw) < 8"),
        (r#"{"pw":"hunter2"}"#, "count(rc.change.after.pw) < 12"),
        (r#"{"pw":"correct horse battery staple"}"#, "count(rc.change.after.pw) > 20"),
        (r#"{"pw":80}"#, "rc.change.after.pw < 1024"),
        (r#"{"pw":5432100}"#, "rc.change.after.pw > 1024"),
        (r#"{"pw":["a","b"]}"#, "count(rc.change.after.pw) > 0"),
    ] {
        assert_eq!(shown(after, body), ["bad secret"], "{after} {body}");
    }
    for (after, body) in [
        (r#"{"pw":"hunter2"}"#, "startswith(rc.change.after.pw, \"h\")"),
        (r#"{"pw":true}"#, "rc.change.after.pw == true"),
        (r#"{"pw":7}"#, "rc.change.after.pw == 7"),
        (r#"{"pw":""}"#, "rc.change.after.pw == \"\""),
    ] {
        let shown = shown(after, body);
        assert!(shown.len() == 1 && shown[0] != "bad secret", "{after} {body}: {shown:?}");
    }
}

#[test]
fn an_error_ends_its_rule_only() {
    let text = "package main

deny_conflict := x if some x in [1, 2]

deny_other contains \"x\" if input.tfplan

deny_failing contains \"y\" if to_number(\"z\") == 1
";
    let verdicts = compiled(text, Options::new(|| 0)).evaluate(&file(plan(&[]))).unwrap();
    let outcomes: Vec<_> = verdicts.rules.iter().map(RuleVerdict::outcome).collect();
    assert_eq!(outcomes, [Outcome::Error, Outcome::Fail, Outcome::Pass]);
    let conflict = verdicts.rules[0].error.as_deref().unwrap();
    assert!(conflict.starts_with("p.rego:3: "), "{conflict}");
    assert_eq!(verdicts.warnings.len(), 1, "{verdicts:?}");
    assert_eq!(verdicts.warnings[0].place.line, 7);
    let mut strict = Options::new(|| 0);
    strict.strict_builtin_errors = true;
    let verdicts = compiled(text, strict).evaluate(&file(plan(&[]))).unwrap();
    assert_eq!(verdicts.rules[2].outcome(), Outcome::Error);
}

#[test]
fn the_error_of_a_rule_is_printed_although_an_exception_names_it() {
    let rules = "deny_a contains \"x\" if f(1) == 1\n\nf(x) := 1\n\nf(x) := 2\n\n\
        exception contains rules if rules := [\"a\"]\n";
    let verdicts = policies(rules).evaluate(&file(plan(&[r#""after":{},"after_unknown":{}"#]))).unwrap();
    assert_eq!((verdicts.rules[0].outcome(), verdicts.rules[0].excepted), (Outcome::Error, true));
    let (mut report, mut out) = (TextReport::default(), Vec::new());
    report.verdicts(&mut out, None, &verdicts).unwrap();
    report.finish(&mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("must not produce multiple outputs"), "{out}");
    assert!(out.ends_with("1 rule: 1 not evaluated\n"), "{out}");
}

#[test]
fn the_document_that_policies_look_at_is_chosen() {
    let compile = |text: &str| Policies::compile(&[PolicyFile::new("p.rego", text)], Options::new(|| 0));
    let deny = |body: &str| format!("package main\n\ndeny contains \"x\" if {body}\n");
    let plan = plan(&[r#""after":{"a":1},"after_unknown":{}"#]);
    for body in [
        "input.resource_changes[_].change.after.a == 1",
        "input.tfplan.resource_changes[_].change.after.a == 1",
    ] {
        let verdicts = compile(&deny(body)).unwrap().evaluate(&file(&plan)).unwrap();
        assert_eq!(verdicts.rules[0].outcome(), Outcome::Fail, "{body}");
    }
    for body in [
        "{ some rc in object.get(input, \"resource_changes\", []); rc.change.after.a == 1 }",
        "{ plan := input; plan.resource_changes[_].change.after.a == 1 }",
        "{ k := \"resource_changes\"; input[k][_].change.after.a == 1 }",
        "{ {\"resource_changes\": rcs} := json.filter(input, [\"resource_changes\"]); rcs[_].change.after.a == 1 }",
        "{ some k, v in input; k == \"resource_changes\"; v[_].change.after.a == 1 }",
        "{ walk(input, [[_, _, \"change\"], change]); change.after.a == 1 }",
    ] {
        let verdicts = compile(&deny(body)).unwrap().evaluate(&file(&plan)).unwrap();
        assert_eq!(verdicts.rules[0].outcome(), Outcome::Fail, "{body}");
    }
    for body in [
        "{ plan := input; plan.tfplan.resource_changes[_].change.after.a == 1 }",
        "{ input.resource_changes; input.tfplan }",
        "input.kind == \"Pod\"",
        "data.limits.most == 1",
        "http.send({\"url\": \"http://example.com\"})",
    ] {
        let error = compile(&deny(body)).unwrap_err();
        assert_eq!(error.place().map(|place| place.line), Some(3), "{error}");
    }
    let state = r#"{"format_version":"1.0","values":{"root_module":{}}}"#;
    let policies = compile(&deny("input.tfplan")).unwrap();
    assert_eq!(policies.evaluate(&file(state)).unwrap_err().kind(), PolicyErrorKind::Document);
}

#[test]
fn planned_values_and_documents_have_what_is_unknown() {
    let plan = r#"{"format_version":"1.2","planned_values":{"root_module":{"resources":[{"address":"t.a","mode":"managed",
        "type":"t","name":"a","values":{"n":1}}]}},"resource_changes":[{"address":"t.a","mode":"managed","type":"t",
        "name":"a","change":{"actions":["create"],"before":null,"after":{"n":1},"after_unknown":{"tags":true}}}]}"#;
    for root in [
        "input.tfplan.planned_values.resources[_]",
        "input.plan.planned_values.root_module.resources[_]",
        "input.planned_values.root_module.resources[_]",
    ] {
        for (condition, outcome) in [
            ("not r.values.tags.Owner", Outcome::Undecided),
            ("object.get(r.values, [\"tags\", \"Env\"], \"none\") == \"none\"", Outcome::Undecided),
            ("count([x | some x in r.values.tags]) == 0", Outcome::Undecided),
            ("not 1.5 in r.values.tags", Outcome::Undecided),
            ("r.values.n == 1", Outcome::Fail),
        ] {
            let text =
                format!("package main\n\ndeny contains r.address if {{\n\tr := {root}\n\t{condition}\n}}\n");
            let verdicts = compiled(&text, Options::new(|| 0)).evaluate(&file(plan)).unwrap();
            assert_eq!(verdicts.rules[0].outcome(), outcome, "{text}");
        }
    }
}

#[test]
fn outputs_imports_and_actions_have_what_is_unknown() {
    let plan = r#"{"format_version":"1.2",
        "planned_values":{"outputs":{"o":{"sensitive":false},"part":{"sensitive":false},"known":{"type":"string","value":"x"}}},
        "output_changes":{"o":{"actions":["create"],"before":null,"after_unknown":true},
            "part":{"actions":["create"],"before":null,"after":{"k":1},"after_unknown":{"z":true}},
            "known":{"actions":["create"],"before":null,"after":"x","after_unknown":false}},
        "resource_changes":[{"address":"t.a","mode":"managed","type":"t","name":"a","change":{"actions":["create"],
            "before":null,"after":{"n":1},"after_unknown":{},"importing":{"unknown":true}}}],
        "action_invocations":[{"address":"action.x.a","type":"x","name":"a","provider_name":"p",
            "config_values":{"a":1},"config_unknown":{"b":true}}]}"#;
    for (condition, outcome) in [
        ("not input.planned_values.outputs.o.value", Outcome::Undecided),
        ("not input.planned_values.outputs.o.type", Outcome::Undecided),
        ("not input.planned_values.outputs.part.value.k", Outcome::Undecided),
        ("not input.planned_values.outputs.part.type", Outcome::Undecided),
        ("input.planned_values.outputs.known.type == \"string\"", Outcome::Fail),
        ("not input.resource_changes[0].change.importing.id", Outcome::Undecided),
        ("not input.action_invocations[0].config_values.b", Outcome::Undecided),
        ("input.action_invocations[0].config_values.a == 1", Outcome::Fail),
    ] {
        let text = format!("package main\n\ndeny contains \"x\" if {condition}\n");
        let verdicts = compiled(&text, Options::new(|| 0)).evaluate(&file(plan)).unwrap();
        assert_eq!(verdicts.rules[0].outcome(), outcome, "{text}");
    }
}

/// A check whose status is unknown passes or fails only after apply.
#[test]
fn checks_wait_for_their_outcome() {
    let plan = r#"{"format_version":"1.2","resource_changes":[],"checks":[
        {"address":{"kind":"resource","mode":"managed","name":"a","to_display":"t.a","type":"t"},"status":"unknown",
            "instances":[{"address":{"to_display":"t.a[0]"},"status":"unknown"},
                {"address":{"to_display":"t.a[1]"},"status":"pass"}]},
        {"address":{"kind":"resource","mode":"managed","name":"b","to_display":"t.b","type":"t"},"status":"unknown"},
        {"address":{"kind":"check","name":"c","to_display":"check.c"},"status":"fail",
            "instances":[{"address":{"to_display":"check.c"},"status":"fail","problems":[{"message":"no"}]}]}]}"#;
    for (condition, outcome) in [
        ("checks[0].status == \"fail\"", Outcome::Undecided),
        ("checks[0].status != \"pass\"", Outcome::Undecided),
        ("checks[0].status == \"unknown\"", Outcome::Undecided),
        ("checks[0].instances[0].status == \"fail\"", Outcome::Undecided),
        ("not checks[0].instances[0].problems", Outcome::Undecided),
        ("not checks[0].instances[1].problems", Outcome::Fail),
        ("checks[0].instances[1].status == \"pass\"", Outcome::Fail),
        ("not checks[1].instances", Outcome::Undecided),
        ("checks[2].instances[0].problems[0].message == \"no\"", Outcome::Fail),
        ("checks[2].status == \"fail\"", Outcome::Fail),
        ("count({c | some c in checks; c.status == \"fail\"}) > 1", Outcome::Undecided),
        ("count(checks) == 3", Outcome::Fail),
    ] {
        for root in ["input.checks", "input.plan.checks", "input.tfplan.raw.checks"] {
            let text = format!("package main\n\nchecks := {root}\n\ndeny contains \"x\" if {condition}\n");
            let verdicts = compiled(&text, Options::new(|| 0)).evaluate(&file(plan)).unwrap();
            assert_eq!(verdicts.rules[0].outcome(), outcome, "{text}");
        }
    }
    let text = "package main\n\ndeny contains \"x\" if input.checks[0].status == \"fail\"\n";
    let verdicts = compiled(text, Options::new(|| 0)).evaluate(&file(plan)).unwrap();
    assert_eq!(waits(&verdicts.rules[0]), ["t.a status"]);
}

/// Shared parts take little memory, but walking them may take ages.
#[test]
fn values_of_many_shared_parts_are_refused() {
    let nest = |name: &str| -> String {
        let level = |level: usize| format!("{name}{level} := [{name}{}, {name}{}]\n", level - 1, level - 1);
        format!("{name}0 := [1, 1]\n") + &(1..40).map(level).collect::<String>()
    };
    for condition in [
        "x39 == y39",
        "x39 < y39",
        "count({x39, y39}) == 2",
        "json.marshal(x39) != \"\"",
        "sprintf(\"%v\", [x39]) != \"\"",
        "array.concat(x25, x25) == array.concat(y25, y25)",
    ] {
        let text = format!("package main\n\ndeny contains \"x\" if {condition}\n{}{}", nest("x"), nest("y"));
        let verdicts = compiled(&text, Options::new(|| 0)).evaluate(&file(plan(&[])));
        assert_eq!(
            verdicts.map(|_| ()).map_err(|error| error.kind()),
            Err(PolicyErrorKind::Size),
            "{condition}"
        );
    }
}

#[test]
fn a_message_names_what_is_not_known() {
    let body = "deny contains msg if {\n\tsome rc in input.tfplan.resource_changes\n\t\
                msg := sprintf(\"%s: %d\", [rc.address, rc.change.after.a])\n}\n";
    let verdict = verdict(body, r#""after":{},"after_unknown":{"a":true}"#);
    assert_eq!(said(&verdict), ["t.r0: (known after apply)"]);
    assert_eq!(verdict.outcome(), Outcome::Fail);
}

#[test]
fn what_is_found_for_sure_is_reported_where_its_text_is_unknown() {
    let change = r#""after":{},"after_unknown":{"id":true}"#;
    let by_rule = "after := input.resource_changes[0].change.after\n\ndeny contains after.id if {\n\tsome _ in [1]\n}\n";
    let verdict_of_unknown = verdict(
        "deny contains msg if {\n\tmsg := sprintf(\"%v\", [input.tfplan.resource_changes[_].change.after.id])\n}\n",
        change,
    );
    assert_eq!(said(&verdict_of_unknown), ["(known after apply)"]);
    let whole = verdict(&by_rule.replace("after.id", "after"), change);
    assert_eq!(whole.outcome(), Outcome::Fail, "{whole:?}");
    let member = verdict(by_rule, change);
    assert_ne!(member.outcome(), Outcome::Pass, "{member:?}");
}

#[test]
fn a_rule_that_uses_one_that_may_fail_is_undecided() {
    let body = "owner := rc.change.after.tags[_] if {\n\tsome rc in input.tfplan.resource_changes\n}\n\n\
        deny contains \"too few\" if {\n\tcount([x | x := owner]) >= 0\n}\n";
    let unknown = verdict(body, r#""after":{},"after_unknown":{"tags":true}"#);
    assert!(unknown.undecided.is_some(), "{unknown:?}");
    assert_eq!(waits(&unknown), ["t.r0 tags"]);
    let known = verdict(body, r#""after":{"tags":{"a":"x","b":"y"}},"after_unknown":{}"#);
    assert_eq!(known.outcome(), Outcome::Error, "{known:?}");
}

#[test]
fn a_rule_of_several_definitions_has_one_verdict() {
    let policy = "deny contains \"a\" if count(input.tfplan.resource_changes) > 1\n\n\
                  deny contains \"b\" if input.tfplan\n\n\
                  deny contains \"c\" if count(input.tfplan.resource_changes) > 1\n";
    let verdicts = policies(policy).evaluate(&file(plan(&[]))).unwrap();
    assert_eq!(
        verdicts.rules.iter().map(|rule| (rule.outcome(), said(rule))).collect::<Vec<_>>(),
        [(Outcome::Fail, vec!["b"])]
    );
    let verdicts = policies(&policy.replace("> 1", ">= 0")).evaluate(&file(plan(&[]))).unwrap();
    let [rule] = &verdicts.rules[..] else { panic!("{verdicts:?}") };
    assert_eq!((said(rule), rule.messages()), (vec!["a", "b", "c"], 3));
    let lines: Vec<u32> = rule.findings.iter().map(|finding| finding.place.line).collect();
    assert_eq!(lines, [3, 5, 7]);
    let verdicts =
        policies(&policy.replace("if input.tfplan\n", "if count(input.tfplan.resource_changes) > 2\n"))
            .evaluate(&file(plan(&[])))
            .unwrap();
    let [rule] = &verdicts.rules[..] else { panic!("{verdicts:?}") };
    assert_eq!((rule.outcome(), rule.place.line), (Outcome::Pass, 3));
}

#[test]
fn the_same_place_is_equal_wherever_the_plan_has_it() {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"t.a","mode":"managed","type":"t","name":"a","provider_name":"p",
            "change":{"actions":["create"],"before":null,"after":{"tags":{"Owner":"ann"}},
                "after_unknown":{"id":true,"tags":{"Env":true}}}},
        {"address":"t.b","mode":"managed","type":"t","name":"b","provider_name":"p",
            "change":{"actions":["create"],"before":null,"after":{},"after_unknown":{"id":true}}}],
        "planned_values":{"root_module":{"resources":[
            {"address":"t.a","mode":"managed","type":"t","name":"a","values":{"tags":{"Owner":"ann"}}},
            {"address":"t.b","mode":"managed","type":"t","name":"b","values":{}}]}}}"#;
    let outcome = |condition: &str| {
        let text = format!(
            "a := input.resource_changes[0].change.after\nb := input.resource_changes[1].change.after\n\
             planned := input.planned_values.root_module.resources[0].values\n\
             deny contains \"no\" if {{ {condition} }}\n"
        );
        policies(&text).evaluate(&file(plan)).unwrap().rules[0].outcome()
    };
    for condition in
        ["a != a", "a != planned", "a.id != planned.id", "not input.planned_values == input.planned_values"]
    {
        assert_eq!(outcome(condition), Outcome::Pass, "{condition}");
    }
    for condition in
        ["a == planned", "not \"Cost\" in object.keys(a.tags)", "object.get(a.tags, \"Cost\", null) == null"]
    {
        assert_eq!(outcome(condition), Outcome::Fail, "{condition}");
    }
    for condition in ["a.id == b.id", "a.id != b.id", "a.tags.Env == a.id"] {
        assert_eq!(outcome(condition), Outcome::Undecided, "{condition}");
    }
}

/// Terraform's planned values list a data source without `data.` in its address.
#[test]
fn a_data_source_and_a_resource_of_one_name_are_two() {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"data.t.a","mode":"data","type":"t","name":"a","provider_name":"p",
            "change":{"actions":["read"],"before":null,"after":{},"after_unknown":{"x":true}}},
        {"address":"t.a","mode":"managed","type":"t","name":"a","provider_name":"p",
            "change":{"actions":["create"],"before":null,"after":{"x":1},"after_unknown":{}}}],
        "planned_values":{"root_module":{"resources":[
            {"address":"t.a","mode":"managed","type":"t","name":"a","values":{"x":1}},
            {"address":"t.a","mode":"data","type":"t","name":"a","values":{}}]}}}"#;
    let rule = |mode: &str| {
        format!(
            "deny contains \"no\" if {{ some r in input.planned_values.root_module.resources; \
             r.mode == \"{mode}\"; r.values.x != 1 }}\n"
        )
    };
    let outcome = |mode: &str| policies(&rule(mode)).evaluate(&file(plan)).unwrap().rules[0].outcome();
    assert_eq!(outcome("managed"), Outcome::Pass);
    assert_eq!(outcome("data"), Outcome::Undecided);
    let collection = "deny contains \"no\" if input.tfplan.planned_values.resources[\"t.a\"].values.x != 1\n";
    assert_eq!(policies(collection).evaluate(&file(plan)).unwrap().rules[0].outcome(), Outcome::Pass);
}

#[test]
fn what_is_forgotten_is_not_planned() {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"t.a","mode":"managed","type":"t","name":"a","provider_name":"p",
            "change":{"actions":["forget"],"before":{"x":1},"after":null,"after_unknown":{}}},
        {"address":"t.b","mode":"managed","type":"t","name":"b","provider_name":"p",
            "change":{"actions":["create"],"before":null,"after":{"x":1},"after_unknown":{}}}],
        "planned_values":{"root_module":{"resources":[
            {"address":"t.a","mode":"managed","type":"t","name":"a"},
            {"address":"t.b","mode":"managed","type":"t","name":"b","values":{"x":1}}]}}}"#;
    let rule =
        "deny contains r.address if { some r in input.tfplan.planned_values.resources; not r.values.x }\n";
    let verdicts = policies(rule).evaluate(&file(plan)).unwrap();
    assert_eq!(verdicts.rules[0].outcome(), Outcome::Pass, "{verdicts:?}");
}

/// The example of OPA's documentation looks for the resources of all modules with `walk`.
#[test]
fn schemas_say_what_cannot_be_walked_into() {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"t.a","mode":"managed","type":"t","name":"a","provider_name":"p",
            "change":{"actions":["create"],"before":null,"after":{"acl":"private","l":[null]},
                "after_unknown":{"id":true,"l":[true]}}}],
        "planned_values":{"root_module":{"resources":[
            {"address":"t.a","mode":"managed","type":"t","name":"a","provider_name":"p","values":{"acl":"private","l":[null]}}]}}}"#;
    let rule = "resources contains r if {\n\twalk(input.planned_values, [path, value])\n\t\
        path[count(path) - 1] == \"resources\"\n\tsome r in value\n}\n\n\
        deny contains r.address if {\n\tsome r in resources\n\tr.values.acl == \"public\"\n}\n";
    let schemas = r#"{"format_version":"1.0","provider_schemas":{"p":{"resource_schemas":{"t":{"version":0,"block":{
        "attributes":{"id":{"type":"string","computed":true},"acl":{"type":"string","optional":true},
            "l":{"type":["list","string"],"optional":true}}}}}}}}"#;
    let schemas = std::sync::Arc::new(objchange_document::Schemas::parse(schemas).unwrap());
    let outcome = |file: PlanFile| policies(rule).evaluate(&file).unwrap().rules[0].outcome();
    assert_eq!(outcome(file(plan)), Outcome::Undecided);
    assert_eq!(outcome(file(plan).with_schemas(&schemas).unwrap()), Outcome::Pass);
}

/// Whatever a string, a list or a map will be, it is not `false`: a tag that is set is there.
#[test]
fn elements_of_a_set_may_turn_out_to_be_one() {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"t.a","mode":"managed","type":"t","name":"a","provider_name":"p",
            "change":{"actions":["create"],"before":null,"after":{"set":[null,null],"list":[null,null],
                    "mixed":["a",null],"blocks":[{"port":80},{"port":443}]},
                "after_unknown":{"set":[true,true],"list":[true,true],"mixed":[false,true],
                    "blocks":[{"id":true},{"id":true}]}}}],
        "planned_values":{"root_module":{"resources":[{"address":"t.a","mode":"managed","type":"t","name":"a",
            "provider_name":"p","values":{"set":[null,null]}}]}}}"#;
    let schemas = r#"{"format_version":"1.0","provider_schemas":{"p":{"resource_schemas":{"t":{"version":0,"block":{
        "attributes":{"set":{"type":["set","string"],"optional":true},"list":{"type":["list","string"],"optional":true},
            "mixed":{"type":["set","string"],"optional":true}},
        "block_types":{"blocks":{"nesting_mode":"set","block":{"attributes":{
            "port":{"type":"number","optional":true},"id":{"type":"string","computed":true}}}}}}}}}}}"#;
    let schemas = std::sync::Arc::new(objchange_document::Schemas::parse(schemas).unwrap());
    let (pass, fail, undecided) = (Outcome::Pass, Outcome::Fail, Outcome::Undecided);
    for (condition, with_schemas, without) in [
        ("count(after.set) == 2", undecided, undecided),
        ("count(after.set) in {1, 2}", undecided, undecided),
        ("count(after.set) > 2", pass, pass),
        ("count(after.set) == 0", pass, pass),
        ("after.set == []", pass, pass),
        ("after.set[1]", undecided, undecided),
        ("after.set[2]", pass, pass),
        ("after.set == input.planned_values.root_module.resources[0].values.set", fail, fail),
        // The elements of a list stay what they are.
        ("count(after.list) == 2", fail, undecided),
        ("\"a\" in after.mixed", fail, fail),
        ("count(after.mixed) == 1", undecided, undecided),
        // Blocks with other known arguments are never equal.
        ("count(after.blocks) == 2", fail, fail),
        ("some block in after.blocks\n\tblock.port == 443", fail, fail),
    ] {
        let rule = format!(
            "deny contains rc.address if {{\n\tsome rc in input.resource_changes\n\tafter := rc.change.after\n\t{condition}\n}}\n"
        );
        let outcome = |file: PlanFile| policies(&rule).evaluate(&file).unwrap().rules[0].outcome();
        assert_eq!(outcome(file(plan)), without, "{condition}");
        assert_eq!(outcome(file(plan).with_schemas(&schemas).unwrap()), with_schemas, "{condition}");
    }
}

#[test]
fn schemas_say_what_an_unknown_value_cannot_be() {
    let plan = r#"{"format_version":"1.2","resource_changes":[
        {"address":"t.a","mode":"managed","type":"t","name":"a","provider_name":"p",
            "change":{"actions":["create"],"before":null,"after":{"tags":{}},
                "after_unknown":{"key":true,"on":true,"tags":{"owner":true},"blocks":true}}}]}"#;
    let schemas = r#"{"format_version":"1.0","provider_schemas":{"p":{"resource_schemas":{"t":{"version":0,"block":{
        "attributes":{"key":{"type":"string","computed":true},"on":{"type":"bool","computed":true},
            "tags":{"type":["map","string"],"optional":true},
            "blocks":{"type":["list","string"],"computed":true}}}}}}}}"#;
    let schemas = std::sync::Arc::new(objchange_document::Schemas::parse(schemas).unwrap());
    let outcome = |condition: &str, file: PlanFile| {
        let rule = format!(
            "deny contains rc.address if {{\n\tsome rc in input.resource_changes\n\tafter := rc.change.after\n\t{condition}\n}}\n"
        );
        policies(&rule).evaluate(&file).unwrap().rules[0].outcome()
    };
    for (condition, with_schemas) in [
        ("not after.key", Outcome::Pass),
        ("after.key", Outcome::Fail),
        ("not after.tags.owner", Outcome::Pass),
        ("not after.blocks", Outcome::Pass),
        ("after.key == true", Outcome::Pass),
        ("not after.on", Outcome::Undecided),
        ("after.key == \"a\"", Outcome::Undecided),
        ("after.key == null", Outcome::Undecided),
        ("count(after.blocks) == 0", Outcome::Undecided),
    ] {
        assert_eq!(outcome(condition, file(plan)), Outcome::Undecided, "{condition}");
        let file = file(plan).with_schemas(&schemas).unwrap();
        assert_eq!(outcome(condition, file), with_schemas, "{condition}");
    }
}
