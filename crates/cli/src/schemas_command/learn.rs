//! `objchange schemas learn`.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use objchange::schema::{ProviderSchemas, SchemaKind};
use objchange_conform::{Hints, LearnOptions, LearnProgress, learn};
use objchange_model::{GivenObject, ModelInfo};
use objchange_project::{
    CacheEntry, CacheFile, DocumentObjects, InstalledProviders, Interrupt, PlanFileReader, PlanSettings,
    ProviderProgram, SchemaCache, SchemaLookup, Workplace, is_module, plan_directory, pool,
};
use objchange_provider::client::{Children, Client, Limits};
use objchange_provider::{Provider, ProviderExt, schema_document};
use objchange_text::counted;

use super::output;
use super::unsaved::Unsaved;
use crate::exit::{self, CommandError, FAILED, INTERRUPTED, unusable};
use crate::hints;
use crate::input::Source;
use crate::launch::{self, LaunchArgs, duration};
use crate::options::MaxInput;

const AFTER_HELP: &str = "\
A provider is asked to plan objects that are made from its schemas. Nothing is created, read or changed, and no data \
source is read: plans need neither a service nor credentials that work. What the provider answers is added to its \
schemas in the cache, and `objchange plan DIR` uses it.

The provider needs settings that it accepts, which may be made up: --hints names a file with them, such as \
examples/providers/aws.json. It runs without a network, which only Linux can do; elsewhere --allow-net is needed.

--from also changes objects that exist, such as those of a state: these have combinations of arguments that nobody makes up. The \
provider sees their values, secret ones too. What is learned holds none of them.

Resource types that were learned before are skipped, so that an interrupted command can be repeated.

Exit codes:
  0    done; types that could not be learned are named
  1    no type was learned, or the time was over
  2    the provider, a file or the cache cannot be used
  130  interrupted; the types so far are kept

Examples:
  objchange schemas learn . --hints aws.json
  objchange schemas learn . --hints aws.json --from terraform.tfstate --again
  objchange schemas learn --provider-binary ./terraform-provider-aws_v5.100.0_x5 --hints aws.json --only 'aws_s3_*'";

/// Learn providers by asking them for plans
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Args {
    /// Directories in which `terraform init` has installed providers
    #[arg(value_name = "DIR", required_unless_present = "provider_binary")]
    directories: Vec<PathBuf>,

    /// Learn this provider binary. Can be repeated
    #[arg(long, value_name = "BINARY[=ADDRESS]")]
    provider_binary: Vec<ProviderProgram>,

    /// Learn only resource types whose name matches this glob; can be repeated
    #[arg(long, value_name = "GLOB")]
    only: Vec<String>,

    /// Settings of the provider, values for arguments, types to skip (schema/hints.schema.json)
    #[arg(long, value_name = "FILE")]
    hints: Option<PathBuf>,

    /// Also change the objects of this state, plan or directory of a module; can be repeated. The model holds none of their
    /// values
    #[arg(long, value_name = "STATE|PLAN|DIR")]
    from: Vec<PathBuf>,

    /// Maximum number of calls for each resource type
    #[arg(long, value_name = "N", default_value_t = 1_500)]
    calls: u32,

    /// Maximum time for each resource type
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "30s")]
    time_per_type: Duration,

    /// Begin no new resource type after this time, e.g. 10m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    limit: Option<Duration>,

    /// Number of provider processes [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,

    /// Learn types again that were learned before
    #[arg(long)]
    again: bool,

    /// Let the provider use the network
    #[arg(long)]
    allow_net: bool,

    /// Print what is cached as JSON (schema/schemas.schema.json)
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    max_input: MaxInput,

    #[command(flatten)]
    launch: LaunchArgs,
}

/// The timeout of a call. A plan takes milliseconds; one that waits for the network never ends.
const CALL: Duration = Duration::from_secs(30);

/// Makes Go's collector run when the memory in use has grown fivefold instead of twofold. Nearly all providers are Go programs, and
/// plans leave much garbage.
const COLLECTS_LESS: (&str, &str) = ("GOGC", "400");

/// The most types that are named as not learned, or learned in part.
const MAX_NAMED: usize = 20;

pub(super) fn run(args: &Args, cache: &SchemaCache) -> Result<ExitCode, CommandError> {
    if args.launch.attaches() && !args.allow_net {
        return Err(unusable(
            "--reattach attaches to a provider that runs with a network: allow that with --allow-net",
        ));
    }
    let hints = match &args.hints {
        None => Hints::default(),
        Some(path) => {
            let source = Source::new(path);
            let text = source.read().map_err(|error| unusable(error.to_string()))?;
            Hints::parse(text.as_bytes()).map_err(|error| unusable(format!("{source}: {error}")))?
        }
    };
    let mut args = args.clone();
    args.launch.set_default(COLLECTS_LESS.0, COLLECTS_LESS.1);
    let args = &args;
    let workshop = Workshop::new(args, &hints)?;
    let mut code = ExitCode::SUCCESS;
    let mut entries = Vec::new();
    for learnable in programs(args)? {
        let Some(schemas) = workshop.schemas(&learnable)? else {
            output::write(cache, &entries, args.json)?;
            return Ok(ExitCode::from(INTERRUPTED));
        };
        let file = add_schemas(&learnable, &schemas, cache)?;
        let learned = workshop.learn(&learnable.program, &file, cache)?;
        report(&learned, &file);
        let entry = cache.versions(&file.provider).into_iter().find(|one| one.version == file.version);
        entries.extend(entry.map(|file| CacheEntry::read(&file)));
        if learned.was_interrupted {
            output::write(cache, &entries, args.json)?;
            return Ok(ExitCode::from(INTERRUPTED));
        }
        if learned.count == 0 && !learned.knew_some || learned.left > 0 {
            code = ExitCode::from(FAILED);
        }
    }
    output::write(cache, &entries, args.json)?;
    Ok(code)
}

/// A provider to learn, and its version where that is known.
struct Learnable {
    program: ProviderProgram,
    version: Option<String>,
}

/// The providers to learn.
fn programs(args: &Args) -> Result<Vec<Learnable>, CommandError> {
    let given = args.provider_binary.iter();
    let mut programs: Vec<Learnable> =
        given.map(|program| Learnable { program: program.clone(), version: program.version() }).collect();
    for directory in &args.directories {
        let installed = InstalledProviders::open(directory).and_then(|installed| installed.all());
        let installed = installed.map_err(|error| unusable(error.to_string()))?;
        programs.extend(installed.into_iter().map(|installed| {
            let address = installed.provider.to_string();
            let program = ProviderProgram::new(installed.program, &address);
            Learnable { program, version: Some(installed.version) }
        }));
    }
    Ok(programs)
}

/// Adds the schemas of a provider to the cache.
fn add_schemas(learnable: &Learnable, text: &str, cache: &SchemaCache) -> Result<CacheFile, CommandError> {
    let Learnable { program, version } = learnable;
    let (address, name) = (program.address(), program.path.display().to_string());
    let schemas = ProviderSchemas::parse(text).map_err(|error| unusable(error.message))?;
    let added = cache.add(&schemas, &address, &name, |_| version.clone());
    let added = added.map_err(|error| unusable(format!("{address}: {error}")))?;
    added.ok_or_else(|| unusable(format!("{address}: there is nothing to learn")))
}

/// The result of learning a provider.
struct Outcome {
    count: usize,
    calls: u64,
    knew_some: bool,
    info: ModelInfo,
    left: usize,
    was_interrupted: bool,
}

/// Where providers are started and asked.
struct Workshop<'a> {
    args: &'a Args,
    hints: &'a Hints,
    workplace: Workplace,
    interrupt: Interrupt,
}

impl<'a> Workshop<'a> {
    fn new(args: &'a Args, hints: &'a Hints) -> Result<Self, CommandError> {
        let interrupt = Interrupt::default();
        let workplace = launch::interruptible(&interrupt).map_err(|error| unusable(error.to_string()))?;
        // The first interrupt ends learning, and everything that was learned is saved. The second one ends the program.
        interrupt.hold_off();
        Ok(Self { args, hints, workplace, interrupt })
    }

    /// Does the work, until an interrupt: `None` after one.
    fn wait_for<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let work = async {
            tokio::select! {
                biased;
                () = self.interrupt.heard() => None,
                result = work => Some(result),
            }
        };
        if self.interrupt.was_heard() { None } else { self.workplace.wait_for(work).flatten() }
    }

    /// The schemas of a provider as a document; `None` after an interrupt. The provider is started as for learning, because
    /// its environment may decide which types it has.
    fn schemas(&self, learnable: &Learnable) -> Result<Option<String>, CommandError> {
        let (args, program) = (self.args, &learnable.program);
        let work = async {
            let client = start(args, Limits::default(), program, &self.workplace.children).await?;
            let schemas = client.schemas().await?;
            client.end().await;
            Ok(schema_document([(program.address().as_str(), &*schemas)]))
        };
        self.wait_for(work).transpose().map_err(|error| failed(program, &error, args))
    }

    fn learn(
        &self,
        program: &ProviderProgram,
        file: &CacheFile,
        cache: &SchemaCache,
    ) -> Result<Outcome, CommandError> {
        let args = self.args;
        let mut options = options(args, self.hints);
        options.given = given(args, file, cache)?;
        if !args.again {
            let known = file.read().ok().and_then(|cached| cached.model);
            options.except = known.iter().flat_map(|model| model.types().cloned()).collect();
        }
        let knew_some = !options.except.is_empty();
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        let unsaved = Arc::new(Mutex::new(Unsaved::new(cache.clone(), file.clone())));
        let (shown, models) = (bar.clone(), unsaved.clone());
        let progress = move |progress: LearnProgress<'_>| {
            shown.set_length(progress.types as u64);
            shown.set_position(progress.done as u64);
            shown.set_message(objchange_text::visible(progress.name).into_owned());
            models.lock().unwrap_or_else(PoisonError::into_inner).add(progress);
        };
        let (children, program_to_start, own_args) =
            (self.workplace.children.clone(), program.clone(), args.clone());
        let start = move || {
            let (program, args, children) = (program_to_start.clone(), own_args.clone(), children.clone());
            async move {
                let limits = Limits { call: CALL, ..Limits::default() };
                Ok(Arc::new(start(&args, limits, &program, &children).await?) as Arc<dyn Provider>)
            }
        };
        let learned = self.wait_for(learn(start, options, progress));
        bar.finish_and_clear();
        let mut unsaved = unsaved.lock().unwrap_or_else(PoisonError::into_inner);
        let was_interrupted = learned.is_none();
        if let Some(learned) = learned {
            let learned = learned.map_err(|error| failed(program, &error, args))?;
            let known = &mut unsaved.learned;
            (known.info, known.calls, known.left) = (learned.info, learned.calls, learned.left);
        }
        unsaved.save().map_err(|error| unusable(format!("{}: {error}", file.path.display())))?;
        Ok(Outcome {
            count: unsaved.count,
            calls: unsaved.learned.calls,
            knew_some,
            info: unsaved.learned.info.clone(),
            left: unsaved.learned.left,
            was_interrupted,
        })
    }
}

/// The objects of a provider in the given states, plans and directories.
fn given(args: &Args, file: &CacheFile, cache: &SchemaCache) -> Result<Vec<GivenObject>, CommandError> {
    if args.from.is_empty() {
        return Ok(Vec::new());
    }
    let read = file.read().map_err(|error| unusable(format!("{}: {error}", file.path.display())))?;
    let lookup = SchemaLookup::new(cache.clone());
    let reader = PlanFileReader::new(ProviderSchemas::default(), lookup.clone());
    let provider = file.provider.to_string();
    let mut found = DocumentObjects::default();
    for path in &args.from {
        let unusable = |error: String| unusable(format!("{}: {error}", path.display()));
        let document = match is_module(path) {
            true => {
                let settings = PlanSettings {
                    lookup: lookup.clone(),
                    max_input: args.max_input.size,
                    ..PlanSettings::default()
                };
                let planned = exit::noted(plan_directory(path, &settings));
                let planned = planned.map_err(|error| unusable(error.to_string()))?;
                planned
                    .into_plan_file(path.display().to_string())
                    .map_err(|error| unusable(error.to_string()))?
            }
            false => {
                let document = reader.read(&Source::new(path), args.max_input.size.0);
                document.map_err(|error| unusable(hints::plan_input(&error)))?
            }
        };
        let block = |type_name: &str| {
            let schema = read.schemas.get(&provider, SchemaKind::Resource, type_name);
            schema.ok().flatten().map(|schema| &schema.block)
        };
        found.add(&document, &provider, block);
    }
    if found.of_other_schemas > 0 {
        let count = counted(found.of_other_schemas, "object");
        exit::note(&format!("{count} of other schemas of {} were not used", file.provider.for_display()));
    }
    Ok(found.objects)
}

fn options(args: &Args, hints: &Hints) -> LearnOptions {
    let mut options = LearnOptions::default();
    options.only.clone_from(&args.only);
    options.hints = hints.clone();
    (options.calls, options.time_per_type, options.time) = (args.calls, args.time_per_type, args.limit);
    // With --reattach there is only the one process that runs already.
    options.is_one_process = args.launch.attaches();
    options.jobs = if options.is_one_process { 1 } else { args.jobs.map_or_else(pool::cores, NonZero::get) };
    options
}

/// Starts a provider, without a network unless it may have one.
async fn start(
    args: &Args,
    limits: Limits,
    program: &ProviderProgram,
    children: &Children,
) -> objchange_provider::Result<Client> {
    match args.allow_net {
        true => args.launch.start_within(limits, program, children).await,
        false => args.launch.start_offline(limits, program, children).await,
    }
}

fn failed(program: &ProviderProgram, error: &objchange_provider::Error, args: &Args) -> CommandError {
    unusable(format!("{}: {}", program.path.display(), advised(error, args)))
}

/// An error, with what may help.
fn advised(error: &objchange_provider::Error, args: &Args) -> String {
    use objchange_provider::ErrorKind;
    match error.kind() {
        ErrorKind::NotStarted { .. } if !args.allow_net => {
            format!("{error}; if it cannot run without a network here, use --allow-net")
        }
        ErrorKind::Refused(_) => format!("{error}; give settings that it accepts with --hints"),
        _ => error.to_string(),
    }
}

/// Reports how many types were learned, and names those that were not.
fn report(learned: &Outcome, file: &CacheFile) {
    let Outcome { count, calls, info, left, .. } = learned;
    exit::note(&format!(
        "{}: {} learned with {calls} calls",
        file.display(),
        counted(*count, "resource type")
    ));
    for (name, reason) in info.not_learned.iter().take(MAX_NAMED) {
        exit::note(&format!("{name} was not learned: {reason}"));
    }
    for (name, reason) in info.partly_learned.iter().take(MAX_NAMED) {
        exit::note(&format!("{name} was learned in part: {reason}"));
    }
    if info.not_learned.len() > MAX_NAMED {
        exit::note(&format!("{} others were not learned", info.not_learned.len() - MAX_NAMED));
    }
    if *left > 0 {
        exit::note(&format!("{} left: repeat the command to go on", counted(*left, "resource type")));
    }
}
