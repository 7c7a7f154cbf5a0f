//! Configurations to try a provider with, made from a schema.
//!
//! Equal seeds give equal configurations. All of them could come from Terraform Core: of the
//! schema's type, with all required attributes, and with an allowed number of blocks. Strings are in
//! Unicode's normal form C, as in Terraform. For configurations that the provider accepts, see
//! [`accepted`](super::accepted).

mod corner;
mod dice;
mod fill;
mod plausible;
mod random;
mod spots;
mod systematic;

use objchange::Value;
use objchange::schema::Block;
use objchange_provider::Component;
use proptest::strategy::Strategy;

use self::systematic::Systematic;
use super::Hints;
use super::hints::Numbering;

pub(super) use self::fill::{Are, Maker, Put, Taste, What};
pub(super) use self::plausible::{Form, text as plausible_text, texts as plausible_texts};
pub(super) use self::spots::{SchemaPart, Spot, spots};

/// A configuration to try something with.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Sample {
    /// The configuration. Secrets from hints are marked; [unmark](Value::unmark_deep) it for a provider.
    pub config: Value,
    /// Its wholly known form, if it has unknown parts.
    pub known: Option<Value>,
    /// A label for its special feature.
    pub label: String,
    /// How often it was changed until the provider accepted it.
    pub repairs: u32,
    /// Its number.
    pub(super) at: Numbering,
}

impl Sample {
    /// A configuration that is wholly known.
    pub fn new(config: Value, label: impl Into<String>) -> Self {
        Self { config, known: None, label: label.into(), repairs: 0, at: Numbering::default() }
    }
}

/// The configurations may hold secrets.
impl std::fmt::Debug for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sample")
            .field("label", &self.label)
            .field("repairs", &self.repairs)
            .finish_non_exhaustive()
    }
}

/// Configurations of a block, without end: the smallest and the fullest one, then those with one special feature. In
/// every other one a part is unknown, the outer parts first, until each was. The rest takes the kinds of special
/// features in turn, with a random configuration in each round. When no special feature is left, all are random.
///
/// ```
/// use objchange::Type;
/// use objchange::schema::{Attribute, Block};
/// use objchange_provider::Component;
/// use objchange_conform::{Hints, samples};
///
/// let block = Block::new(
///     [("name", Attribute::required(Type::String)), ("ports", Attribute::optional(Type::set(Type::Number)))],
///     [],
/// );
/// let all: Vec<_> = samples(&block, Component::Resource, "cloud_server", &Hints::default(), 1).take(40).collect();
/// assert_eq!((all[0].label.as_str(), all[0].config.to_string().as_str()), ("minimal", r#"{name = "name-0", ports = null}"#));
/// let empty = all.iter().find(|sample| sample.label == "ports: empty").unwrap();
/// assert_eq!(empty.config.attribute("ports").unwrap().len(), Some(0));
/// assert!(all.iter().any(|sample| sample.label == "name: unknown" && sample.known.is_some()));
/// ```
pub fn samples(
    block: &Block,
    component: Component,
    name: &str,
    hints: &Hints,
    seed: u64,
) -> impl Iterator<Item = Sample> {
    let mut all = samples_from(block, component, name, hints, seed, 0).peekable();
    // A schema whose smallest configuration is too large gets no samples.
    let are_some = all.peek().is_some_and(Option::is_some);
    all.take_while(move |_| are_some).flatten()
}

/// Samples from number `first` on, without making those before; `None` in place of one that would be too
/// large.
pub(super) fn samples_from(
    block: &Block,
    component: Component,
    name: &str,
    hints: &Hints,
    seed: u64,
    first: u64,
) -> impl Iterator<Item = Option<Sample>> {
    let is_given = |path: &str| hints.hinted(component, name, path).is_some();
    let mut systematic = Systematic::new(block, seed, &is_given);
    for _ in 0..first {
        systematic.skip();
    }
    (first..).map(move |sequence| {
        let at = Numbering { seed, sequence };
        let maker = Maker::new(component, name, hints, at);
        let sample = systematic.next(&maker, block).unwrap_or_else(|| random::sample(&maker, block));
        (!maker.is_too_large()).then_some(Sample { at, ..sample })
    })
}

/// Random configurations of a block, for property tests of one's own.
pub fn any_sample(
    block: &Block,
    component: Component,
    name: &str,
    hints: &Hints,
) -> impl Strategy<Value = Sample> + use<> {
    let (block, name, hints) = (block.clone(), name.to_owned(), hints.clone());
    (proptest::num::u64::ANY, 0..1000_u64).prop_map(move |(seed, sequence)| {
        random::sample(&Maker::new(component, &name, &hints, Numbering { seed, sequence }), &block)
    })
}
