//! Probes one resource type: plans of many configurations show how it behaves.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use objchange::Value;
use objchange::change::{
    Diagnostic, PlanRequest, PlanResourceChange, PlannedResource, Planning, Severity, begin_plan,
};
use objchange::schema::Block;
use objchange_model::{Evidence, TypeModel};
use objchange_provider::{Component, ProviderExt};
use smol_str::SmolStr;
use tokio::time::Instant;

use super::LearnOptions;
use super::bases::FULL;
use super::given_objects::FIRST_GIVEN;
use super::objects::{Documents, Filling, Values, has, without};
use super::session::{Session, has_errors, is_no_answer};
use super::together::is_in_place;
use crate::generate::{SchemaPart, Spot, spots};
use crate::{Acceptance, AcceptanceTest, Sample, accepted_when};

/// How often the provider may crash or hang before a type is given up.
const MAX_FAILURES: u32 = 8;

/// Texts that an argument with a list of accepted values refuses.
const MADE_UP: [&str; 2] = ["not-a-choice", "no-choice-either"];

/// The maximum number of values of an argument that are tried one by one.
const MAX_VALUES: usize = 12;

/// The minimum time for confirming constants with other secrets.
const MIN_CONFIRMING: Duration = Duration::from_secs(30);

/// Why a model has no constants.
const UNCONFIRMED: &str = "it has no constants: they may be made of the secrets in the hints, and there was no provider with others";

/// The configuration of an object, and the object that it becomes.
#[derive(Clone)]
pub(super) struct Base {
    pub(super) config: Value,
    pub(super) prior: Value,
    /// The seed of its values, which differ between bases.
    pub(super) number: u64,
}

/// Asks a provider about one type.
pub(super) struct Prober<'a> {
    pub(super) values: Values<'a>,
    pub(super) evidence: Evidence<'a>,
    /// The arguments that accept only certain values.
    pub(super) choices: Vec<Choices<'a>>,
    /// An argument outside of blocks with a value that it can get in place.
    pub(super) change_in_place: Option<(Spot<'a>, Value)>,
    /// By block: an argument in it with a value that it can get in place.
    pub(super) changes_inside: HashMap<Vec<SmolStr>, (Vec<SmolStr>, Value)>,
    /// The number of successful plans of updates.
    updates: u32,
    /// Why the last plan of an update was refused.
    refusal: Option<String>,
    /// Whether the objects that are planned now were supplied by the user.
    pub(super) asks_about_given: bool,
    /// The answers so far, by prior object and configuration; `None` where the provider refused.
    answers: HashMap<[Value; 2], Option<(PlanResourceChange, PlannedResource)>>,
    /// The parts whose other forms, and several of which, were probed already.
    pub(super) formed: HashSet<Vec<SmolStr>>,
    calls: u32,
    max_calls: u32,
    failures: u32,
    until: Instant,
}

/// The values that an argument accepts.
pub(super) struct Choices<'a> {
    pub(super) spot: Spot<'a>,
    pub(super) values: Vec<String>,
    /// The object in which the argument was tried.
    base: Base,
}

/// Why probing ends.
pub(super) enum End {
    /// The limit of calls or time was reached.
    Limit,
    /// The provider cannot be asked.
    Gone(String),
}

/// The result of a probe, unless probing ends.
pub(super) type Probed<T> = Result<T, End>;

/// The maximum time for one type. It is longer than any run, and can be added to an `Instant`.
const MAX_TIME_PER_TYPE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl<'a> Prober<'a> {
    pub(super) fn new(name: &'a str, block: &'a Block, options: &'a LearnOptions) -> Self {
        Self {
            values: Values { block, name, hints: &options.hints, documents: Documents::Policies },
            evidence: Evidence::new(block),
            choices: Vec::new(),
            change_in_place: None,
            changes_inside: HashMap::new(),
            updates: 0,
            asks_about_given: false,
            refusal: None,
            answers: HashMap::new(),
            formed: HashSet::new(),
            calls: 0,
            max_calls: options.calls,
            failures: 0,
            until: Instant::now() + options.time_per_type.clamp(Duration::from_millis(1), MAX_TIME_PER_TYPE),
        }
    }

    pub(super) fn calls(&self) -> u32 {
        self.calls
    }

    /// Learns the type. Returns the model, with a reason if it is incomplete, or the reason why nothing was learned.
    pub(super) async fn learn(
        &mut self,
        session: &mut Session,
        with_other_secrets: Option<&mut Session>,
    ) -> Result<(TypeModel, Option<String>), String> {
        let mut end = match self.probe_all(session).await {
            Ok(reason) => reason,
            Err(End::Gone(reason)) => Some(reason),
            Err(End::Limit) => Some(format!("its limit was reached after {} calls", self.calls)),
        };
        if self.evidence.is_empty() {
            return Err(end.unwrap_or_else(|| "no plan has succeeded".to_owned()));
        }
        if !session.context.other_settings.is_empty() && !self.confirm(with_other_secrets).await {
            end.get_or_insert(UNCONFIRMED.to_owned());
        }
        let mut evidence = std::mem::replace(&mut self.evidence, Evidence::new(self.values.block));
        let own = self.values.hints.texts();
        let is_own = |text: &str| own.is_in(text);
        let mut choices = std::mem::take(&mut self.choices);
        choices.retain(|choice| !choice.values.iter().any(|value| is_own(value)));
        evidence.retain_values_of(&choices.iter().map(|choice| choice.spot.names.join(".").into()).collect());
        let mut model = evidence.finish(&is_own);
        for Choices { spot, values, .. } in choices {
            model.parts.entry(spot.names.join(".").into()).or_default().one_of = values;
        }
        Ok((model, end))
    }

    /// Makes the same plans with a provider that has other secrets, and drops constants that it does not plan: they may contain
    /// a secret, as a URL may. Returns whether there was such a provider.
    async fn confirm(&mut self, session: Option<&mut Session>) -> bool {
        let probes = self.evidence.constant_probes();
        let mut others = Evidence::new(self.values.block);
        let mut choices = std::mem::take(&mut self.choices);
        let mut is_confirmed = false;
        if let Some(session) = session
            && session.provider().await.is_ok()
        {
            is_confirmed = true;
            // These answers come from the provider with the secrets in the hints.
            self.answers.clear();
            // The limit does not apply here: constants are useless until they are confirmed.
            self.max_calls = u32::MAX;
            self.until = self.until.max(Instant::now() + MIN_CONFIRMING);
            let secrets = session.other_secrets();
            for (sample, request) in probes {
                let (prior, config) = (secrets.replaced(&request.prior), secrets.replaced(&request.config));
                match self.call(session, &prior, &config).await {
                    Ok(Some((request, answer))) => others.add(sample, &request, &answer),
                    Ok(None) => {}
                    Err(_) => break,
                }
            }
            let mut confirmed = Vec::new();
            for choice in choices {
                let Base { config, prior, number } = &choice.base;
                let base = Base { config: secrets.replaced(config), prior: prior.clone(), number: *number };
                let named = self.allowed_values(session, &base, &choice.spot, MADE_UP[0]).await;
                confirmed.extend(
                    Some(choice).filter(|choice| named.is_ok_and(|n| n.as_ref() == Some(&choice.values))),
                );
            }
            choices = confirmed;
        } else {
            choices.clear();
        }
        self.choices = choices;
        self.evidence.confirm(&others);
        is_confirmed
    }

    /// Makes all probes. Returns the reason if no plan, or no plan of an update, succeeded.
    async fn probe_all(&mut self, session: &mut Session) -> Probed<Option<String>> {
        let block = self.values.block;
        let mut reason = None;
        let all = spots(block);
        let is_own = |spot: &Spot<'_>| {
            // The SDK v2 adds `id` to each type, and refuses configurations that set it.
            !(spot.names.len() == 1 && spot.names[0] == "id" && !spot.is_required())
        };
        let all: Vec<Spot<'_>> = all.into_iter().filter(is_own).collect();
        let Some(first) = self.make_base(session, 0, &mut reason).await? else {
            self.probe_given(session, &all).await?;
            return Ok(Some(reason.unwrap_or_else(|| "no plan has succeeded".to_owned())));
        };
        // Arguments outside of blocks come first, because wide types have more parts than there are calls.
        let (outer, inner): (Vec<_>, Vec<_>) = all.iter().partition(|spot| spot.names.len() == 1);
        for spot in &outer {
            self.find_choices(session, &first, spot).await?;
        }
        self.change_in_place = self.find_change_in_place(session, &first, &outer).await?;
        let second = self.make_base(session, 101, &mut reason).await?;
        let full = self.make_base(session, FULL, &mut reason).await?;
        for spot in &outer {
            self.probe_spot(session, &first, spot, true).await?;
        }
        // Without these probes replacements beside a flag would be taken for updates, so they come before the limit is reached.
        self.probe_flags(session, &first, &all).await?;
        for spot in &outer {
            if let Some(second) = &second {
                self.probe_spot(session, second, spot, false).await?;
            }
        }
        self.probe_given(session, &all).await?;
        self.probe_choices(session, &first, &outer).await?;
        if let Some(second) = &second {
            self.probe_choices(session, second, &outer).await?;
        }
        self.probe_inner(session, &first, &inner).await?;
        for spot in inner.iter().filter(|spot| spot.is_objects()) {
            // A value is taken for a constant only if it is planned in two different objects.
            if let Some(second) = &second {
                self.probe_spot(session, second, spot, false).await?;
            }
        }
        if let Some(full) = full {
            self.evidence.add_base(&full.config);
            let is_there = |spot: &&Spot<'_>| has(&full.config, &spot.names);
            for spot in outer.into_iter().filter(is_there) {
                self.probe_change(session, &full, spot).await?;
            }
            let inner = inner.into_iter().filter(is_there).collect();
            self.change_inner(session, &full, inner).await?;
        }
        self.probe_pairs(session, &first, &all).await?;
        Ok(match (self.updates, self.refusal.take()) {
            (0, Some(refusal)) => Some(format!("no plan of an update has succeeded: {refusal}")),
            _ => None,
        })
    }

    /// Changes a configuration until the provider accepts it.
    pub(super) async fn make_acceptable(
        &mut self,
        session: &mut Session,
        config: Value,
    ) -> Probed<Result<Value, (Value, String)>> {
        self.count(16)?;
        let provider = session.provider().await.map_err(|error| End::Gone(error.to_string()))?;
        let Values { name, block, hints, .. } = self.values;
        let values = &self.values;
        let object_of = |planned: &Value| values.filled_with(planned, None, 0, Filling::OnlyComputed);
        let resource = (Component::Resource, name);
        let sample = || Sample::new(config.clone(), "base");
        // Some providers check more when they plan an existing object. Others refuse all such plans.
        let kept = AcceptanceTest::Kept(&object_of);
        let mut answer = accepted_when(&*provider, resource, block, sample(), hints, kept).await;
        if matches!(answer, Ok(Acceptance::No(_))) {
            let created = AcceptanceTest::Created;
            answer = accepted_when(&*provider, resource, block, sample(), hints, created).await;
        }
        match answer {
            Ok(Acceptance::Yes(sample) | Acceptance::OnlyKnown(sample, _)) => {
                Ok(Ok(sample.config.unmark_deep().0))
            }
            Ok(Acceptance::No(errors)) => {
                let error = errors.first().map_or_else(String::new, ToString::to_string);
                Ok(Err((config.unmark_deep().0, format!("no configuration was accepted: {error}"))))
            }
            Err(error) => {
                self.record_failure(session, &error)?;
                Ok(Err((config.unmark_deep().0, error.to_string())))
            }
        }
    }

    /// Sets, changes and removes one argument or block.
    pub(super) async fn probe_spot(
        &mut self,
        session: &mut Session,
        base: &Base,
        spot: &Spot<'_>,
        is_first: bool,
    ) -> Probed<()> {
        let number = base.number;
        let nothing = Value::null(self.values.block.implied_type().clone());
        if spot.is_write_only() {
            return Ok(());
        }
        if has(&base.config, &spot.names) {
            return self.probe_change(session, base, spot).await;
        }
        let Some([one, two]) = self.values.two(spot, number + 3) else { return Ok(()) };
        let with_one = self.values.with(&base.config, spot, &one, number);
        let with_two = self.values.with(&base.config, spot, &two, number);
        // The argument gets a value in a new object, then in an existing one.
        let mut created = self.ask(session, number, &nothing, &with_one).await?;
        let mut with_one = with_one;
        // A provider may require other arguments beside this one.
        if created.is_none()
            && spot.names.len() == 1
            && let Ok(config) = self.make_acceptable(session, with_one.clone()).await?
            && has(&config, &spot.names)
        {
            with_one = config;
            created = self.ask(session, number, &nothing, &with_one).await?;
        }
        self.ask(session, base.number, &base.prior, &with_one).await?;
        let prior = match created {
            Some(created) => self.values.filled(&created.planned, Some(&base.prior), number),
            None => self.values.with(&base.prior, spot, &one, number),
        };
        let prior = self.settle(session, prior, &with_one, number).await?;
        let changed = self.ask(session, base.number, &prior, &with_two).await?;
        if changed.is_some_and(|answer| is_in_place(&prior, &answer))
            && !spot.is_objects()
            && let Some((_, around)) = spot.names.split_last()
        {
            self.changes_inside.insert(around.to_vec(), (spot.names.clone(), two));
        }
        // Removing a part keeps the block around it.
        let without_it = if spot.names.len() == 1 { base.config.clone() } else { without(&with_one, spot) };
        if !spot.is_required() {
            self.ask(session, base.number, &prior, &without_it).await?;
        }
        let with_one = Base { config: with_one, prior, number };
        if is_first || spot.names.len() == 1 {
            self.probe_several(session, base, &with_one, spot).await?;
        }
        if is_first {
            self.formed.insert(spot.names.clone());
            self.probe_forms(session, &with_one, spot, &one).await?;
            self.probe_emptied(session, &with_one, spot, &without_it).await?;
        }
        Ok(())
    }

    /// Changes and removes an argument that an object has.
    pub(super) async fn probe_change(
        &mut self,
        session: &mut Session,
        base: &Base,
        spot: &Spot<'_>,
    ) -> Probed<()> {
        if spot.is_write_only() {
            return Ok(());
        }
        // The object with every argument skips these probes if another one made them: in wide types they were a fifth of all
        // calls.
        let is_new = self.formed.insert(spot.names.clone()) || base.number != FULL;
        if let Some([one, two]) = self.values.two(spot, base.number + 5) {
            let current = crate::within::first(&base.config, &spot.names);
            let two = if current.is_some_and(|current| current.identical(&two)) { one.clone() } else { two };
            let changed = self.values.with(&base.config, spot, &two, base.number);
            let answer = self.ask(session, base.number, &base.prior, &changed).await?;
            if is_new {
                self.probe_forms(session, base, spot, &current.cloned().unwrap_or(one)).await?;
            }
            // The object with every argument is excluded, because many of its arguments exclude each other.
            if let Some(answer) = answer.filter(|_| !spot.is_required() && base.number != FULL) {
                // The prior value may be the default. With another value, the plan shows whether the default comes back.
                let prior = self.values.filled(&answer.planned, Some(&base.prior), base.number);
                self.ask(session, base.number, &prior, &without(&base.config, spot)).await?;
            }
        }
        if !spot.is_required() {
            let without_it = without(&base.config, spot);
            self.ask(session, base.number, &base.prior, &without_it).await?;
            let nothing = Value::null(self.values.block.implied_type().clone());
            self.ask(session, base.number, &nothing, &without_it).await?;
        }
        if is_new {
            self.probe_several(session, base, base, spot).await?;
        }
        Ok(())
    }

    /// Finds the values that an argument accepts. The provider must refuse two made-up values with the same list, and must
    /// not refuse the first value in that list in the same way.
    async fn find_choices(&mut self, session: &mut Session, base: &Base, spot: &Spot<'a>) -> Probed<()> {
        if spot.ty() != objchange::Type::String || spot.is_write_only() {
            return Ok(());
        }
        let Some(first) = self.allowed_values(session, base, spot, MADE_UP[0]).await? else { return Ok(()) };
        let second = self.allowed_values(session, base, spot, MADE_UP[1]).await?;
        let Some(value) = first.first() else { return Ok(()) };
        if second.as_ref() == Some(&first) && self.allowed_values(session, base, spot, value).await?.is_none()
        {
            self.evidence.add_named(first.iter().cloned());
            self.choices.push(Choices { spot: spot.clone(), values: first, base: base.clone() });
        }
        Ok(())
    }

    /// Plans an object with each of the few values that an argument accepts: some values affect other arguments.
    async fn probe_choices(&mut self, session: &mut Session, base: &Base, all: &[&Spot<'_>]) -> Probed<()> {
        let nothing = Value::null(self.values.block.implied_type().clone());
        let choices: Vec<(Spot<'a>, Vec<String>)> = self
            .choices
            .iter()
            .filter(|choice| choice.values.len() <= MAX_VALUES)
            .map(|choice| (choice.spot.clone(), choice.values.clone()))
            .collect();
        let Some((_, usual)) = self.call(session, &nothing, &base.config).await? else { return Ok(()) };
        for (spot, values) in choices {
            let name = spot.names.join(".");
            for value in &values {
                let text = Value::from(value.as_str());
                let config = self.values.with(&base.config, &spot, &text, base.number);
                let mut decides = false;
                for prior in [&nothing, &base.prior] {
                    if let Some((request, answer)) = self.call(session, prior, &config).await? {
                        self.evidence.add_with(base.number, (&name, value), &request, &answer);
                        let expected = self.values.with(&usual.planned, &spot, &text, base.number);
                        decides |=
                            prior.is_null() && !answer.planned.identical_ignoring_refinements(&expected);
                    }
                }
                // If the value affects other arguments, each of these is set beside it, too.
                for other in all.iter().filter(|_| decides).filter(|other| !has(&config, &other.names)) {
                    let number = base.number + 3;
                    let made = if other.is_write_only() { None } else { self.values.two(other, number) };
                    let Some([one, _]) = made else { continue };
                    let config = self.values.with(&config, other, &one, base.number);
                    if let Some((request, answer)) = self.call(session, &nothing, &config).await? {
                        self.evidence.add_with(base.number, (&name, value), &request, &answer);
                    }
                }
            }
        }
        Ok(())
    }

    /// The accepted values that the provider names when it refuses this one.
    async fn allowed_values(
        &mut self,
        session: &mut Session,
        base: &Base,
        spot: &Spot<'_>,
        text: &str,
    ) -> Probed<Option<Vec<String>>> {
        self.count(1)?;
        let config = self.values.with(&base.config, spot, &Value::from(text), base.number);
        let provider = session.provider().await.map_err(|error| End::Gone(error.to_string()))?;
        let name = spot.names.last().map_or("", |name| name.as_str());
        match provider.validate(Component::Resource, self.values.name, &config.unmark_deep().0).await {
            Ok(diagnostics) => {
                let is_about_spot = |diagnostic: &&Diagnostic| {
                    let path = diagnostic.path.as_ref();
                    diagnostic.severity == Severity::Error
                        && path.is_none_or(|path| path.to_string() == spot.path())
                };
                let mut errors = diagnostics.iter().filter(is_about_spot);
                Ok(errors.find_map(|error| crate::allowed_values(error, name)))
            }
            Err(error) => {
                self.record_failure(session, &error)?;
                Ok(None)
            }
        }
    }

    /// Probes a second block or element, and its removal.
    async fn probe_several(
        &mut self,
        session: &mut Session,
        base: &Base,
        with_one: &Base,
        spot: &Spot<'_>,
    ) -> Probed<()> {
        let is_many = match spot.part {
            SchemaPart::Blocks(nested) => nested.max_items != 1 && spot.can_be_unknown(),
            SchemaPart::Attribute(_) => spot.is_objects() && spot.can_be_unknown(),
        };
        if !is_many {
            return Ok(());
        }
        let Some(two) = self.values.several(spot, base.number + 3) else { return Ok(()) };
        let config = self.values.with(&with_one.config, spot, &two, base.number);
        let nothing = Value::null(self.values.block.implied_type().clone());
        let created = self.ask(session, base.number, &nothing, &config).await?;
        self.ask(session, base.number, &with_one.prior, &config).await?;
        if let Some(created) = created {
            let prior = self.values.filled(&created.planned, Some(&with_one.prior), base.number);
            let prior = self.settle(session, prior, &config, base.number).await?;
            self.ask(session, base.number, &prior, &with_one.config).await?;
        }
        Ok(())
    }

    /// Asks for a plan, and adds the answer to the evidence. `None` if the provider refuses.
    pub(super) async fn ask(
        &mut self,
        session: &mut Session,
        sample: u64,
        prior: &Value,
        config: &Value,
    ) -> Probed<Option<PlannedResource>> {
        let Some((request, answer)) = self.call(session, prior, config).await? else { return Ok(None) };
        self.add(sample, &request, &answer);
        Ok(Some(answer))
    }

    /// Adds an answer about an object of this number to the evidence.
    pub(super) fn add(&mut self, number: u64, request: &PlanResourceChange, answer: &PlannedResource) {
        let sample = if number >= FIRST_GIVEN { Evidence::GIVEN } else { number };
        self.evidence.add(sample, request, answer);
    }

    /// Asks for a plan. A repeated question gets the stored answer, because many probes plan the same change.
    pub(super) async fn call(
        &mut self,
        session: &mut Session,
        prior: &Value,
        config: &Value,
    ) -> Probed<Option<(PlanResourceChange, PlannedResource)>> {
        let question = [prior.clone(), config.unmark_deep().0];
        if let Some(answer) = self.answers.get(&question) {
            return Ok(answer.clone());
        }
        self.count(1)?;
        let answer = self.plan(session, prior, &question[1]).await?;
        self.answers.insert(question, answer.clone());
        Ok(answer)
    }

    /// The request to plan a change; `None` if Terraform would not ask the provider.
    pub(super) fn request(&self, prior: &Value, config: &Value) -> Option<PlanResourceChange> {
        match begin_plan(&PlanRequest::new(self.values.block, prior, config)) {
            Ok(Planning::Ask(question)) => Some(question.request().clone()),
            _ => None,
        }
    }

    async fn plan(
        &mut self,
        session: &mut Session,
        prior: &Value,
        config: &Value,
    ) -> Probed<Option<(PlanResourceChange, PlannedResource)>> {
        let Some(request) = self.request(prior, config) else { return Ok(None) };
        let provider = session.provider().await.map_err(|error| End::Gone(error.to_string()))?;
        match provider.plan(self.values.name, &request).await {
            Ok(answer) if has_errors(&answer.diagnostics) => {
                let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
                // A message about a user's object may contain its values, so it is not kept.
                if !prior.is_null()
                    && !self.asks_about_given
                    && let Some(error) = answer.diagnostics.iter().find(is_error)
                {
                    self.refusal = Some(session.context.secrets.hide(&error.to_string()).into_owned());
                }
                Ok(None)
            }
            // An answer of another type cannot become a prior object.
            Ok(answer) if !answer.planned.ty().conforms_to(self.values.block.implied_type()) => Ok(None),
            Ok(answer) => {
                self.updates += u32::from(!prior.is_null());
                Ok(Some((request, answer)))
            }
            Err(error) => {
                self.record_failure(session, &error)?;
                Ok(None)
            }
        }
    }

    /// Counts calls before they are made. Fails at the limit.
    pub(super) fn count(&mut self, calls: u32) -> Probed<()> {
        if self.calls >= self.max_calls || Instant::now() >= self.until {
            return Err(End::Limit);
        }
        self.calls += calls;
        Ok(())
    }

    /// Records a call without an answer. If the provider crashed or hangs, it is started again for the next call.
    pub(super) fn record_failure(
        &mut self,
        session: &mut Session,
        error: &objchange_provider::Error,
    ) -> Probed<()> {
        if is_no_answer(error) {
            session.let_go();
            self.failures += 1;
            if self.failures > MAX_FAILURES {
                let why = if self.asks_about_given { String::new() } else { format!(": {error}") };
                return Err(End::Gone(format!("the provider does not answer{why}")));
            }
        }
        Ok(())
    }
}
