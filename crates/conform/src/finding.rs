//! A finding: one violation by a provider.

use objchange::Value;
use objchange::change::{
    ApplyViolation, Diagnostic, InconsistentResult, InconsistentResultKind, InvalidPlan, InvalidPlanKind,
    PlanViolation,
};
use objchange::schema::{Block, NestingMode};
use objchange::value::{Path, PathStep};
use objchange_text::bounded_to;
use objchange_text::quote_into;

use super::Clause;
use super::go::go;
use objchange_explain::sentences::{
    FINAL_PLAN_CHANGED, NOT_DESTROYED, REPLACEMENT_NOWHERE, WRITE_ONLY, lacking, mismatched, words_of_plan,
    words_of_result,
};

/// A violation by a provider: the clause, the path, and Terraform's message. Nothing sensitive is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The clause.
    pub clause: Clause,
    /// The stable name of the kind of violation.
    pub kind: String,
    /// The path in the object.
    pub path: Path,
    /// The problem, in a sentence without the path: see [`described`](Self::described).
    pub message: String,
    /// Terraform's message, without the names of the provider and the resource; `None` if Terraform is silent, or its
    /// message is unknown.
    pub terraform: Option<String>,
    /// The summary of Terraform's message, if it differs from that of the [clause](Clause::terraform_summary).
    pub summary: Option<String>,
    /// The consequence in Terraform.
    pub severity: FindingSeverity,
    /// The step that shows the finding, such as `when it is planned again after apply`; `None` for the first plan.
    pub when: Option<String>,
    /// A cause that shows in many places. Findings with equal causes are reported as one.
    pub(super) cause: Option<&'static str>,
}

/// How much a finding matters to users of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FindingSeverity {
    /// Terraform itself causes the error that it stops with; the provider is not at fault.
    Note,
    /// Terraform does not notice.
    Unnoticed,
    /// Terraform logs it and continues, because the provider uses the legacy type system.
    Tolerated,
    /// Terraform stops with an error.
    Error,
}

/// The maximum length of a shown provider message, in bytes.
const MAX_TEXT: usize = 8 << 10;

/// A text of a provider, cut to [`MAX_TEXT`].
pub(super) fn shortened(text: &str) -> String {
    bounded_to(text, MAX_TEXT).into_owned()
}

/// Drops findings inside the place of another one: if a list or a block is wrong, so is everything inside it.
pub(super) fn outermost(findings: Vec<Finding>) -> Vec<Finding> {
    let is_part = |(at, finding): (usize, &Finding)| {
        findings.iter().enumerate().any(|(other_at, other)| {
            let (steps, others) = (finding.path.steps(), other.path.steps());
            let is_inside = steps.starts_with(others) && (steps.len() > others.len() || other_at < at);
            is_inside && other.clause == finding.clause && other.severity >= finding.severity
        })
    };
    let is_kept: Vec<bool> = findings.iter().enumerate().map(|finding| !is_part(finding)).collect();
    findings.into_iter().zip(is_kept).filter_map(|(finding, is_kept)| is_kept.then_some(finding)).collect()
}

/// The kind by which findings are grouped. A plan that differs from the configuration has one kind for new objects, one
/// for existing objects, and one for arguments that are not set. They share one group.
pub(super) fn common_kind(kind: &str) -> &str {
    match kind {
        "not_config_nor_prior" | "noncomputed_planned" => "not_config",
        "sensitive_not_config_nor_prior" | "sensitive_noncomputed_planned" => "sensitive_not_config",
        kind => kind,
    }
}

impl Finding {
    pub(super) fn new(clause: Clause, kind: &str, path: Path, message: impl Into<String>) -> Self {
        // T3 has no message: Terraform waits forever for a provider that does not answer.
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
            when: None,
            cause: None,
        }
    }

    /// Marks the finding as one that Terraform does not notice.
    pub(super) fn unnoticed(self) -> Self {
        Self { severity: FindingSeverity::Unnoticed, terraform: None, summary: None, ..self }
    }

    /// Sets Terraform's message.
    pub(super) fn with_terraform_text(self, words: impl Into<String>) -> Self {
        Self { terraform: Some(words.into()), ..self }
    }

    /// Sets the summary of Terraform's message.
    pub(super) fn with_summary(self, summary: impl Into<String>) -> Self {
        Self { summary: Some(summary.into()), ..self }
    }

    /// Replaces Terraform's message by a summary without a detail, if there is one.
    pub(super) fn with_summary_only(self, summary: Option<String>) -> Self {
        if summary.is_some() { Self { summary, terraform: None, ..self } } else { self }
    }

    /// A finding for an error that the provider should not report. Terraform stops at it. The diagnostic must hold no secrets.
    pub(super) fn from_error(clause: Clause, kind: &str, what: &str, error: &Diagnostic) -> Self {
        let detail = if error.detail.is_empty() { String::new() } else { format!(": {}", error.detail) };
        let message = format!("{what}: {}{detail}", error.summary);
        let finding =
            Self { severity: FindingSeverity::Error, ..Self::new(clause, kind, Path::root(), message) };
        let terraform = Some(error.detail.clone()).filter(|detail| !detail.is_empty());
        Self { terraform, ..finding.with_summary(error.summary.clone()) }
    }

    /// The path and the problem, in one line.
    ///
    /// ```
    /// use objchange_conform::kit::{faulty, trial_config};
    /// use objchange_conform::{Trial, judge};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> objchange_provider::Result<()> {
    /// let judgement = judge(&faulty(true), "kit_planned_null", &Trial::new(trial_config(true))).await?;
    /// let described = judgement.findings[0].described();
    /// assert_eq!(described, r#"name: the planned value (null) is not the configured one ("a")"#);
    /// # Ok(())
    /// # }
    /// ```
    pub fn described(&self) -> String {
        if self.path.is_root() { self.message.clone() } else { format!("{}: {}", self.path, self.message) }
    }

    /// Maps the texts that may quote the provider.
    pub(super) fn map_texts(mut self, change: impl Fn(String) -> String) -> Self {
        self.message = change(self.message);
        self.terraform = self.terraform.map(&change);
        self.summary = self.summary.map(&change);
        self
    }

    /// A violation of a plan. Secret parts of the objects must be marked.
    pub(super) fn from_plan(
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
        let path = violation.path();
        let message = without_path(&violation.to_string(), path);
        let mut finding = Self::new(clause, violation.kind(), path.clone(), message);
        finding.terraform = match violation {
            PlanViolation::Invalid(invalid) => invalid_text(block, invalid, planned, config),
            PlanViolation::WriteOnly(_) => Some(WRITE_ONLY.into()),
            PlanViolation::RequiresReplaceNowhere(_) => Some(REPLACEMENT_NOWHERE.into()),
            PlanViolation::WrongType(mismatch) => lacking(mismatch),
            _ => None,
        };
        // With `legacy_type_system`, which the SDK v2 sets, Terraform only logs violations that `AssertPlanValid` finds.
        // Among 4,310 plans of four public providers with this SDK, 2,068 had such a violation.
        if is_legacy && matches!(violation, PlanViolation::Invalid(_)) {
            finding.severity = FindingSeverity::Tolerated;
        }
        match violation {
            PlanViolation::WrongType(mismatch) => {
                finding.with_summary_only(mismatched(mismatch, planned.ty(), block.implied_type()))
            }
            _ => finding,
        }
    }

    /// A violation after apply. `actual` is `None` if the provider answered without an object.
    pub(super) fn from_apply(
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
        let path = violation.path();
        let message = without_path(&violation.to_string(), path);
        let mut finding = Self::new(clause, violation.kind(), path.clone(), message);
        let nothing = Value::null(objchange::Type::Dynamic);
        finding.terraform = match violation {
            ApplyViolation::Inconsistent(inconsistent) => {
                inconsistent_text(inconsistent, planned, actual.unwrap_or(&nothing))
            }
            ApplyViolation::NoObject => words_of_result(violation.kind(), |_| None).map(|words| words + "."),
            ApplyViolation::WriteOnly(_) => Some(WRITE_ONLY.into()),
            ApplyViolation::Unknown(_) => Some("All values must be known after apply".into()),
            ApplyViolation::NotDestroyed => Some(NOT_DESTROYED.into()),
            ApplyViolation::WrongType(mismatch) => lacking(mismatch),
            _ => None,
        };
        // As for plans, only the comparison is lenient: other violations stay errors.
        if is_legacy && matches!(violation, ApplyViolation::Inconsistent(_)) {
            finding.severity = FindingSeverity::Tolerated;
        }
        match violation {
            ApplyViolation::WrongType(mismatch) => finding.with_summary_only(mismatched(
                mismatch,
                actual.unwrap_or(&nothing).ty(),
                block.implied_type(),
            )),
            ApplyViolation::NotDestroyed => {
                finding.with_summary("Provider returned invalid result object after apply")
            }
            _ => finding,
        }
    }

    /// A difference between the first and the final plan.
    pub(super) fn from_final_plan(inconsistent: &InconsistentResult, first: &Value, last: &Value) -> Self {
        let (kind, path) = (inconsistent.kind.kind(), inconsistent.path.clone());
        let message = without_path(&inconsistent.to_string(), &path);
        let mut finding = Self::new(Clause::F2, kind, path, message);
        let text = inconsistent_text(inconsistent, first, last);
        finding.terraform = text.map(|text| format!("{FINAL_PLAN_CHANGED} {text}"));
        finding
    }
}

/// Removes the path from a message of the engine.
fn without_path(text: &str, path: &Path) -> String {
    let rest = text.strip_prefix(&path.to_string()).and_then(|rest| rest.strip_prefix(": "));
    rest.filter(|_| !path.is_root()).unwrap_or(text).to_owned()
}

/// Terraform's message after the path; `None` if it quotes a value that the engine does not report.
fn invalid_text(block: &Block, invalid: &InvalidPlan, plan: &Value, configuration: &Value) -> Option<String> {
    use InvalidPlanKind as K;
    let path = &invalid.path;
    let count = |root: &Value| part(root, path).and_then(Value::len);
    let configured = || count(configuration).unwrap_or_default();
    let printed = |value: &Option<Value>| value.as_ref().map(go);
    let kind = match invalid.kind {
        // For a single block, null means absent, and Terraform has another sentence.
        K::NullBlocks if mode(nesting(block, path)?).is_none() => K::PlannedAbsent,
        kind => kind,
    };
    words_of_plan(kind.kind(), |hole| match (kind, hole) {
        (K::BlockCountDisagrees, "planned") => Some(count(plan)?.to_string()),
        (K::BlockCountDisagrees, "config") => Some(configured().to_string()),
        // Terraform prints this count as a value of cty, not as a plain number.
        (K::CountDisagrees, "planned") => Some(format!("cty.NumberIntVal({})", count(plan)?)),
        (K::CountDisagrees, "config") => Some(format!("cty.NumberIntVal({})", configured())),
        (K::BlockKeyNotInPlan | K::MapKeyNotInPlan, "key") => {
            only_in(part(configuration, path)?, part(plan, path)?)
        }
        (K::MapKeyNotInConfig, "key") => only_in(part(plan, path)?, part(configuration, path)?),
        (K::BlockKeyNotInConfig, "key") => key(invalid),
        (K::ChangedUnknownDynamicBlock, "planned") => part(plan, path).map(go),
        (_, "planned") => printed(&invalid.planned),
        (_, "config") => printed(&invalid.config),
        (_, "prior") => printed(&invalid.prior),
        (_, "mode") => mode(nesting(block, path)?).map(str::to_owned),
        _ => None,
    })
}

/// Terraform's name for a nesting mode whose blocks may be absent.
fn mode(nesting: NestingMode) -> Option<&'static str> {
    match nesting {
        NestingMode::List => Some("list"),
        NestingMode::Set => Some("set"),
        NestingMode::Map => Some("map"),
        _ => None,
    }
}

/// The nesting mode of the blocks at a path.
fn nesting(block: &Block, path: &Path) -> Option<NestingMode> {
    let (PathStep::Attribute(name), outer) = path.steps().split_last()? else { return None };
    let outer: Path = outer.iter().cloned().collect();
    let has_names = outer.steps().iter().any(|step| matches!(step, PathStep::Attribute(_)));
    let around = if has_names { block.block_by_path(&outer)? } else { block };
    Some(around.block_type(name)?.nesting)
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
    let count = |root: &Value| Some(part(root, path)?.len()?.to_string());
    let printed = |value: &Option<Value>| value.as_ref().map(go);
    let words = words_of_result(inconsistent.kind.kind(), |hole| match (inconsistent.kind, hole) {
        (K::BlockCountChanged | K::BlockSetGrew | K::SetGrew, "planned") => count(planned),
        (K::BlockCountChanged | K::BlockSetGrew | K::SetGrew, "actual") => count(actual),
        (K::ElementVanished, "key") => only_in(part(planned, path)?, part(actual, path)?),
        (K::ElementAppeared, "key") => only_in(part(actual, path)?, part(planned, path)?),
        (K::PlaceholderMismatch, "planned") => part(planned, path).map(go),
        (K::WrongFinalType, "actual") => {
            let wanted = inconsistent.planned.as_ref().map(Value::ty).filter(|ty| ty.is_primitive())?;
            Some(format!("{} required", wanted.friendly_name()))
        }
        (_, "planned") => printed(&inconsistent.planned),
        (_, "actual") => printed(&inconsistent.actual),
        _ => None,
    })?;
    Some(format!("{}: {words}", path.suffix()))
}

/// The part at a path, unless it is marked or inside of a marked part.
fn part<'v>(root: &'v Value, path: &Path) -> Option<&'v Value> {
    let mut at = root;
    for step in path.steps() {
        if at.is_marked() {
            return None;
        }
        at = match step {
            // A map of blocks is an object if their type has a dynamic part, so a label may be a key or a name.
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

/// The one index or key that only `value` has, and not `other`; `None` if there are several.
fn only_in(value: &Value, other: &Value) -> Option<String> {
    if let (Some(map), Some(other)) = (value.as_map(), other.as_map()) {
        let mut keys = map.iter().filter(|(key, _)| other.get(key).is_none());
        let ((key, _), None) = (keys.next()?, keys.next()) else { return None };
        let mut out = String::new();
        quote_into(key, &mut out);
        return Some(out);
    }
    let (length, other) = (value.len()?, other.len()?);
    // Lists are compared by position, so an additional element is always the last one.
    (length == other + 1).then(|| other.to_string())
}

#[cfg(test)]
mod tests {
    use objchange::Type;
    use objchange::schema::{Attribute, NestedBlock};

    use super::*;

    fn finding(clause: Clause, path: &str, severity: FindingSeverity) -> Finding {
        Finding { severity, ..Finding::new(clause, "kind", path.parse().unwrap(), "wrong") }
    }

    #[test]
    fn what_is_inside_is_part_of_what_is_around_it() {
        use FindingSeverity::{Error, Tolerated};
        let kept = |findings: &[(Clause, &str, FindingSeverity)]| -> Vec<usize> {
            let all: Vec<Finding> =
                findings.iter().map(|(clause, path, severity)| finding(*clause, path, *severity)).collect();
            let kept = outermost(all.clone());
            kept.iter().map(|kept| all.iter().position(|finding| finding == kept).unwrap()).collect()
        };
        let (p5, a5) = (Clause::P5, Clause::A5);
        assert_eq!(kept(&[(p5, "entry[\"a\"]", Error), (p5, "entry", Error)]), [1]);
        assert_eq!(kept(&[(p5, "rule", Error), (p5, "rule", Error)]).len(), 1);
        // Names that begin alike, parts beside each other, and other clauses are other things.
        assert_eq!(kept(&[(p5, "name", Error), (p5, "name_prefix", Error)]), [0, 1]);
        assert_eq!(kept(&[(p5, "lid.name", Error), (p5, "lid.size", Error)]), [0, 1]);
        assert_eq!(kept(&[(p5, "lid", Error), (a5, "lid.name", Error)]), [0, 1]);
        // An error is not hidden behind a problem that Terraform tolerates.
        assert_eq!(kept(&[(p5, "lid", Tolerated), (p5, "lid.name", Error)]), [0, 1]);
    }

    #[test]
    fn one_element_more_is_named_and_several_are_not() {
        let map = |keys: &[&str]| {
            Value::map(Type::String, keys.iter().map(|key| (*key, Value::from("x")))).unwrap()
        };
        assert_eq!(only_in(&map(&["a", "b"]), &map(&["a"])).as_deref(), Some("\"b\""));
        assert_eq!(only_in(&map(&["a", "b", "c"]), &map(&["a"])), None);
        assert_eq!(only_in(&map(&["a"]), &map(&["a"])), None);
        let list = |count: usize| Value::tuple(vec!["x"; count]);
        assert_eq!(only_in(&list(3), &list(2)).as_deref(), Some("2"));
        assert_eq!(only_in(&list(4), &list(2)), None);
    }

    #[test]
    fn what_is_marked_is_no_part_to_be_shown() {
        let path: Path = ".a.b".parse().unwrap();
        let inner = || Value::object([("b", Value::from(1))]);
        assert_eq!(part(&Value::object([("a", inner())]), &path), Some(&Value::from(1)));
        assert_eq!(part(&Value::object([("a", inner().sensitive())]), &path), None);
        let last = Value::object([("b", Value::from(1).sensitive())]);
        assert_eq!(part(&Value::object([("a", last)]), &path), None);
    }

    #[test]
    fn blocks_are_called_by_the_mode_of_the_innermost() {
        let inner = NestedBlock::new(NestingMode::Set, Block::new::<&str>([], []));
        let name = ("name", Attribute::optional(Type::String));
        let outer = NestedBlock::new(NestingMode::List, Block::new([name], [("inner", inner)]));
        let block = Block::new::<&str>([], [("outer", outer)]);
        let words = |path: &str| nesting(&block, &path.parse().unwrap()).and_then(mode);
        assert_eq!(words("outer"), Some("list"));
        assert_eq!(words("outer[0].inner"), Some("set"));
        assert_eq!(words("outer[0].name"), None);
        assert_eq!(words("none"), None);
        assert_eq!(
            [NestingMode::Map, NestingMode::Single, NestingMode::Group].map(mode),
            [Some("map"), None, None]
        );
    }

    #[test]
    fn a_path_is_left_out_where_it_is_the_beginning() {
        let path: Path = ".tags[0]".parse().unwrap();
        assert_eq!(without_path("tags[0]: is null", &path), "is null");
        assert_eq!(without_path("tags[01]: is null", &path), "tags[01]: is null");
        assert_eq!(without_path("is null", &Path::root()), "is null");
    }
}
