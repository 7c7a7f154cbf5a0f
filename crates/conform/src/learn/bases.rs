//! Makes the objects that probes change.

use objchange::Value;
use objchange_provider::{Component, ProviderExt};

use super::objects::{Documents, Filling, has};
use super::probes::{Base, End, Probed, Prober};
use super::session::{Session, has_errors};
use super::variations::looks_like_document;
use crate::generate::{Spot, Taste, spots};
use crate::within;

/// How often the prior object is adjusted until a plan of the unchanged object changes nothing.
const MAX_SETTLING: usize = 4;

/// The maximum number of changes that are tried to see whether a provider accepts a prior object.
const MAX_TRIED: usize = 4;

/// The seed of the object with the most arguments.
pub(super) const FULL: u64 = 202;

impl<'a> Prober<'a> {
    /// Makes the object with the fewest arguments, or with the most for the number [`FULL`]. Each number gives other values.
    pub(super) async fn make_base(
        &mut self,
        session: &mut Session,
        number: u64,
        reason: &mut Option<String>,
    ) -> Probed<Option<Base>> {
        let is_full = number == FULL;
        let maker = self.values.maker(number);
        let taste = if is_full { Taste::Everything } else { Taste::Nothing };
        let config = maker.config(self.values.block, taste, None);
        if maker.is_too_large() {
            reason.get_or_insert("its smallest object is too large".to_owned());
            return Ok(None);
        }
        let config = match self.make_acceptable(session, config).await? {
            Ok(config) => config,
            Err((config, why)) => {
                reason.get_or_insert(why);
                // Planning does not validate, so a refused configuration may still be planned.
                if is_full {
                    return Ok(None);
                }
                config
            }
        };
        let config = self.put_documents(session, config, number).await?;
        let config =
            if number == 0 { config } else { self.take_other_choices(session, config, number).await? };
        self.base(session, config, number).await
    }

    /// Fills empty documents, and arguments whose names suggest a document, with ones that the provider accepts.
    async fn put_documents(&mut self, session: &mut Session, config: Value, number: u64) -> Probed<Value> {
        let named: Vec<Spot<'a>> = spots(self.values.block)
            .into_iter()
            .filter(|spot| spot.names.len() == 1 && looks_like_document(&spot.names[0]))
            .filter(|spot| spot.ty() == objchange::Type::String && has(&config, &spot.names))
            .collect();
        for documents in [Documents::Policies, Documents::Lists] {
            let text = Value::from(documents.text(number));
            let changed = documents.put_into(&config, number);
            let changed =
                named.iter().fold(changed, |config, spot| self.values.with(&config, spot, &text, number));
            if changed.identical(&config) {
                return Ok(config);
            }
            if self.is_accepted(session, &changed).await? {
                self.values.documents = documents;
                return Ok(changed);
            }
        }
        self.values.documents = Documents::Empty;
        Ok(config)
    }

    /// Chooses other accepted values, so that a default can be told from the value of another argument. A value must not
    /// change anything else, because some values decide on defaults.
    async fn take_other_choices(
        &mut self,
        session: &mut Session,
        mut config: Value,
        number: u64,
    ) -> Probed<Value> {
        let nothing = Value::null(self.values.block.implied_type().clone());
        let Some((_, usual)) = self.call(session, &nothing, &config).await? else { return Ok(config) };
        let mut usual = usual.planned;
        let choices: Vec<(Spot<'a>, Vec<String>)> =
            self.choices.iter().map(|choice| (choice.spot.clone(), choice.values.clone())).collect();
        for (spot, values) in choices {
            let current = within::first(&config, &spot.names).and_then(Value::as_str).map(str::to_owned);
            let Some(current) = current else { continue };
            let others = values.iter().filter(|value| **value != current && !value.is_empty());
            for value in others.take(MAX_TRIED) {
                let value = Value::from(value.as_str());
                let changed = self.values.with(&config, &spot, &value, number);
                if !self.is_accepted(session, &changed).await? {
                    continue;
                }
                let Some((_, answer)) = self.call(session, &nothing, &changed).await? else { continue };
                if answer
                    .planned
                    .identical_ignoring_refinements(&self.values.with(&usual, &spot, &value, number))
                {
                    (config, usual) = (changed, answer.planned);
                    break;
                }
            }
        }
        Ok(config)
    }

    /// Whether the provider accepts this configuration and plans a new object.
    async fn is_accepted(&mut self, session: &mut Session, config: &Value) -> Probed<bool> {
        self.count(1)?;
        let provider = session.provider().await.map_err(|error| End::Gone(error.to_string()))?;
        match provider.validate(Component::Resource, self.values.name, &config.unmark_deep().0).await {
            Ok(said) if has_errors(&said) => Ok(false),
            Ok(_) => {
                let nothing = Value::null(self.values.block.implied_type().clone());
                Ok(self.call(session, &nothing, config).await?.is_some())
            }
            Err(error) => {
                self.record_failure(session, &error)?;
                Ok(false)
            }
        }
    }

    /// The base with this configuration. Its object is derived from plans.
    pub(super) async fn base(
        &mut self,
        session: &mut Session,
        config: Value,
        number: u64,
    ) -> Probed<Option<Base>> {
        let nothing = Value::null(self.values.block.implied_type().clone());
        let Some(created) = self.ask(session, number, &nothing, &config).await? else { return Ok(None) };
        let mut prior = self.values.filled(&created.planned, None, number);
        // A provider may refuse made-up objects in computed collections as soon as something changes.
        for filling in [Filling::NoObjects, Filling::OnlyComputed] {
            let sparse = self.values.filled_with(&created.planned, None, number, filling);
            if prior.identical(&sparse) || !self.is_refused(session, &prior, &config, number).await? {
                continue;
            }
            if !self.is_refused(session, &sparse, &config, number).await? {
                let whole = std::mem::replace(&mut prior, sparse);
                if filling == Filling::OnlyComputed {
                    prior = self.with_arguments(session, prior, &whole, &config, number).await?;
                }
                break;
            }
        }
        let prior = self.settle(session, prior, &config, number).await?;
        Ok(Some(Base { config, prior, number }))
    }

    /// Adds the arguments that the provider computes, which objects are rarely without, one after the other. Those whose
    /// made-up values it refuses stay null.
    async fn with_arguments(
        &mut self,
        session: &mut Session,
        mut prior: Value,
        whole: &Value,
        config: &Value,
        number: u64,
    ) -> Probed<Value> {
        for Spot { names, .. } in spots(self.values.block).iter().filter(|spot| spot.names.len() == 1) {
            let Some(value) = within::first(whole, names).filter(|_| !has(&prior, names)) else { continue };
            let with_it = within::changed(&prior, names, &mut |_| value.clone());
            if !with_it.identical(&prior) && !self.is_refused(session, &with_it, config, number).await? {
                prior = with_it;
            }
        }
        Ok(prior)
    }

    /// Whether plans of some changes of a prior object all fail.
    async fn is_refused(
        &mut self,
        session: &mut Session,
        prior: &Value,
        config: &Value,
        number: u64,
    ) -> Probed<bool> {
        let all = spots(self.values.block);
        let is_plain =
            |spot: &&Spot<'_>| spot.names.len() == 1 && !spot.is_objects() && !spot.is_write_only();
        for spot in all.iter().filter(is_plain).filter(|spot| !has(config, &spot.names)).take(MAX_TRIED) {
            let Some([_, two]) = self.values.two(spot, number + 3) else { continue };
            let changed = self.values.with(config, spot, &two, number);
            if self.call(session, prior, &changed).await?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adjusts a prior object until a plan with its configuration changes nothing.
    pub(super) async fn settle(
        &mut self,
        session: &mut Session,
        mut prior: Value,
        config: &Value,
        number: u64,
    ) -> Probed<Value> {
        for _ in 0..MAX_SETTLING {
            let Some((request, answer)) = self.call(session, &prior, config).await? else { break };
            let next = self.values.filled(&answer.planned, Some(&prior), number);
            if next.identical(&prior) {
                self.add(number, &request, &answer);
                if answer.legacy_type_system {
                    prior = self.as_read(session, prior, config, number).await?;
                }
                break;
            }
            prior = next;
        }
        Ok(prior)
    }

    /// The object as a provider of the older SDK would read it, with empty values in blocks where nothing is set. It is used only
    /// if a plan changes nothing of it.
    async fn as_read(
        &mut self,
        session: &mut Session,
        prior: Value,
        config: &Value,
        number: u64,
    ) -> Probed<Value> {
        let read = self.values.as_read(&prior);
        if read.identical(&prior) {
            return Ok(prior);
        }
        let Some((request, answer)) = self.call(session, &read, config).await? else { return Ok(prior) };
        if !self.values.filled(&answer.planned, Some(&read), number).identical(&read) {
            return Ok(prior);
        }
        self.add(number, &request, &answer);
        Ok(read)
    }
}
