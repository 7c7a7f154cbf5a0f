//! `objchange plan --config` or `--type`: plans one change of one resource. Without them `plan` is of a module.

mod arguments;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::AutoStream;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use objchange::change::PlannedChange;
use objchange::value::Path;
use objchange_project::resource::{
    ResourceConfig, ResourceError, ResourceReport, Subject, find_schema, part_path,
};
use objchange_text::similar;

pub(crate) use self::arguments::SubjectArgs;
use crate::arguments::{RESOURCE_FORM, command_of};
use crate::configuration::error_in;
use crate::exit::{self, CommandError, FAILED};
use crate::hints;
use crate::input::Source;
use crate::options::MaxInput;
use crate::schema_cache::SchemaQuery;
use crate::schemas::SchemaArgs;
use crate::style::colour;
use objchange_project::GivenSchemas;

/// The arguments with the name of this form, if `plan` refused them because of an option that only this form has.
/// Otherwise the refusal, which suggests an option of this form if the refused one is most like it.
pub(crate) fn choose_form(
    mut refusal: clap::Error,
    program: &Command,
    arguments: &[OsString],
) -> Result<Vec<OsString>, clap::Error> {
    let Some((at, "plan")) = command_of(arguments) else { return Err(refusal) };
    let refused = match refusal.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) => option.strip_prefix("--").map(str::to_owned),
        _ => None,
    };
    let (ErrorKind::UnknownArgument, Some(refused)) = (refusal.kind(), refused) else { return Err(refusal) };
    let options = |form| program.find_subcommand(form).into_iter().flat_map(Command::get_arguments);
    let of_module: Vec<&str> = options("plan").filter_map(Arg::get_long).collect();
    let of_resource: Vec<&str> = options(RESOURCE_FORM).filter_map(Arg::get_long).collect();
    if of_resource.contains(&refused.as_str()) {
        let mut arguments = arguments.to_vec();
        arguments[at] = RESOURCE_FORM.into();
        return Ok(arguments);
    }
    if let Some(option) = similar(&refused, of_module.iter().chain(&of_resource).copied()).first()
        && !of_module.contains(option)
    {
        refusal.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{option}")));
        // The other tip of `clap`, to pass the argument as a value behind `--`, is of no use beside the right option.
        refusal.remove(ContextKind::Suggested);
    }
    Err(refusal)
}

const AFTER_HELP: &str = "\
This form plans one resource. Without --config and --type a module is planned: see `objchange plan --help`.

Objects are JSON as in `terraform show -json`. In --config, --planned and a --prior that is an object, write \
{\"$unknown\":{}} for an unknown value and {\"$sensitive\":…} for a sensitive one.

A resource block comes from a configuration file (.tf, .tofu, .tf.json) or a module directory. `dynamic` blocks are \
expanded, and `ignore_changes`, `create_before_destroy` and `prevent_destroy` apply. Variables and local values of \
the module are used, and `each` and `count` if the address has a key. Other references are unknown and are listed. \
In a directory, override files are applied last, and `terraform.tfvars` and `*.auto.tfvars` are read. TF_VAR_… \
variables are not read.

By default a simulated provider plans: computed attributes without a value become unknown. `terraform_data` is \
planned as Terraform plans it.

The change is printed as `terraform plan` prints it. Without --address the resource is called `this`.

Exit codes:
  0  the change is planned
  1  the planned object breaks the contract between Terraform and its providers, or `prevent_destroy` forbids the change
  2  the input cannot be used, or the output cannot be written

Examples:
  objchange plan --schemas schemas.json --type aws_instance \\
      --prior prior.json --config config.json
  terraform providers schema -json | objchange plan --schemas - \\
      --type aws_instance --config config.json
  objchange plan --schemas schemas.json --type aws_instance \\
      --prior terraform.tfstate --address aws_instance.web \\
      --config config.json --requires-replace ami
  objchange plan --schemas schemas.json --prior terraform.tfstate \\
      --config 'main.tf:aws_instance.web' --var-file prod.tfvars";

/// Predict the change of one resource, and why it happens
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, override_usage = "objchange plan --config <FILE|DIR> [OPTIONS]")]
pub(crate) struct Args {
    #[command(flatten)]
    schemas: SchemaArgs,

    /// The provider of the resource type, e.g. `hashicorp/aws`, if several have this type
    #[arg(long, value_name = "ADDRESS")]
    provider: Option<String>,

    #[command(flatten)]
    subject: SubjectArgs,

    /// Check this planned object instead of simulating a provider
    #[arg(long, value_name = "FILE")]
    planned: Option<PathBuf>,

    /// A path whose change requires replacement; can be repeated
    #[arg(long, value_name = "PATH", value_parser = part_path)]
    requires_replace: Vec<Path>,

    #[command(flatten)]
    max_input: MaxInput,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let config = ResourceConfig::read(args.subject.config()).map_err(|error| hints::resource(&error))?;
    let (subject, plan) = planned(args, &config).map_err(|error| refused_in(error, &config))?;
    Ok(show(&args.subject, &subject, &plan)?)
}

/// The error of a command, with the place of the problem in the configuration.
pub(crate) fn refused_in(error: ResourceError, config: &ResourceConfig) -> CommandError {
    match (error, config.sources()) {
        (ResourceError::Configuration(error), Some(sources)) => error_in(error, sources),
        (error, _) => hints::resource(&error),
    }
}

/// Prints the planned change. The exit code is 1 if the plan breaks the contract or `prevent_destroy` forbids it.
pub(crate) fn show(args: &SubjectArgs, subject: &Subject<'_>, plan: &PlannedChange) -> io::Result<ExitCode> {
    let report = ResourceReport::new(subject, plan);
    let stdout = io::stdout();
    if args.json {
        report.write_json(&mut stdout.lock())?;
    } else {
        let colour = colour(&stdout);
        report.write_text(&mut AutoStream::auto(stdout.lock()), colour)?;
    }
    exit::notices(&report.notices(args.json));
    let is_prevented = report.is_prevented();
    if is_prevented {
        exit::complain("the object cannot be destroyed: lifecycle.prevent_destroy forbids it")?;
    }
    Ok(if report.is_valid() && !is_prevented { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn planned<'s>(
    args: &Args,
    config: &'s ResourceConfig,
) -> Result<(Subject<'s>, PlannedChange), ResourceError> {
    let inputs = args.subject.inputs(args.max_input);
    let planned_source = args.planned.as_deref().map(Source::new);
    let others: Vec<Source> = args.schemas.sources().chain(planned_source.clone()).collect();
    let subject = exit::noted(Subject::read(&inputs, config, &others, |resource_type| {
        find_schema(schemas(resource_type, args)?, resource_type, args.provider.as_deref())
    }))?;
    let planned = planned_source.map(|source| (source, args.max_input.size));
    let plan = subject.plan(planned, &args.requires_replace)?;
    Ok((subject, plan))
}

/// The schemas that are given, or those in the cache that may have the type.
fn schemas(resource_type: &str, args: &Args) -> Result<GivenSchemas, ResourceError> {
    let given = args.schemas.load(args.max_input.size)?;
    if given.is_given() {
        return Ok(given);
    }
    let named = args.provider.as_deref().and_then(SchemaQuery::named);
    let wanted = named.unwrap_or_else(|| SchemaQuery::OfType(resource_type.to_owned()));
    let locked = exit::noted(args.subject.inputs(args.max_input).locked_versions());
    let schemas = args.schemas.cache.choose([wanted], &locked).schemas;
    if schemas.providers().next().is_none() {
        return Err(ResourceError::NoSchemas);
    }
    Ok(GivenSchemas { name: "the cached schemas".to_owned(), schemas })
}
