//! `objchange conform --scale`: how the cost of a provider grows with its data.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use objchange::schema::Block;
use objchange_conform::scale::{Curve, Scale, Scaling, Verdict, scale, svg, table};
use objchange_conform::{Acceptance, Hints, Options, Subject, accepted, samples};
use objchange_provider::client::{Children, Client};
use objchange_provider::{Component, Error, ProviderExt};

use super::{Args, FailOn};
use crate::exit;
use crate::exit::CommandError;
use crate::style::{BAD, CHANGED, FAINT, GOOD};

/// So many configurations are tried to find one that the provider accepts.
const SAMPLES: usize = 20;

#[derive(serde::Serialize)]
struct Document {
    format_version: &'static str,
    provider: String,
    seed: u64,
    applied: bool,
    /// Whether all was measured.
    complete: bool,
    /// Collections whose cost grows with the square of their elements, as `type.path`.
    quadratic: Vec<String>,
    types: Vec<Measured>,
}

#[derive(serde::Serialize)]
struct Measured {
    name: String,
    /// Why nothing was measured.
    skipped: Option<String>,
    collections: Vec<Drawn>,
}

#[derive(serde::Serialize)]
struct Drawn {
    #[serde(flatten)]
    curve: Curve,
    svg: String,
}

/// What measures one provider.
struct Measuring<'a> {
    args: &'a Args,
    options: &'a Options,
    children: &'a Children,
    deadline: Option<Instant>,
}

/// Measures all types that are wanted, and tells of each as soon as it is measured.
pub(super) fn run(
    args: &Args,
    options: &Options,
    children: &Children,
) -> Result<Result<ExitCode, CommandError>, Error> {
    let no_runtime =
        |error: io::Error| objchange_provider::ErrorKind::NotStarted { reason: error.to_string() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(no_runtime)?;
    let deadline = options.time.map(|time| Instant::now() + time);
    let measuring = Measuring { args, options, children, deadline };
    let document = runtime.block_on(measuring.all());
    children.kill_all();
    Ok(report(args, options, &document?))
}

impl Measuring<'_> {
    fn is_over(&self) -> bool {
        self.options.stop.is_stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// A provider with its configuration, if it takes that.
    async fn provider(&self) -> Result<Client, Error> {
        let client = self.args.start(self.children).await?;
        let schemas = client.schemas().await?;
        let nothing = Block::new::<&str>([], []);
        let block = schemas.block(Component::Provider, "").unwrap_or(&nothing);
        if let Ok(config) = self.options.hints.provider_config(block) {
            // Most can plan without, too.
            let _ = client.configure(&config.unmark_deep().0).await;
        }
        Ok(client)
    }

    async fn all(&self) -> Result<Document, Error> {
        let mut client = self.provider().await?;
        let schemas = client.schemas().await?;
        let mut types = Vec::new();
        let wanted = schemas.named(Component::Resource).map(|(name, _)| name.to_owned());
        let is_wanted = |name: &String| self.options.wants(Subject::Component(Component::Resource), name);
        let names: Vec<String> = wanted.filter(is_wanted).collect();
        let mut complete = true;
        for name in names {
            if self.is_over() {
                complete = false;
                break;
            }
            let mut measured = Measured { name, skipped: None, collections: Vec::new() };
            let skip = self.options.hints.skip(Component::Resource, &measured.name);
            let done = match skip {
                Some(reason) => Err(reason.to_owned()),
                None => self.one(&client, &measured.name).await,
            };
            match done {
                Ok(scaling) => {
                    if !self.args.json {
                        shown(&scaling);
                    }
                    let drawn = |curve: Curve| Drawn { svg: svg(&curve), curve };
                    measured.collections = scaling.collections.into_iter().map(drawn).collect();
                }
                Err(reason) => {
                    measured.skipped = Some(reason);
                    if skip.is_none() && !self.is_over() {
                        // It may have crashed, or be busy still.
                        client = self.provider().await?;
                    }
                }
            }
            types.push(measured);
        }
        let quadratic = types.iter().flat_map(|of| {
            let all = of.collections.iter().filter(|drawn| is_quadratic(&drawn.curve));
            all.map(move |drawn| format!("{}{}", of.name, drawn.curve.path))
        });
        Ok(Document {
            format_version: "1",
            provider: self.args.binary.display().to_string(),
            seed: self.options.seed,
            applied: self.options.apply,
            complete: complete && !self.is_over(),
            quadratic: quadratic.collect(),
            types,
        })
    }

    /// Measures one type; or why that cannot be.
    async fn one(&self, client: &Client, name: &str) -> Result<Scaling, String> {
        let schemas = client.schemas().await.map_err(|error| error.to_string())?;
        let block = schemas.block(Component::Resource, name).ok_or("the provider has no such type")?;
        let (hints, seed): (&Hints, u64) = (&self.options.hints, self.options.seed);
        let mut config = None;
        let mut refusal = None;
        for sample in samples(block, Component::Resource, name, hints, seed).take(SAMPLES) {
            match accepted(client, Component::Resource, name, block, sample, hints).await {
                Ok(Acceptance::Yes(sample)) => {
                    config = Some(sample.known.unwrap_or(sample.config));
                    break;
                }
                Ok(Acceptance::OnlyKnown(sample, _)) => {
                    config = sample.known;
                    break;
                }
                Ok(Acceptance::No(said)) => {
                    refusal = said.first().map(|said| said.summary.clone()).or(refusal);
                }
                Err(error) => return Err(error.kind().kind().to_owned()),
            }
        }
        let Some(config) = config else {
            let refusal = refusal.unwrap_or_else(|| "there is none".to_owned());
            return Err(format!("no configuration is accepted: {refusal}"));
        };
        let mut options = Scale::new(config.unmark_deep().0);
        options.apply = self.options.apply;
        options.memory = client.pid().map(|pid| Arc::new(move || memory(pid)) as Arc<_>);
        let (stop, deadline) = (self.options.stop.clone(), self.deadline);
        options.is_over = Arc::new(move || {
            stop.is_stopped() || deadline.is_some_and(|deadline| Instant::now() >= deadline)
        });
        // What it says may hold a secret.
        scale(client, name, &options).await.map_err(|error| error.kind().kind().to_owned())
    }
}

/// How much memory a process has, where the system tells.
fn memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn is_quadratic(curve: &Curve) -> bool {
    let is = |growth: &objchange_conform::scale::Growth| growth.verdict == Verdict::Quadratic;
    is(&curve.plan) || curve.apply.as_ref().is_some_and(is)
}

fn shown(scaling: &Scaling) {
    if scaling.collections.is_empty() {
        return;
    }
    let mut out = crate::terminal::stdout();
    let text = table(scaling);
    for line in text.lines() {
        // Whoever reads no more will be told of that at the end.
        let _ = writeln!(out, "{}", objchange_text::visible(line));
    }
    let _ = writeln!(out);
}

fn report(args: &Args, options: &Options, document: &Document) -> Result<ExitCode, CommandError> {
    if args.json {
        let mut out = io::stdout().lock();
        crate::reports::json::write_line(&mut out, document)?;
    } else {
        summary(document)?;
    }
    let fails = args.fail_on == FailOn::Warning && !document.quadratic.is_empty();
    Ok(match options.stop.is_stopped() {
        true => ExitCode::from(exit::INTERRUPTED),
        false if fails => ExitCode::from(exit::FAILED),
        false => ExitCode::SUCCESS,
    })
}

fn summary(document: &Document) -> io::Result<()> {
    let mut out = crate::terminal::stdout();
    for of in &document.types {
        if let Some(reason) = &of.skipped {
            let line = format!("{}: {reason}", of.name);
            writeln!(out, "{FAINT}skipped{FAINT:#} {}", objchange_text::visible(&line))?;
        }
    }
    for name in &document.quadratic {
        writeln!(out, "{CHANGED}quadratic{CHANGED:#} {}", objchange_text::visible(name))?;
    }
    let measured = document.types.iter().filter(|of| of.skipped.is_none());
    let collections = measured.clone().map(|of| of.collections.len()).sum::<usize>();
    let style = if document.quadratic.is_empty() { GOOD } else { BAD };
    writeln!(
        out,
        "{style}{} quadratic{style:#} of {collections} collections in {} types{}",
        document.quadratic.len(),
        measured.count(),
        if document.complete {
            ""
        } else {
            "; not all was measured: the time was over, or it was interrupted"
        }
    )
}

/// A call that takes longer is not waited for.
pub(super) const CALL: Duration = Duration::from_secs(120);
