//! `sprintf`: the verbs, flags and complaints of Go's `fmt`.

mod float;
mod operand;
mod print;

use self::operand::Operand;
use self::print::Printer;
use super::arguments::{array, some, text};
use super::context::check_text;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::Value;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("sprintf", &[Types::STRING, Types::ARRAY], sprintf),
    Builtin::new("internal.template_string", &[Types::ARRAY], template_string),
];

/// The widest field and the most digits that are allowed.
// The limit of Go's `fmt`, beyond which it prints `%!(BADWIDTH)` for a `*`.
const MAX_WIDTH: i64 = 1_000_000;

fn sprintf(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let mut values = Vec::new();
    for value in array(operands, 1)? {
        let value = Operand::new(value);
        // Checked before the format can repeat the text of the operand.
        check_text(value.size())?;
        context.charge(value.size())?;
        values.push(value);
    }
    some(write_format(context, text(operands, 0)?, &values)?)
}

/// The parts of a template string in one text.
fn template_string(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let mut out = String::new();
    for part in array(operands, 0)? {
        match part {
            Value::String(text) => out.push_str(text),
            // OPA compiles `$"{x}"` to a call with a set for each expression, which is empty if it is
            // undefined.
            Value::Set(set) if set.is_empty() => out.push_str("<undefined>"),
            Value::Set(set) if set.len() == 1 => match &set.items()[0] {
                Value::String(text) => out.push_str(text),
                other => out.push_str(&other.to_string()),
            },
            other => out.push_str(&other.to_string()),
        }
        check_text(out.len())?;
        context.charge(out.len())?;
    }
    some(out)
}

/// A float in the shortest form that reads back as the same float, as `%v` prints it.
pub(super) fn shortest(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    format!("{sign}{}", float::format(number.abs(), 'g', None))
}

/// Reads the directives of a format.
struct Format<'f> {
    text: &'f [u8],
    at: usize,
    next_operand: usize,
    is_index_good: bool,
    is_reordered: bool,
}

/// Writes the operands into the places of a format.
fn write_format(context: &mut Context<'_>, text: &str, operands: &[Operand]) -> Result<String, BuiltinError> {
    let mut format =
        Format { text: text.as_bytes(), at: 0, next_operand: 0, is_index_good: true, is_reordered: false };
    let mut out = String::with_capacity(text.len());
    while format.at < text.len() {
        let start = format.at;
        format.at = text[start..].find('%').map_or(text.len(), |at| start + at);
        context.charge(format.at - start + 1)?;
        out.push_str(&text[start..format.at]);
        if format.at == text.len() {
            break;
        }
        format.at += 1;
        let before = out.len();
        let mut printer = Printer::new(&mut out);
        let has_end = format.directive(context, &mut printer, text, operands)?;
        check_text(out.len())?;
        context.charge(out.len() - before)?;
        if !has_end {
            break;
        }
    }
    // Go reports unused operands only if no index such as `%[2]d` chose them.
    if !format.is_reordered && format.next_operand < operands.len() {
        out.push_str("%!(EXTRA ");
        for (i, operand) in operands[format.next_operand..].iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            out.push_str(operand.type_name());
            out.push('=');
            Printer::new(&mut out).print(operand, 'v');
        }
        out.push(')');
    }
    Ok(out)
}

impl Format<'_> {
    /// Reads and prints one directive, behind its `%`. Whether anything can follow it.
    fn directive(
        &mut self,
        context: &mut Context<'_>,
        printer: &mut Printer<'_>,
        text: &str,
        operands: &[Operand],
    ) -> Result<bool, BuiltinError> {
        self.is_index_good = true;
        while let Some(c) = self.text.get(self.at) {
            match c {
                b'#' => printer.sharp = true,
                b'0' => printer.zero = true,
                b'+' => printer.plus = true,
                b'-' => printer.minus = true,
                b' ' => printer.space = true,
                _ => break,
            }
            self.at += 1;
        }
        let mut is_after_index = self.index(operands.len());
        if self.text.get(self.at) == Some(&b'*') {
            self.at += 1;
            match self.number_operand(operands) {
                Some(width) => {
                    printer.width = usize::try_from(width.unsigned_abs()).ok();
                    printer.minus |= width < 0;
                }
                None => printer.write("%!(BADWIDTH)"),
            }
            is_after_index = false;
        } else {
            printer.width = self.number(self.text.len());
            if is_after_index && printer.width.is_some() {
                self.is_index_good = false;
            }
        }
        if self.text.get(self.at) == Some(&b'.') && self.at + 1 < self.text.len() {
            self.at += 1;
            if is_after_index {
                self.is_index_good = false;
            }
            is_after_index = self.index(operands.len());
            if self.text.get(self.at) == Some(&b'*') {
                self.at += 1;
                printer.precision =
                    self.number_operand(operands).and_then(|number| usize::try_from(number).ok());
                if printer.precision.is_none() {
                    printer.write("%!(BADPREC)");
                }
                is_after_index = false;
            } else {
                printer.precision = Some(self.number(self.text.len()).unwrap_or(0));
            }
        }
        if !is_after_index {
            self.index(operands.len());
        }
        // Padding is charged before it is made.
        context.charge(printer.width.unwrap_or(0) + printer.precision.unwrap_or(0))?;
        let Some(verb) = text.get(self.at..).and_then(|rest| rest.chars().next()) else {
            printer.write("%!(NOVERB)");
            self.at = self.text.len();
            return Ok(false);
        };
        self.at += verb.len_utf8();
        if verb == '%' {
            printer.write("%");
        } else if !self.is_index_good {
            printer.write(&format!("%!{verb}(BADINDEX)"));
        } else if let Some(operand) = operands.get(self.next_operand) {
            self.next_operand += 1;
            printer.print_verb(operand, verb);
        } else {
            printer.write(&format!("%!{verb}(MISSING)"));
        }
        Ok(true)
    }

    /// Reads a number that ends before `end`. One that is too large ends there as well.
    fn number(&mut self, end: usize) -> Option<usize> {
        let mut number = None;
        while self.at < end && self.text[self.at].is_ascii_digit() {
            let so_far = number.unwrap_or(0);
            if so_far > MAX_WIDTH {
                self.at = end;
                return None;
            }
            number = Some(so_far * 10 + i64::from(self.text[self.at] - b'0'));
            self.at += 1;
        }
        number.and_then(|number| usize::try_from(number).ok())
    }

    /// Reads the index of an operand in brackets, if there is one here.
    fn index(&mut self, count: usize) -> bool {
        if self.text.get(self.at) != Some(&b'[') {
            return false;
        }
        self.is_reordered = true;
        let start = self.at;
        let rest = &self.text[start..];
        let close = if rest.len() < 3 { None } else { rest.iter().position(|b| *b == b']') };
        let Some(close) = close.map(|close| start + close) else {
            self.at = start + 1;
            self.is_index_good = false;
            return false;
        };
        self.at = start + 1;
        let number = self.number(close);
        let is_number = number.is_some() && self.at == close;
        self.at = close + 1;
        match number.and_then(|number| number.checked_sub(1)) {
            Some(index) if is_number && index < count => self.next_operand = index,
            _ => self.is_index_good = false,
        }
        is_number
    }

    /// Takes the next operand as a width or precision.
    fn number_operand(&mut self, operands: &[Operand]) -> Option<i64> {
        let operand = operands.get(self.next_operand)?;
        self.next_operand += 1;
        match operand {
            Operand::Int(number) if number.abs() <= MAX_WIDTH => Some(*number),
            _ => None,
        }
    }
}
