//! One operand with one verb.

use std::fmt::Write;

use num_bigint::{BigInt, Sign};
use objchange_text::{is_printable, quote_into};

use super::float;
use super::operand::Operand;
use crate::value::{bytes_of_text, shown};

/// The flags of a directive, and where it is printed.
pub(super) struct Printer<'o> {
    out: &'o mut String,
    pub(super) sharp: bool,
    pub(super) zero: bool,
    pub(super) plus: bool,
    pub(super) minus: bool,
    pub(super) space: bool,
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    /// `%#v`
    is_go_syntax: bool,
    /// `%+v`
    is_detailed: bool,
}

impl<'o> Printer<'o> {
    pub(super) fn new(out: &'o mut String) -> Self {
        Self {
            out,
            sharp: false,
            zero: false,
            plus: false,
            minus: false,
            space: false,
            width: None,
            precision: None,
            is_go_syntax: false,
            is_detailed: false,
        }
    }

    pub(super) fn write(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Prints an operand as the verb of a directive asks.
    pub(super) fn print_verb(&mut self, operand: &Operand, verb: char) {
        if verb == 'v' {
            self.is_go_syntax = std::mem::take(&mut self.sharp);
            self.is_detailed = std::mem::take(&mut self.plus);
        }
        self.print(operand, verb);
    }

    pub(super) fn print(&mut self, operand: &Operand, verb: char) {
        if verb == 'T' {
            self.print_text(operand.type_name());
            return;
        }
        match operand {
            Operand::Int(number) => self.print_int(operand, *number, verb),
            Operand::Big(number) => self.print_big(number, verb),
            Operand::Float(number) => match verb {
                'v' => self.print_float(*number, 'g', None),
                'b' | 'g' | 'G' | 'x' | 'X' => self.print_float(*number, verb, None),
                'f' | 'e' | 'E' => self.print_float(*number, verb, Some(6)),
                'F' => self.print_float(*number, 'f', Some(6)),
                _ => self.bad_verb(operand, verb),
            },
            Operand::Text(text) => match verb {
                'v' if self.is_go_syntax => self.print_quoted(text),
                'v' | 's' => self.print_text(text),
                'q' => self.print_quoted(text),
                'x' | 'X' => self.print_hex(text, verb == 'X'),
                _ => self.bad_verb(operand, verb),
            },
        }
    }

    /// Says that the verb does not suit the operand.
    fn bad_verb(&mut self, operand: &Operand, verb: char) {
        let _ = write!(self.out, "%!{verb}({}=", operand.type_name());
        self.print(operand, 'v');
        self.out.push(')');
    }

    fn write_padding(&mut self, len: usize) {
        let fill = if self.zero && !self.minus { '0' } else { ' ' };
        self.out.extend(std::iter::repeat_n(fill, len));
    }

    fn pad(&mut self, text: &str) {
        let missing = self.width.unwrap_or(0).saturating_sub(text.chars().count());
        if self.minus {
            self.out.push_str(text);
            self.write_padding(missing);
        } else {
            self.write_padding(missing);
            self.out.push_str(text);
        }
    }

    fn pad_with_spaces(&mut self, text: &str) {
        let zero = std::mem::take(&mut self.zero);
        self.pad(text);
        self.zero = zero;
    }

    /// The text up to as many characters as the precision says.
    fn truncated<'t>(&self, text: &'t str) -> &'t str {
        let end = self.precision.and_then(|precision| text.char_indices().nth(precision));
        &text[..end.map_or(text.len(), |(at, _)| at)]
    }

    fn print_text(&mut self, text: &str) {
        self.pad(self.truncated(text));
    }

    fn print_quoted(&mut self, text: &str) {
        let text = self.truncated(text);
        let can_backquote = |c: char| c != '`' && c != '\u{feff}' && c != '\u{7f}' && (c >= ' ' || c == '\t');
        if self.sharp && text.chars().all(can_backquote) {
            self.pad(&format!("`{text}`"));
            return;
        }
        let mut quoted = String::new();
        if self.plus {
            quote_ascii(text, &mut quoted);
        } else {
            quote_into(&shown(text), &mut quoted);
        }
        self.pad(&quoted);
    }

    fn print_hex(&mut self, text: &str, upper: bool) {
        let bytes = bytes_of_text(text);
        let bytes = &bytes[..self.precision.unwrap_or(bytes.len()).min(bytes.len())];
        let prefix = if upper { "0X" } else { "0x" };
        let mut hex = String::with_capacity(2 * bytes.len());
        for (i, byte) in bytes.iter().enumerate() {
            if self.space && i > 0 {
                hex.push(' ');
            }
            if self.sharp && (i == 0 || self.space) {
                hex.push_str(prefix);
            }
            let _ = if upper { write!(hex, "{byte:02X}") } else { write!(hex, "{byte:02x}") };
        }
        self.pad(&hex);
    }

    fn print_int(&mut self, operand: &Operand, number: i64, verb: char) {
        let magnitude = BigInt::from(number.unsigned_abs());
        let radix = match verb {
            'v' | 'd' => 10,
            'b' => 2,
            'o' | 'O' => 8,
            'x' | 'X' => 16,
            'c' => {
                self.pad(&to_char(number).to_string());
                return;
            }
            'q' => {
                self.print_quoted_char(to_char(number));
                return;
            }
            'U' => {
                self.print_unicode(number);
                return;
            }
            _ => {
                self.bad_verb(operand, verb);
                return;
            }
        };
        // Go prints nothing but padding for `%.0d` of 0.
        if self.precision == Some(0) && number == 0 {
            let zero = std::mem::take(&mut self.zero);
            self.write_padding(self.width.unwrap_or(0));
            self.zero = zero;
            return;
        }
        self.print_digits(&magnitude.to_str_radix(radix), number < 0, radix, verb);
    }

    /// Digits with their sign and prefix, filled with zeros up to the precision.
    fn print_digits(&mut self, digits: &str, is_negative: bool, radix: u32, verb: char) {
        let sign = match (is_negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        };
        let least = match (self.precision, self.width) {
            (Some(precision), _) => precision,
            (None, Some(width)) if self.zero && !self.minus => width.saturating_sub(sign.len()),
            _ => 0,
        };
        let zeros = "0".repeat(least.saturating_sub(digits.len()));
        let prefix = match (verb, self.sharp, radix) {
            ('O', ..) => "0o",
            ('X', true, _) => "0X",
            (_, true, 16) => "0x",
            (_, true, 2) => "0b",
            (_, true, 8) if zeros.is_empty() && !digits.starts_with('0') => "0",
            _ => "",
        };
        let mut text = format!("{sign}{prefix}{zeros}{digits}");
        if verb == 'X' {
            text.make_ascii_uppercase();
        }
        self.pad_with_spaces(&text);
    }

    fn print_big(&mut self, number: &BigInt, verb: char) {
        let radix = match verb {
            'v' | 's' | 'd' => 10,
            'b' => 2,
            'o' | 'O' => 8,
            'x' | 'X' => 16,
            _ => {
                let _ = write!(self.out, "%!{verb}(big.Int={number})");
                return;
            }
        };
        let digits = number.magnitude().to_str_radix(radix);
        // Unlike Go's own integers, big ones take `%+v` for `%+d`.
        self.plus |= self.is_detailed;
        self.print_digits(&digits, number.sign() == Sign::Minus, radix, verb);
    }

    fn print_quoted_char(&mut self, c: char) {
        let mut quoted = String::new();
        match c {
            // A double quote needs no escape between single quotes.
            '"' => quoted.push_str("\"\"\""),
            _ if self.plus => quote_ascii(c.encode_utf8(&mut [0; 4]), &mut quoted),
            _ => quote_into(c.encode_utf8(&mut [0; 4]), &mut quoted),
        }
        let inner = &quoted[1..quoted.len() - 1];
        let inner = if c == '\'' { "\\'" } else { inner };
        self.pad(&format!("'{inner}'"));
    }

    fn print_unicode(&mut self, number: i64) {
        let digits = self.precision.unwrap_or(4).max(4);
        let mut text = format!("U+{number:0digits$X}");
        if self.sharp
            && let Some(c) = u32::try_from(number).ok().and_then(char::from_u32).filter(|c| is_printable(*c))
        {
            let _ = write!(text, " '{c}'");
        }
        self.pad_with_spaces(&text);
    }

    fn print_float(&mut self, number: f64, verb: char, precision: Option<usize>) {
        let precision = self.precision.or(precision);
        let text = float::format(number.abs(), verb, precision);
        let text = if self.sharp && verb != 'b' { float::with_point(&text, verb, precision) } else { text };
        let sign = match (number.is_sign_negative(), self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        };
        let len = sign.len() + text.len();
        // The sign comes before the zeros: `%06.2f` of -1.5 is `-01.50`.
        if self.zero && !self.minus && !sign.is_empty() && self.width.is_some_and(|width| width > len) {
            self.out.push_str(sign);
            self.write_padding(self.width.unwrap_or(0) - len);
            self.out.push_str(&text);
            return;
        }
        self.pad(&format!("{sign}{text}"));
    }
}

/// The character with this number, or the replacement character.
fn to_char(number: i64) -> char {
    u32::try_from(number).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Appends the string as a Go literal in ASCII.
fn quote_ascii(text: &str, out: &mut String) {
    let mut quoted = String::new();
    quote_into(text, &mut quoted);
    for c in quoted.chars() {
        let _ = match u32::from(c) {
            0..=0x7f => write!(out, "{c}"),
            code @ 0x80..=0xffff => write!(out, "\\u{code:04x}"),
            code => write!(out, "\\U{code:08x}"),
        };
    }
}
