//! Places as Terraform writes them: the address of a resource, a path in its object, the address of a provider.

use std::sync::LazyLock;

use objchange::address::steps;
use regex::Regex;

use super::lines::pattern;
use super::page::{Message, is_logged};

/// The place at the start of a text, and what follows it: everything up to the first of these ends that is in no brackets and no quotes.
pub(super) fn place<'t>(text: &'t str, ends: &[&str]) -> Option<(&'t str, &'t str)> {
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    for (i, c) in text.char_indices() {
        if depth == 0
            && !is_quoted
            && let Some(end) = ends.iter().find(|end| text[i..].starts_with(**end))
        {
            return Some((&text[..i], &text[i + end.len()..]));
        }
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            // Outside of brackets a quote belongs to the prose around the place.
            '"' if depth > 0 => is_quoted = !is_quoted,
            '[' if !is_quoted => depth += 1,
            ']' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// An address with a path behind it, as two: `data.aws_ami.web[0].filter[1].name` is the instance
/// `data.aws_ami.web[0]`, and `.filter[1].name` of it. `None` if there is no address.
pub(super) fn address_and_path(text: &str) -> Option<(&str, &str)> {
    type_and_end(text).map(|(_, end)| text.split_at(end))
}

/// An address without the name that the Cloud Development Kit puts behind it: `aws_disk.a (a)`.
pub(super) fn without_label(address: &str) -> &str {
    match address.strip_suffix(')').and_then(|inside| inside.rsplit_once(" (")) {
        Some((address, _)) => address,
        None => address,
    }
}

/// The resource type of an address.
pub(super) fn resource_type(address: &str) -> Option<&str> {
    type_and_end(address).map(|(name, _)| name)
}

/// The source address of a provider, with its registry.
static SOURCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[A-Za-z0-9.-]+(?::[0-9]+)?/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+"));

/// How Terraform's messages name a provider outside of the sentences that are known, the most exact first.
static NAMES: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    [
        r#"[Pp]rovider[\[\\"( ]+([A-Za-z0-9.-]+(?::[0-9]+)?/[A-Za-z0-9_-]+/[A-Za-z0-9_-]+)"#,
        r#"(?:[Pp]rovider[\[\\"(]+|The provider )([A-Za-z0-9_-]+/[A-Za-z0-9_-]+)"#,
        // Terraform 0.12 and older know no registries.
        r#"(?:[Pp]rovider "|^(?:\* |The provider )?provider\.)([a-z][a-z0-9_-]*)(?:"[^{]*$|: | does not support )"#,
        r#"terraform-provider-([a-z0-9-]+)_v[0-9]"#,
    ]
    .map(pattern)
});

/// The program of a provider: its name and its version.
static PROGRAM: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"terraform-provider-([a-z0-9-]+)(?:_v([0-9][0-9A-Za-z.+-]*))?"));

/// The name and the version of a provider whose program is named in a text.
pub(super) fn program(text: &str) -> Option<(&str, Option<&str>)> {
    let found = PROGRAM.captures(text)?;
    let part = |at| found.get(at).map(|part: regex::Match<'_>| part.as_str());
    let version = part(2).map(|version| version.trim_end_matches(".exe").trim_end_matches(['.', '-']));
    Some((part(1)?, version))
}

/// The source address in a text that is about one provider.
pub(super) fn source_address(text: &str) -> Option<&str> {
    SOURCE.find(text).map(|found| found.as_str())
}

/// The last one in a text.
pub(super) fn last_source_address(text: &str) -> Option<&str> {
    SOURCE.find_iter(text).last().map(|found| found.as_str())
}

/// The provider that a message names somewhere.
pub(super) fn provider(message: &Message) -> Option<String> {
    // A log has lines of all providers.
    let is_of_other = |text: &&str| is_logged(text) && !text.contains("[ERROR]");
    let texts = [&message.summary].into_iter().chain(&message.paragraphs).map(String::as_str);
    texts.filter(|text| !is_of_other(text)).find_map(provider_in).map(str::to_owned)
}

/// The provider that a text names; not what `terraform version` lists: `provider registry.terraform.io/acme/acme v1.2.3`.
pub(super) fn provider_in(text: &str) -> Option<&str> {
    let is_listed = |rest: &str| {
        rest.strip_prefix(" v").is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
    };
    NAMES.iter().find_map(|names| {
        let mut found = names.captures_iter(text).filter_map(|found| found.get(1));
        Some(found.find(|name| !is_listed(&text[name.end()..]))?.as_str())
    })
}

/// The version of a provider's package or program.
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    let version = r"([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]*[0-9A-Za-z])?)";
    pattern(&format!(
        r"terraform-provider-[a-z0-9-]+_v{version}|/{version}/[a-z0-9]+_[a-z0-9]+/|package for \S+ {version}"
    ))
});

/// The version of the provider whose package or program a text names.
pub(super) fn version(text: &str) -> Option<&str> {
    let found = VERSION.captures(text)?;
    (1..=3).find_map(|at| found.get(at)).map(|found| found.as_str())
}

/// A sentence about values, without what follows it: its full stop is outside of quotes and parentheses.
pub(super) fn sentence_end(text: &str) -> &str {
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    let mut letters = text.char_indices().peekable();
    while let Some((i, c)) = letters.next() {
        let mut ends =
            || letters.peek().is_none_or(|(_, next)| next.is_whitespace() || "\"'`".contains(*next));
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '(' | '{' | '[' if !is_quoted => depth += 1,
            ')' | '}' | ']' if !is_quoted => depth = depth.saturating_sub(1),
            '.' if !is_quoted && depth == 0 && ends() => return &text[..i],
            _ => {}
        }
    }
    text
}

/// The steps of a path as Go prints it.
static GO_STEP: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:GetAttrStep\{Name:|AttributeName\()("(?:[^"\\]|\\.)*")[})]|(?:IndexStep\{Key:cty\.NumberIntVal|ElementKeyInt)\(([0-9]+)\)|(?:IndexStep\{Key:cty\.StringVal|ElementKeyString)\(("(?:[^"\\]|\\.)*")\)"#,
    )
});

/// The path `.disk[0].size` that Go prints as `cty.Path{cty.GetAttrStep{Name:"disk"}, cty.IndexStep{…}, …}`, or as
/// `AttributeName("disk").ElementKeyInt(0).AttributeName("size")`.
pub(super) fn go_path(text: &str) -> Option<String> {
    let mut path = String::new();
    for step in GO_STEP.captures_iter(text) {
        let part = |at| step.get(at).map(|part: regex::Match<'_>| part.as_str());
        match (part(1), part(2).or(part(3))) {
            (Some(name), _) => path = format!("{path}.{}", name.trim_matches('"')),
            (_, Some(key)) => path = format!("{path}[{key}]"),
            _ => {}
        }
    }
    Some(path).filter(|path| !path.is_empty())
}

/// The address in `Error decoding "module.a.t.b[\"c\"]" from prior state`, `Instance t.b data could not be decoded` and their like.
pub(super) fn quoted_address(text: &str) -> Option<&str> {
    const AROUND: [(&str, &str); 8] = [
        ("no schema available for ", " while reading"),
        ("No resource schema found for ", " when decoding"),
        ("The current state of ", " was created by a newer"),
        ("for ", " in state does not match version"),
        ("Error decoding \"", "\" from "),
        ("Error decoding ", " from "),
        ("Instance ", " data could not be"),
        ("read schema for ", " in "),
    ];
    AROUND.iter().find_map(|(before, after)| {
        let (_, rest) = text.split_once(before)?;
        let (address, _) = rest.split_once(after)?;
        address_and_path(&address.replace("\\\"", "\"")).map(|_| address.trim())
    })
}

fn type_and_end(text: &str) -> Option<(&str, usize)> {
    let mut parts = steps(text).peekable();
    while let Some(part) = parts.next_if(|part| part.name == "module" || part.name == "<module>") {
        if part.name == "module" {
            parts.next()?;
        }
    }
    for kind in ["data", "ephemeral", "list", "action"] {
        if parts.next_if(|part| part.name == kind).is_some() {
            break;
        }
    }
    let kind = parts.next()?;
    let name = parts.next()?;
    let is_word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    (is_word(kind.name) && is_word(name.name)).then_some((kind.name, name.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_ends_before_the_path() {
        for (address, path) in [
            ("aws_instance.web", ".tags"),
            ("aws_instance.web[0]", ".disk[1].name"),
            (r#"module.net["a.b"].module.x.aws_vpc.main["k: v"]"#, r#".tags["Na.me"]"#),
            ("data.aws_ami.a", ""),
        ] {
            let text = format!("{address}{path}");
            assert_eq!(address_and_path(&text), Some((address, path)), "{text}");
        }
        assert_eq!(address_and_path("nothing"), None);
    }

    #[test]
    fn a_place_ends_outside_of_brackets() {
        let text = r#".tags["a: \"b: "]: was c"#;
        assert_eq!(place(text, &[": "]), Some((r#".tags["a: \"b: "]"#, "was c")));
        assert_eq!(place("no end", &[": "]), None);
    }
}
