//! Random configurations.

use std::convert::Infallible;

use objchange::Value;
use objchange::schema::Block;
use objchange::value::Kind;

use super::Sample;
use super::dice::Dice;
use super::fill::{Maker, Taste};

/// A random configuration; some have unknown parts.
pub(super) fn sample(maker: &Maker<'_>, block: &Block) -> Sample {
    let mut dice = Dice::new(maker.at);
    let known = maker.config(block, Taste::Random(&mut dice), None);
    let label = format!("random {}", maker.at.sequence);
    if !dice.percent(25) {
        return Sample::new(known, label);
    }
    let config = with_unknowns(&known, &mut dice);
    // Equal if no part can be unknown.
    let known = (!config.is_wholly_known()).then_some(known);
    Sample { known, ..Sample::new(config, label) }
}

/// Makes some leaves unknown. Secrets stay known: a marked unknown would stay marked anyway.
fn with_unknowns(value: &Value, dice: &mut Dice) -> Value {
    let changed = value.transform(|_, part| {
        let can_be = matches!(part.kind(), Kind::String(_) | Kind::Number(_) | Kind::Bool(_));
        Ok::<_, Infallible>(if can_be && dice.percent(20) { Value::unknown(part.ty().clone()) } else { part })
    });
    changed.unwrap_or_else(|never| match never {})
}
