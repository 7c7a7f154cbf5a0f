//! Random policies: of every construct of the language, mostly of fitting types.

use std::fmt::Write;

/// The policy that a sequence of choices makes; after the last choice everything is as small as it can be.
pub(crate) fn policy(choices: &[u16]) -> String {
    let mut maker =
        Maker { choices: choices.iter(), names: 0, in_function: false, loops: 0, elements: Vec::new() };
    let mut out = String::from(
        "import \"h\"\nimport \"collection\" as c\nimport \"collection/maps\" as m\nimport \"collection/lists\" as l\n\
         import \"strings\"\nimport \"json\"\n\
         n1 = 1\nn2 = h.m.name\nb1 = true\nb2 = false\nl1 = [1, \"a\"]\nl2 = []\nm1 = {\"a\": \"x\"}\nm2 = {}\n",
    );
    for name in ["f", "g"] {
        maker.in_function = true;
        let _ = write!(
            out,
            "{name} = func(x, y) {{\nu = 1\nv = []\n{}return {}\n}}\n",
            maker.block(3),
            maker.any(3)
        );
        maker.in_function = false;
    }
    for rule in 1..=4 {
        out += &maker.block(3);
        let when = if maker.pick(5) == 0 { format!("when {} ", maker.bool(2)) } else { String::new() };
        let body = if maker.pick(4) == 0 { maker.any(3) } else { maker.bool(4) };
        let _ = writeln!(out, "r{rule} = rule {when}{{ {body} }}");
    }
    out += &maker.block(2);
    let main = maker.bool(3);
    let _ =
        writeln!(out, "main = rule {{ ({main}) and r1 is r1 and r2 is defined and (r3 else false) is r4 }}");
    out
}

struct Maker<'c> {
    choices: std::slice::Iter<'c, u16>,
    names: usize,
    in_function: bool,
    loops: usize,
    /// The names of elements that are visible.
    elements: Vec<String>,
}

impl Maker<'_> {
    fn pick(&mut self, count: usize) -> usize {
        self.choices.next().map_or(count - 1, |choice| usize::from(*choice) % count)
    }

    fn of(&mut self, texts: &[&str]) -> String {
        texts[self.pick(texts.len())].to_owned()
    }

    fn rule(&mut self) -> String {
        self.of(&["r1", "r2", "r3", "r4"])
    }

    fn element(&mut self) -> String {
        self.names += 1;
        format!("e{}", self.names)
    }

    /// Something within the scope of an element.
    fn within(&mut self, element: &str, make: impl FnOnce(&mut Self) -> String) -> String {
        self.elements.push(element.to_owned());
        let made = make(self);
        self.elements.pop();
        made
    }

    fn leaf(&mut self) -> String {
        let index = self.pick(26);
        match index {
            0..=2 if !self.elements.is_empty() => {
                let index = self.pick(self.elements.len());
                self.elements[index].clone()
            }
            3 | 4 if self.in_function => self.of(&["x", "y", "u", "v"]),
            5 => self.rule(),
            6 => "h.m.id".to_owned(),
            7 => "h.m.tags".to_owned(),
            8 => "h.m.tags.a".to_owned(),
            9 => "h.m.sub.k".to_owned(),
            10 => "h.m.sub".to_owned(),
            11 => "h.m.list".to_owned(),
            12 => "h.m.rows[0].id".to_owned(),
            13 => "h.m.rows[1].id".to_owned(),
            14 => "h.m.flag".to_owned(),
            15 => "h.m.name".to_owned(),
            16 => "h.m".to_owned(),
            17 => "n1".to_owned(),
            18 => "n2".to_owned(),
            19 => "l1".to_owned(),
            20 => "m1".to_owned(),
            21 => "null".to_owned(),
            22 => "undefined".to_owned(),
            23 => "\"a\"".to_owned(),
            24 => "0".to_owned(),
            _ => "1".to_owned(),
        }
    }

    fn any(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let below = depth - 1;
        match self.pick(16) {
            0 => self.bool(below),
            1 => self.list(below),
            2 => self.map(below),
            3 => format!("({} else {})", self.any(below), self.any(below)),
            4 => format!("{}({}, {})", self.of(&["f", "g"]), self.any(below), self.any(below)),
            5 => format!("{}.{}", self.map(below), self.of(&["a", "k", "id"])),
            6 => format!("{}[{}]", self.list(below), self.of(&["0", "1", "-1"])),
            7 => format!("{}[{}]", self.map(below), self.any(below)),
            8 => format!("length({})", self.list(below)),
            9 => format!("(int({}) else 0) + 1", self.any(below)),
            10 => format!("m.get({}, \"a.k\", {})", self.map(below), self.any(below)),
            11 => format!("json.marshal({})", self.any(below)),
            12 => format!("(string({}) else \"\") + \"a\"", self.any(below)),
            _ => self.leaf(),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.pick(8) {
                0 => format!("({} is {})", self.leaf(), self.leaf()),
                1 => format!("({} is defined)", self.leaf()),
                2 => format!("({} is \"a\")", self.leaf()),
                3 => "(h.m.flag else false)".to_owned(),
                4 => "b1".to_owned(),
                5 => "b2".to_owned(),
                6 => "false".to_owned(),
                _ => "true".to_owned(),
            };
        }
        let below = depth - 1;
        match self.pick(15) {
            0 => format!("({} and {})", self.bool(below), self.bool(below)),
            1 => format!("({} or {})", self.bool(below), self.bool(below)),
            2 => format!("(not {})", self.bool(below)),
            3 => format!("({} xor {})", self.bool(below), self.bool(below)),
            4 => format!("({} is {})", self.any(below), self.any(below)),
            5 => format!("({} is not {})", self.any(below), self.any(below)),
            6 => format!("({} < {})", self.any(below), self.any(below)),
            7 => format!("({} {} {})", self.any(below), self.of(&["in", "not in"]), self.list(below)),
            8 => format!("({} in {})", self.any(below), self.map(below)),
            9 => {
                let (word, list, name) = (self.of(&["all", "any"]), self.list(below), self.element());
                let body = self.within(&name, |maker| maker.bool(below));
                format!("({word} {list} as {name} {{ {body} }})")
            }
            10 => {
                let (word, map, name) = (self.of(&["all", "any"]), self.map(below), self.element());
                let body = self.within(&name, |maker| maker.bool(below));
                format!("({word} {map} as _, {name} {{ {body} }})")
            }
            11 => format!("({} is empty)", self.list(below)),
            12 => format!("({} else {})", self.bool(below), self.bool(below)),
            13 => format!("({} is true)", self.rule()),
            _ => self.bool(0),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        if depth == 0 {
            let leaves =
                ["h.m.list", "h.m.rows", "(h.m.tags else [1])", "[h.m.id, 2]", "[]", "l1", "l2", "l1"];
            return self.of(&leaves);
        }
        let below = depth - 1;
        match self.pick(11) {
            0 => format!("[{}, {}]", self.any(below), self.any(below)),
            1 | 2 => {
                let (list, name) = (self.list(below), self.element());
                let body = self.within(&name, |maker| maker.bool(below));
                format!("(filter {list} as {name} {{ {body} }})")
            }
            3 => {
                let (list, name) = (self.list(below), self.element());
                let body = self.within(&name, |maker| maker.any(below));
                format!("(map {list} as {name} {{ {body} }})")
            }
            4 => format!("({} + {})", self.list(below), self.list(below)),
            5 => format!("{}({})", self.of(&["keys", "values"]), self.map(below)),
            6 => {
                let (word, list, name) = (self.of(&["filter", "reject"]), self.list(below), self.element());
                let body = self.within(&name, |maker| maker.bool(below));
                format!("c.{word}({list}, func({name}) {{ return {body} }})")
            }
            7 => format!("l.concat({}, {})", self.list(below), self.list(below)),
            8 => format!("(({})[0:1] else [])", self.list(below)),
            _ => self.list(0),
        }
    }

    fn map(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.of(&["h.m", "h.m.sub", "(h.m.tags else {})", "h.m.rows[0]", "{}", "m1", "m2", "m1"]);
        }
        let below = depth - 1;
        match self.pick(6) {
            0 => format!("{{\"a\": {}, \"k\": {}}}", self.any(below), self.any(below)),
            1 => format!("{{(string({}) else \"a\"): {}}}", self.any(below), self.any(below)),
            2 => {
                let (map, name) = (self.map(below), self.element());
                let body = self.within(&name, |maker| maker.bool(below));
                format!("(filter {map} as _, {name} {{ {body} }})")
            }
            3 => format!("m.set({}, \"a.k\", {})", self.map(below), self.any(below)),
            _ => self.map(0),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let mut out = String::new();
        for _ in 0..self.pick(4) {
            out += &self.statement(depth);
            out.push('\n');
        }
        out
    }

    fn statement(&mut self, depth: usize) -> String {
        let local = self.in_function;
        if depth > 0 {
            let below = depth - 1;
            match self.pick(12) {
                0..=2 => {
                    let otherwise = match self.pick(2) {
                        0 => format!(" else {{\n{}}}", self.block(below)),
                        _ => String::new(),
                    };
                    return format!("if {} {{\n{}}}{otherwise}", self.bool(below), self.block(below));
                }
                3 => {
                    let (list, name) = (self.list(below), self.element());
                    self.loops += 1;
                    let body = self.within(&name, |maker| maker.block(below));
                    self.loops -= 1;
                    return format!("for ({list}) as {name} {{\n{body}}}");
                }
                4 => {
                    let (map, name) = (self.map(below), self.element());
                    self.loops += 1;
                    let body = self.within(&name, |maker| maker.block(below));
                    self.loops -= 1;
                    return format!("for ({map}) as _, {name} {{\n{body}}}");
                }
                5 => {
                    let (subject, value) = (self.any(below), self.any(below));
                    let (first, second) = (self.block(below), self.block(below));
                    return format!(
                        "case ({subject}) {{\nwhen ({value}):\n{first}n1 = n1\nelse:\n{second}}}"
                    );
                }
                _ => {}
            }
        }
        match self.pick(16) {
            0 => format!("n1 = {}", self.any(2)),
            1 => format!("n2 = {}", self.any(2)),
            2 => format!("b1 = {}", self.bool(2)),
            3 => format!("l1 = {}", self.list(2)),
            4 => format!("l2 += {}", self.list(1)),
            5 => format!("m1 = {}", self.map(2)),
            6 => format!("append(l1, {})", self.any(1)),
            7 => format!("append(l2, {})", self.any(1)),
            8 => {
                format!("m1[{}] = {}", self.of(&["\"a\"", "\"k\"", "string(h.m.id) else \"a\""]), self.any(1))
            }
            9 => format!("delete(m1, {})", self.of(&["\"a\"", "h.m.id", "\"k\""])),
            10 if self.loops > 0 => self.of(&["break", "continue"]),
            11 | 10 if local => format!("return {}", self.any(2)),
            12 if local => format!("u = {}", self.any(2)),
            13 if local => format!("append(v, {})", self.any(1)),
            12 => "l2 = l1".to_owned(),
            13 => format!("n2 = {}", self.rule()),
            14 => format!("m2[\"a\"] = {}", self.of(&["l1", "m1", "n1"])),
            _ => format!("b2 = {}", self.bool(1)),
        }
    }
}
