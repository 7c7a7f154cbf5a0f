//! `objchange query`: values that are never shown, and inputs that are refused.

use crate::program::{Output, objchange};

const API: &str = "examples/fleet/api.json";

fn query(arguments: &[&str], input: &str) -> Output {
    objchange(["query"].iter().chain(arguments), input)
}

#[test]
fn no_output_and_no_error_holds_a_secret() {
    let secret = "hunter2";
    let select = [
        "rc",
        "rc.change",
        "rc.change.before.password",
        "old(rc, 'password')",
        "'x' + rc.change.before.password",
        "rc.change.before.password.split('')",
        "size(rc.change.before.password)",
        "[rc.change.before].map(side, side.password)",
        "{rc.change.before.password: 1}",
        "{'a': {'b': [rc.change.before]}}",
        "rc.change.before.map(name, rc.change.before[name])",
        "rc.change.before.password == 'hunter2'",
        "rc.change.before.?password",
    ];
    let masked = query(&[API, "rc.name == 'main'", "--select", "size(rc.change.before.password)"], "");
    assert_eq!(masked.stdout, "(sensitive value)\n");
    for expression in select {
        for arguments in [
            &["--select", expression][..],
            &["--select", expression, "--output", "table"],
            &["--select", expression, "--output", "json"],
            &["--group-by", expression],
            &["--group-by", expression, "--output", "json"],
        ] {
            let output = query(&[&[API, "rc.name == 'main'"], arguments].concat(), "");
            assert!(!output.stdout.is_empty() && !output.stdout.contains(secret), "{output:?}");
            assert!(!output.stdout.contains("correct horse"), "{output:?}");
            assert!(!expression.contains("==") || !output.stdout.contains("true"), "{output:?}");
            assert!(!output.stderr.contains(secret), "{output:?}");
        }
    }
    let variables = query(&[API, "--of", "variables", "rc.value != ''", "--select", "rc"], "").stdout;
    assert!(variables.contains("eu-west-1") && !variables.contains("correct horse"), "{variables}");
    let variables = query(&[API, "true", "--select", "plan.variables.db_password.value"], "").stdout;
    assert!(variables.starts_with("(sensitive value)\n"), "{variables}");
    for expression in [
        "rc.change.before.password > 1",
        "rc.change.before.password + 1 == 2",
        "int(rc.change.before.password) == 1",
        "rc.change.before.password.x == 1",
        "rc.change.before[rc.change.before.password] == 1",
        "{1: 2}[rc.change.before.password] == 1",
        "{rc.change.before: 1} == {}",
        "{rc.change.before.password: 1, rc.change.before.password: 2} == {}",
        "semver(rc.change.before.password, '>= 1')",
        "semver('1.0.0', rc.change.before.password)",
        "unknown(rc, rc.change.before.password + '[')",
        "rc.change.before.password",
        "rc.change.before.password.charAt(100) == ''",
    ] {
        let output = query(&[API, expression], "");
        assert_ne!(output.code, 0, "{expression}");
        assert!(!output.stderr.is_empty() && !output.stderr.contains(secret), "{output:?}");
    }
}

#[test]
fn a_hostile_expression_is_refused() {
    let plus = |n: usize| vec!["1"; n].join("+") + " == 1";
    for expression in [
        plus(100),
        plus(4000),
        format!("{}1{} == 1", "(".repeat(3000), ")".repeat(3000)),
        format!("{}1{} == []", "[".repeat(90), "]".repeat(90)),
        format!("{}true{}", "!(".repeat(200), ")".repeat(200)),
        format!("{}true{}", "[1].exists(x, ".repeat(90), ")".repeat(90)),
        format!("[1,2,3,4,5,6,7,8,9,10]{} == [1]", ".map(x, x)".repeat(300)),
        format!("'{}' == ''", "x".repeat(20_000)),
        format!("{}true{}", "[1,2,3,4,5,6,7,8,9,10].all(x, ".repeat(7), ")".repeat(7)),
        format!("{}false{} || true", "[1,2,3,4,5,6,7,8,9,10].exists(x, ".repeat(7), ")".repeat(7)),
        format!("['aaaaaaaa']{} == []", ".map(x, x + x + x + x + x + x + x + x)".repeat(10)),
        format!("[1]{} == []", ".map(x, [x, x, x, x, x, x, x, x])".repeat(10)),
        format!("'a'{} == ''", format!(".replace('', '{}')", "x".repeat(500)).repeat(4)),
    ] {
        let output = query(&[API, &expression], "");
        let start: String = expression.chars().take(60).collect();
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{start}");
        let refusals = ["deep", "longer", "takes too many steps"];
        assert!(refusals.iter().any(|refusal| output.stderr.contains(refusal)), "{start}: {}", output.stderr);
    }
}
