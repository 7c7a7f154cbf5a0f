//! Options that select resources.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use objchange_document::{ChangeSet, Schemas};
use objchange_plan::IgnoredPath;
use objchange_plan::compare::unmatched_paths;
use objchange_plan::report::{SelectedAction, Selection};

/// Which resources to show.
#[derive(Debug, Args)]
pub(crate) struct Choice {
    #[command(flatten)]
    places: Places,

    /// Show only resources of this type; `*` matches anything. Can be repeated
    #[arg(long = "type", value_name = "TYPE-GLOB")]
    types: Vec<String>,
}

/// Which resources to show, where `--type` says something else.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Places {
    /// Show only this resource, all its instances, or everything in this module. Without an index it matches all
    /// instances; `*` matches anything. Can be repeated
    #[arg(long, value_name = "ADDRESS-GLOB")]
    only: Vec<String>,

    /// Hide resources that match, as for --only. Can be repeated
    #[arg(long, value_name = "ADDRESS-GLOB")]
    exclude: Vec<String>,

    /// Show only resources in this module, e.g. `module.net`, and in the modules inside it. Can be repeated
    #[arg(long = "module", value_name = "MODULE-ADDRESS")]
    modules: Vec<String>,

    /// Show only resources with one of these actions, separated by commas
    #[arg(long, value_name = "ACTION", value_delimiter = ',', value_parser = action())]
    action: Vec<SelectedAction>,

    /// Show only changes made outside of Terraform, including those irrelevant to the plan
    #[arg(long)]
    drift: bool,

    /// Leave out changes made outside of Terraform; a refresh-only plan shows them all the same
    #[arg(long, conflicts_with = "drift")]
    no_drift: bool,

    // Not the struct below: with another one inside, `clap` knows this one no more as a group that others exclude.
    #[arg(long, value_name = IGNORED, help = IGNORE)]
    ignore: Vec<IgnoredPath>,
}

const IGNORED: &str = "[ADDRESS-GLOB:]PATH";
const IGNORE: &str = "Ignore values at this path, e.g. `tags_all`, `rule[*].port` or `aws_instance.*:user_data`; `output.NAME` is an \
    output. An update of ignored paths alone is no change. Can be repeated";

/// Which values to ignore, for commands that select no resources.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct IgnoreArgs {
    #[arg(long, value_name = IGNORED, help = IGNORE)]
    pub(crate) ignore: Vec<IgnoredPath>,
}

/// The notes about ignored paths that are nowhere in any of these plans.
pub(crate) fn unmatched_ignores<'p>(
    ignored: &[IgnoredPath],
    plans: impl IntoIterator<Item = (&'p ChangeSet<'p>, &'p Schemas)>,
) -> Vec<String> {
    let mut unmatched = ignored.to_vec();
    let mut is_any = false;
    for (changes, schemas) in plans {
        is_any = true;
        // A plan that cannot be read has an error of its own.
        unmatched = unmatched_paths(changes, schemas, &unmatched).unwrap_or_default();
    }
    let note = |path: &IgnoredPath| format!("--ignore {path} matches nothing here");
    if is_any { unmatched.iter().map(note).collect() } else { Vec::new() }
}

/// Reads the name of an action.
fn action() -> impl TypedValueParser<Value = SelectedAction> {
    let names = SelectedAction::ALL.map(|action| {
        let value = PossibleValue::new(action.name());
        match action {
            // Terraform's JSON says `delete` where its text says that something will be destroyed.
            SelectedAction::Delete => value.alias("destroy").help("Destroyed and not created again"),
            SelectedAction::Replace => value.help("Destroyed and created again"),
            SelectedAction::NoOp => value.help("Moved or imported without a change"),
            _ => value,
        }
    });
    PossibleValuesParser::new(names).try_map(|name| name.parse::<SelectedAction>())
}

impl Choice {
    /// The selection as the library takes it.
    pub(crate) fn selection(&self) -> Selection {
        Selection { types: self.types.clone(), ..self.places.selection() }
    }
}

impl Places {
    /// The selection as the library takes it.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            only: self.only.clone(),
            exclude: self.exclude.clone(),
            types: Vec::new(),
            modules: self.modules.clone(),
            actions: self.action.clone(),
            drift: self.drift,
            no_drift: self.no_drift,
            ignored: self.ignore.clone(),
        }
    }
}
