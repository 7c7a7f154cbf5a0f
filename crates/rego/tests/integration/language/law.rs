//! What is found without a doubt is so whatever value of whatever type is in the place of unknown ones.
//!
//! Random policies run over inputs with unknown parts, and over the same inputs with random values in their place. With
//! `PROPTEST_CASES` the number of policies is chosen.

use std::fmt::Write;

use objchange_rego::{EvalError, Found, Limits, Program, RuleId, Setup, SourceFile, Unknown, Value};

/// Values in place of the unknown ones, for each policy.
const FILLINGS: usize = 4;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn json(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 8 } else { 11 }) {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 => Value::Bool(false),
            3 => Value::int(i64::try_from(self.below(4)).unwrap()),
            4 => Value::from_json("1.5").unwrap(),
            5 | 6 => Value::from(self.one(&["a", "b", "ab", "", "1", "x"])),
            7 => Value::array([]),
            8 => Value::array((0..self.below(4)).map(|_| self.json(depth - 1)).collect::<Vec<_>>()),
            _ => {
                let count = self.below(3);
                let members =
                    (0..count).map(|_| (Value::from(self.one(&["a", "x", "k"])), self.json(depth - 1)));
                Value::object(members.collect::<Vec<_>>())
            }
        }
    }

    /// A value with parts that are unknown.
    fn skeleton(&mut self, depth: usize, holes: &mut u32) -> Value {
        match self.below(6) {
            0 | 1 => {
                *holes += 1;
                Value::Unknown(Unknown::new(*holes - 1))
            }
            2 if depth > 0 => {
                Value::array((0..self.below(4)).map(|_| self.skeleton(depth - 1, holes)).collect::<Vec<_>>())
            }
            3 if depth > 0 => Value::object(
                ["a", "x", "k"].map(|key| (Value::from(key), self.skeleton(depth - 1, holes))).to_vec(),
            ),
            _ => self.json(depth),
        }
    }
}

/// Writes policies.
struct Writer<'r> {
    random: &'r mut Random,
    /// The variables that have values, and the rules that may be mentioned.
    names: Vec<String>,
    variables: usize,
}

const ONE: [&str; 22] = [
    "count",
    "is_string",
    "is_null",
    "is_array",
    "is_object",
    "is_number",
    "is_set",
    "is_boolean",
    "to_number",
    "lower",
    "sum",
    "max",
    "sort",
    "object.keys",
    "type_name",
    "json.marshal",
    "abs",
    "array.reverse",
    "f",
    "g",
    "h",
    "any",
];
const TWO: [&str; 13] = [
    "startswith",
    "contains",
    "array.concat",
    "object.union",
    "union_of",
    "concat",
    "split",
    "minus",
    "object.remove",
    "intersection_of",
    "trim",
    "endswith",
    "pair",
];
const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

impl Writer<'_> {
    fn constant(&mut self) -> String {
        self.random
            .one(&[
                "1",
                "2",
                "0",
                "\"a\"",
                "\"b\"",
                "\"x\"",
                "true",
                "false",
                "null",
                "[]",
                "[1]",
                "{}",
                "{\"x\": 1}",
            ])
            .into()
    }

    fn path(&mut self) -> String {
        if !self.names.is_empty() && self.random.below(3) == 0 {
            let at = self.random.below(self.names.len());
            return self.names[at].clone();
        }
        let root = self.random.one(&["input.a", "input.b", "input.c", "input.d"]);
        let step = self.random.one(&["", "", ".x", ".a", "[0]", "[1]", "[\"k\"]", "[input.a]"]);
        format!("{root}{step}")
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return if self.random.below(3) == 0 { self.constant() } else { self.path() };
        }
        let depth = depth - 1;
        match self.random.below(14) {
            0 => self.constant(),
            1..=4 => self.path(),
            5 => format!("[{}, {}]", self.expr(depth), self.expr(depth)),
            6 => format!("{{\"x\": {}, \"k\": {}}}", self.expr(depth), self.expr(depth)),
            7 => format!("{{{}, {}}}", self.expr(depth), self.expr(depth)),
            8 => format!("{}({})", self.random.one(&ONE), self.expr(depth)),
            9 => format!("{}({}, {})", self.random.one(&TWO), self.expr(depth), self.expr(depth)),
            10 => {
                let (object, key, other) = (
                    self.expr(depth),
                    self.random.one(&["\"x\"", "\"a\"", "[\"x\", 0]", "0"]),
                    self.constant(),
                );
                format!("object.get({object}, {key}, {other})")
            }
            11 => match self.random.below(4) {
                0 => format!("sprintf(\"%v-%d\", [{}, {}])", self.expr(depth), self.expr(depth)),
                1 => format!("$\"{{{}}}-{{{}}}\"", self.path(), self.path()),
                2 => format!("({} + {})", self.expr(depth), self.expr(depth)),
                _ => format!("({} {} {})", self.expr(depth), self.random.one(&COMPARISONS), self.expr(depth)),
            },
            12 => format!("({} in {})", self.expr(depth), self.expr(depth)),
            _ => self.comprehension(depth),
        }
    }

    fn variable(&mut self) -> String {
        self.variables += 1;
        format!("v{}", self.variables)
    }

    fn comprehension(&mut self, depth: usize) -> String {
        let before = self.names.len();
        let (variable, domain) = (self.variable(), self.expr(depth));
        self.names.push(variable.clone());
        let condition = self.condition(depth);
        let head = self.expr(depth.min(1));
        self.names.truncate(before);
        match self.random.below(3) {
            0 => format!("[{head} | some {variable} in {domain}; {condition}]"),
            1 => format!("{{{head} | some {variable} in {domain}; {condition}}}"),
            _ => format!("{{{variable}: {head} | some {variable} in {domain}; {condition}}}"),
        }
    }

    /// A condition, whose variables are in `names` afterwards.
    fn condition(&mut self, depth: usize) -> String {
        match self.random.below(12) {
            0 | 1 => self.expr(depth),
            2 | 3 => format!("{} {} {}", self.expr(depth), self.random.one(&COMPARISONS), self.expr(depth)),
            4 => format!("not {}", self.expr(depth)),
            5 => format!("not {} == {}", self.path(), self.expr(depth)),
            6 => {
                let (variable, domain) = (self.variable(), self.expr(depth));
                self.names.push(variable.clone());
                format!("some {variable} in {domain}")
            }
            7 => {
                let (key, variable, domain) = (self.variable(), self.variable(), self.expr(depth));
                self.names.extend([key.clone(), variable.clone()]);
                format!("some {key}, {variable} in {domain}")
            }
            8 => {
                let before = self.names.len();
                let (variable, domain) = (self.variable(), self.expr(depth));
                self.names.push(variable.clone());
                let inner = self.condition(0);
                self.names.truncate(before);
                format!("every {variable} in {domain} {{ {inner} }}")
            }
            9 => {
                let (variable, value) = (self.variable(), self.expr(depth));
                self.names.push(variable.clone());
                format!("{variable} := {value}")
            }
            10 => {
                let (one, other, value) = (self.variable(), self.variable(), self.expr(depth));
                self.names.extend([one.clone(), other.clone()]);
                format!("[{one}, {other}] = {value}")
            }
            _ => {
                let (path, value, object) = (self.variable(), self.variable(), self.path());
                self.names.extend([path.clone(), value.clone()]);
                format!("walk({object}, [{path}, {value}])")
            }
        }
    }

    fn body(&mut self) -> String {
        (0..=self.random.below(3)).map(|_| self.condition(2)).collect::<Vec<_>>().join("; ")
    }

    fn policy(&mut self) -> String {
        let mut text = String::from(
            "package p\n\nf(x) := x.x\nf(x) := \"one\" if x == 1\n\
             g(x) := \"big\" if { x > 1 } else := \"small\" if { is_number(x) } else := [x]\n\
             h([x, y]) := y if x\ndefault h(_) := \"none\"\npair(x, y) := [x, y] if x != y\n\
             union_of(x, y) := {v | some v in x} | {v | some v in y}\n\
             intersection_of(x, y) := {v | some v in x} & {v | some v in y}\n",
        );
        for rule in 0..4 {
            let outer = self.names.clone();
            let body = self.body();
            let (value, key) = (self.expr(1), self.path());
            // Writing to a string does not fail.
            _ = match self.random.below(7) {
                0 => write!(text, "\nr{rule} := {value} if {{ {body} }}\n"),
                1 => write!(text, "\ndefault r{rule} := false\nr{rule} if {{ {body} }}\n"),
                2 => write!(text, "\nr{rule} := {value} if {{ {body} }} else := \"other\"\n"),
                3 => {
                    self.names.clone_from(&outer);
                    let (second, other) = (self.body(), self.expr(1));
                    write!(
                        text,
                        "\nr{rule} := {value} if {{ {body} }}\nr{rule} := {other} if {{ {second} }}\n"
                    )
                }
                4 => write!(text, "\nr{rule}[{key}] := {value} if {{ {body} }}\n"),
                _ => write!(text, "\nr{rule} contains {value} if {{ {body} }}\n"),
            };
            self.names = outer;
            self.names.push(format!("r{rule}"));
        }
        text
    }
}

fn filled(value: &Value, fillings: &[Value]) -> Value {
    match value {
        Value::Unknown(unknown) => fillings[unknown.ids()[0] as usize].clone(),
        Value::Array(items) => {
            Value::array(items.iter().map(|item| filled(item, fillings)).collect::<Vec<_>>())
        }
        Value::Object(members) => Value::object(
            members.iter().map(|(key, value)| (key.clone(), filled(value, fillings))).collect::<Vec<_>>(),
        ),
        other => other.clone(),
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

type Answer = (Result<(Option<Value>, Option<Unknown>), EvalError>, Result<Found, EvalError>);

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
        // A rule of which another one fails is reported to fail: it never passes.
        (Ok((Some(_), None)), Err(_)) => {}
        (Ok((Some(_), None)), Ok((None, _))) => return Err("it has a value for sure, and is undefined"),
        (Ok((Some(value), None)), Ok((Some(other), _))) if !covers(value, other) => {
            return Err("it has another value");
        }
        _ => {}
    }
    let (Ok(found), Ok(said)) = (&abstracted.1, &concrete.1) else { return Ok(()) };
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
        let text = Writer { random: &mut random, names: Vec::new(), variables: 0 }.policy();
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
        let input = Value::object(members.to_vec());
        let abstracted = answers(&program, &rules, input.clone());
        decided += abstracted.iter().filter(|answer| matches!(&answer.0, Ok((_, None)))).count();
        for _ in 0..FILLINGS {
            let fillings: Vec<Value> = (0..holes).map(|_| random.json(2)).collect();
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
