//! `objchange schemas learn`.

use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use objchange::schema::ProviderSchemas;
use objchange_conform::{Hints, LearnOptions, LearnProgress, Learned, learn};
use objchange_model::ModelInfo;
use objchange_project::{CacheEntry, CacheFile, InstalledProviders, ProviderProgram, SchemaCache, pool};
use objchange_provider::client::{Children, Limits};
use objchange_provider::{Provider, ProviderExt, schema_document};
use objchange_text::counted;

use super::output;
use crate::exit::{self, CommandError, FAILED, INTERRUPTED, unusable};
use crate::input::Source;
use crate::launch::{self, LaunchArgs, duration};

const AFTER_HELP: &str = "\
A provider is asked to plan objects that are made from its schemas. Nothing is created, read or changed, and no data \
source is read: plans need neither a service nor credentials that work. What the provider answers is added to its \
schemas in the cache, and `objchange plan DIR` uses it.

The provider needs settings that it accepts, which may be made up: --hints names a file with them, such as \
examples/providers/aws.json. It runs without a network, which only Linux can do; elsewhere --allow-net is needed.

Resource types that were learned before are skipped, so that an interrupted command can be repeated.

Exit codes:
  0    done; types that could not be learned are named
  1    no type was learned, or the time was over
  2    the provider, a file or the cache cannot be used
  130  interrupted; the types so far are kept

Examples:
  objchange schemas learn . --hints aws.json
  objchange schemas learn --provider-binary ./terraform-provider-aws_v5.100.0_x5 --hints aws.json --only 'aws_s3_*'";

/// Learn providers by asking them for plans
#[derive(Debug, clap::Args)]
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

    /// Maximum number of calls for each resource type
    #[arg(long, value_name = "N", default_value_t = 1_500)]
    calls: u32,

    /// Maximum time for each resource type
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "2m")]
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
    launch: LaunchArgs,
}

/// How often new models are written to the cache.
const SAVED_EVERY: Duration = Duration::from_secs(60);

/// The timeout of a call. A plan takes milliseconds; one that waits for the network never ends.
const CALL: Duration = Duration::from_secs(30);

/// The most types that are named as not learned, or learned in part.
const MAX_NAMED: usize = 20;

pub(super) fn run(args: &Args, cache: &SchemaCache) -> Result<ExitCode, CommandError> {
    let hints = match &args.hints {
        None => Hints::default(),
        Some(path) => {
            let source = Source::new(path);
            let text = source.read().map_err(|error| unusable(error.to_string()))?;
            Hints::parse(text.as_bytes()).map_err(|error| unusable(format!("{source}: {error}")))?
        }
    };
    let mut code = ExitCode::SUCCESS;
    let mut entries = Vec::new();
    for learnable in programs(args)? {
        let file = schemas(args, &learnable, cache)?;
        let learned = one(args, &hints, &learnable.program, &file, cache)?;
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

/// Adds the schemas of a provider to the cache. The provider is started as for learning, because its environment may decide
/// which types it has.
fn schemas(args: &Args, learnable: &Learnable, cache: &SchemaCache) -> Result<CacheFile, CommandError> {
    let Learnable { program, version } = learnable;
    let (address, name) = (program.address(), program.path.display().to_string());
    let work = |children: Children, _| async move {
        let client = args.launch.start(program, &children).await?;
        let schemas = client.schemas().await?;
        client.end().await;
        Ok::<_, objchange_provider::Error>(schema_document([(program.address().as_str(), &*schemas)]))
    };
    let text = launch::run(work).map_err(|error| unusable(error.to_string()))?;
    let text =
        text.ok_or(CommandError::Interrupted)?.map_err(|error| unusable(format!("{name}: {error}")))?;
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

/// Models that are not yet written.
struct Unsaved {
    learned: Learned,
    last: Instant,
}

fn one(
    args: &Args,
    hints: &Hints,
    program: &ProviderProgram,
    file: &CacheFile,
    cache: &SchemaCache,
) -> Result<Outcome, CommandError> {
    let known = file.read().ok().and_then(|cached| cached.model);
    let mut options = LearnOptions::default();
    options.only.clone_from(&args.only);
    options.hints = hints.clone();
    (options.calls, options.time_per_type, options.time) = (args.calls, args.time_per_type, args.limit);
    options.jobs = args.jobs.map_or_else(pool::cores, NonZero::get);
    if !args.again {
        options.except = known.iter().flat_map(|model| model.types().cloned()).collect();
    }
    let knew_some = !options.except.is_empty();
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    let unsaved = Arc::new(Mutex::new(Unsaved { learned: Learned::default(), last: Instant::now() }));
    let (shown, kept) = (bar.clone(), unsaved.clone());
    let (saver, target) = (cache.clone(), file.clone());
    let progress = move |progress: LearnProgress<'_>| {
        shown.set_length(progress.types as u64);
        shown.set_position(progress.done as u64);
        shown.set_message(objchange_text::visible(progress.name).into_owned());
        let Ok(model) = progress.outcome else { return };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.learned.types.insert(progress.name.into(), model.clone());
        kept.learned.info.clone_from(progress.info);
        // If the program is killed, only the models of the last interval are lost.
        if kept.last.elapsed() >= SAVED_EVERY {
            let types = std::mem::take(&mut kept.learned.types);
            let _ = saver.add_model(&target, progress.info.clone(), &types);
            kept.last = Instant::now();
        }
    };
    let work = |children: Children, _| async move {
        let start = {
            let (program, launch, allow_net) = (program.clone(), args.launch.clone(), args.allow_net);
            move || {
                let (program, launch, children) = (program.clone(), launch.clone(), children.clone());
                async move {
                    let limits = Limits { call: CALL, ..Limits::default() };
                    let client = match allow_net {
                        true => launch.start_within(limits, &program, &children).await,
                        false => launch.start_offline(limits, &program, &children).await,
                    };
                    Ok(Arc::new(client?) as Arc<dyn Provider>)
                }
            }
        };
        learn(start, options, progress).await
    };
    let learned = launch::run(work).map_err(|error| unusable(error.to_string()))?;
    bar.finish_and_clear();
    let was_interrupted = learned.is_none();
    let learned: Learned = match learned {
        Some(Ok(learned)) => learned,
        Some(Err(error)) => {
            return Err(unusable(format!("{}: {}", program.path.display(), advised(&error, args))));
        }
        None => Learned::default(),
    };
    let rest = std::mem::take(&mut unsaved.lock().unwrap_or_else(PoisonError::into_inner).learned);
    let (types, mut info) = match was_interrupted {
        true => (rest.types, rest.info),
        false => (learned.types, learned.info),
    };
    info.format = objchange_model::FORMAT;
    let saved = cache.add_model(file, info.clone(), &types);
    saved.map_err(|error| unusable(format!("{}: {error}", file.path.display())))?;
    Ok(Outcome {
        count: types.len(),
        calls: learned.calls,
        knew_some,
        info,
        left: learned.left,
        was_interrupted,
    })
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
