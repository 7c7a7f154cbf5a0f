//! From a document to verdicts.
//!
//! The rules run over an input in which what is unknown has markers, and note when they look at one. A rule that has not
//! looked at any gives the same answer whatever the values will be: it is decided. One that has is asked again about the
//! document as it is, and about documents with guesses in place of what is unknown, the values that the policy mentions
//! among them: what it says each time is taken not to depend on what is unknown.
//!
//! Nothing that a rule says is shown before it is known to hold no secret: see [`shown`](Evaluation::shown).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};
use std::thread::ScopedJoinHandle;
use std::time::Instant;

use regorus::Value;

use super::compile::Compiled;
use super::error::{PolicyError, PolicyErrorKind};
use super::finding::{Addresses, finding, messages};
use super::input::{Secrets, input};
use super::rules::{reference, title};
use super::secret::{guesses, masked_with, replacements};
use super::session::{Given, Met, Session};
use super::unknown::{Markers, Marking};
use super::verdict::{RuleVerdict, Undecided, Unknown, Verdicts};
use super::{InputMode, Options};

pub(super) struct Evaluation<'p> {
    policies: &'p Compiled,
    text: &'p str,
    mode: InputMode,
    session: Session<'p>,
    /// The document as it is.
    plain: Value,
    /// The same without its secrets; `None` if it has none.
    masked: OnceLock<Option<Value>>,
    addresses: OnceLock<Addresses>,
}

/// The document, as policies see it where it has no markers.
pub(super) fn document(
    policies: &Compiled,
    text: &str,
    mode: InputMode,
    secrets: &Secrets,
) -> Result<Value, PolicyError> {
    let mut input = input(text, mode, &policies.members, secrets)?;
    if policies.members.full {
        Marking { full: true, markers: None }.apply(&mut input);
    }
    Ok(input)
}

/// Evaluates the policies over a plan.
pub(super) fn evaluate(policies: &Compiled, options: &Options, text: &str) -> Result<Verdicts, PolicyError> {
    let deadline = Instant::now() + options.timeout;
    let plain = document(policies, text, options.input, &Secrets::Shown)?;
    let given = match &policies.traced {
        None => Given::Plain(plain.clone()),
        Some(_) => given(policies, &plain),
    };
    let mut evaluation = Evaluation {
        policies,
        text,
        mode: options.input,
        session: Session::new(policies, deadline)?,
        plain,
        masked: OnceLock::new(),
        addresses: OnceLock::new(),
    };
    let parts = evaluation.parts(&given, options.parts(), deadline)?;
    let mut verdicts = Verdicts { prints: parts.prints, rules: Vec::new() };
    for rule in 0..policies.rules.len() {
        let met = parts.met.iter().filter(|met| evaluation.counts(rule, met, &given)).count();
        let value = parts.values.get(&rule).unwrap_or(&Value::Undefined);
        verdicts.rules.extend(evaluation.rule(rule, value, met > 0, &given)?);
    }
    Ok(verdicts)
}

/// The input with markers, if anything is unknown.
fn given(policies: &Compiled, plain: &Value) -> Given {
    let mut markers = Markers::default();
    let mut marked = plain.clone();
    Marking { full: policies.members.full, markers: Some(&mut markers) }.apply(&mut marked);
    match markers.is_empty() {
        true => Given::Plain(plain.clone()),
        false => Given::Marked(marked, Arc::new(markers)),
    }
}

/// What all rules have said.
#[derive(Default)]
struct Parts {
    values: BTreeMap<usize, Value>,
    met: BTreeSet<Met>,
    prints: Vec<String>,
}

impl Evaluation<'_> {
    fn parts(&mut self, given: &Given, parts: usize, deadline: Instant) -> Result<Parts, PolicyError> {
        let run = |given: &Given| -> Result<Parts, PolicyError> {
            let mut all = Parts::default();
            let results: Vec<Result<Parts, PolicyError>> = std::thread::scope(|scope| {
                let part = |part| {
                    let mut session = Session::new(self.policies, deadline)?;
                    let (values, met) = session.part(part, given)?;
                    Ok(Parts { values: values.into_iter().collect(), met, prints: session.prints() })
                };
                let others: Vec<_> = (1..parts)
                    .map(|index| super::big_stack().spawn_scoped(scope, move || part(index)))
                    .collect();
                let first = part(0);
                let joined = others.into_iter().map(|thread| match thread.map(ScopedJoinHandle::join) {
                    Ok(Ok(result)) => result,
                    _ => Err(PolicyError::new(PolicyErrorKind::Evaluation, None, "a thread cannot be run")),
                });
                std::iter::once(first).chain(joined).collect()
            });
            for part in results {
                let part = part?;
                all.values.extend(part.values);
                all.met.extend(part.met);
                all.prints.extend(part.prints);
            }
            Ok(all)
        };
        match run(given) {
            Ok(found) if found.prints.is_empty() => Ok(found),
            Ok(mut found) => {
                // What is printed may be anything.
                if let Some(masked) = self.masked()? {
                    found.prints =
                        run(&Given::Plain(masked)).map_or_else(|_| Vec::new(), |masked| masked.prints);
                }
                Ok(found)
            }
            // So may what an error mentions.
            Err(error) if error.kind() == PolicyErrorKind::Evaluation => match self.masked()? {
                Some(masked)
                    if run(&Given::Plain(masked.clone())).err().map(|error| error.to_string())
                        != Some(error.to_string()) =>
                {
                    Err(error.hidden())
                }
                _ => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    /// Whether something that was met was met on the way of this rule.
    fn counts(&self, rule: usize, (look, marker): &Met, given: &Given) -> bool {
        let (Some(traced), Given::Marked(_, markers)) = (&self.policies.traced, given) else { return false };
        let may_lead =
            traced.looks.get(*look).is_some_and(|look| self.policies.closures[rule].contains(&look.rule));
        let asked_for = self.policies.asks[rule] && markers.get(*marker).is_some_and(|marker| marker.full);
        may_lead && !asked_for
    }

    fn rule(
        &mut self,
        rule: usize,
        value: &Value,
        met: bool,
        given: &Given,
    ) -> Result<Vec<RuleVerdict>, PolicyError> {
        let evaluated = &self.policies.rules[rule];
        let mut verdicts = Vec::new();
        if met || !messages(value).is_empty() {
            let excepted = self.is_excepted(rule)?;
            for definition in 0..evaluated.definitions.len() {
                let (value, met) = match evaluated.definitions.len() {
                    1 if !met => (value.clone(), BTreeSet::new()),
                    _ => self.definition(rule, definition, given)?,
                };
                let met: BTreeSet<Met> =
                    met.into_iter().filter(|met| self.counts(rule, met, given)).collect();
                let mut said = self.verdict(rule, definition, &value, &met, given)?;
                said.excepted = excepted;
                if !said.findings.is_empty() || said.undecided.is_some() {
                    verdicts.push(said);
                }
            }
        }
        if verdicts.is_empty() && !evaluated.definitions.is_empty() {
            verdicts.push(self.empty(rule, 0));
        }
        Ok(verdicts)
    }

    fn verdict(
        &mut self,
        rule: usize,
        definition: usize,
        value: &Value,
        met: &BTreeSet<Met>,
        given: &Given,
    ) -> Result<RuleVerdict, PolicyError> {
        let mut verdict = self.empty(rule, definition);
        let Given::Marked(_, markers) = given else {
            verdict.findings = self.shown(rule, definition, &messages(value))?;
            return Ok(verdict);
        };
        if met.is_empty() {
            verdict.findings = self.shown(rule, definition, &messages(value))?;
            return Ok(verdict);
        }
        let met: Vec<_> = met.iter().filter_map(|(_, marker)| markers.get(*marker)).collect();
        let waits_for: BTreeSet<Unknown> = met
            .iter()
            .map(|marker| Unknown { address: marker.address.to_string(), path: marker.path.clone() })
            .collect();
        let plain = Given::Plain(self.plain.clone());
        let all = messages(&self.definition(rule, definition, &plain)?.0);
        let mut decided = all.clone();
        for guess in guesses(self.policies, rule) {
            if decided.is_empty() {
                break;
            }
            let mut input = self.plain.clone();
            let mut guessing = Markers::guessing(guess);
            Marking { full: self.policies.members.full, markers: Some(&mut guessing) }.apply(&mut input);
            match self.definition(rule, definition, &Given::Plain(input)) {
                Ok((value, _)) => {
                    let said = messages(&value);
                    decided.retain(|message| said.contains(message));
                }
                // What fails there says nothing.
                Err(error) if error.kind() == PolicyErrorKind::Evaluation => {}
                Err(error) => return Err(error),
            }
        }
        let open: Vec<_> = all.into_iter().filter(|message| !decided.contains(message)).collect();
        verdict.findings = self.shown(rule, definition, &decided)?;
        verdict.undecided = Some(Undecided {
            findings: self.shown(rule, definition, &open)?,
            waits_for: waits_for.into_iter().collect(),
        });
        Ok(verdict)
    }

    fn empty(&self, rule: usize, definition: usize) -> RuleVerdict {
        let evaluated = &self.policies.rules[rule];
        RuleVerdict {
            rule: title(&evaluated.key),
            severity: evaluated.severity,
            place: evaluated.definitions[definition].place.clone(),
            findings: Vec::new(),
            undecided: None,
            excepted: false,
        }
    }

    fn definition(
        &mut self,
        rule: usize,
        definition: usize,
        given: &Given,
    ) -> Result<(Value, BTreeSet<Met>), PolicyError> {
        self.session.definition(rule, definition, given)
    }

    /// What is reported of messages.
    ///
    /// A message is shown if the rule gives it for a document without the secrets, too: it is made of nothing that is
    /// secret then. A rule that compares a secret with something may hold for the secret alone. So it is asked about
    /// documents that have other values in place of all secrets, and a message that it gives for two of them is shown as
    /// well: no such value is in it.
    fn shown(
        &mut self,
        rule: usize,
        definition: usize,
        messages: &[Value],
    ) -> Result<Vec<super::Finding>, PolicyError> {
        if messages.is_empty() {
            return Ok(Vec::new());
        }
        let hidden = match self.masked()? {
            None => HashSet::new(),
            Some(masked) => self.hidden(rule, definition, messages, masked)?,
        };
        let title = title(&self.policies.rules[rule].key);
        let addresses = self.addresses.get_or_init(|| Addresses::of(&self.plain));
        let mut findings = Vec::new();
        let mut told = BTreeSet::new();
        for (index, message) in messages.iter().enumerate() {
            let is_shown = !hidden.contains(&index);
            let finding = finding(message, is_shown, &title, addresses);
            // How many there are may tell of the secret, too.
            if is_shown || told.insert(finding.address.clone()) {
                findings.push(finding);
            }
        }
        Ok(findings)
    }

    /// Which messages must not be shown.
    fn hidden(
        &mut self,
        rule: usize,
        definition: usize,
        messages_given: &[Value],
        masked: Value,
    ) -> Result<HashSet<usize>, PolicyError> {
        let ask = |session: &mut Session<'_>, input: Value| match session.definition(
            rule,
            definition,
            &Given::Plain(input),
        ) {
            Ok((value, _)) => Ok(messages(&value)),
            // What fails there says nothing.
            Err(error) if error.kind() == PolicyErrorKind::Evaluation => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        let free = ask(&mut self.session, masked)?;
        let mut hidden: HashSet<usize> =
            (0..messages_given.len()).filter(|index| !free.contains(&messages_given[*index])).collect();
        let mut seen = HashSet::new();
        for replacement in replacements() {
            if hidden.is_empty() {
                break;
            }
            let input = masked_with(self.policies, self.text, self.mode, replacement)?;
            let found = ask(&mut self.session, input)?;
            hidden.retain(|index| !found.contains(&messages_given[*index]) || seen.insert(*index));
        }
        Ok(hidden)
    }

    fn masked(&self) -> Result<Option<Value>, PolicyError> {
        if let Some(masked) = self.masked.get() {
            return Ok(masked.clone());
        }
        let masked = document(self.policies, self.text, self.mode, &Secrets::Hidden(None))?;
        let masked = (masked != self.plain).then_some(masked);
        Ok(self.masked.get_or_init(|| masked).clone())
    }

    /// Whether the rule called `exception` in the package of a rule names it, as those of conftest do: without `deny_`.
    fn is_excepted(&mut self, rule: usize) -> Result<bool, PolicyError> {
        let key = &self.policies.rules[rule].key;
        let Some(exception) = self.policies.exceptions.get(&key.0) else { return Ok(false) };
        let Some(place) = exception.definitions.first().map(|definition| &definition.place) else {
            return Ok(false);
        };
        let name = Value::from(key.1.split_once('_').map_or("", |(_, rest)| rest));
        let given = Given::Plain(self.plain.clone());
        let lists = messages(&self.session.rule(&reference(&exception.key), place, &given)?);
        Ok(lists.iter().any(|list| messages(list).contains(&name)))
    }
}
