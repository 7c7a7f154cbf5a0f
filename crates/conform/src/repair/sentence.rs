//! Reads what a provider wants from its error message about a configuration.
//!
//! These sentences have no fixed form. The patterns match those of the common provider libraries, and similar ones.

use std::sync::LazyLock;

use objchange::value::Number;
use regex::{Captures, Regex, RegexBuilder};

use super::super::generate::Form;

/// A provider's demand on a part of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Wish {
    /// One of these values.
    OneOf(Vec<String>),
    /// A number, or a number of characters or elements.
    Range {
        least: Option<Number>,
        most: Option<Number>,
        measure: Measure,
    },
    /// A multiple of this.
    MultipleOf(Number),
    /// A whole number.
    Whole,
    /// `true` or `false`, in a text.
    Bool,
    /// That it is not set, at least while one of these is.
    Absent {
        unless: Vec<String>,
    },
    /// That these are set: `all`, or at least one.
    Present {
        names: Vec<String>,
        all: bool,
    },
    /// That only one of these is set.
    OnlyOne(Vec<String>),
    /// That a regular expression matches it.
    Matching(String),
    /// That it begins or ends with this.
    Begin(String),
    End(String),
    /// That it has this form.
    Like(Form),
    /// That it is not empty.
    NotEmpty,
    /// That this is an element of it.
    Include(String),
    /// That another attribute has this value.
    Elsewhere {
        name: String,
        value: String,
    },
    /// That it is the path of something that exists.
    Existing,
    /// Something that is not understood.
    Other,
}

impl Wish {
    /// Whether it is about the value of a part, which must be set for it.
    pub(super) fn is_about_value(&self) -> bool {
        matches!(
            self,
            Self::OneOf(_) | Self::Range { .. } | Self::MultipleOf(_) | Self::Matching(_) | Self::NotEmpty
        )
    }
}

/// The property that bounds apply to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Itself,
    Characters,
    /// The number of elements, or another length.
    Length,
}

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Option<Regex>> = LazyLock::new(|| {
            RegexBuilder::new($pattern).case_insensitive(true).build().ok()
        });)*

        /// Each pattern with its name, for the test that all of them are regular expressions.
        #[cfg(test)]
        pub(super) const PATTERNS: &[(&str, &LazyLock<Option<Regex>>)] = &[$((stringify!($name), &$name)),*];
    };
}

patterns! {
    ABSENT = r"invalid or unknown key|unknown (?:argument|attribute|field)|unsupported (?:argument|attribute|block)|conflict|(?:cannot|can't|can not|must not|may not|should not) be (?:set|specified|used|configured|provided|defined|combined)|not permitted|mutually exclusive|unconfigurable|is not expected here|has no effect";
    CONFLICT = r"(?:conflicts with|when) (.+)$";
    PRESENT = r"missing required|is required|are required|field required|required field|must be (?:specified|set|provided|configured|defined)|required with|requires .{1,80} to be (?:set|specified)|need to be (?:set|specified)|needs to be (?:set|specified)";
    ONLY_ONE = r"only one of|one \(and only one\)|exactly one|at most one";
    NONE_OR_FEW = r"no attribute specified|none (?:was|were|is)|must be specified|required|at least one";
    ANY_OF = r"one of|at least one|any of|either|out of";
    // The SDK v2 (`validation.StringInSlice`) says `expected name to be one of ["a" "b"], got c`, and the framework
    // (`stringvalidator.OneOf`) `value must be one of: ["a" "b"], got: "c"`.
    LIST = r"(?:one of|type of|(?:values?|options|types|choices) (?:are|is|include|of|for [^\[]*)|values|choose (?:from|between)|either|in|permitted|allowed|valid|supported|accepted|expected)[^\[\]\n]{0,60}\[([^\]]*)\]";
    ONLY = r"only (.+?) (?:are|is) (?:supported|allowed|valid|accepted|permitted)";
    // pydantic 2 says `Input should be 'a', 'b' or 'c'`, and pydantic 1 `permitted: 'a', 'b', 'c'`.
    QUOTED_LIST = r#"(?:should|must|can only|has to|needs to|permitted|one of|values?|expected)[^'"`\n]{0,40}?((?:'[^']*'|"[^"]*"|`[^`]*`)(?:(?:,|\s|\bor\b|\band\b)+(?:'[^']*'|"[^"]*"|`[^`]*`))*)"#;
    PLAIN_LIST = r"(?:(?:one of|permitted|(?:valid|allowed|supported|accepted|possible) (?:values|options|types)(?: are| include)?)\s*:?|must be either|should be either)\s+([^\[\]\n]+)";
    // `validation.IntBetween` says `in the range (1 - 10)`, and `int64validator.Between` says `between 1 and 10`.
    BETWEEN = r"(?:between|range(?: of)?|from)\s*[\(\[]?\s*(-?[\d_.]+(?:e\+?\d+)?)\s*(?:-|,|to|and|\.\.|\u2013)+\s*(-?[\d_.]+(?:e\+?\d+)?)";
    LEAST = r"(?:at least|minimum(?: \w+){0,3}?(?: is| of)?|greater than or equal to|more than or equal to|>=|min(?:imum)? ?(?:length|items|value)?:?)\s*[\(:]?\s*(-?[\d_.]+)|(-?[\d_.]+)(?: \w+)? or (?:more|greater|longer|higher)";
    MOST = r"(?:at most|not exceed|maximum(?: \w+){0,3}?(?: is| of)?|less than or equal to|<=|up to|max(?:imum)? ?(?:length|items|value)?:?|exceeds?)\s*[\(:]?\s*(-?[\d_.]+)|(-?[\d_.]+)(?: \w+)? or (?:less|fewer|shorter|lower)";
    ABOVE = r"(?:(?:greater|more|larger|longer|higher) than|above|over|>)\s*[\(:]?\s*(-?[\d_.]+)";
    BELOW = r"(?:(?:less|smaller|lower|fewer|shorter) than|below|under|<)\s*[\(:]?\s*(-?[\d_.]+)";
    DENIED = r"(?:not|cannot|can't|no)\b(?: be)?(?: \w+)? (?:greater|more|larger|longer|higher|less|smaller|lower|fewer|shorter|above|over|below|under)\b";
    // For `MaxItems` the SDKs say `attribute supports 1 item maximum, config has 2 declared`.
    SUPPORTS = r"supports (\d+) items? (minimum|maximum)|requires (\d+) items? (minimum)";
    LENGTH = r"length|characters?\b|chars\b|items?\b|elements?\b|entries|blocks?\b|longer|shorter|minitems|maxitems|long\b";
    CHARACTERS = r"characters?\b|chars\b|string length|string should";
    // `validation.IntDivisibleBy` says `to be divisible by 4`.
    MULTIPLE = r"(?:divisible by|multiple of)\s*\(?(\d+)";
    WHOLE = r"whole number|must be (?:an? )?int|valid int|parse(?:int|uint|float)|atoi|be an integer|value out of range|not an integer|a valid number|a number is required|int_parsing|unable to parse string as an integer";
    BOOL = r"parsebool|valid bool|must be (?:a )?bool|a bool is required|boolean";
    MATCHING = r#"(?:match(?:es)?|satisfy)(?: the| a| this)?(?: given)?(?: regular expression| regexp?| regex pattern| pattern)*:?\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|`([^`]*)`|/(\S+)/|(\^\S*\$|\[\S+))"#;
    BEGIN = r#"(?:begin|start)s? with:? ?['"`]?([^\s'"`,]+)"#;
    END = r#"end(?:s)? (?:with|in):? ?['"`]?([^\s'"`,]+)"#;
    INCLUDE = r#"["'`]([^"'`]*)["'`] (?:is |was )?(?:not (?:present|found|contained|listed|included) in|missing (?:in|from)|must be (?:in|part of|one of)) "#;
    ELSEWHERE = r#"\b([a-z_][a-z0-9_]*)["'`]? ?(?:=|==|is|equals|is set to|set to|to be|must be) ?["'`]([^"'`]+)["'`]"#;
    EXISTING = r"no such file|does not exist|not found|cannot find|enoent";
    NOT_EMPTY = r"not be (?:empty|blank|null|zero length)|cannot be (?:empty|blank)|can't be (?:empty|blank)|must be non-?empty|non-empty|is empty|empty string";
    // Brackets right after a name hold an index and no list of values: `allowed_uses[0] value must be one of: ["a" "b"]`.
    INDEX = r#"\b([a-z_][a-z0-9_]*)\[(?:\d+|"[^"\]]*"|value\([^)]*\))\]"#;
    GOT = r"(?:,|;|\(|:)? ?\b(?:got|but got|received|was given|but (?:it )?(?:was|is))\b:? .*$";
    ITEM = r#"'([^']*)'|"([^"]*)"|`([^`]*)`|([^\s,;'"`]+)"#;
}

fn find<'t>(pattern: &LazyLock<Option<Regex>>, text: &'t str) -> Option<Captures<'t>> {
    pattern.as_ref()?.captures(text)
}

fn is(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// The wish in a sentence, as far as it is understood. `name` is the attribute, if known; its words are ignored,
/// because they say nothing about the wish. `is_known` tells whether a name is one of an attribute or block type.
pub(super) fn wish(sentence: &str, name: Option<&str>, is_known: &dyn Fn(&str) -> bool) -> Wish {
    // A quoted value of the configuration, as in `got: "c"`, is not a wish.
    let text = GOT.as_ref().map_or(sentence.into(), |got| got.replace(sentence, ""));
    let text =
        INDEX.as_ref().map_or(text.clone(), |index| index.replace_all(&text, "$1").into_owned().into());
    let text = text.as_ref();
    if is(&ONLY_ONE, text) {
        let names = names(text);
        let is_none = is(&NONE_OR_FEW, text)
            && !sentence.contains("were specified")
            && !sentence.contains("attributes specified");
        return if is_none { Wish::Present { names, all: false } } else { Wish::OnlyOne(names) };
    }
    if is(&ABSENT, text) {
        let unless = find(&CONFLICT, text).and_then(|found| Some(names(found.get(1)?.as_str())));
        return Wish::Absent { unless: unless.unwrap_or_default() };
    }
    if let Some(expression) = find(&MATCHING, text).and_then(|found| group(&found)) {
        // Messages often quote an expression as `%q` of Go does, with each backslash doubled.
        return Wish::Matching(expression.replace("\\\\", "\\"));
    }
    let one_of = one_of(text);
    if let Some(Wish::OneOf(items)) = &one_of {
        let is_about_names = items.iter().any(|item| is_known(item)) && is(&PRESENT, text);
        if !is_about_names {
            return Wish::OneOf(items.clone());
        }
    }
    if is(&PRESENT, text) {
        let mut names = names(text);
        names.retain(|name| is_known(name));
        return Wish::Present { all: names.len() < 2 || !is(&ANY_OF, text), names };
    }
    if let Some(element) = find(&INCLUDE, text).and_then(|found| group(&found)) {
        return Wish::Include(element);
    }
    if let Some(found) = find(&ELSEWHERE, text)
        && let (Some(other), Some(value)) = (found.get(1), found.get(2))
        && is_known(other.as_str())
        && Some(other.as_str()) != name
    {
        return Wish::Elsewhere { name: other.as_str().to_owned(), value: value.as_str().to_owned() };
    }
    range(text).or_else(|| form(text, name)).unwrap_or(Wish::Other)
}

/// The first group that has matched.
fn group(found: &Captures<'_>) -> Option<String> {
    found.iter().skip(1).flatten().next().map(|group| group.as_str().to_owned())
}

fn one_of(text: &str) -> Option<Wish> {
    let list = find(&LIST, text).or_else(|| find(&ONLY, text)).or_else(|| {
        let found = find(&QUOTED_LIST, text)?;
        // One quoted word is more often a name than a choice.
        (found.get(1)?.as_str().contains(['\'', '"', '`']) && items(found.get(1)?.as_str()).len() > 1)
            .then_some(found)
    });
    let list = list.or_else(|| find(&PLAIN_LIST, text));
    let items = items(list?.get(1)?.as_str());
    (!items.is_empty()).then_some(Wish::OneOf(items))
}

/// The items of a list in any notation. If there are quotes, the text outside of them joins the items.
fn items(list: &str) -> Vec<String> {
    let Some(item) = ITEM.as_ref() else { return Vec::new() };
    let is_quoted = list.contains(['\'', '"', '`']);
    let mut items = Vec::new();
    for found in item.captures_iter(list) {
        let is_plain = found.get(4).is_some();
        let Some(item) = group(&found).filter(|_| is_plain != is_quoted) else { continue };
        match found.get(3) {
            // One pair of backquotes may hold several names: `a,b`.
            Some(names) => items.extend(names.as_str().split(',').map(|name| name.trim().to_owned())),
            None if is_plain && matches!(item.as_str(), "or" | "and" | ":") => {}
            None if is_plain => items.push(item.trim_end_matches(['.', ')']).to_owned()),
            None => items.push(item),
        }
    }
    items
}

/// The number in the first of these groups that has matched.
fn bound(found: &Captures<'_>, groups: [usize; 2]) -> Option<Number> {
    let text = groups.into_iter().find_map(|group| found.get(group))?.as_str();
    Number::parse(text.trim_end_matches(['.', '_'])).ok()
}

fn range(text: &str) -> Option<Wish> {
    let measure = match (is(&CHARACTERS, text), is(&LENGTH, text)) {
        (true, _) => Measure::Characters,
        (_, true) => Measure::Length,
        _ => Measure::Itself,
    };
    if let Some(found) = find(&BETWEEN, text) {
        return Some(Wish::Range { least: bound(&found, [1, 1]), most: bound(&found, [2, 2]), measure });
    }
    if let Some(found) = find(&SUPPORTS, text) {
        let count = bound(&found, [1, 3]);
        let is_least = found.get(2).or(found.get(4))?.as_str().eq_ignore_ascii_case("minimum");
        let (least, most) = if is_least { (count, None) } else { (None, count) };
        return Some(Wish::Range { least, most, measure: Measure::Length });
    }
    let number = |pattern| bound(&find(pattern, text)?, [1, 2]);
    if let Some(multiple) = number(&MULTIPLE) {
        return Some(Wish::MultipleOf(multiple));
    }
    let (above, below) = (number(&ABOVE), number(&BELOW));
    let one = Number::from(1);
    // `not greater than` a number makes it the maximum, where `less than` excludes it.
    let (least, most) = if is(&DENIED, text) {
        (below, above)
    } else {
        (above.and_then(|above| above.try_add(&one).ok()), below.and_then(|below| below.try_sub(&one).ok()))
    };
    let signs = [("non-negative", 0), ("positive", 1)];
    let by_sign = || Some(Number::from(signs.iter().find(|(word, _)| text.to_lowercase().contains(word))?.1));
    let (least, most) = (number(&LEAST).or(least), number(&MOST).or(most));
    let least = if most.is_none() { least.or_else(by_sign) } else { least };
    (least.is_some() || most.is_some()).then_some(Wish::Range { least, most, measure })
}

fn form(text: &str, name: Option<&str>) -> Option<Wish> {
    if is(&BOOL, text) {
        return Some(Wish::Bool);
    }
    if is(&WHOLE, text) {
        return Some(Wish::Whole);
    }
    if let Some(found) = find(&END, text) {
        return group(&found).map(Wish::End);
    }
    if let Some(found) = find(&BEGIN, text) {
        return group(&found).map(Wish::Begin);
    }
    if is(&EXISTING, text) && text.contains('/') {
        return Some(Wish::Existing);
    }
    let without_name = name.map_or(text.into(), |name| text.replace(name, ""));
    if let Some(form) = Form::in_sentence(&without_name) {
        return Some(Wish::Like(form));
    }
    if is(&NOT_EMPTY, text) {
        return Some(Wish::NotEmpty);
    }
    is(&EXISTING, text).then_some(Wish::Existing)
}

/// The names in a sentence: those in backquotes, or else in brackets, or else in quotes, or else all words.
pub(super) fn names(text: &str) -> Vec<String> {
    let Some(item) = ITEM.as_ref() else { return Vec::new() };
    let split =
        |text: &str| text.split([',', ' ']).map(clean).filter(|name| is_name(name)).collect::<Vec<_>>();
    let inside = |open, close| {
        let (_, rest) = text.split_once(open)?;
        Some(split(rest.split_once(close)?.0))
    };
    for (open, close) in [('`', '`'), ('[', ']')] {
        if let Some(names) = inside(open, close).filter(|names: &Vec<String>| !names.is_empty()) {
            return names;
        }
    }
    let quoted = item.captures_iter(text).filter(|found| found.get(4).is_none());
    let quoted: Vec<String> =
        quoted.filter_map(|found| group(&found)).flat_map(|group| split(&group)).collect();
    if quoted.is_empty() { split(text) } else { quoted }
}

fn clean(name: &str) -> String {
    name.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_').to_owned()
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'-' | b'[' | b']'))
}
