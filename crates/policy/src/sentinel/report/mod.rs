//! Reports of policies, as text and as JSON Lines.

mod cases;
mod line;
mod test_line;
mod test_text;
mod text;

use objchange_text::{visible, visible_lines};

pub use self::cases::{check_case, check_rules, exit_code, policy_case, policy_rule, test_case};
pub use self::line::PolicyLine;
pub use self::test_line::TestLine;
pub use self::test_text::{write_coverage, write_summary, write_test};
pub use self::text::TextReport;
use super::judge::{Judged, Judgement, Outcome, show};

/// How to treat a policy whose verdict depends on unknown values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnknown {
    /// Unknown values are undefined, as in Sentinel.
    Undefined,
    /// The policy fails.
    Fail,
    /// The report lists the unknown values and the rules that depend on them.
    Report,
}

impl OnUnknown {
    /// Whether the policy is not kept, as far as that is known.
    pub fn breaks(self, judged: &Judged) -> bool {
        judged.outcome != Outcome::Pass || (self == Self::Fail && judged.is_undecided)
    }
}

/// Describes why a policy is broken, on lines.
pub fn description(judged: &Judged) -> String {
    if let Some(error) = &judged.error {
        return visible(&error.to_string()).into_owned();
    }
    let mut lines = vec![match judged.outcome {
        Outcome::Undefined => "main is undefined".to_owned(),
        Outcome::Pass => "this is not known until apply".to_owned(),
        _ => "the policy is broken".to_owned(),
    }];
    lines.extend(judged.witnesses.list.iter().map(|seen| visible(&seen.sentence()).into_owned()));
    if judged.outcome == Outcome::Pass {
        lines.extend(judged.unknown.iter().map(|unknown| visible(&unknown.what).into_owned()));
    }
    for (depth, Judgement { rule, .. }) in judged.tree() {
        let value = show(&rule.value);
        let (indent, name, value) = ("  ".repeat(depth.min(20)), visible(&rule.name), visible(&value));
        lines.push(format!("{indent}{name} ({}:{}): {value}", rule.line, rule.column));
    }
    if !judged.print.is_empty() {
        lines.push(visible_lines(&judged.print));
    }
    lines.join("\n")
}
