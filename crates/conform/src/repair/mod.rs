//! Changes a configuration until the provider accepts it.

mod adjust;
mod sentence;
#[cfg(test)]
mod sentences;
mod target;
mod unknown_match;

use std::collections::HashMap;

use objchange::Value;
use objchange::change::{Diagnostic, PlanRequest, PlannedResource, Planning, Severity, begin_plan};
use objchange::schema::Block;
use objchange::value::Kind;
use objchange_provider::{Component, ErrorKind, Provider, ProviderExt, Result};
use smol_str::SmolStr;

use self::adjust::{Grant, counts};
use self::sentence::{Wish, wish};
use self::unknown_match::becomes;
use super::generate::{Are, Maker, Put, SchemaPart, Spot, Taste, What, spots};
use super::secrets::without_secrets;
use super::{Hints, Sample, within};

/// How often a provider is asked about one configuration.
// Most configurations are refused at first, and the errors say why. With repairs four public providers accepted 99 %
// of them.
const ROUNDS: u32 = 40;

/// How often an optional part is changed before it is given up.
const PATIENCE: usize = 4;

/// The maximum number of rounds in a row that change nothing.
const MAX_IDLE: u32 = 5;

/// The maximum number of diagnostics that are read at once, and of characters of each.
const MAX_DIAGNOSTICS: usize = 100;
const MAX_TEXT: usize = 2_000;

/// Whether a provider takes a configuration.
#[derive(Debug, Clone)]
pub enum Acceptance {
    /// It takes this one.
    Yes(Sample),
    /// It takes this one when all of it is known, and refuses it while a part is unknown, with these diagnostics.
    OnlyKnown(Sample, Vec<Diagnostic>),
    /// It does not, and no change has helped. These are its last diagnostics.
    No(Vec<Diagnostic>),
}

/// Changes a configuration until the provider accepts it, guided by its diagnostics. Unknown values stay
/// unknown, values from hints stay as they are, and expected diagnostics are ignored. Secrets from hints
/// are removed from the returned diagnostics.
///
/// # Errors
///
/// The provider gives no answer.
///
/// ```
/// use objchange_conform::{Acceptance, Hints, accepted, samples};
/// use objchange_conform::kit::faulty;
/// use objchange_provider::{Component, ProviderExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> objchange_provider::Result<()> {
/// let (kit, hints) = (faulty(true), Hints::default());
/// let schemas = kit.schemas().await?;
/// let block = &schemas.resources["kit_thing"].block;
/// for sample in samples(block, Component::Resource, "kit_thing", &hints, 1).take(24) {
///     let accepted = accepted(&kit, Component::Resource, "kit_thing", block, sample, &hints).await?;
///     assert!(matches!(accepted, Acceptance::Yes(_)));
/// }
/// # Ok(())
/// # }
/// ```
pub async fn accepted(
    provider: &dyn Provider,
    component: Component,
    name: &str,
    block: &Block,
    sample: Sample,
    hints: &Hints,
) -> Result<Acceptance> {
    let test =
        if component == Component::Resource { AcceptanceTest::Created } else { AcceptanceTest::Validated };
    accepted_when(provider, (component, name), block, sample, hints, test).await
}

/// The calls that must accept a configuration.
#[derive(Clone, Copy)]
pub(super) enum AcceptanceTest<'a> {
    /// Validating it.
    Validated,
    /// Planning a new object of it as well.
    Created,
    /// Planning also that this object, made of the planned one, stays as it is.
    Kept(&'a (dyn Fn(&Value) -> Value + Send + Sync)),
}

/// Like [`accepted`], with the calls that must accept it.
pub(super) async fn accepted_when(
    provider: &dyn Provider,
    (component, name): (Component, &str),
    block: &Block,
    sample: Sample,
    hints: &Hints,
    test: AcceptanceTest<'_>,
) -> Result<Acceptance> {
    let turns = HashMap::new();
    let mut repair =
        Repair { component, name, block, hints, sample, test, spots: Vec::new(), turns, idle: 0 };
    loop {
        let Rejection { while_unknown, when_known } = repair.refused(provider).await?;
        if while_unknown.is_empty() && when_known.is_empty() {
            return Ok(Acceptance::Yes(repair.sample));
        }
        if when_known.is_empty() && repair.sample.known.is_some() {
            return Ok(Acceptance::OnlyKnown(repair.sample, while_unknown));
        }
        let refused = [while_unknown, when_known].concat();
        let before = repair.sample.clone();
        repair.sample.repairs += 1;
        repair.round(&refused);
        let is_changed = repair.sample.config != before.config || repair.sample.known != before.known;
        repair.idle = if is_changed { 0 } else { repair.idle + 1 };
        let has_lost_unknown = repair.sample.known.is_some() && !repair.keeps_unknown();
        if repair.sample.repairs > ROUNDS || repair.idle > MAX_IDLE || has_lost_unknown {
            let known = before.known.as_ref().unwrap_or(&before.config);
            let hidden = |d: &Diagnostic| without_secrets(&without_secrets(d, &before.config), known);
            return Ok(Acceptance::No(refused.iter().map(hidden).collect()));
        }
    }
}

/// The values that a diagnostic says an argument may have, if it names them all.
pub(super) fn allowed_values(diagnostic: &Diagnostic, name: &str) -> Option<Vec<String>> {
    let diagnostic = short(diagnostic);
    let said = format!("{} {}", diagnostic.summary, diagnostic.detail);
    match wish(&said, Some(name), &|known| known == name) {
        Wish::OneOf(values) => Some(values),
        _ => None,
    }
}

/// The provider's diagnostics about a configuration.
struct Rejection {
    /// For the configuration itself, which may have unknown parts.
    while_unknown: Vec<Diagnostic>,
    /// For its wholly known form, if it has unknown parts.
    when_known: Vec<Diagnostic>,
}

/// A configuration that is being repaired.
struct Repair<'a> {
    component: Component,
    name: &'a str,
    block: &'a Block,
    hints: &'a Hints,
    sample: Sample,
    test: AcceptanceTest<'a>,
    /// The places that can be configured; computed on first use.
    spots: Vec<Spot<'a>>,
    /// How often each part was changed.
    turns: HashMap<Vec<SmolStr>, usize>,
    /// How many rounds in a row have changed nothing.
    idle: u32,
}

impl<'a> Repair<'a> {
    /// The provider's diagnostics: with the unknown parts, then without. If an object would be created,
    /// that is planned as well.
    async fn refused(&self, provider: &dyn Provider) -> Result<Rejection> {
        let configs = [Some(&self.sample.config), self.sample.known.as_ref()];
        let mut said = [Vec::new(), Vec::new()];
        for (config, said) in configs.into_iter().zip(&mut said) {
            if let Some(config) = config {
                said.extend(provider.validate(self.component, self.name, &config.unmark_deep().0).await?);
            }
        }
        let is_error = |d: &Diagnostic| d.severity == Severity::Error;
        // Terraform plans only configurations that are valid.
        if !matches!(self.test, AcceptanceTest::Validated) && !said.iter().flatten().any(is_error) {
            for (config, said) in configs.into_iter().zip(&mut said) {
                if let Some(config) = config {
                    said.extend(self.planned(provider, config).await?);
                }
            }
        }
        for said in &mut said {
            said.retain(|d| is_error(d) && !self.hints.is_expected(self.component, self.name, d));
        }
        let [while_unknown, when_known] = said;
        Ok(Rejection { while_unknown, when_known })
    }

    /// The provider's diagnostics when it plans to create an object. An unusable answer counts as none
    /// here; the judge reports it.
    async fn planned(&self, provider: &dyn Provider, config: &Value) -> Result<Vec<Diagnostic>> {
        let nothing = Value::null(self.block.implied_type().clone());
        let Some(created) = self.plan(provider, &nothing, config).await? else { return Ok(Vec::new()) };
        let mut said = created.diagnostics;
        let is_error = |d: &Diagnostic| d.severity == Severity::Error;
        if let AcceptanceTest::Kept(object_of) = self.test
            && !said.iter().any(is_error)
            && created.planned.ty().conforms_to(self.block.implied_type())
        {
            let kept = self.plan(provider, &object_of(&created.planned), config).await?;
            said.extend(kept.into_iter().flat_map(|kept| kept.diagnostics));
        }
        Ok(said)
    }

    /// The provider's plan; `None` if there is none.
    async fn plan(
        &self,
        provider: &dyn Provider,
        prior: &Value,
        config: &Value,
    ) -> Result<Option<PlannedResource>> {
        let Ok(Planning::Ask(question)) = begin_plan(&PlanRequest::new(self.block, prior, config)) else {
            return Ok(None);
        };
        match provider.plan(self.name, question.request()).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if error.is_gone() || matches!(error.kind(), ErrorKind::Timeout(_)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Makes the changes that the diagnostics ask for.
    fn round(&mut self, refused: &[Diagnostic]) {
        if self.spots.is_empty() {
            self.spots = spots(self.block);
        }
        let spots = std::mem::take(&mut self.spots);
        let (mut done, mut changed): (Vec<&Spot<'a>>, bool) = (Vec::new(), false);
        for diagnostic in refused.iter().take(MAX_DIAGNOSTICS) {
            let diagnostic = &short(diagnostic);
            let found = target::targets(&spots, self.all_known(), diagnostic);
            let name = found.first().and_then(|spot| spot.names.last()).cloned();
            let is_known = |name: &str| target::named(&spots, &[], name).is_some();
            let said = format!("{} {}", diagnostic.summary, diagnostic.detail);
            let wish = wish(&said, name.as_deref(), &is_known);
            let before = (self.sample.config.clone(), self.sample.known.clone());
            match &wish {
                Wish::Present { names, all } => self.present(&spots, &found, names, *all),
                Wish::OnlyOne(names) => {
                    let beside = found.first().map(|spot| spot.names.clone()).unwrap_or_default();
                    let all = names.iter().filter_map(|name| target::named(&spots, &beside, name));
                    let set: Vec<&Spot<'_>> = all.filter(|spot| self.is_set(spot)).collect();
                    let kept = set.iter().position(|spot| self.is_fixed(spot)).unwrap_or(0);
                    for (_, spot) in set.iter().enumerate().filter(|(i, _)| *i != kept) {
                        self.remove(spot);
                    }
                }
                Wish::Elsewhere { name, value } => {
                    let beside = found.first().map(|spot| spot.names.clone()).unwrap_or_default();
                    let rival = target::named(&spots, &beside, name).filter(|spot| !self.is_fixed(spot));
                    let turn = self.turn(&beside);
                    match rival.filter(|_| turn == 0) {
                        Some(rival) => self.set(rival, What::Value(&Value::from(value))),
                        None => found.iter().for_each(|spot| {
                            self.remove(spot);
                        }),
                    }
                }
                wish => {
                    for spot in found {
                        if done.iter().any(|other| other.names == spot.names) {
                            continue;
                        }
                        if let Wish::Absent { unless } = wish {
                            let rival = |name: &String| target::named(&spots, &spot.names, name);
                            let rivals: Vec<&Spot<'_>> = unless.iter().filter_map(rival).collect();
                            // A conflict is reported at each of its attributes. If a rival has been taken away, this
                            // one may stay.
                            if rivals.iter().any(|rival| done.iter().any(|other| other.names == rival.names))
                            {
                                continue;
                            }
                            self.absent(spot, &rivals);
                        } else {
                            self.grant(&spots, spot, wish);
                        }
                        done.push(spot);
                    }
                }
            }
            changed |= before != (self.sample.config.clone(), self.sample.known.clone());
        }
        if !changed && self.idle > 0 {
            // No wish has helped: optional parts go, and required ones get a plausible value.
            for spot in spots.iter().filter(|spot| spot.names.len() == 1) {
                if !self.remove(spot) && spot.is_required() && !self.is_fixed(spot) {
                    self.set(spot, What::Plausible);
                }
            }
        }
        self.spots = spots;
    }

    fn all_known(&self) -> &Value {
        self.sample.known.as_ref().unwrap_or(&self.sample.config)
    }

    /// Sets one part that is not set, or all of them.
    fn present(&mut self, spots: &[Spot<'a>], found: &[&Spot<'a>], names: &[String], all: bool) {
        let beside = found.first().map(|spot| spot.names.clone()).unwrap_or_default();
        let mut wanted: Vec<&Spot<'a>> = names
            .iter()
            .filter_map(|name| target::named(spots, &beside, name))
            .filter(|spot| !self.is_set(spot))
            .collect();
        if wanted.is_empty() {
            wanted.extend(found.iter().filter(|spot| !self.is_set(spot)));
        }
        if !all {
            // Another one each time, as the first may be refused for other reasons.
            let turn = self.turn(&beside);
            if !wanted.is_empty() {
                wanted = vec![wanted[turn % wanted.len()]];
            }
        }
        for spot in wanted {
            self.set(spot, What::Plausible);
        }
    }

    /// Takes a part away. If it is required, takes the parts away that conflict with it.
    fn absent(&mut self, spot: &Spot<'a>, rivals: &[&Spot<'a>]) {
        let is_kept = self.is_fixed(spot) || spot.is_required();
        if (rivals.is_empty() || !is_kept) && self.remove(spot) {
            return;
        }
        let count = rivals.iter().filter(|rival| self.remove(rival)).count();
        if count == 0 && !spot.is_required() && !self.is_given(spot) {
            // The provider refuses this part whether it is known or not.
            self.forget(spot);
        }
    }

    /// Adjusts the value of a part to a wish, or gives the part up.
    fn grant(&mut self, spots: &[Spot<'a>], spot: &Spot<'a>, wish: &Wish) {
        if self.is_given(spot) {
            return;
        }
        let turn = self.turn(&spot.names);
        let is_unclear = *wish == Wish::Other || matches!(wish, Wish::Like(_) | Wish::NotEmpty);
        let is_over = if is_unclear { turn >= 2 } else { turn >= PATIENCE };
        if is_over && self.remove(spot) {
            return;
        }
        if is_over && turn >= 2 * PATIENCE {
            // An optional block around it may be the reason.
            let around =
                (1..spot.names.len()).rev().find_map(|i| spots.iter().find(|s| s.names == spot.names[..i]));
            if around.is_some_and(|around| self.remove(around)) {
                return;
            }
        }
        if let (Wish::Range { least: Some(least), .. }, true) = (wish, counts(wish, &spot.ty())) {
            let least = least.as_u64().and_then(|least| usize::try_from(least).ok()).unwrap_or(1).min(1_000);
            let first = within::first(self.all_known(), &spot.names);
            if first.and_then(Value::len).unwrap_or(0) < least {
                return self.set(spot, What::Many(least, Are::Different));
            }
        }
        // There is nothing to adjust yet.
        if turn == 0 && wish.is_about_value() && !spot.is_objects() && !self.is_set(spot) {
            self.set(spot, What::Plausible);
        }
        let name = spot.names.last().map_or("", |name| name.as_str());
        // Granting the wish as understood did not help.
        let wish = if turn >= PATIENCE { &Wish::Other } else { wish };
        let grant = Grant { wish, name, at: self.sample.at, turn };
        self.change(spot, &mut |value| grant.to(value));
    }

    fn turn(&mut self, names: &[SmolStr]) -> usize {
        let turn = self.turns.entry(names.to_vec()).or_default();
        *turn += 1;
        *turn - 1
    }

    fn is_set(&self, spot: &Spot<'_>) -> bool {
        let mut is_set = false;
        within::each(self.all_known(), &spot.names, &mut |part| {
            is_set |= !part.is_null() && part.len() != Some(0);
        });
        is_set
    }

    /// Whether hints give its value.
    fn is_given(&self, spot: &Spot<'_>) -> bool {
        self.hints.hinted(self.component, self.name, &spot.names.join(".")).is_some()
    }

    fn is_unknown(&self, spot: &Spot<'_>) -> bool {
        let mut is_unknown = false;
        within::each(&self.sample.config, &spot.names, &mut |part| is_unknown |= !part.is_wholly_known());
        is_unknown
    }

    /// Whether it must not be taken away: hints give it, or it is unknown.
    fn is_fixed(&self, spot: &Spot<'_>) -> bool {
        self.is_unknown(spot) || self.is_given(spot)
    }

    /// Takes an unknown part away. The sample may be wholly known then.
    fn forget(&mut self, spot: &Spot<'a>) {
        let null =
            |value: &Value| within::changed(value, &spot.names, &mut |old| Value::null(old.ty().clone()));
        self.sample.config = null(&self.sample.config);
        let known = self.sample.known.take().map(|known| null(&known));
        self.sample.known = known.filter(|_| !self.sample.config.is_wholly_known());
    }

    /// Takes a part away if possible. Returns whether it did.
    fn remove(&mut self, spot: &Spot<'a>) -> bool {
        if spot.is_required() || self.is_fixed(spot) || !self.is_set(spot) {
            return false;
        }
        let least = match spot.part {
            SchemaPart::Blocks(nested) => usize::try_from(nested.min_items).unwrap_or_default(),
            SchemaPart::Attribute(_) => 0,
        };
        let is_block = matches!(spot.part, SchemaPart::Blocks(_));
        self.change(spot, &mut |value| match value.kind() {
            Kind::List(all) | Kind::Set(all) | Kind::Tuple(all) if is_block => {
                within::elements_like(value, all.iter().take(least).cloned())
            }
            Kind::Map(_) => value.ty().element().map_or_else(
                || value.clone(),
                |element| Value::map::<&str, Value>(element.clone(), []).unwrap_or_else(|_| value.clone()),
            ),
            _ => Value::null(value.ty().clone()),
        });
        true
    }

    /// Sets a part to a plausible value.
    fn set(&mut self, spot: &Spot<'a>, what: What<'_>) {
        let maker = Maker::new(self.component, self.name, self.hints, self.sample.at);
        let put = Put { names: &spot.names, what };
        let whole = maker.config(self.block, Taste::Nothing, Some(put));
        if let Some(new) = within::first(&whole, &spot.names).cloned() {
            self.change(spot, &mut |_| new.clone());
        }
    }

    /// Changes a part wherever it occurs. Unknown parts stay unknown.
    fn change(&mut self, spot: &Spot<'a>, change: &mut dyn FnMut(&Value) -> Value) {
        let changed = |value: &Value, change: &mut dyn FnMut(&Value) -> Value| {
            within::changed(value, &spot.names, &mut |old| {
                let is_fixed = !old.is_known() || old.contains_marked();
                if is_fixed { old.clone() } else { change(old) }
            })
        };
        self.sample.config = changed(&self.sample.config, change);
        if let Some(known) = &self.sample.known {
            self.sample.known = Some(changed(known, change));
        }
    }

    /// Whether a part is still unknown, and the known form differs in nothing else.
    fn keeps_unknown(&self) -> bool {
        let sample = &self.sample;
        sample
            .known
            .as_ref()
            .is_some_and(|known| !sample.config.is_wholly_known() && becomes(&sample.config, known))
    }
}

/// The diagnostic, cut to the characters that are read.
fn short(diagnostic: &Diagnostic) -> Diagnostic {
    let cut = |text: &str| text.chars().take(MAX_TEXT).collect();
    let mut short = diagnostic.clone();
    (short.summary, short.detail) = (cut(&diagnostic.summary), cut(&diagnostic.detail));
    short
}
