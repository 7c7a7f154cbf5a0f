//! The smallest configuration that shows a finding, for reports and the corpus.

use std::collections::HashSet;

use objchange::Value;
use objchange::schema::Block;
use objchange::value::{Marks, Path};
use objchange_provider::Masks;
use smol_str::SmolStr;

use super::{Exchange, Key, Trials, values};
use crate::case::{NoCase, case, secret_names::holds_secret_names};
use crate::corpus::{CorpusEntry, Replayed};
use crate::generate::spots;
use crate::report::{FindingReport, Smallest, Subject, shape};
use crate::run::function;
use crate::secrets::unmarked_texts;
use crate::shrink::Shrink;
use crate::{Clause, Finding, Trial};

/// The maximum number of candidates for a finding that kills the provider each time.
const MAX_CRASHING: usize = 30;

/// The maximum number of candidates for a finding that Terraform tolerates, and for all such findings of a type.
const MAX_TOLERATED: usize = 40;
const MAX_TOLERATED_OF_TYPE: usize = 200;

impl Trials<'_> {
    /// Shrinks the trial as long as it shows the finding. Returns the smallest one, its finding and its exchanges.
    pub(super) async fn smallest(
        &mut self,
        key: Key,
        (trial, mut finding, mut exchanges): (Trial, Finding, Vec<Exchange>),
    ) -> (Trial, Finding, Vec<Exchange>) {
        let block = self.state.block.clone();
        let given = match self.state.subject {
            Subject::Component(component) => {
                let hints = &self.worker.context.options.hints;
                let is_given = |names: &Vec<SmolStr>| {
                    hints.hinted(component, &self.state.name, &names.join(".")).is_some()
                };
                spots(&block).into_iter().map(|spot| spot.names).filter(is_given).collect()
            }
            Subject::Function => Vec::new(),
        };
        let mut shrink = Shrink::new(&block, coerced(&block, trial), given);
        let mut left = self.worker.context.options.shrink;
        match key.clause {
            // Each candidate would run into the time limit again.
            Clause::T3 => left = 0,
            // A refused configuration cannot be judged.
            Clause::V1 => left = 0,
            Clause::T2 => left = left.min(MAX_CRASHING),
            _ if !finding.severity.is_error() => {
                left =
                    left.min(MAX_TOLERATED).min(MAX_TOLERATED_OF_TYPE.saturating_sub(self.state.tolerated));
                self.state.tolerated += left;
            }
            _ => {}
        }
        while left > 0 && self.worker.context.ended().is_none() {
            let Some(candidate) = shrink.candidate().cloned() else { break };
            left -= 1;
            if !self.is_valid(&candidate).await {
                continue;
            }
            let Ok(Some((judgement, asked))) = self.judged(&candidate).await else {
                if self.worker.context.ended().is_some() || self.worker.provider().await.is_err() {
                    break;
                }
                continue;
            };
            if let Some(same) = judgement.findings.into_iter().find(|found| Key::new(found) == key) {
                shrink.shows();
                (finding, exchanges) = (same, asked);
            }
        }
        if !finding.severity.is_error() {
            self.state.tolerated = self.state.tolerated.saturating_sub(left);
        }
        (shrink.smallest().clone(), finding, exchanges)
    }

    /// Adds a finding to the report and its smallest configuration to the corpus.
    pub(super) fn keep(&mut self, trial: &Trial, finding: Finding, exchanges: &[Exchange]) {
        let mut masks = masks(&self.state.block, trial);
        let place = shape(&finding.path);
        let id = [&*self.state.name, finding.clause.code(), &finding.kind, &place].join(" ");
        let id = id.trim_end();
        let case = match self.state.subject {
            Subject::Function => Err(NoCase::Function),
            _ => case(id, &self.state.block, &finding, exchanges, &marks(trial), &masks),
        };
        let config = match self.function() {
            Some(function) if self.state.subject == Subject::Function => {
                Value::tuple(function::marked_arguments(&function, &trial.config).unwrap_or_default())
            }
            _ => shown(&trial.config),
        };
        let update = trial.update.as_ref().map(|(config, _)| config);
        // A wholly known update has no separate known form.
        let is_unknown = |(config, _): &&(Value, Option<Value>)| !config.is_wholly_known();
        let update_known = trial.update.as_ref().filter(is_unknown).and_then(|(_, known)| known.as_ref());
        let smallest = Smallest {
            config,
            known: trial.known.as_ref().map(shown),
            update: update.map(shown),
            update_known: update_known.map(shown),
        };
        // The names in a secret object may be secret, too, where no schema names them.
        let has_names = values(trial).any(|value| holds_secret_names(&self.state.block, value));
        let mut masked = |value: &Value| (!has_names).then(|| masks.object(&self.state.block, value));
        let replayed = masked(&trial.config).map(|config| Replayed {
            config,
            known: trial.known.as_ref().and_then(&mut masked),
            update: update.and_then(&mut masked),
            update_known: update_known.and_then(&mut masked),
        });
        let clause = finding.clause.code();
        let kept = replayed.and_then(|kept| {
            CorpusEntry::new(self.state.subject, &self.state.name, &self.state.block, &kept, clause)
        });
        self.state.kept.extend(kept);
        let smallest = Some(smallest);
        let place = if finding.cause.is_some() { String::new() } else { place };
        self.state.report.findings.push(FindingReport {
            finding,
            place,
            count: 1,
            smallest,
            case,
            is_known: false,
        });
    }
}

/// The trial with its values converted to the schema's type.
fn coerced(block: &Block, mut trial: Trial) -> Trial {
    let coerced = |value: &Value| block.coerce_config(value).unwrap_or_else(|_| value.clone());
    trial.config = coerced(&trial.config);
    trial.known = trial.known.as_ref().map(coerced);
    trial.update =
        trial.update.as_ref().map(|(config, known)| (coerced(config), known.as_ref().map(coerced)));
    trial
}

/// A configuration for reports: secrets are marked, but nulls are not, so that they show as null.
fn shown(config: &Value) -> Value {
    let shown = config.transform(|_, part| {
        Ok::<_, std::convert::Infallible>(if part.is_null() { part.unmark().0 } else { part })
    });
    shown.unwrap_or_else(|never| match never {})
}

fn masks(block: &Block, trial: &Trial) -> Masks {
    let mut ours = HashSet::new();
    values(trial).for_each(|value| unmarked_texts(value, &mut ours));
    let mut masks = Masks::except(ours);
    values(trial).for_each(|value| drop(masks.object(block, value)));
    masks
}

/// The marks in the configurations.
fn marks(trial: &Trial) -> Vec<(Path, Marks)> {
    values(trial).flat_map(|value| value.unmark_deep_with_paths().1).collect()
}
