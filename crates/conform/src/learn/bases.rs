//! The objects that probes change.

use objchange::Value;
use objchange_provider::{Component, ProviderExt};

use super::objects::{Documents, Filling, has};
use super::probes::{Asked, Base, End, Prober};
use super::session::{Session, has_errors};
use super::variations::looks_like_document;
use crate::generate::{Spot, Taste, spots};

/// How often the prior object is adjusted until a plan of the unchanged object changes nothing.
const MAX_SETTLING: usize = 4;

/// The most changes that are tried to see whether a provider accepts a prior object.
const MAX_TRIED: usize = 4;

/// The number of the object with the most arguments.
pub(super) const FULL: u64 = 202;

impl<'a> Prober<'a> {
    /// The object with the fewest arguments, or with the most for the number [`FULL`]. Each has other values.
    pub(super) async fn made_base(
        &mut self,
        session: &mut Session,
        number: u64,
        reason: &mut Option<String>,
    ) -> Asked<Option<Base>> {
        let is_full = number == FULL;
        let maker = self.values.maker(number);
        let taste = if is_full { Taste::Everything } else { Taste::Nothing };
        let config = maker.config(self.values.block, taste, None);
        if maker.is_too_large() {
            reason.get_or_insert("its smallest object is too large".to_owned());
            return Ok(None);
        }
        let config = match self.accepted(session, config).await? {
            Ok(config) => config,
            Err((config, why)) => {
                reason.get_or_insert(why);
                // The plan call does not validate: an object that is refused may be planned all the same.
                if is_full {
                    return Ok(None);
                }
                config
            }
        };
        let config = self.with_documents(session, config, number).await?;
        let config =
            if number == 0 { config } else { self.with_other_choices(session, config, number).await? };
        self.base(session, config, number).await
    }

    /// Puts documents that the provider accepts in place of empty ones, and into arguments that are called like them.
    async fn with_documents(&mut self, session: &mut Session, config: Value, number: u64) -> Asked<Value> {
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

    /// Takes another one of the values that arguments accept, so that a default can be told from the value of another
    /// argument. The values must change nothing else: some decide which defaults there are.
    async fn with_other_choices(
        &mut self,
        session: &mut Session,
        mut config: Value,
        number: u64,
    ) -> Asked<Value> {
        let nothing = Value::null(self.values.block.implied_type().clone());
        let Some((_, usual)) = self.call(session, &nothing, &config).await? else { return Ok(config) };
        let mut usual = usual.planned;
        let choices: Vec<(Spot<'a>, Vec<String>)> =
            self.choices.iter().map(|choice| (choice.spot.clone(), choice.values.clone())).collect();
        for (spot, values) in choices {
            let current =
                crate::within::first(&config, &spot.names).and_then(Value::as_str).map(str::to_owned);
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

    /// Whether the provider validates and plans a new object of this configuration.
    async fn is_accepted(&mut self, session: &mut Session, config: &Value) -> Asked<bool> {
        self.count(1)?;
        let provider = session.provider().await.map_err(|error| End::Gone(error.to_string()))?;
        match provider.validate(Component::Resource, self.values.name, &config.unmark_deep().0).await {
            Ok(said) if has_errors(&said) => Ok(false),
            Ok(_) => {
                let nothing = Value::null(self.values.block.implied_type().clone());
                Ok(self.call(session, &nothing, config).await?.is_some())
            }
            Err(error) => {
                self.died(session, &error)?;
                Ok(false)
            }
        }
    }

    /// The object that a configuration becomes, as far as plans tell.
    pub(super) async fn base(
        &mut self,
        session: &mut Session,
        config: Value,
        number: u64,
    ) -> Asked<Option<Base>> {
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
                prior = sparse;
                break;
            }
        }
        let prior = self.settled(session, prior, &config, number).await?;
        Ok(Some(Base { config, prior, number }))
    }

    /// Whether plans of some changes of a prior object all fail.
    async fn is_refused(
        &mut self,
        session: &mut Session,
        prior: &Value,
        config: &Value,
        number: u64,
    ) -> Asked<bool> {
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
    pub(super) async fn settled(
        &mut self,
        session: &mut Session,
        mut prior: Value,
        config: &Value,
        number: u64,
    ) -> Asked<Value> {
        for _ in 0..MAX_SETTLING {
            let Some((request, answer)) = self.call(session, &prior, config).await? else { break };
            let next = self.values.filled(&answer.planned, Some(&prior), number);
            if next.identical(&prior) {
                self.add(number, &request, &answer);
                break;
            }
            prior = next;
        }
        Ok(prior)
    }
}
