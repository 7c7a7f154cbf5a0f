//! When two numbers are the same, however they are written.

use super::{write_len, write_text};

/// A JSON number as digits and exponent: `100`, `1e2` and `100.0` are equal.
pub(crate) struct CanonicalNumber<'t> {
    is_negative: bool,
    /// The digits before and after the point, without zeros at either end of both.
    digits: (&'t str, &'t str),
    /// The power of ten of the digit behind the last one before the point.
    exponent: i128,
    /// An exponent beyond every number: it counts as it is written.
    huge_exponent: &'t str,
}

impl<'t> CanonicalNumber<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let (mantissa, written) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (text, "0"),
        };
        let is_negative = mantissa.starts_with('-');
        let mantissa = mantissa.trim_start_matches('-');
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent = written.parse::<i64>().ok();
        let huge_exponent = if exponent.is_some() { "" } else { written };
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let mut number = Self {
            is_negative,
            digits: (whole, fraction),
            exponent: exponent.unwrap_or_default().into(),
            huge_exponent,
        };
        if fraction.is_empty() {
            let digits = whole.trim_end_matches('0');
            number.exponent += (whole.len() - digits.len()) as i128;
            number.digits = (digits, "");
        } else if whole.is_empty() {
            let digits = fraction.trim_start_matches('0');
            number.digits = ("", digits);
        }
        // From here on the exponent counts from the last digit.
        number.exponent -= fraction.len() as i128;
        // Zero is one number with every sign and exponent.
        if number.digits == ("", "") {
            return Self { is_negative: false, digits: ("", ""), exponent: 0, huge_exponent: "" };
        }
        number
    }

    /// Writes it, so that nothing behind it can be taken for a part of it.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(if self.is_negative { b'-' } else { b'+' });
        write_len(self.digits.0.len() + self.digits.1.len(), bytes);
        bytes.extend_from_slice(self.digits.0.as_bytes());
        bytes.extend_from_slice(self.digits.1.as_bytes());
        bytes.extend_from_slice(&self.exponent.to_be_bytes());
        write_text(self.huge_exponent, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::CanonicalNumber;

    fn canonical(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        CanonicalNumber::new(text).write(&mut bytes);
        bytes
    }

    #[test]
    fn a_number_is_the_same_however_it_is_written() {
        let same: [&[&str]; 5] = [
            &["0", "-0", "0.0", "0e5", "0e99999999999999999999"],
            &["100", "1e2", "100.0", "1.00E+2", "10000e-2"],
            &["0.05", "5e-2", "0.050", "0.5e-1"],
            &["-12.5", "-1.25e1", "-125e-1"],
            &["1e99999999999999999999"],
        ];
        for (i, group) in same.iter().enumerate() {
            for text in *group {
                for (j, others) in same.iter().enumerate() {
                    for other in *others {
                        assert_eq!(canonical(text) == canonical(other), i == j, "{text} {other}");
                    }
                }
            }
        }
        assert_ne!(canonical("1.05"), canonical("10.5"));
        assert_ne!(canonical("105"), canonical("1.5"));
    }
}
