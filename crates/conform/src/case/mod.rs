//! Writes a finding as a line of a case file, which reproduces the finding without the provider.

mod schema;
pub(super) mod secret_names;

use objchange::Value;
use objchange::change::{PlanResourceChange, PlannedResource};
use objchange::schema::Block;
use objchange::value::{Marks, Path};
use objchange_case::{Answer, AnsweredError, Case, ErrorPlace};
use objchange_provider::Masks;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json, json};

use self::secret_names::holds_secret_names;
use super::run::Exchange;
use super::{Clause, Finding, shape};

/// Why no case shows a finding without the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoCase {
    /// No configuration is needed to see it.
    #[error("no configuration is needed to see it")]
    NotNeeded,
    /// Case files have no question that shows it.
    #[error("case files have no question that shows this")]
    NoQuestion,
    /// It is about a function, and case files have no operation for these.
    #[error("case files have no operation for functions")]
    Function,
    /// The names of the object's attributes may be secret.
    #[error("the names of its attributes may be secret")]
    SecretNames,
    /// The provider's answer has no form in case files.
    #[error("the provider's answer cannot be written as a case")]
    Unwritable,
    /// The case would hold a secret.
    #[error("it would tell a secret")]
    TellsSecret,
}

impl NoCase {
    /// The stable name of the reason.
    pub fn kind(self) -> &'static str {
        match self {
            Self::NotNeeded => "not_needed",
            Self::NoQuestion => "no_question",
            Self::Function => "function",
            Self::SecretNames => "secret_names",
            Self::Unwritable => "unwritable",
            Self::TellsSecret => "tells_secret",
        }
    }
}

/// The case as a line, or why there is none. Values that the schema calls secret, and those at the paths in
/// `secrets`, are replaced by others of their type.
pub(super) fn case(
    id: &str,
    block: &Block,
    finding: &Finding,
    exchanges: &[Exchange],
    secrets: &[(Path, Marks)],
    masks: &Masks,
) -> Result<String, NoCase> {
    let marked = |asked: CaseQuestion| asked.map(|object| Some(object.mark_where_present(secrets)));
    let asked: Vec<CaseQuestion> =
        questions(finding.clause, exchanges).into_iter().filter_map(marked).collect();
    if asked.is_empty() {
        return Err(NoCase::NoQuestion);
    }
    let has_secret_names = |object: &Value| holds_secret_names(block, &block.mark_hidden(object));
    if asked.iter().any(|asked| asked.objects().any(has_secret_names)) {
        return Err(NoCase::SecretNames);
    }
    let shown = |asked: &CaseQuestion| {
        let mut masks = masks.clone();
        // Two passes: the first learns all secrets, so that the second replaces them everywhere, also before the
        // sensitive attribute.
        asked.objects().for_each(|object| drop(masks.object(block, object)));
        let masked = asked.map(|object| Some(masks.object(block, object)))?;
        let (small, pruned) = pruned(block, finding, &masked);
        let line = |block, asked| line(id, block, asked).filter(|(_, answer)| shows(answer, finding));
        // Without some members the engine may find something else. Then the whole object is tried.
        line(&small, &pruned).or_else(|| line(block, &masked)).map(|(line, _)| line)
    };
    asked.iter().find_map(shown).ok_or(NoCase::Unwritable)
}

/// The question of a case: an operation, and its fields. A field may be a list of answers, each with one
/// object.
#[derive(Clone)]
struct CaseQuestion {
    op: &'static str,
    objects: Vec<(&'static str, Value)>,
    answers: Vec<(&'static str, Answered)>,
}

#[derive(Clone)]
struct Answered {
    object: Option<(&'static str, Value)>,
    rest: Map<String, Json>,
}

impl CaseQuestion {
    fn new(op: &'static str, objects: Vec<(&'static str, &Value)>) -> Self {
        let objects = objects.into_iter().map(|(name, object)| (name, object.clone())).collect();
        Self { op, objects, answers: Vec::new() }
    }

    fn objects(&self) -> impl Iterator<Item = &Value> {
        let answered = self.answers.iter().filter_map(|(_, answer)| Some(&answer.object.as_ref()?.1));
        self.objects.iter().map(|(_, object)| object).chain(answered)
    }

    fn map(&self, mut change: impl FnMut(&Value) -> Option<Value>) -> Option<Self> {
        let mut changed = self.clone();
        for (_, object) in &mut changed.objects {
            *object = change(object)?;
        }
        for (_, object) in changed.answers.iter_mut().filter_map(|(_, answer)| answer.object.as_mut()) {
            *object = change(object)?;
        }
        Some(changed)
    }
}

/// The questions that may show a violation of the clause.
fn questions(clause: Clause, exchanges: &[Exchange]) -> Vec<CaseQuestion> {
    let plans = || {
        exchanges.iter().filter_map(|exchange| match exchange {
            Exchange::Plan(request, answer) => Some((&**request, &**answer)),
            _ => None,
        })
    };
    let applied = |exchange: &Exchange| match exchange {
        Exchange::Apply(request, answer) => {
            let actual = answer.new_state.as_ref()?;
            let objects = vec![("planned", &request.planned), ("actual", actual)];
            Some(CaseQuestion::new("assert_object_compatible", objects))
        }
        _ => None,
    };
    let data = |exchange: &Exchange| match exchange {
        Exchange::Data(config, object) => {
            let nothing = Value::null(config.ty().clone());
            let objects = vec![("prior", &nothing), ("config", config), ("planned", object)];
            Some(CaseQuestion::new("assert_plan_valid", objects))
        }
        _ => None,
    };
    match clause {
        Clause::P5 => plans().map(|(request, answer)| valid(request, answer)).collect(),
        Clause::P3 | Clause::P6 => plans().map(|(request, answer)| planned(request, answer)).collect(),
        Clause::F2 => {
            let all: Vec<_> = plans().collect();
            let pairs = all.iter().enumerate().flat_map(|(i, first)| {
                all[i + 1..]
                    .iter()
                    // A final plan starts from the same prior object as the first one.
                    .filter(|last| last.0.prior == first.0.prior)
                    .map(move |last| (first, last))
            });
            let objects = pairs.map(|(first, last)| {
                let objects = vec![("planned", &first.1.planned), ("actual", &last.1.planned)];
                CaseQuestion::new("assert_object_compatible", objects)
            });
            objects.collect()
        }
        Clause::A5 => exchanges.iter().filter_map(applied).collect(),
        Clause::A1 | Clause::A3 | Clause::A4 | Clause::A6 => changes(exchanges),
        Clause::D4 => exchanges.iter().filter_map(data).collect(),
        _ => Vec::new(),
    }
}

fn valid(request: &PlanResourceChange, answer: &PlannedResource) -> CaseQuestion {
    let objects = vec![("prior", &request.prior), ("config", &request.config), ("planned", &answer.planned)];
    CaseQuestion::new("assert_plan_valid", objects)
}

fn planned(request: &PlanResourceChange, answer: &PlannedResource) -> CaseQuestion {
    let mut asked =
        CaseQuestion::new("plan_change", vec![("prior", &request.prior), ("config", &request.config)]);
    let mut rest = Map::new();
    if !answer.requires_replace.is_empty() {
        rest.insert("requires_replace".into(), json!(answer.requires_replace));
    }
    asked.answers.push(("answers", Answered { object: Some(("planned", answer.planned.clone())), rest }));
    asked
}

/// Each applied change with its plan.
fn changes(exchanges: &[Exchange]) -> Vec<CaseQuestion> {
    let mut plan = None;
    let mut changes = Vec::new();
    for exchange in exchanges {
        match exchange {
            Exchange::Plan(request, answer) => plan = Some((request, answer)),
            Exchange::Apply(request, answer) => {
                let mut asked = match plan {
                    Some((question, plan)) if plan.planned == request.planned => planned(question, plan),
                    _ => CaseQuestion::new(
                        "plan_change",
                        vec![("prior", &request.prior), ("config", &request.config)],
                    ),
                };
                asked.op = "apply_change";
                let object = answer.new_state.clone().map(|state| ("new_state", state));
                asked.answers.push(("applied", Answered { object, rest: Map::new() }));
                changes.push(asked);
            }
            Exchange::Data(..) => {}
        }
    }
    changes
}

/// Removes members that are set nowhere, so that a reader sees the point of the case.
fn pruned(block: &Block, finding: &Finding, asked: &CaseQuestion) -> (Block, CaseQuestion) {
    let about = shape(&finding.path);
    let is_about = |name: &str| about.split(['.', '[']).nth(1) == Some(name);
    let is_set = |name: &str| {
        let part = |object: &Value| {
            let part = object.attribute(name)?;
            Some(!is_empty(part) || part.is_null() && has_two_absent_forms(block, name))
        };
        is_about(name) || asked.objects().any(|object| part(object).unwrap_or(false))
    };
    let attributes = block.attributes().iter().filter(|(name, _)| is_set(name)).cloned();
    let blocks = block.block_types().iter().filter(|(name, _)| is_set(name)).cloned();
    let small = Block::new(attributes, blocks);
    let project = |object: &Value| match object.as_object() {
        Some(all) => {
            let kept = all.iter().filter(|(name, _)| {
                small.implied_type().as_object().is_some_and(|ty| ty.attribute(name).is_some())
            });
            Some(Value::object(kept.map(|(name, part)| (name.clone(), part.clone()))))
        }
        None if object.is_null() => Some(Value::null(small.implied_type().clone())),
        None => Some(object.clone()),
    };
    match asked.map(project) {
        Some(asked) => (small, asked),
        None => (block.clone(), asked.clone()),
    }
}

/// Whether absent blocks may be null or an empty collection, so that null is worth showing.
fn has_two_absent_forms(block: &Block, name: &str) -> bool {
    use objchange::schema::NestingMode;
    block.block_type(name).is_some_and(|nested| nested.nesting != NestingMode::Single)
}

fn is_empty(part: &Value) -> bool {
    part.is_null() || part.as_object().is_none() && part.len() == Some(0)
}

/// The line of a case, and the answer to it.
fn line(id: &str, block: &Block, asked: &CaseQuestion) -> Option<(String, Answer)> {
    let raw = |json: String| RawValue::from_string(json).ok();
    let object = |object: &Value| raw(object.to_marker_json(block.implied_type()).ok()?);
    let mut fields: Vec<(String, Box<RawValue>)> = vec![
        ("id".into(), raw(json!(id).to_string())?),
        ("op".into(), raw(json!(asked.op).to_string())?),
        ("schema".into(), raw(schema::block_json(block).to_string())?),
    ];
    for (name, value) in &asked.objects {
        fields.push(((*name).into(), object(value)?));
    }
    for (name, answered) in &asked.answers {
        let mut answer: Vec<String> = Vec::new();
        if let Some((name, value)) = &answered.object {
            answer.push(format!("{}:{}", json!(name), object(value)?));
        }
        answer.extend(answered.rest.iter().map(|(name, rest)| format!("{}:{rest}", json!(name))));
        fields.push(((*name).into(), raw(format!("[{{{}}}]", answer.join(",")))?));
    }
    let fields: Vec<String> = fields.iter().map(|(name, json)| format!("{}:{json}", json!(name))).collect();
    let question = fields.join(",");
    // The engine answers the case with an empty `want`, and its answer becomes the real one.
    let unanswered = format!(r#"{{{question},"want":{{}}}}"#);
    let answer = Case::parse(&unanswered).ok()?.answer().ok()??;
    Some((format!(r#"{{{question},"want":{}}}"#, answer.want()?), answer))
}

/// Whether the answer has the error that was found.
fn shows(answer: &Answer, finding: &Finding) -> bool {
    let is_it = |error: &AnsweredError| match &error.place {
        ErrorPlace::Path(path) => error.kind == finding.kind && shape(path) == shape(&finding.path),
        ErrorPlace::Range(_) => false,
    };
    match answer {
        Answer::Errors(errors) => errors.iter().any(is_it),
        Answer::Change(parts) => parts.iter().any(|(_, part)| shows(part, finding)),
        _ => false,
    }
}
