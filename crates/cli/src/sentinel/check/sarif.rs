//! The report in SARIF 2.1.0: a rule is a kind of finding.

use objchange_sentinel::{LineIndex, LintKind};

use super::{Checked, SYNTAX_ERROR};
use crate::reports::sarif::{Found, Sarif};

/// All kinds of findings.
pub(super) fn rules(sarif: &mut Sarif) {
    sarif.rule(SYNTAX_ERROR, "error", "A text that cannot be read");
    for kind in LintKind::ALL {
        sarif.rule(kind.name(), kind.severity().name(), kind.title());
    }
}

pub(super) fn checked(sarif: &mut Sarif, checked: &Checked<'_>) {
    let lines = LineIndex::new(checked.text);
    for finding in checked.findings {
        let text = [&*finding.summary].into_iter().chain(finding.hints.iter().map(|hint| &**hint));
        let text = text.collect::<Vec<_>>().join(": ");
        let position = lines.char_position(finding.subject.unwrap_or_default().start);
        sarif.found(Found {
            rule: &finding.kind,
            level: finding.severity.name(),
            text: &text,
            file: checked.file,
            line: position.line,
            column: Some(position.column),
            plan: None,
            address: None,
            identity: None,
        });
    }
}
