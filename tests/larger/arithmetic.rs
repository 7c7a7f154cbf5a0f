//! The numeric expressions of the shared vectors whose operands are constants, where they are at hand.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use objchange::value::{ArithmeticError, Number};

/// The result of an expression; `None` if this test does not read it.
type Answer = Option<Result<Number, ArithmeticError>>;

/// Reads sums, products, signs, parentheses and calls, and computes as it goes.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn whole(text: &str) -> Answer {
        let mut reader = Reader { rest: text };
        let answer = reader.sum()?;
        reader.rest.trim_matches([' ', '\n']).is_empty().then_some(answer)
    }

    fn take(&mut self, token: &str) -> bool {
        match self.rest.trim_start_matches([' ', '\n']).strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self, is_part: impl Fn(char) -> bool) -> &str {
        let text = self.rest.trim_start_matches([' ', '\n']);
        let (word, rest) = text.split_at(text.find(|c| !is_part(c)).unwrap_or(text.len()));
        self.rest = rest;
        word
    }

    fn sum(&mut self) -> Answer {
        let mut left = self.product()?;
        loop {
            let operation = match () {
                () if self.take("+") => Number::try_add,
                () if self.take("-") => Number::try_sub,
                () => return Some(left),
            };
            let right = self.product()?;
            left = left.and_then(|left| operation(&left, &right?));
        }
    }

    fn product(&mut self) -> Answer {
        let mut left = self.operand()?;
        loop {
            let operation = match () {
                () if self.take("*") => Number::try_mul,
                () if self.take("/") => Number::try_div,
                () if self.take("%") => Number::try_rem,
                () => return Some(left),
            };
            let right = self.operand()?;
            left = left.and_then(|left| operation(&left, &right?));
        }
    }

    fn operand(&mut self) -> Answer {
        if self.take("-") {
            return Some(self.operand()?.map(|number| -number));
        }
        if self.take("(") {
            let inner = self.sum()?;
            return self.take(")").then_some(inner);
        }
        if self.rest.trim_start_matches([' ', '\n']).starts_with(|c: char| c.is_ascii_digit()) {
            let mut text = self.word(|c| c.is_ascii_digit() || ".eE".contains(c)).to_owned();
            if text.ends_with(['e', 'E']) && (self.rest.starts_with(['+', '-'])) {
                text += &self.rest[..1];
                self.rest = &self.rest[1..];
                text += self.word(|c| c.is_ascii_digit());
            }
            return Number::parse(&text).ok().map(Ok);
        }
        let name = self.word(|c| c.is_ascii_lowercase()).to_owned();
        if !self.take("(") {
            return None;
        }
        if name == "parseint" {
            let text = self.take("\"").then(|| self.word(|c| c != '"').to_owned())?;
            let base =
                (self.take("\"") && self.take(",")).then(|| self.word(|c| c.is_ascii_digit()).parse())?;
            let number = Number::parse_integer(&text, base.ok()?).ok()?;
            return self.take(")").then_some(Ok(number));
        }
        let first = self.sum()?;
        let second = if self.take(",") { Some(self.sum()?) } else { None };
        let answer = match (name.as_str(), second) {
            ("abs", None) => first.map(|n| n.abs()),
            ("floor", None) => first.map(|n| n.floor()),
            ("ceil", None) => first.map(|n| n.ceil()),
            ("tonumber", None) => first,
            ("max", Some(second)) => Ok(first.ok()?.max(second.ok()?)),
            ("min", Some(second)) => Ok(first.ok()?.min(second.ok()?)),
            ("pow", Some(second)) => first.and_then(|first| first.try_pow(&second?)),
            ("log", Some(second)) => first.and_then(|first| first.try_log(&second?)),
            _ => return None,
        };
        self.take(")").then_some(answer)
    }
}

/// The decimal text of a number in a case, in full.
fn text_of(value: &serde_json::value::RawValue) -> String {
    value.get().trim().to_owned()
}

#[derive(serde::Deserialize)]
struct Case<'a> {
    id: String,
    #[serde(default)]
    expr: String,
    #[serde(borrow, default)]
    variables: Option<&'a serde_json::value::RawValue>,
    #[serde(borrow)]
    want: &'a serde_json::value::RawValue,
}

#[derive(serde::Deserialize)]
struct Want<'a> {
    #[serde(borrow, default)]
    value: Option<&'a serde_json::value::RawValue>,
    #[serde(borrow, default)]
    errors: Option<&'a serde_json::value::RawValue>,
}

pub(crate) fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors");
    let trial = |test: &str, name: &'static str, at_least| {
        let path = folder.join(name);
        let is_absent = !path.exists();
        let trial = Trial::test(test, move || check(name, &std::fs::read_to_string(path)?, at_least));
        trial.with_ignored_flag(is_absent)
    };
    vec![trial("constants", "hcl-dev.jsonl", 40), trial("corners", "hcl-corner-dev.jsonl", 5)]
}

fn check(name: &str, text: &str, at_least: usize) -> Result<(), Failed> {
    let (mut checked, mut failures) = (0, Vec::new());
    for line in text.lines() {
        let Ok(case) = serde_json::from_str::<Case<'_>>(line) else { continue };
        let plain = case.expr.strip_prefix("tostring(").and_then(|rest| rest.strip_suffix(")"));
        let compares = case.expr.split_once("==").or_else(|| case.expr.split_once('>'));
        let Ok(want) = serde_json::from_str::<Want<'_>>(case.want.get()) else { continue };
        let want = want.value.map(text_of).or(want.errors.map(|_| "error".to_owned())).unwrap_or_default();
        let got = if case.variables.is_some() {
            None
        } else if let Some((left, right)) = compares {
            match (Reader::whole(left), Reader::whole(right)) {
                (Some(Ok(a)), Some(Ok(b))) if case.expr.contains("==") => Some((a == b).to_string()),
                (Some(Ok(a)), Some(Ok(b))) => Some((a > b).to_string()),
                _ => None,
            }
        } else if let Some(plain) = plain {
            Reader::whole(plain).map(|answer| answer.map_or("error".to_owned(), |n| format!("\"{n}\"")))
        } else {
            // The case holds the whole value, and reading it gives all its bits.
            Reader::whole(&case.expr).map(|answer| match (answer, Number::parse(&want)) {
                (Ok(got), Ok(number)) if got == number => want.clone(),
                (Ok(got), _) => got.to_string(),
                (Err(_), _) => "error".to_owned(),
            })
        };
        if let Some(got) = got {
            checked += 1;
            if got != want {
                failures.push(format!("{} {}: {got}, not {want}", case.id, case.expr));
            }
        }
    }
    assert!(failures.is_empty(), "{name}: {failures:#?}");
    assert!(checked >= at_least, "{name}: only {checked} cases were found");
    Ok(())
}
