//! `objchange schemas diff`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use objchange::schema::ProviderSchemas;
use objchange_document::schema_cache::CachedSchemas;
use objchange_model::{NotCompared, ProviderModel, Upgrade, UpgradeChange, UpgradeKind};
use objchange_project::{ConcernedResource, SchemaCache, UpgradeSide, UsedResources};
use objchange_text::{counted, json, visible};
use serde::Serialize;

use super::Selector;
use crate::exit::{self, CommandError, FAILED, unusable};
use crate::hints;
use crate::input::Source;
use crate::options::MaxInput;
use crate::terminal;

const AFTER_HELP: &str = "\
Each version is one of the cache, such as hashicorp/aws@5.1.0, a file that `objchange schemas export` has written, or the \
output of `terraform providers schema -json` with one provider.

Schemas say which types, attributes and blocks are removed, required, deprecated, sensitive or of another type. Only models say \
what forces replacement, which defaults there are, what is kept and which values are refused: learn both versions with \
`objchange schemas learn`. Types that only one version has a model of are named as not compared.

With directories, only differences that concern a resource in these root modules are printed, with the resources.

Exit codes:
  0  the differences are printed
  1  there is a difference that --fail-on names
  2  the input cannot be used, the output cannot be written, or --fail-on asks for something that could not be compared

Examples:
  objchange schemas diff hashicorp/aws@5.99.0 hashicorp/aws@5.100.0
  objchange schemas diff hashicorp/aws@5.99.0 hashicorp/aws@5.100.0 environments/prod --fail-on replace --fail-on removed
  objchange schemas diff old.schemas new.schemas . --markdown > comment.md
  objchange schemas diff hashicorp/random@3.5.0 schemas.json --json";

/// Compare two versions of a provider
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// The version before, e.g. `hashicorp/aws@5.1.0`, or a file
    #[arg(value_name = "PROVIDER@VERSION|FILE")]
    before: String,

    /// The version after
    #[arg(value_name = "PROVIDER@VERSION|FILE")]
    after: String,

    /// Root modules: only differences that concern their resources are printed
    #[arg(value_name = "DIR")]
    directories: Vec<PathBuf>,

    /// Exit with 1 at these differences; can be repeated
    #[arg(long, value_enum, value_name = "WHAT")]
    fail_on: Vec<FailOn>,

    /// Print JSON (schema/schemas-diff.schema.json)
    #[arg(long, conflicts_with = "markdown")]
    json: bool,

    /// Print Markdown, for the pull request that raises the version
    #[arg(long)]
    markdown: bool,

    #[command(flatten)]
    max_input: MaxInput,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A change of an argument forces replacement, or may, and did not before
    Replace,
    /// A type, an attribute or a block does not exist any more, or cannot be set
    Removed,
    /// A configuration may be refused: a value is not accepted any more, something must be set, or has another type
    Refused,
}

impl FailOn {
    fn is_about(self, kind: UpgradeKind) -> bool {
        match self {
            Self::Replace => kind == UpgradeKind::Replaces,
            Self::Removed => matches!(kind, UpgradeKind::Removed | UpgradeKind::ReadOnly),
            Self::Refused => matches!(
                kind,
                UpgradeKind::Refused | UpgradeKind::Required | UpgradeKind::Limited | UpgradeKind::Type
            ),
        }
    }

    /// Whether models alone can say that there is no such difference.
    fn needs_models(self) -> bool {
        self != Self::Removed
    }
}

/// The differences to print.
#[derive(Serialize)]
struct Page<'p> {
    format_version: &'static str,
    provider: String,
    before: Side<'p>,
    after: Side<'p>,
    changes: Vec<Listed<'p>>,
    not_compared: Vec<&'p NotCompared>,
    /// Modules whose resources are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_modules: Vec<&'p str>,
    #[serde(skip)]
    titles: [String; 2],
    /// Differences that concern no resource of the directories.
    #[serde(skip)]
    others: usize,
}

#[derive(Serialize)]
struct Side<'p> {
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'p str>,
    learned: bool,
}

#[derive(Serialize)]
struct Listed<'p> {
    #[serde(flatten)]
    change: &'p UpgradeChange,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<ConcernedResource>>,
}

pub(super) fn run(args: &Args, cache: Option<&SchemaCache>) -> Result<ExitCode, CommandError> {
    let (before, after) = (side(&args.before, args, cache)?, side(&args.after, args, cache)?);
    if before.provider != after.provider {
        return Err(unusable(format!(
            "these are two providers: {} and {}",
            before.provider.for_display(),
            after.provider.for_display()
        )));
    }
    let used = match args.directories.is_empty() {
        true => None,
        false => Some(UsedResources::new(&args.directories, &before).map_err(unusable)?),
    };
    let upgrade = before.compare(&after).map_err(unusable)?;
    let page = page(&before, &after, &upgrade, used.as_ref());
    let models = [&before, &after].into_iter().filter_map(|side| side.model.as_ref());
    models.flat_map(ProviderModel::problems).for_each(|problem| exit::warn(&problem));
    let mut out = terminal::stdout();
    match (args.json, args.markdown) {
        (true, _) => json::write_pretty(&mut out, &page)?,
        (_, true) => write_markdown(&mut out, &page)?,
        _ => write_text(&mut out, &page)?,
    }
    out.flush()?;
    let fails = |listed: &Listed<'_>| args.fail_on.iter().any(|what| what.is_about(listed.change.kind));
    if page.changes.iter().any(fails) {
        return Ok(ExitCode::from(FAILED));
    }
    let is_unsure = !page.not_compared.is_empty() && args.fail_on.iter().any(|what| what.needs_models());
    if is_unsure || !page.missing_modules.is_empty() && !args.fail_on.is_empty() {
        return Err(unusable("--fail-on cannot be answered, because not everything was compared"));
    }
    Ok(ExitCode::SUCCESS)
}

/// A version of a provider: a file, or one of the cache.
fn side(text: &str, args: &Args, cache: Option<&SchemaCache>) -> Result<UpgradeSide, CommandError> {
    let path = Path::new(text);
    let named = |error: &dyn std::fmt::Display| unusable(format!("{text}: {error}"));
    if path.is_file() || text == "-" {
        let source = Source::new(path);
        let bytes =
            source.bytes_as_allowed(args.max_input.size.0).map_err(|error| unusable(hints::input(&error)))?;
        if bytes.starts_with(b"objchange schemas ") {
            let cached = CachedSchemas::parse(bytes).map_err(|error| named(&error))?;
            return UpgradeSide::from_cached(cached).map_err(|error| named(&error));
        }
        let document = String::from_utf8(bytes).map_err(|_| named(&"it is not a text in UTF-8"))?;
        let schemas = ProviderSchemas::parse(document).map_err(|error| named(&error))?;
        return UpgradeSide::from_document(schemas).map_err(|error| named(&error));
    }
    let selector: Selector = text.parse().map_err(|error| {
        unusable(format!("{text}: there is no such file, and {error}, such as hashicorp/aws@5.1.0"))
    })?;
    let files = cache.map(SchemaCache::files).unwrap_or_default();
    let file = files.iter().find(|file| selector.is_of(file));
    let file = file.ok_or_else(|| {
        unusable(format!("there are no cached schemas of {text}: see `objchange schemas list`"))
    })?;
    let cached = file.read().map_err(|error| unusable(format!("{}: {error}", file.path.display())))?;
    UpgradeSide::from_cached(cached).map_err(|error| unusable(format!("{}: {error}", file.path.display())))
}

fn page<'p>(
    before: &'p UpgradeSide,
    after: &'p UpgradeSide,
    upgrade: &'p Upgrade,
    used: Option<&'p UsedResources>,
) -> Page<'p> {
    let mut changes = Vec::new();
    for change in &upgrade.changes {
        let resources = used.map(|used| used.concerned_by(change));
        // A block of the provider's configuration is in no resource.
        if change.schema == "provider" || resources.as_ref().is_none_or(|all| !all.is_empty()) {
            changes.push(Listed { change, message: change.sentence(), resources });
        }
    }
    let is_compared = |one: &&NotCompared| match used {
        None => true,
        Some(used) if one.parts.is_empty() => used.has_type(&one.type_name),
        Some(used) => one.parts.iter().any(|part| used.sets(&one.type_name, part)),
    };
    let side =
        |side: &'p UpgradeSide| Side { version: side.version.as_deref(), learned: side.model.is_some() };
    Page {
        format_version: "1.0",
        provider: before.provider.to_string(),
        before: side(before),
        after: side(after),
        others: upgrade.changes.len() - changes.len(),
        changes,
        not_compared: upgrade.not_compared.iter().filter(is_compared).collect(),
        missing_modules: used
            .into_iter()
            .flat_map(|used| &used.missing_modules)
            .map(String::as_str)
            .collect(),
        titles: [before.display(), after.display()],
    }
}

impl Page<'_> {
    /// Sentences about everything that was not compared.
    fn unsure(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for (side, title) in [(&self.before, &self.titles[0]), (&self.after, &self.titles[1])] {
            if !side.learned {
                sentences.push(format!("the behavior is not compared, because {title} was not learned"));
            }
        }
        // Two files of one provider may both lack a version.
        sentences.dedup();
        if sentences.is_empty() {
            let all = self.not_compared.iter().copied();
            let (parts, types): (Vec<&NotCompared>, Vec<&NotCompared>) =
                all.partition(|one| !one.parts.is_empty());
            if !types.is_empty() {
                let names: Vec<&str> = types.iter().map(|one| one.type_name.as_str()).collect();
                sentences.push(format!("the behavior is not compared: {}", listed(&names)));
            }
            if !parts.is_empty() {
                let names: Vec<&str> = parts.iter().map(|one| one.type_name.as_str()).collect();
                sentences.push(format!(
                    "whether changes of all arguments force replacement is not compared: {}",
                    listed(&names)
                ));
            }
        }
        for module in &self.missing_modules {
            sentences.push(format!("{module} is not installed, so that its resources are not known"));
        }
        sentences
    }
}

/// The most names in a sentence.
const MAX_NAMES: usize = 10;

fn listed(names: &[&str]) -> String {
    let more = names.len().saturating_sub(MAX_NAMES);
    let shown = names[..names.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {}", counted(more, "other type")) }
}

/// The name of a change's type, as people write it.
fn type_name(change: &UpgradeChange) -> String {
    match change.schema {
        "provider" => "the provider's configuration".to_owned(),
        "resource_schemas" => change.type_name.to_string(),
        "data_source_schemas" => format!("data {}", change.type_name),
        "ephemeral_resource_schemas" => format!("ephemeral {}", change.type_name),
        "functions" => format!("function {}", change.type_name),
        other => format!("{} {}", other.trim_end_matches("_schemas"), change.type_name),
    }
}

fn write_text(out: &mut impl Write, page: &Page<'_>) -> io::Result<()> {
    let [before, after] = &page.titles;
    let count = page.changes.len();
    writeln!(out, "{} -> {}: {}", visible(before), visible(after), counted(count, "difference"))?;
    let mut last = String::new();
    for listed in &page.changes {
        let name = type_name(listed.change);
        if name != last {
            writeln!(out, "\n{}", visible(&name))?;
            last = name;
        }
        let part = listed.change.part.as_deref().unwrap_or("it");
        writeln!(out, "  {}", visible(&format!("{part} {}", listed.message)))?;
        for resource in listed.resources.iter().flatten() {
            let ConcernedResource { directory, address, place } = resource;
            writeln!(out, "      {}", visible(&format!("{address} ({directory}/{place})")))?;
        }
    }
    if page.others > 0 {
        writeln!(out, "\n{} of no concern for these directories", counted(page.others, "other difference"))?;
    }
    let unsure = page.unsure();
    if !unsure.is_empty() {
        writeln!(out)?;
    }
    unsure.iter().try_for_each(|sentence| writeln!(out, "Not checked: {}", visible(sentence)))
}

fn write_markdown(out: &mut impl Write, page: &Page<'_>) -> io::Result<()> {
    let [before, after] = page.titles.each_ref().map(|title| code(title));
    writeln!(out, "### {before} → {after}: {}\n", counted(page.changes.len(), "difference"))?;
    if !page.changes.is_empty() {
        let has_resources = page.changes.iter().any(|listed| listed.resources.is_some());
        let (head, line) = if has_resources { (" Resources |", "---|") } else { ("", "") };
        writeln!(out, "| Type | Part | Difference |{head}\n|---|---|---|{line}")?;
        for listed in &page.changes {
            let part = listed.change.part.as_deref().map(code).unwrap_or_default();
            write!(out, "| {} | {part} | {} |", code(&type_name(listed.change)), code(&listed.message))?;
            if let Some(resources) = &listed.resources {
                let names: Vec<String> = resources.iter().map(|one| code(&one.address)).collect();
                write!(out, " {} |", names.join(", "))?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
    }
    if page.others > 0 {
        writeln!(out, "{} of no concern for these directories.\n", counted(page.others, "other difference"))?;
    }
    page.unsure().iter().try_for_each(|sentence| writeln!(out, "> Not checked: {}", code(sentence)))
}

/// A text in a cell of a table that Markdown takes as it is.
fn code(text: &str) -> String {
    let text = visible(text).replace('`', "'").replace('|', "\\|").replace(['\n', '\r'], " ");
    format!("`{text}`")
}
