//! Reads crashes of providers. The box of the call, the stack trace and the errors of the connection describe one crash.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::lines::pattern;
use super::page::{self, Message};
use super::place;
use super::sentence::ParsedSentence;
use super::{Explained, Trouble};
use crate::Clause;

/// The call as Terraform names it: `plugin6.(*GRPCProvider).PlanResourceChange`.
static CALL: LazyLock<Regex> = LazyLock::new(|| pattern(r"\(\*GRPCProvider\)\.([A-Za-z]+)"));

/// A call that Terraform gave up.
static CANCELLED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\(\*GRPCProvider\)\.[A-Za-z]+ request was cancell?ed"));

/// A function of a provider's own code in a stack trace, and the line of the source behind it.
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:terraform-provider-|builtin/providers/)[A-Za-z0-9_./-]*?([A-Za-z0-9_-]+\.(?:\(\*?[A-Za-z0-9_]+\)\.)?[A-Za-z_][A-Za-z0-9_.]*)\(",
    )
});
static SOURCE_LINE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"terraform-provider-[^\s:]*?([A-Za-z0-9_-]+\.go:[0-9]+)"));

/// A program of a provider in Terraform's log, which writes a stack trace.
static LOGGED_TRACE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:terraform-provider-\S+|plugin: terraform): (?:panic: |fatal error: |goroutine [0-9]+ \[|.*\.go:[0-9]+ \+0x)",
    )
});

/// A line of a stack trace that names the source: `plugin/server.go:12 +0x1a`.
static FRAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"\.go:[0-9]+\S* \+0x[0-9a-f]"));

/// A function of another package: `github.com/acme/tool.run(`.
static PACKAGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b[a-z0-9-]+\.[a-z]+/[A-Za-z0-9_.~/-]+\.[A-Za-z0-9_.()*]+\("));

/// Packages that occur only in stack traces of providers.
const PROVIDER: [&str; 4] = ["terraform-provider-", "terraform-providers/", "terraform-plugin-", BUILT_IN];

/// Packages of Terraform and OpenTofu themselves.
const CORE: [&str; 2] = ["hashicorp/terraform/", "opentofu/opentofu/"];
/// The prefix in logs before 0.10 for a provider that is built into Terraform.
const BUILT_IN: &str = "plugin: terraform: ";
/// The Go runtime's prefix for the signal that ended a program.
const SIGNAL: &str = "[signal SIG";

const BANNERS: [&str; 2] = ["TERRAFORM CRASH", "OPENTOFU CRASH"];

/// Facts about a crash in a message.
#[derive(Debug, Default)]
pub(super) struct Trace<'m> {
    reason: Option<&'m str>,
    /// The call in which the provider crashed.
    call: Option<String>,
    provider: Option<&'m str>,
    version: Option<&'m str>,
    frame: Option<String>,
}

impl<'m> Trace<'m> {
    /// Reads the facts from a message about a crash of a provider.
    pub(super) fn new(message: &'m Message) -> Self {
        let paragraphs = || message.paragraphs.iter().map(String::as_str);
        let is_program = |text: &&str| {
            text.contains(page::TRACE)
                || text.trim_end_matches('!').ends_with(" plugin crashed")
                || LOGGED_TRACE.is_match(text)
        };
        let program =
            paragraphs().chain([message.summary.as_str()]).filter(is_program).find_map(place::program);
        let capture = |pattern: &Regex| {
            paragraphs()
                .find_map(|text| pattern.captures(text)?.get(1).map(|found| found.as_str().to_owned()))
        };
        let has_trace = paragraphs().any(|text| text.contains("goroutine "));
        let frame = has_trace.then(|| capture(&FUNCTION)).flatten();
        let line = has_trace.then(|| capture(&SOURCE_LINE)).flatten();
        Self {
            reason: paragraphs().find_map(panic),
            call: paragraphs().chain([message.summary.as_str()]).find_map(call),
            provider: program.map(|(name, _)| name).or_else(|| {
                let trace = paragraphs().find(|text| text.contains("goroutine "))?;
                place::program(trace).map(|(name, _)| name).or_else(|| paragraphs().find_map(built_in))
            }),
            version: program.and_then(|(_, version)| version),
            frame: frame.map(|frame| match line {
                Some(line) => format!("{frame} ({line})"),
                None => frame,
            }),
        }
    }

    /// Adds the facts of this trace to a crash.
    pub(super) fn complete(&self, one: &mut Explained) {
        one.call = one.words.as_deref().and_then(call).or_else(|| self.call.clone());
        if let Some(reason) = self.reason {
            one.words = Some(reason.to_owned());
        }
        one.provider = one.provider.take().or_else(|| self.provider.map(str::to_owned));
        one.version = self.version.map(str::to_owned);
        one.frame.clone_from(&self.frame);
    }
}

/// The name of a provider that was built into Terraform before 0.10.
fn built_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("terraform/builtin/providers/")?;
    rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().filter(|name| !name.is_empty())
}

/// The call that a text names.
pub(super) fn call(text: &str) -> Option<String> {
    CALL.captures(text)?.get(1).map(|call| call.as_str().to_owned())
}

/// The reason that a program prints when it crashes, without the stack.
fn panic(paragraph: &str) -> Option<&str> {
    // Terraform's log has the name of the program before it.
    let logged = paragraph
        .find(BUILT_IN)
        .map(|at| at + BUILT_IN.len())
        .or_else(|| {
            let name = paragraph.find("terraform-provider-")?;
            Some(name + paragraph[name..].find(": ")? + 2)
        })
        .filter(|_| page::is_logged(paragraph));
    let said = &paragraph[logged.unwrap_or(0)..];
    let is_panic = ["panic: ", "fatal error: ", SIGNAL].iter().any(|word| said.starts_with(word));
    let end = [" [signal ", " goroutine "].iter().filter_map(|word| said.find(word)).min();
    is_panic.then(|| &said[..end.unwrap_or(said.len())])
}

/// Whether a text has a package that occurs only in stack traces of providers.
fn is_of_provider(text: &str) -> bool {
    PROVIDER.iter().any(|word| text.contains(word))
}

/// Whether a message has a stack trace of a provider rather than of Terraform itself.
pub(super) fn is_crash(message: &Message) -> bool {
    let any = |is_it: &dyn Fn(&str) -> bool| message.paragraphs.iter().any(|text| is_it(text));
    let has_panic = any(&|text| panic(text).is_some());
    let is_core = any(&|text| CORE.iter().chain(&BANNERS).any(|word| text.contains(word)));
    // A crash of another program is below a heading of its own, or names other packages.
    let has_trace = message.summary.is_empty() && any(&|text| text.contains("goroutine "));
    let is_other = is_core || any(&|text| PACKAGE.is_match(text));
    // The folder of a provider's code may have other programs in it.
    let is_tool = any(&|text| text.contains("main.main()")) && any(&|text| text.contains("/cmd/"));
    any(&|text| page::is_logged(text) && LOGGED_TRACE.is_match(text))
        || (has_panic && !is_tool && (any(&is_of_provider) || (has_trace && !is_other)))
        // The beginning may be cut off.
        || any(&|text| FRAME.is_match(text) && text.contains("terraform-plugin-"))
}

/// A message about a crash of Terraform itself.
pub(super) fn of_core(message: &Message) -> Option<ParsedSentence<'_>> {
    let any = |is_it: &dyn Fn(&str) -> bool| message.paragraphs.iter().any(|text| is_it(text));
    let has_banner = any(&|text| BANNERS.iter().any(|word| text.contains(word)));
    let reason = message.paragraphs.iter().find_map(|text| panic(text));
    let has_frames = any(&|text| CORE.iter().any(|word| text.contains(word)));
    let is_it = has_banner || (reason.is_some() && has_frames && any(&|text| text.contains("goroutine ")));
    (is_it && !any(&is_of_provider)).then(|| ParsedSentence {
        trouble: Some(Trouble::CoreCrash),
        words: reason,
        ..ParsedSentence::default()
    })
}

/// A message about a call that Terraform cancelled. Services print `request canceled` as well; those are not meant.
pub(super) fn cancelled(message: &Message) -> Option<ParsedSentence<'_>> {
    let is_whole = |text: &str| text.starts_with("rpc error: code = Canceled desc = ");
    let is_it = |text: &&str| CANCELLED.is_match(text) || is_whole(text);
    let mut texts = message.paragraphs.iter().map(String::as_str).chain([message.summary.as_str()]);
    let said = |text: &'_ str| text.find("The plugin.(*").filter(|_| CANCELLED.is_match(text)).unwrap_or(0);
    let words = texts.find(is_it).map(|text| &text[said(text)..]).or_else(|| {
        let is_heading =
            ["request cancelled", "request canceled"].contains(&message.summary.to_lowercase().as_str());
        is_heading.then_some(message.summary.as_str())
    });
    words.map(|words| ParsedSentence {
        trouble: Some(Trouble::Cancelled),
        words: Some(words),
        ..ParsedSentence::default()
    })
}

/// The messages of Terraform 0.14 and older for a lost connection to a provider.
const LOST: [&str; 3] = [
    "connection is shut down",
    "unexpected EOF",
    "rpc error: code = Unavailable desc = transport is closing",
];

/// A message of Terraform 0.11 about each resource when the provider has crashed:
/// `* aws_vpc.a: aws_vpc.a: unexpected EOF`; in the log,
/// `[ERROR] root.net: eval: *terraform.EvalDiff, err: aws_vpc.a: unexpected EOF`.
pub(super) fn lost_connection(paragraph: &str) -> Option<ParsedSentence<'_>> {
    let lost =
        |said: &'_ str| LOST.iter().find_map(|words| Some(said.len() - said.strip_suffix(words)?.len()));
    let split = |said| {
        let (places, words) = str::split_at(said, said.len() - lost(said)?);
        Some((places.trim_end_matches([':', ' ']), words))
    };
    let is_address = |place: &&str| place::address_and_path(place).is_some();
    if let Some((step, said)) = paragraph.split_once(", err: ").filter(|(step, _)| step.contains("[ERROR]")) {
        let said =
            said.strip_prefix("Warnings: []. Errors: [").map_or(said, |said| said.trim_end_matches(']'));
        let (place, words) = split(said)?;
        // The module is left out of the address.
        let is_root = step.contains("] root: ");
        return Some(connection_lost(None, Some(place).filter(|_| is_root).filter(is_address), words));
    }
    if let Some((place, said)) = paragraph.split_once(": apply errored, but we're indicating that ") {
        let (_, place) = place.split_once("] ").filter(|_| page::is_logged(paragraph))?;
        return Some(connection_lost(None, Some(place).filter(is_address), split(said)?.1));
    }
    let said = paragraph.strip_prefix('*')?.trim_start().trim_end_matches('.');
    let (places, words) = split(said)?;
    if places.replace(": ", "").contains(' ') {
        return None;
    }
    let place = places.split(": ").next()?;
    Some(match place.rsplit_once("provider.") {
        Some((_, name)) => connection_lost(Some(name), None, words),
        None => connection_lost(None, Some(place).filter(is_address), words),
    })
}

/// The name and version of the provider whose program exited like a Go program that panics; `None` if there are
/// several.
pub(super) fn exited(messages: &[Message]) -> Option<(String, Option<String>)> {
    let is_it = |text: &&String| text.contains("plugin process exited") && text.contains("exit status 2");
    let texts = messages.iter().flat_map(|message| &message.paragraphs).filter(is_it);
    let programs: BTreeSet<_> = texts.filter_map(|text| place::program(text)).collect();
    let (name, version) = programs.first().filter(|_| programs.len() == 1)?;
    Some(((*name).to_owned(), version.map(str::to_owned)))
}

fn connection_lost<'t>(
    provider: Option<&'t str>,
    address: Option<&'t str>,
    words: &'t str,
) -> ParsedSentence<'t> {
    ParsedSentence {
        clauses: vec![Clause::T2],
        provider,
        address,
        words: Some(words),
        ..ParsedSentence::default()
    }
}

/// Merges the messages about one crash: into one, or into one for each resource instance that they name. Mere consequences
/// are left out.
pub(super) fn merged(all: Vec<Explained>) -> Vec<Explained> {
    let is_crash = |one: &Explained| one.clauses == [Clause::T2];
    let is_cancelled = |one: &Explained| one.trouble == Some(Trouble::Cancelled);
    let crashes: Vec<&Explained> = all.iter().filter(|one| is_crash(one)).collect();
    if crashes.is_empty() {
        return all;
    }
    let cancelled: Vec<&Explained> = all.iter().filter(|one| is_cancelled(one)).collect();
    let providers: BTreeSet<&str> = crashes.iter().filter_map(|one| name(one)).collect();
    let mut merged = if providers.len() > 1 {
        // A message without a provider belongs to the provider whose type it names, or is a consequence.
        let provider_of = |one: &Explained| {
            let by_type = || one.resource_type()?.split('_').next();
            providers.get(name(one).or_else(by_type)?).copied()
        };
        let crashes_of =
            |provider| crashes.iter().copied().filter(|one| provider_of(one) == provider).collect::<Vec<_>>();
        let others =
            crashes_of(None).into_iter().filter(|one| one.address.is_some() || reason(one).is_some());
        let others: Vec<Explained> = others.cloned().collect();
        providers
            .iter()
            .flat_map(|provider| joined(&crashes_of(Some(*provider)), &[]))
            .chain(others)
            .collect()
    } else {
        joined(&crashes, &cancelled)
    };
    let at = all.iter().position(|one| is_crash(one) || is_cancelled(one)).unwrap_or_default();
    let mut rest: Vec<Explained> = Vec::new();
    for (i, one) in all.iter().enumerate() {
        if i == at {
            rest.append(&mut merged);
        }
        if !is_crash(one) && !is_cancelled(one) {
            rest.push(one.clone());
        }
    }
    rest
}

/// The name of the provider that a message names.
fn name(one: &Explained) -> Option<&str> {
    one.provider.as_deref()?.rsplit('/').next()
}

/// Joins the crashes of one provider, unless their reasons differ.
fn joined(crashes: &[&Explained], cancelled: &[&Explained]) -> Vec<Explained> {
    let Some(first) = crashes.first() else { return Vec::new() };
    let mut reasons: BTreeSet<&str> = crashes.iter().filter_map(|one| reason(one)).collect();
    // Go prints the signal below the program's own reason.
    if reasons.len() > 1 {
        reasons.retain(|reason| !reason.starts_with(SIGNAL));
    }
    if reasons.len() > 1 {
        let tells = |one: &&&Explained| one.address.is_some() || reason(one).is_some();
        return crashes.iter().filter(tells).map(|one| (*one).clone()).collect();
    }
    // The longer name is kept: it has the registry, or the source line.
    let longest = |part: fn(&Explained) -> Option<&str>| {
        crashes.iter().filter_map(|one| part(one)).max_by_key(|text| text.len()).map(str::to_owned)
    };
    let summary = crashes.iter().map(|one| &one.summary).find(|summary| !summary.is_empty());
    let reason = reasons.first().map(|reason| (*reason).to_owned());
    let whole = Explained {
        summary: summary.unwrap_or(&first.summary).clone(),
        provider: longest(|one| one.provider.as_deref()),
        version: longest(|one| one.version.as_deref()),
        frame: longest(|one| one.frame.as_deref()),
        words: reason.clone().or_else(|| crashes.iter().find_map(|one| one.words.clone())),
        call: crashes.iter().find_map(|one| one.call.clone()),
        address: None,
        ..(*first).clone()
    };
    let mut boxes: Vec<&Explained> = crashes.iter().copied().filter(|one| one.address.is_some()).collect();
    if boxes.is_empty() {
        // The cancelled call is the one that crashed if there is no other.
        let addresses: BTreeSet<&str> = cancelled.iter().filter_map(|one| one.address.as_deref()).collect();
        boxes.extend(cancelled.first().copied().filter(|_| whole.call.is_none() && addresses.len() == 1));
    }
    if boxes.is_empty() {
        return vec![whole];
    }
    let of_box = |one: &Explained| {
        let call = one.call.clone().or_else(|| one.words.as_deref().and_then(call));
        Explained {
            address: one.address.clone(),
            call: call.or_else(|| whole.call.clone()),
            words: reason.clone().or_else(|| one.words.clone()).or_else(|| whole.words.clone()),
            ..whole.clone()
        }
    };
    boxes.into_iter().map(of_box).collect()
}

/// The reason that the program printed for its crash.
pub(super) fn reason(one: &Explained) -> Option<&str> {
    let is_reason =
        |words: &&str| ["panic: ", "fatal error: ", SIGNAL].iter().any(|word| words.starts_with(word));
    one.words.as_deref().filter(is_reason)
}

/// An error of the connection to the plugin, as the whole text or after the name of the call. Errors of a service that the
/// provider calls are not meant.
pub(super) fn rpc_error(text: &str) -> Option<&str> {
    const ERROR: &str = "rpc error: code = ";
    let at = text.find(ERROR)?;
    let before = text[..at].trim_end().trim_end_matches("error:").trim_end();
    let is_item = || {
        let places = before.strip_prefix("* ").map(|places| places.trim_end_matches(':').replace(": ", ""));
        places.is_some_and(|places| !places.contains(' '))
    };
    let is_behind_call = || {
        CALL.is_match(before)
            || before.ends_with("\":") && before.contains("retrieve schema from provider \"")
    };
    (before.is_empty() || is_item() || is_behind_call()).then(|| &text[at..])
}

/// The stable name of a connection error.
pub(super) fn kind_of_rpc(text: &str) -> Option<&'static str> {
    let has = |word: &str| text.contains(word);
    if has("invalid UTF-8") {
        Some("invalid_utf8")
    } else if has("ResourceExhausted") && has("larger than max") {
        Some("message_too_large")
    } else {
        None
    }
}

/// Whether a log line is one of Terraform's plugin client. It also logs the regular end of each connection.
pub(super) fn is_housekeeping(paragraph: &str) -> bool {
    const NAMES: [&str; 4] = ["provider: plugin ", "plugin: plugin ", "provider.stdio: ", "plugin.stdio: "];
    page::is_logged(paragraph)
        && paragraph
            .split_once(']')
            .is_some_and(|(_, said)| NAMES.iter().any(|name| said.trim_start().starts_with(name)))
}
