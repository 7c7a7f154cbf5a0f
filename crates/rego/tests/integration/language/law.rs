//! Certain results hold for all values in place of the unknown ones, of the types that are known of them.
//!
//! A rule that may fail is not certain, either. Random policies run over inputs with unknown parts, and
//! over the inputs with random values in their place. `PROPTEST_CASES` sets the number of policies.

use crate::random::{Random, Writer, constants, filled, types_of};
use objchange_rego::{EvalError, Limits, Program, RuleId, RuleResults, Setup, SourceFile, Unknown, Value};

/// The documents that policies read.
const ROOTS: [&str; 4] = ["input.a", "input.b", "input.c", "input.d"];

/// Values in place of the unknown ones, for each policy.
const FILLINGS: usize = 4;

/// A value for an unknown part of this number, of its types.
fn filling(random: &mut Random, hole: u32) -> Value {
    let types = types_of(hole);
    loop {
        let value = random.json(2);
        if types.contains(&value) {
            return value;
        }
    }
}

/// Whether a value may turn out to be another one.
fn covers(value: &Value, concrete: &Value) -> bool {
    match (value, concrete) {
        (Value::Unknown(_), _) => true,
        (value, concrete) if !value.contains_unknown() => value == concrete,
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other.iter()).all(|(one, other)| covers(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| covers(value, other)))
        }
        (Value::Set(one), Value::Set(other)) => {
            one.iter().all(|item| other.iter().any(|other| covers(item, other)))
                && other.iter().all(|other| one.iter().any(|item| covers(item, other)))
        }
        _ => false,
    }
}

type Answer = (Result<(Option<Value>, Option<Unknown>), EvalError>, Result<RuleResults, EvalError>);

fn answers(program: &Program, rules: &[RuleId], input: Value) -> Vec<Answer> {
    let limits = Limits { memory: 64 << 20, ..Limits::default() };
    let setup = Setup { input: Some(input), limits, ..Setup::default() };
    program
        .run(setup, |session| {
            Ok(rules.iter().map(|rule| (session.rule(*rule), session.definition_values(*rule))).collect())
        })
        .unwrap()
}

fn check(abstracted: &Answer, concrete: &Answer) -> Result<(), &'static str> {
    let is_defined = |answer: &Answer| matches!(&answer.0, Ok((Some(_), _)));
    match (&abstracted.0, &concrete.0) {
        (Err(error), _) if error.doubt.is_some() || error.limit.is_some() => return Ok(()),
        (Err(_), Err(_)) => return Ok(()),
        (Err(_), Ok(_)) => return Err("it fails for sure, and does not"),
        (Ok((_, Some(_))), _) => {}
        (Ok((None, None)), _) if is_defined(concrete) => return Err("it is undefined for sure, and is not"),
        (Ok((None, None)), Err(_)) => return Err("it is undefined for sure, and fails"),
        (Ok((Some(_), None)), Err(_)) => return Err("it has a value for sure, and fails"),
        (Ok((Some(_), None)), Ok((None, _))) => return Err("it has a value for sure, and is undefined"),
        (Ok((Some(value), None)), Ok((Some(other), _))) if !covers(value, other) => {
            return Err("it has another value");
        }
        _ => {}
    }
    let (found, said) = match (&abstracted.1, &concrete.1) {
        (Ok(found), Err(_)) if found.may_fail.is_none() => return Err("it is found for sure, and fails"),
        (Ok(found), Ok(said)) => (found, said),
        _ => return Ok(()),
    };
    if !found.certain.iter().all(|value| said.certain.iter().any(|other| covers(value, other))) {
        return Err("something is found for sure, and is not there");
    }
    let all = || found.certain.iter().chain(found.possible.iter().map(|(value, _)| value));
    match said.certain.iter().all(|value| all().any(|other| covers(other, value))) {
        true => Ok(()),
        false => Err("something is there that was not possible"),
    }
}

#[test]
fn what_is_certain_is_so_for_all_values() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1500);
    let seed = std::env::var("LAW_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let (mut compiled, mut decided) = (0, 0);
    for case in 0..cases {
        let mut random = Random(seed * 1_000_003 + case);
        let text = Writer::new(&mut random, &ROOTS).policy("k := input.k\n", "r");
        let file = SourceFile { name: "p.rego".to_owned(), text: text.clone() };
        // Not all that is written at random is a policy.
        let Ok(program) = Program::compile(&[file], &objchange_rego::CompileOptions::default()) else {
            continue;
        };
        compiled += 1;
        let rules: Vec<RuleId> =
            program.rules().filter(|rule| rule.name.starts_with('r')).map(|rule| rule.id).collect();
        let mut holes = 0;
        let members = ["a", "b", "c", "d"].map(|key| (Value::from(key), random.skeleton(2, &mut holes)));
        let input = Value::object([&members[..], &[(Value::from("k"), constants())]].concat());
        let abstracted = answers(&program, &rules, input.clone());
        decided += abstracted.iter().filter(|answer| matches!(&answer.0, Ok((_, None)))).count();
        for _ in 0..FILLINGS {
            let fillings: Vec<Value> = (0..holes).map(|hole| filling(&mut random, hole)).collect();
            let known = filled(&input, &fillings);
            let concrete = answers(&program, &rules, known.clone());
            for (rule, (one, other)) in abstracted.iter().zip(&concrete).enumerate() {
                if let Err(why) = check(one, other) {
                    let show = |answer: &Answer| match &answer.0 {
                        Ok((Some(value), doubt)) => format!("{value}, in doubt: {}", doubt.is_some()),
                        Ok((None, doubt)) => format!("undefined, in doubt: {}", doubt.is_some()),
                        Err(error) => format!("{error}, in doubt: {}", error.doubt.is_some()),
                    };
                    panic!(
                        "case {case}, rule {rule}: {why}\n{text}\ninput: {input}\nknown: {known}\nthen: {}\nnow: {}",
                        show(one),
                        show(other)
                    );
                }
            }
        }
    }
    // Otherwise nothing was tested.
    assert!(compiled * 2 > cases, "{compiled} of {cases} were policies");
    assert!(decided > 0);
}
