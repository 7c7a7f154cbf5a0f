//! Functions that return a different value on each call. They are unknown in a plan.

use objchange::value::Number;
use objchange::{Type, Value};

use super::{number, string, unknown};
use crate::function::{Function, Functions};

pub(super) fn add(functions: &mut Functions) {
    for name in ["plantimestamp", "timestamp", "uuid"] {
        functions.insert(name, Function::new([], Type::String, |_, ty| Ok(unknown(ty.clone()))));
    }
    let hash = Function::new([string("str")], Type::String, |_, ty| Ok(unknown(ty.clone())));
    functions.insert("bcrypt", hash.variadic(number("cost")));
}

impl Functions {
    /// Sets the time that `plantimestamp` returns, in RFC 3339.
    #[must_use]
    pub fn with_plan_time(mut self, time: &str) -> Self {
        let time = Value::from(time);
        self.insert("plantimestamp", Function::new([], Type::String, move |_, _| Ok(time.clone())));
        self
    }

    /// Gives values to these functions, as during apply: `timestamp` returns this time, in RFC 3339; `uuid` and `bcrypt` return
    /// texts made from these numbers.
    ///
    /// ```
    /// use objchange_hcl::{Functions, Scope, Variables, evaluate, parse_expression};
    ///
    /// let nothing = Variables::default();
    /// let call = |text: &str, functions: &Functions| {
    ///     evaluate(&parse_expression(text).unwrap(), &Scope::new(&nothing), functions).0
    /// };
    /// assert!(!call("uuid()", Functions::pure()).is_known());
    /// let functions = Functions::pure().clone().with_changing_values("2026-01-02T03:04:05Z", || 7);
    /// assert_eq!(call("uuid()", &functions), "00000000-0000-4007-8000-000000000007".into());
    /// assert_eq!(call("formatdate(\"YYYY\", timestamp())", &functions), "2026".into());
    /// ```
    #[must_use]
    pub fn with_changing_values(
        mut self,
        time: &str,
        random: impl Fn() -> u64 + Clone + Send + Sync + 'static,
    ) -> Self {
        let time = Value::from(time);
        self.insert("timestamp", Function::new([], Type::String, move |_, _| Ok(time.clone())));
        let next = random.clone();
        self.insert("uuid", Function::new([], Type::String, move |_, _| Ok(uuid(next(), next()).into())));
        let hash = Function::new([string("str")], Type::String, move |arguments, _| {
            let cost = arguments.get(1).and_then(Value::as_number).and_then(Number::as_u64);
            Ok(salted(cost.unwrap_or(10), &random).into())
        });
        self.insert("bcrypt", hash.variadic(number("cost")));
        self
    }
}

/// A UUID of version 4.
fn uuid(high: u64, low: u64) -> String {
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        0x8000 | low >> 48 & 0x3fff,
        low & 0xffff_ffff_ffff
    )
}

/// A text that looks like a hash of bcrypt. The salt of a real one is random and no function compares hashes, so that no
/// configuration can tell the difference.
fn salted(cost: u64, random: impl Fn() -> u64) -> String {
    const DIGITS: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    // Less than 4 counts as 10 in the library that Terraform uses.
    let mut text = format!("$2a${:02}$", if (4..=31).contains(&cost) { cost } else { 10 });
    for _ in 0..53 {
        text.push(char::from(DIGITS[(random() % 64) as usize]));
    }
    text
}
