//! What a provider was found to do wrong.

use objchange::change::{
    ApplyViolation, Diagnostic, InconsistentResult, InconsistentResultKind, InvalidPlan, InvalidPlanKind,
    PlanViolation,
};
use objchange::schema::{Block, NestingMode};
use objchange::value::{Path, PathStep, TypeMismatch, TypeMismatchKind};
use objchange::{Type, Value};
use objchange_text::quote_into;

use super::Clause;
use super::go::go;

/// What a provider does wrong: which clause it breaks, where, and what Terraform says of it. Nothing sensitive is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The clause.
    pub clause: Clause,
    /// The stable name of the way in which it is broken.
    pub kind: String,
    /// Where in the object.
    pub path: Path,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What Terraform says of it, without the name of the provider and the resource; `None` where it says nothing, or where
    /// that is not known.
    pub terraform: Option<String>,
    /// What heads Terraform's message where that is not what heads it for the [clause](Clause::terraform_summary).
    pub summary: Option<String>,
    /// How much it matters.
    pub severity: FindingSeverity,
    /// What causes it, where one cause shows in many places: then it is one finding.
    pub(super) cause: Option<&'static str>,
}

/// How much a finding matters to who uses the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingSeverity {
    /// Worth knowing, and no fault: Terraform stops with an error, but by its own doing.
    Note,
    /// Terraform does not notice.
    Unnoticed,
    /// Terraform writes it to its log and goes on: the provider uses the legacy type system.
    Tolerated,
    /// Terraform stops with an error.
    Error,
}

/// At most so much is shown of what a provider says.
const MAX_TEXT: usize = 8 << 10;

/// A text of a provider that is as short as it should be: the beginning, and how much there is more.
pub(super) fn shortened(text: String) -> String {
    if text.len() <= MAX_TEXT {
        return text;
    }
    let end = (0..=MAX_TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    // Between words, so that what turns out to be secret later is not cut, and found.
    let end = text[..end].rfind(char::is_whitespace).filter(|space| end - space < 512).unwrap_or(end);
    format!("{} … ({} more bytes are left out)", &text[..end], text.len() - end)
}

/// A piece of what Terraform says where a provider gives back what it must not.
pub(super) const WRITE_ONLY: &str = "returned a value for the write-only attribute";

impl Finding {
    pub(super) fn new(clause: Clause, kind: &str, path: Path, message: impl Into<String>) -> Self {
        // Terraform waits without end for a provider that does not answer.
        let stops = clause.terraform_summary().is_some() || clause == Clause::T3;
        let severity = if stops { FindingSeverity::Error } else { FindingSeverity::Unnoticed };
        Self {
            clause,
            kind: kind.to_owned(),
            path,
            message: message.into(),
            terraform: None,
            summary: None,
            severity,
            cause: None,
        }
    }

    /// The same, which Terraform does not notice.
    pub(super) fn unnoticed(self) -> Self {
        Self { severity: FindingSeverity::Unnoticed, terraform: None, summary: None, ..self }
    }

    /// The same, of which Terraform says this.
    pub(super) fn said(self, words: impl Into<String>) -> Self {
        Self { terraform: Some(words.into()), ..self }
    }

    /// The same, where Terraform's message is headed with this.
    pub(super) fn headed(self, summary: impl Into<String>) -> Self {
        Self { summary: Some(summary.into()), ..self }
    }

    /// The same, where nothing but this is said, if that is known.
    pub(super) fn headed_only(self, summary: Option<String>) -> Self {
        if summary.is_some() { Self { summary, terraform: None, ..self } } else { self }
    }

    /// An error that the provider reports where there is no right one; what is secret in it is hidden. Terraform stops with it.
    pub(super) fn failed(clause: Clause, kind: &str, what: &str, said: &Diagnostic) -> Self {
        let detail = if said.detail.is_empty() { String::new() } else { format!(": {}", said.detail) };
        let message = format!("{what}: {}{detail}", said.summary);
        let finding =
            Self { severity: FindingSeverity::Error, ..Self::new(clause, kind, Path::root(), message) };
        let terraform = Some(said.detail.clone()).filter(|detail| !detail.is_empty());
        Self { terraform, ..finding.headed(said.summary.clone()) }
    }

    /// The texts that hold what the provider says, changed.
    pub(super) fn texts(mut self, change: impl Fn(String) -> String) -> Self {
        self.message = change(self.message);
        self.terraform = self.terraform.map(&change);
        self.summary = self.summary.map(&change);
        self
    }

    /// A violation of a plan; counts are those of the objects.
    ///
    /// What of the objects is secret is marked.
    pub(super) fn of_plan(
        block: &Block,
        violation: &PlanViolation,
        config: &Value,
        planned: &Value,
        is_legacy: bool,
    ) -> Self {
        let clause = match violation {
            PlanViolation::WrongType(_) => Clause::P4,
            PlanViolation::WriteOnly(_) => Clause::P3,
            PlanViolation::RequiresReplaceNowhere(_) => Clause::P6,
            PlanViolation::DeferralNotAllowed => Clause::P2,
            _ => Clause::P5,
        };
        let mut finding =
            Self::new(clause, violation.kind(), violation.path().clone(), violation.to_string());
        finding.terraform = match violation {
            PlanViolation::Invalid(invalid) => invalid_text(block, invalid, planned, config),
            PlanViolation::WriteOnly(_) => Some(WRITE_ONLY.into()),
            PlanViolation::RequiresReplaceNowhere(_) => Some("for a non-existent attribute path".into()),
            PlanViolation::WrongType(mismatch) => lacking(mismatch),
            _ => None,
        };
        if is_legacy && matches!(violation, PlanViolation::Invalid(_)) {
            finding.severity = FindingSeverity::Tolerated;
        }
        match violation {
            PlanViolation::WrongType(mismatch) => {
                finding.headed_only(mismatched(mismatch, planned.ty(), block.implied_type()))
            }
            _ => finding,
        }
    }

    /// A violation after apply. Where the object is null, the engine says that there is none.
    pub(super) fn of_apply(
        block: &Block,
        violation: &ApplyViolation,
        planned: &Value,
        actual: Option<&Value>,
        is_legacy: bool,
    ) -> Self {
        let clause = match violation {
            ApplyViolation::NoObject if actual.is_some() => Clause::A6,
            ApplyViolation::NoObject => Clause::A1,
            ApplyViolation::WrongType(_) => Clause::A2,
            ApplyViolation::WriteOnly(_) => Clause::A3,
            ApplyViolation::Unknown(_) => Clause::A4,
            ApplyViolation::NotDestroyed => Clause::A6,
            _ => Clause::A5,
        };
        let mut finding =
            Self::new(clause, violation.kind(), violation.path().clone(), violation.to_string());
        let nothing = Value::null(objchange::Type::Dynamic);
        finding.terraform = match violation {
            ApplyViolation::Inconsistent(inconsistent) => {
                inconsistent_text(inconsistent, planned, actual.unwrap_or(&nothing))
            }
            ApplyViolation::NoObject => Some("Root object was present, but now absent.".into()),
            ApplyViolation::WriteOnly(_) => Some(WRITE_ONLY.into()),
            ApplyViolation::Unknown(_) => Some("All values must be known after apply".into()),
            ApplyViolation::NotDestroyed => Some("returned a non-null object".into()),
            ApplyViolation::WrongType(mismatch) => lacking(mismatch),
            _ => None,
        };
        if is_legacy && matches!(violation, ApplyViolation::Inconsistent(_)) {
            finding.severity = FindingSeverity::Tolerated;
        }
        match violation {
            ApplyViolation::WrongType(mismatch) => finding.headed_only(mismatched(
                mismatch,
                actual.unwrap_or(&nothing).ty(),
                block.implied_type(),
            )),
            ApplyViolation::NotDestroyed => {
                finding.headed("Provider returned invalid result object after apply")
            }
            _ => finding,
        }
    }

    /// What the final plan has otherwise than the first.
    pub(super) fn of_final(inconsistent: &InconsistentResult, first: &Value, last: &Value) -> Self {
        let (kind, path) = (inconsistent.kind.kind(), inconsistent.path.clone());
        let mut finding = Self::new(Clause::F2, kind, path, inconsistent.to_string());
        let said = inconsistent_text(inconsistent, first, last);
        finding.terraform = said.map(|said| format!("produced an invalid new value for {said}"));
        finding
    }
}

/// As Terraform says it, from the colon behind the path on; `None` where that needs a value that is not told.
fn invalid_text(block: &Block, invalid: &InvalidPlan, plan: &Value, configuration: &Value) -> Option<String> {
    use InvalidPlanKind as K;
    let path = &invalid.path;
    let count = |root: &Value| part(root, path).and_then(Value::len);
    let counts = || Some((count(plan)?, count(configuration).unwrap_or_default()));
    let printed = |value: &Option<Value>| value.as_ref().map(go);
    let (planned, config) = (printed(&invalid.planned), printed(&invalid.config));
    Some(match invalid.kind {
        K::PlannedAbsent => "planned for absence but config wants existence".into(),
        K::PlannedPresent => "planned for existence but config wants absence".into(),
        K::NullBlocks => {
            let mode = match nesting(block, path)? {
                NestingMode::List => "list",
                NestingMode::Set => "set",
                NestingMode::Map => "map",
                _ => return Some("planned for absence but config wants existence".into()),
            };
            format!(
                "attribute representing a {mode} of nested blocks must be empty to indicate no blocks, not null"
            )
        }
        K::UnknownNoncomputedBlock => "attribute representing nested block must not be unknown itself; \
             set nested attribute values to unknown instead"
            .into(),
        K::UnknownBlockElement => "element representing nested block must not be unknown itself; \
             set nested attribute values to unknown instead"
            .into(),
        K::BlockCountDisagrees => {
            let (plan, config) = counts()?;
            format!("block count in plan ({plan}) disagrees with count in config ({config})")
        }
        // The count of nested objects is a number of the language there.
        K::CountDisagrees => {
            let (plan, config) = counts()?;
            format!(
                "count in plan (cty.NumberIntVal({plan})) disagrees with count in config (cty.NumberIntVal({config}))"
            )
        }
        K::BlockKeyNotInPlan => {
            let key = only_in(part(configuration, path)?, part(plan, path)?)?;
            format!("block key {key} from config is not present in plan")
        }
        K::BlockKeyNotInConfig => format!("block key {} from plan is not present in config", key(invalid)?),
        K::MapKeyNotInConfig => {
            let key = only_in(part(plan, path)?, part(configuration, path)?)?;
            format!("map key {key} from plan is not present in config")
        }
        K::MapKeyNotInPlan => {
            let key = only_in(part(configuration, path)?, part(plan, path)?)?;
            format!("map key {key} from config is not present in plan")
        }
        K::NoncomputedPlanned => format!("planned value {} for a non-computed attribute", planned?),
        K::SensitiveNoncomputedPlanned => "sensitive planned value for a non-computed attribute".into(),
        K::NotConfig => format!("planned value {} does not match config value {}", planned?, config?),
        K::SensitiveNotConfig => "sensitive planned value does not match config value".into(),
        K::NotConfigNorPrior => {
            let prior = printed(&invalid.prior)?;
            format!(
                "planned value {} does not match config value {} nor prior value {prior}",
                planned?, config?
            )
        }
        K::SensitiveNotConfigNorPrior => {
            "sensitive planned value does not match config value nor prior value".into()
        }
        K::PlannedUnknownForConfigured => "planned unknown for configured value".into(),
        K::ChangedUnknownDynamicBlock => {
            format!("planned value {} for unknown dynamic block", go(part(plan, path)?))
        }
        _ => return None,
    })
}

/// How the blocks of a type stand together.
fn nesting(block: &Block, path: &Path) -> Option<NestingMode> {
    let (PathStep::Attribute(name), outer) = path.steps().split_last()? else { return None };
    let outer: Path = outer.iter().cloned().collect();
    let has_names = outer.steps().iter().any(|step| matches!(step, PathStep::Attribute(_)));
    let around = if has_names { block.block_by_path(&outer)? } else { block };
    Some(around.block_type(name)?.nesting)
}

/// What Terraform says, and nothing else, where a value is not of the type that the schema says; `None` where that was not seen.
pub(super) fn required(path: &Path, wanted: &Type, parts: Option<[usize; 2]>) -> Option<String> {
    let wanted = match (wanted, parts) {
        (Type::Object(_), Some([wanted, given])) => {
            format!("an object with {wanted} attributes is required ({given} given)")
        }
        (_, Some(_)) | (Type::Tuple(_) | Type::Dynamic, None) => return None,
        (Type::List(_), None) => "a list is required".into(),
        (Type::Set(_), None) => "a set is required".into(),
        (Type::Map(_), None) => "a map is required".into(),
        (Type::Object(_), None) => "an object is required".into(),
        (primitive, None) => format!("{} is required", primitive.friendly_name()),
    };
    Some(match path.steps() {
        [PathStep::Attribute(name)] => format!("[{name:?}]: {wanted}"),
        // How a longer path is written was not seen.
        _ => wanted,
    })
}

/// The same for one of the parts in which a type differs from what the schema says.
pub(super) fn mismatched(mismatch: &TypeMismatch, given: &Type, wanted: &Type) -> Option<String> {
    use TypeMismatchKind as K;
    match &mismatch.kind {
        K::OtherType { wanted, .. } => required(&mismatch.path, wanted, None),
        K::MissingAttribute { .. } | K::UnexpectedAttribute { .. } if mismatch.path.is_root() => {
            let (Type::Object(given), Type::Object(attributes)) = (given, wanted) else { return None };
            let counts = [attributes.attributes().len(), given.attributes().len()];
            if counts[0] == counts[1] { None } else { required(&mismatch.path, wanted, Some(counts)) }
        }
        _ => None,
    }
}

/// What Terraform says below its headline of an object that lacks an attribute: one that was sent as an empty map.
pub(super) fn lacking(mismatch: &TypeMismatch) -> Option<String> {
    match &mismatch.kind {
        TypeMismatchKind::MissingAttribute { name } if !mismatch.path.is_root() => {
            Some(format!("missing required attribute {name:?}"))
        }
        _ => None,
    }
}

/// The key at the end of the path, as Go prints it.
fn key(invalid: &InvalidPlan) -> Option<String> {
    let mut out = String::new();
    match invalid.path.steps().last()? {
        PathStep::Attribute(name) => quote_into(name, &mut out),
        PathStep::Index(key) => quote_into(key.as_str().filter(|_| !key.is_marked())?, &mut out),
    }
    Some(out)
}

fn inconsistent_text(inconsistent: &InconsistentResult, planned: &Value, actual: &Value) -> Option<String> {
    use InconsistentResultKind as K;
    let path = &inconsistent.path;
    let count = |root: &Value| part(root, path).and_then(Value::len);
    let (was, now) = (inconsistent.planned.as_ref().map(go), inconsistent.actual.as_ref().map(go));
    let said = match inconsistent.kind {
        K::ObjectNowPresent => "was absent, but now present".into(),
        K::ObjectNowAbsent => "was present, but now absent".into(),
        K::SensitiveInconsistent => "inconsistent values for sensitive attribute".into(),
        K::BlockCountChanged => format!("block count changed from {} to {}", count(planned)?, count(actual)?),
        K::BlockSetGrew => format!("block set length changed from {} to {}", count(planned)?, count(actual)?),
        K::SetGrew => format!("length changed from {} to {}", count(planned)?, count(actual)?),
        K::KnownNowUnknown => "was known, but now unknown".into(),
        K::NullNowValue => format!("was null, but now {}", now?),
        K::ValueNowNull => format!("was {}, but now null", was?),
        K::ValueChanged => format!("was {}, but now {}", was?, now?),
        K::ElementVanished => {
            format!("element {} has vanished", only_in(part(planned, path)?, part(actual, path)?)?)
        }
        K::ElementAppeared => {
            format!("new element {} has appeared", only_in(part(actual, path)?, part(planned, path)?)?)
        }
        K::PlaceholderMismatch => {
            let promised = go(part(planned, path)?);
            format!("final value {} does not conform to planning placeholder {promised}", now?)
        }
        K::WrongFinalType => {
            let wanted = inconsistent.planned.as_ref().map(Value::ty).filter(|ty| ty.is_primitive())?;
            format!("wrong final value type: {} required", wanted.friendly_name())
        }
        K::PlannedSetElementUnmatched => {
            format!("planned set element {} does not correlate with any element in actual", was?)
        }
        K::ActualSetElementUnmatched => {
            format!("actual set element {} does not correlate with any element in plan", now?)
        }
        _ => return None,
    };
    Some(format!("{path}: {said}"))
}

/// The part at a path, unless it is marked or stands in what is.
fn part<'v>(root: &'v Value, path: &Path) -> Option<&'v Value> {
    let mut at = root;
    for step in path.steps() {
        if at.is_marked() {
            return None;
        }
        at = match step {
            // Labels of blocks are keys or names, as the type has it.
            PathStep::Attribute(name) => at.attribute(name).or_else(|| at.element(name)),
            PathStep::Index(key) => match (key.as_str(), key.as_number()) {
                (Some(key), _) => at.element(key).or_else(|| at.attribute(key)),
                (None, Some(position)) => at.index(usize::try_from(position.as_i64()?).ok()?),
                (None, None) => None,
            },
        }?;
    }
    (!at.is_marked()).then_some(at)
}

/// The one index or key that only the first of two lists or maps has.
fn only_in(value: &Value, other: &Value) -> Option<String> {
    if let (Some(map), Some(other)) = (value.as_map(), other.as_map()) {
        let mut keys = map.iter().filter(|(key, _)| other.get(key).is_none());
        let ((key, _), None) = (keys.next()?, keys.next()) else { return None };
        let mut out = String::new();
        quote_into(key, &mut out);
        return Some(out);
    }
    let (length, other) = (value.len()?, other.len()?);
    (length == other + 1).then(|| other.to_string())
}
