//! 64-bit floats as Go's `strconv` writes them.

/// More digits than this are zeros: the smallest float has 1,074 behind its point. Rust's own forms take at most 65,535.
const MOST_DIGITS: usize = 1100;

/// A positive float in the form of a verb; without a precision as many digits as needed to read it back.
pub(super) fn format(number: f64, verb: char, precision: Option<usize>) -> String {
    match verb {
        'f' => {
            let (digits, zeros) = digits_and_zeros(precision.unwrap_or(6));
            format!("{number:.digits$}{zeros}")
        }
        'e' | 'E' => {
            let (digits, zeros) = digits_and_zeros(precision.unwrap_or(6));
            let text = format!("{number:.digits$e}");
            let (mantissa, exponent) = split_exponent(&text);
            with_exponent(&(mantissa.to_owned() + &zeros), exponent, verb)
        }
        'g' | 'G' => general(number, if verb == 'G' { 'E' } else { 'e' }, precision),
        'b' => binary(number),
        _ => {
            let text = hexadecimal(number, precision);
            if verb == 'X' { text.to_uppercase() } else { text }
        }
    }
}

/// How many digits are written, and the zeros that follow them.
fn digits_and_zeros(precision: usize) -> (usize, String) {
    let digits = precision.min(MOST_DIGITS);
    (digits, "0".repeat(precision - digits))
}

/// A text such as `1.5e-7` in two.
fn split_exponent(text: &str) -> (&str, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa, exponent.parse().unwrap_or(0))
}

fn with_exponent(mantissa: &str, exponent: i32, e: char) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{e}{sign}{:02}", exponent.abs())
}

/// The shorter one of the forms with and without an exponent.
fn general(number: f64, e: char, precision: Option<usize>) -> String {
    let text = match precision {
        // Zeros at the end are left out below.
        Some(digits) => format!("{number:.*e}", digits.clamp(1, MOST_DIGITS) - 1),
        None => format!("{number:e}"),
    };
    let (mantissa, exponent) = split_exponent(&text);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let point = exponent + 1;
    let limit = match precision {
        // Without a precision Go decides as if it were 6: OPA 1.20 prints 1234567.5 as `1.2345675e+06`.
        None => 6,
        Some(precision) => {
            let limit = i32::try_from(precision.max(1)).unwrap_or(i32::MAX);
            if limit > count && count >= point { count } else { limit }
        }
    };
    if number != 0.0 && (exponent < -4 || exponent >= limit) {
        let (first, rest) = digits.split_at(1);
        let mantissa = if rest.is_empty() { first.to_owned() } else { format!("{first}.{rest}") };
        return with_exponent(&mantissa, exponent, e);
    }
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    if point <= 0 {
        return if number == 0.0 { "0".to_owned() } else { format!("0.{}{digits}", zeros(-point)) };
    }
    match usize::try_from(point) {
        Ok(point) if point < digits.len() => format!("{}.{}", &digits[..point], &digits[point..]),
        _ => format!("{digits}{}", zeros(point - count)),
    }
}

/// The mantissa and exponent of a float: MANTISSA × 2^EXPONENT.
fn parts(number: f64) -> (u64, i32) {
    let bits = number.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match i32::try_from((bits >> 52) & 0x7ff).unwrap_or(0) {
        0 => (fraction, -1074),
        exponent => (fraction | 1 << 52, exponent - 1075),
    }
}

fn binary(number: f64) -> String {
    let (mantissa, exponent) = parts(number);
    format!("{mantissa}p{exponent:+}")
}

fn hexadecimal(number: f64, precision: Option<usize>) -> String {
    let (mut mantissa, mut exponent) = parts(number);
    if mantissa == 0 {
        exponent = 0;
    } else {
        // The first digit is 1, followed by 60 bits.
        let shift = mantissa.leading_zeros() - 3;
        mantissa <<= shift;
        exponent += 60 - i32::try_from(shift).unwrap_or(0);
    }
    if let Some(digits) = precision.filter(|digits| *digits < 15) {
        let lost = 60 - 4 * u32::try_from(digits).unwrap_or(0);
        let extra = mantissa & ((1 << lost) - 1);
        mantissa >>= lost;
        if extra | (mantissa & 1) > 1 << (lost - 1) {
            mantissa += 1;
        }
        mantissa <<= lost;
        if mantissa & (1 << 61) != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let fraction = format!("{:015x}", mantissa & ((1 << 60) - 1));
    let fraction = match precision {
        None => fraction.trim_end_matches('0').to_owned(),
        Some(digits) if digits <= 15 => fraction[..digits].to_owned(),
        Some(digits) => fraction + &"0".repeat(digits - 15),
    };
    let point = if fraction.is_empty() { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{}{point}{fraction}p{sign}{:02}", mantissa >> 60, exponent.abs())
}

/// The number with a decimal point, and with the zeros that `%g` leaves out.
pub(super) fn with_point(text: &str, verb: char, precision: Option<usize>) -> String {
    let mut missing = match verb {
        'g' | 'G' | 'x' | 'X' => i64::try_from(precision.unwrap_or(6)).unwrap_or(0),
        _ => 0,
    };
    let is_hex = matches!(verb, 'x' | 'X');
    let tail =
        text.find(|c| matches!(c, 'p' | 'P') || (!is_hex && matches!(c, 'e' | 'E'))).unwrap_or(text.len());
    let (number, tail) = text.split_at(tail);
    let mut significant = number.trim_start_matches(['0', '.']).chars().filter(|c| *c != '.').count();
    let mut out = number.to_owned();
    if !number.contains('.') {
        significant += usize::from(number == "0");
        out.push('.');
    }
    missing -= i64::try_from(significant).unwrap_or(0);
    out.extend(std::iter::repeat_n('0', usize::try_from(missing).unwrap_or(0)));
    out.push_str(tail);
    out
}
