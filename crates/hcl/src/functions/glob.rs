//! Matches a name against one part of a pattern.

/// The pattern is invalid at the place that the match got to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadPattern;

/// `*` matches any text, `?` any character, `[a-c]` one of these, `[^a-c]` one of all others, and `{a,b}` one alternative.
/// `\` escapes the next character.
pub(super) fn matches(pattern: &str, name: &str) -> Result<bool, BadPattern> {
    let pattern: Vec<char> = pattern.chars().collect();
    if pattern.len() > MAX_LENGTH {
        return Err(BadPattern);
    }
    let name: Vec<char> = name.chars().collect();
    let mut steps = MAX_STEPS;
    from(&pattern, &name, &mut steps)
}

/// Longer patterns are refused.
const MAX_LENGTH: usize = 1024;

/// The maximum number of steps of a match. Names are short, and so should patterns be.
const MAX_STEPS: usize = 1 << 16;

fn from(pattern: &[char], name: &[char], steps: &mut usize) -> Result<bool, BadPattern> {
    // Backtracking takes time exponential in the stars of a pattern such as `*a*a*a*b`.
    *steps = steps.checked_sub(1).ok_or(BadPattern)?;
    let Some((c, rest)) = pattern.split_first() else { return Ok(name.is_empty()) };
    match c {
        '*' => {
            for start in 0..=name.len() {
                if from(rest, &name[start..], steps)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        '{' => {
            let (alternatives, rest) = alternatives(rest)?;
            for alternative in alternatives {
                let whole: Vec<char> = alternative.iter().chain(rest).copied().collect();
                if from(&whole, name, steps)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        _ if name.is_empty() => Ok(false),
        '?' => from(rest, &name[1..], steps),
        '[' => {
            let (is_in, rest) = class(rest, name[0])?;
            if is_in { from(rest, &name[1..], steps) } else { Ok(false) }
        }
        '\\' => match rest.split_first() {
            Some((c, rest)) if *c == name[0] => from(rest, &name[1..], steps),
            Some(_) => Ok(false),
            None => Err(BadPattern),
        },
        c if *c == name[0] => from(rest, &name[1..], steps),
        _ => Ok(false),
    }
}

/// Splits at commas up to the closing brace. Returns the alternatives and the rest of the pattern.
fn alternatives(pattern: &[char]) -> Result<(Vec<&[char]>, &[char]), BadPattern> {
    let (mut all, mut start, mut depth, mut at) = (Vec::new(), 0, 0, 0);
    while let Some(c) = pattern.get(at) {
        match c {
            '\\' => at += 1,
            '{' => depth += 1,
            '}' if depth == 0 => {
                all.push(&pattern[start..at]);
                return Ok((all, &pattern[at + 1..]));
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(&pattern[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    Err(BadPattern)
}

/// Whether a character is in a class, and what comes after that.
fn class(pattern: &[char], c: char) -> Result<(bool, &[char]), BadPattern> {
    // `!` does not negate: `fileset(".", "[!m]*")` finds `main.tf` (Terraform 1.11.4).
    let (is_negated, mut rest) = match pattern {
        ['^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut is_in = false;
    let mut is_first = true;
    loop {
        if let [']', after @ ..] = rest
            && !is_first
        {
            return Ok((is_in != is_negated, after));
        }
        is_first = false;
        let low = character(&mut rest)?;
        let high = match rest {
            ['-', after @ ..] => {
                rest = after;
                character(&mut rest)?
            }
            _ => low,
        };
        is_in |= (low..=high).contains(&c);
    }
}

fn character(rest: &mut &[char]) -> Result<char, BadPattern> {
    let (c, after) = match rest {
        ['\\', c, after @ ..] => (*c, after),
        ['\\' | '-' | ']'] | [] => return Err(BadPattern),
        [c, after @ ..] => (*c, after),
    };
    *rest = after;
    Ok(c)
}
