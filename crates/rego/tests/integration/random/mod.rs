//! Random policies, and values with unknown parts.

use std::fmt::Write;

use objchange_rego::value::Types;
use objchange_rego::{Unknown, Value};

pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    pub(crate) fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    pub(crate) fn json(&mut self, depth: usize) -> Value {
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
    pub(crate) fn skeleton(&mut self, depth: usize, holes: &mut u32) -> Value {
        match self.below(6) {
            // An unknown value may be in several places.
            0 | 1 if *holes > 0 && self.below(3) == 0 => {
                let hole = self.below(*holes as usize);
                hole_of(u32::try_from(hole).unwrap())
            }
            0 | 1 => {
                *holes += 1;
                hole_of(*holes - 1)
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

/// The types of some unknown parts are known.
pub(crate) fn types_of(hole: u32) -> Types {
    Types::NULL.or(match hole % 8 {
        0 => Types::STRING,
        1 => Types::BOOLEAN,
        2 => Types::NUMBER,
        3 => Types::ARRAY,
        4 => Types::OBJECT,
        _ => Types::ANY,
    })
}

fn hole_of(hole: u32) -> Value {
    Value::Unknown(match types_of(hole) {
        Types::ANY => Unknown::new(hole),
        types => Unknown::of_types(hole, types),
    })
}

/// Writes policies.
pub(crate) struct Writer<'r> {
    random: &'r mut Random,
    /// The documents that policies read.
    roots: &'r [&'r str],
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
const TWO: [&str; 17] = [
    "object.filter",
    "object.subset",
    "json.filter",
    "json.remove",
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
/// The constants of policies, which are members of `k`.
const CONSTANTS: [(&str, &str); 13] = [
    ("one", "1"),
    ("two", "2"),
    ("zero", "0"),
    ("a", "\"a\""),
    ("b", "\"b\""),
    ("x", "\"x\""),
    ("yes", "true"),
    ("no", "false"),
    ("nothing", "null"),
    ("list", "[]"),
    ("list1", "[1]"),
    ("map", "{}"),
    ("map1", "{\"x\": 1}"),
];

/// The constants of policies.
pub(crate) fn constants() -> Value {
    Value::object(
        CONSTANTS
            .map(|(name, value)| (Value::from(name), Value::from_json(value).expect("a constant")))
            .to_vec(),
    )
}

const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

impl<'r> Writer<'r> {
    pub(crate) fn new(random: &'r mut Random, roots: &'r [&'r str]) -> Self {
        Self { random, roots, names: Vec::new(), variables: 0 }
    }

    /// Constants come from `input`, or policies would be refused for their types.
    fn constant(&mut self) -> String {
        format!("k.{}", self.random.one(&CONSTANTS.map(|(name, _)| name)))
    }

    /// An expression whose type the compiler does not know.
    fn operand(&mut self, depth: usize) -> String {
        let expr = self.expr(depth);
        let is_reference = expr.starts_with("k.") || expr.starts_with("input.") || self.names.contains(&expr);
        if is_reference { expr } else { format!("same({expr})") }
    }

    fn path(&mut self) -> String {
        if !self.names.is_empty() && self.random.below(3) == 0 {
            let at = self.random.below(self.names.len());
            return self.names[at].clone();
        }
        let root = self.random.one(self.roots);
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
            8 => format!("{}({})", self.random.one(&ONE), self.operand(depth)),
            9 => format!("{}({}, {})", self.random.one(&TWO), self.operand(depth), self.operand(depth)),
            10 => {
                let (object, key, other) = (
                    self.operand(depth),
                    self.random.one(&["\"x\"", "\"a\"", "[\"x\", 0]", "0"]),
                    self.constant(),
                );
                format!("object.get({object}, {key}, {other})")
            }
            11 => match self.random.below(4) {
                0 => format!("sprintf(\"%v-%d\", [{}, {}])", self.expr(depth), self.expr(depth)),
                1 => format!("$\"{{{}}}-{{{}}}\"", self.path(), self.path()),
                2 => format!("({} + {})", self.operand(depth), self.operand(depth)),
                _ => format!(
                    "({} {} {})",
                    self.operand(depth),
                    self.random.one(&COMPARISONS),
                    self.operand(depth)
                ),
            },
            12 => format!("({} in {})", self.operand(depth), self.operand(depth)),
            _ => self.comprehension(depth),
        }
    }

    fn variable(&mut self) -> String {
        self.variables += 1;
        format!("v{}", self.variables)
    }

    fn comprehension(&mut self, depth: usize) -> String {
        let before = self.names.len();
        let (variable, domain) = (self.variable(), self.operand(depth));
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
            2 | 3 => {
                format!("{} {} {}", self.operand(depth), self.random.one(&COMPARISONS), self.operand(depth))
            }
            4 => format!("not {}", self.expr(depth)),
            5 => format!("not {} == {}", self.path(), self.operand(depth)),
            6 => {
                let (variable, domain) = (self.variable(), self.operand(depth));
                self.names.push(variable.clone());
                format!("some {variable} in {domain}")
            }
            7 => {
                let (key, variable, domain) = (self.variable(), self.variable(), self.operand(depth));
                self.names.extend([key.clone(), variable.clone()]);
                format!("some {key}, {variable} in {domain}")
            }
            8 => {
                let before = self.names.len();
                let (variable, domain) = (self.variable(), self.operand(depth));
                self.names.push(variable.clone());
                let inner = self.condition(0);
                self.names.truncate(before);
                // OPA refuses a variable that its body does not mention.
                format!("every {variable} in {domain} {{ {variable} == {variable}; {inner} }}")
            }
            9 => {
                let (variable, value) = (self.variable(), self.operand(depth));
                self.names.push(variable.clone());
                format!("{variable} := {value}")
            }
            10 => {
                let (one, other, value) = (self.variable(), self.variable(), self.operand(depth));
                self.names.extend([one.clone(), other.clone()]);
                format!("[{one}, {other}] = {value}")
            }
            _ => {
                let (path, value, object) = (self.variable(), self.variable(), self.path());
                self.names.push(value.clone());
                match self.random.below(5) {
                    0 => format!("walk({object}, [[\"x\"], {value}])"),
                    1 => format!("walk({object}, [_, {value}])"),
                    kind => {
                        self.names.push(path.clone());
                        match kind {
                            2 => format!("walk({object}, [[\"x\", {path}], {value}])"),
                            3 => format!(
                                "walk({object}, [{path}, {value}]); {path}[count({path}) - 1] == \"x\""
                            ),
                            _ => format!("walk({object}, [{path}, {value}])"),
                        }
                    }
                }
            }
        }
    }

    fn body(&mut self) -> String {
        (0..=self.random.below(3)).map(|_| self.condition(2)).collect::<Vec<_>>().join("; ")
    }

    /// A policy of a few rules with this name and a number; `prelude` comes before them.
    pub(crate) fn policy(&mut self, prelude: &str, name: &str) -> String {
        let mut text = format!(
            "package p\n\n{prelude}same(x) := x\nf(x) := x.x\nf(x) := \"one\" if x == 1\n\
             g(x) := \"big\" if {{ x > 1 }} else := \"small\" if {{ is_number(x) }} else := [x]\n\
             h([x, y]) := y if x\ndefault h(_) := \"none\"\npair(x, y) := [x, y] if x != y\n\
             union_of(x, y) := {{v | some v in x}} | {{v | some v in y}}\n\
             intersection_of(x, y) := {{v | some v in x}} & {{v | some v in y}}\n",
        );
        for number in 0..4 {
            let rule = format!("{name}{number}");
            let outer = self.names.clone();
            let body = self.body();
            let (value, key) = (self.expr(1), self.path());
            // Writing to a string does not fail.
            _ = match self.random.below(7) {
                0 => write!(text, "\n{rule} := {value} if {{ {body} }}\n"),
                1 => write!(text, "\ndefault {rule} := false\n{rule} if {{ {body} }}\n"),
                2 => write!(text, "\n{rule} := {value} if {{ {body} }} else := \"other\"\n"),
                3 => {
                    self.names.clone_from(&outer);
                    let (second, other) = (self.body(), self.expr(1));
                    write!(text, "\n{rule} := {value} if {{ {body} }}\n{rule} := {other} if {{ {second} }}\n")
                }
                4 if self.random.below(2) == 0 => {
                    self.names.clone_from(&outer);
                    let (second, other) = (self.body(), self.expr(1));
                    let parts = format!("parts_of_{rule}");
                    let read = self.random.one(&["", ".x", ".a"]);
                    let kind = self.random.one(&[" :=", " contains"]);
                    write!(
                        text,
                        "\n{parts}[{key}] := {value} if {{ {body} }}\n{parts}.x{kind} {other} if {{ {second} }}\n\
                         {rule} := {parts}{read}\n"
                    )
                }
                4 => write!(text, "\n{rule}[{key}] := {value} if {{ {body} }}\n"),
                _ => write!(text, "\n{rule} contains {value} if {{ {body} }}\n"),
            };
            self.names = outer;
            self.names.push(rule);
        }
        text
    }
}

/// A value with others in place of its unknown parts.
pub(crate) fn filled(value: &Value, fillings: &[Value]) -> Value {
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
