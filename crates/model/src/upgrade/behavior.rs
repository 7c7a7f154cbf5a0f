//! Compares the models of a type in two versions.

use objchange::Value;
use objchange::schema::Block;
use smol_str::SmolStr;

use super::{PartChange, UpgradeKind};
use crate::fact::{Cause, ChangeKind, Outcome, Replaces, Situation};
use crate::model::TypeModel;
use crate::walk::{Member, member_at};

/// The differences between two models, and the arguments for which at least one model does not say whether changes
/// replace the object.
pub(super) fn compare(
    before: (&TypeModel, &Block),
    after: (&TypeModel, &Block),
) -> (Vec<PartChange>, Vec<SmolStr>) {
    let mut changes = Vec::new();
    let mut unknown = Vec::new();
    for part in arguments(before.1) {
        let Some(other) = member_at(after.1, &part).filter(|member| is_argument(*member)) else { continue };
        match [replaces(before.0, &part), replaces(after.0, &part)] {
            [None, _] | [_, None] => unknown.push(part.clone()),
            [Some(one), Some(other)] if other > one => {
                let change = PartChange::new(Some(&part), UpgradeKind::Replaces);
                changes.push(change.between(one.words(), other.words()));
            }
            _ => {}
        }
        let is_hidden = matches!(other, Member::Attribute(attribute) if attribute.sensitive);
        changes.extend(other_default(before.0, after.0, &part, is_hidden));
        changes.extend(newly_refused(before.0, after.0, &part));
    }
    for part in before.0.parts.keys().filter(|part| member_at(after.1, part).is_some()) {
        changes.extend(no_longer_kept(before.0, after.0, part));
    }
    (changes, unknown)
}

/// Whether changes of an argument replace the object, ordered by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Replacing {
    Never,
    Sometimes,
    Always,
}

impl Replacing {
    fn words(self) -> &'static str {
        match self {
            Self::Never => "did not force replacement",
            Self::Sometimes => "may force replacement",
            Self::Always => "forces replacement",
        }
    }
}

/// Whether changes of an argument replace the object; `None` if no probe has changed it.
fn replaces(model: &TypeModel, part: &str) -> Option<Replacing> {
    let nothing = Value::null(objchange::Type::Dynamic);
    let facts = model.parts.get(part)?;
    let kinds = [ChangeKind::Value, ChangeKind::Set, ChangeKind::Unset, ChangeKind::True, ChangeKind::False];
    let answers = kinds.into_iter().filter(|kind| facts.replaces.contains_key(kind)).map(|kind| match model
        .replaces(&Cause { kind, part: SmolStr::new(part) }, &nothing)
    {
        Replaces::Always => Replacing::Always,
        Replaces::Depends => Replacing::Sometimes,
        Replaces::Never | Replaces::NotLearned => Replacing::Never,
    });
    answers.max()
}

fn is_argument(member: Member<'_>) -> bool {
    match member {
        // Write-only values are in no state, and so never change.
        Member::Attribute(attribute) => (attribute.required || attribute.optional) && !attribute.write_only,
        Member::Blocks(_) => true,
    }
}

/// All arguments of a schema, also those in blocks.
fn arguments(block: &Block) -> Vec<SmolStr> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), crate::walk::Shape::Block(block))];
    while let Some((part, shape)) = open.pop() {
        for (name, member) in shape.members() {
            let part = if part.is_empty() { name.to_owned() } else { format!("{part}.{name}") };
            if is_argument(member) {
                found.push(SmolStr::new(&part));
            }
            open.extend(member.shape().map(|shape| (part, shape)));
        }
    }
    found.sort();
    found
}

/// The stable outcome of a part; `Err` if its probes disagree, `Ok(None)` if there were none.
fn usual<'m>(model: &'m TypeModel, part: &str, situation: Situation) -> Result<Option<&'m Outcome>, ()> {
    let cases = model.parts.get(part).and_then(|facts| facts.planned.get(&situation));
    match cases.and_then(|cases| cases.usual.as_ref()) {
        None => Ok(None),
        Some(fact) => fact.stable().map(Some).ok_or(()),
    }
}

fn other_default(before: &TypeModel, after: &TypeModel, part: &str, is_hidden: bool) -> Option<PartChange> {
    let one = usual(before, part, Situation::Created).ok()??;
    let other = usual(after, part, Situation::Created);
    let is_constant = |outcome: &Outcome| matches!(outcome, Outcome::Constant(_));
    let is_other = match other {
        Ok(None) => false,
        Ok(Some(other)) => one != other && (is_constant(one) || is_constant(other)),
        Err(()) => is_constant(one),
    };
    let after = match other {
        Ok(Some(other)) => words(other, is_hidden),
        _ => UNSURE.to_owned(),
    };
    let change = PartChange::new(Some(part), UpgradeKind::Default);
    is_other.then(|| change.between(words(one, is_hidden), after))
}

fn no_longer_kept(before: &TypeModel, after: &TypeModel, part: &str) -> Option<PartChange> {
    let one = usual(before, part, Situation::Updated).ok()??;
    if *one != Outcome::Kept {
        return None;
    }
    let after = match usual(after, part, Situation::Updated) {
        Ok(None | Some(Outcome::Kept)) => return None,
        Ok(Some(other)) => words(other, true),
        Err(()) => UNSURE.to_owned(),
    };
    Some(PartChange::new(Some(part), UpgradeKind::NotKept).between("kept", after))
}

fn newly_refused(before: &TypeModel, after: &TypeModel, part: &str) -> Option<PartChange> {
    let accepted = |model: &TypeModel| model.parts.get(part).map(|facts| facts.one_of.clone());
    let (one, other) = (accepted(before)?, accepted(after)?);
    if other.is_empty() {
        return None;
    }
    let mut change = PartChange::new(Some(part), UpgradeKind::Refused);
    if one.is_empty() {
        change.after = Some(other.join(", "));
        return Some(change);
    }
    let is_known = |value: &String| other.iter().any(|known| known.eq_ignore_ascii_case(value));
    let gone: Vec<String> = one.into_iter().filter(|value| !is_known(value)).collect();
    (!gone.is_empty()).then(|| change.between(gone.join(", "), other.join(", ")))
}

/// Probes disagree.
const UNSURE: &str = "something that depends on other arguments";

/// An outcome for people.
fn words(outcome: &Outcome, is_hidden: bool) -> String {
    match outcome {
        Outcome::Constant(_) if is_hidden => "a fixed value".to_owned(),
        Outcome::Constant(json) => json.clone(),
        Outcome::Null => "null".to_owned(),
        Outcome::Unknown => "known after apply".to_owned(),
        Outcome::Kept => "the value before".to_owned(),
        Outcome::KeptBlocks => "the block before with its defaults".to_owned(),
        Outcome::CopyOf(argument) => format!("a copy of {argument}"),
        Outcome::Collected(collected) => format!("collected from {}", collected.arguments.join(" and ")),
        _ => "a form of what is configured".to_owned(),
    }
}
