//! Options that set the variables of a configuration.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, value_parser};
use objchange_project::{VariableInputs, VariableSetting};

use crate::arguments::Assignment;

/// Arguments for the variables of a configuration.
#[derive(Debug, clap::Args)]
pub(crate) struct GivenArgs {
    #[command(flatten)]
    settings: Settings,

    /// The directory that functions such as `file` may read; without it they fail
    #[arg(long, value_name = "DIR")]
    base_dir: Option<PathBuf>,
}

/// `--var` and `--var-file`, in their order on the command line; later ones win.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings(Vec<VariableSetting>);

impl Settings {
    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &VariableSetting> {
        self.0.iter()
    }

    /// All of them.
    pub(crate) fn as_slice(&self) -> &[VariableSetting] {
        &self.0
    }
}

impl clap::Args for Settings {
    fn augment_args(command: Command) -> Command {
        let var = Arg::new("var")
            .long("var")
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .value_parser(Assignment)
            .help(
                "Set a variable. The value is a string unless a `variable` block has another type. Can be \
                 repeated and combined with --var-file; later values override earlier ones",
            );
        let file = Arg::new("var_file")
            .long("var-file")
            .visible_alias("vars")
            .value_name("FILE")
            .action(ArgAction::Append)
            .value_parser(value_parser!(PathBuf))
            .help(
                "Set variables from a file like `terraform.tfvars`, or from JSON if its name ends with \
                 `.json`. Can be repeated",
            );
        command.arg(var).arg(file)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Settings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found: Vec<(usize, VariableSetting)> = Vec::new();
        let at = |name| matches.indices_of(name).into_iter().flatten();
        let texts = matches.get_many::<(String, String)>("var").into_iter().flatten().cloned();
        found.extend(std::iter::zip(at("var"), texts.map(|(name, text)| VariableSetting::Text(name, text))));
        let files = matches.get_many::<PathBuf>("var_file").into_iter().flatten().cloned();
        found.extend(std::iter::zip(at("var_file"), files.map(VariableSetting::File)));
        // `clap` has a list for each option. The indices give back the order on the command line, in which Terraform
        // applies `-var` and `-var-file`.
        found.sort_by_key(|(index, _)| *index);
        Ok(Self(found.into_iter().map(|(_, setting)| setting).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl GivenArgs {
    /// The values as the library takes them.
    pub(crate) fn given(&self) -> VariableInputs<'_> {
        VariableInputs { settings: self.settings.as_slice(), base_dir: self.base_dir.as_deref() }
    }
}
