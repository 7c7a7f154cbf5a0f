//! The report in SARIF 2.1.0: a rule is a kind of finding.

use objchange_sentinel::LintKind;

use super::json::severity;
use super::{Checked, SYNTAX_ERROR};
use crate::reports::sarif::{Found, Sarif};

/// All kinds of findings.
pub(super) fn rules(sarif: &mut Sarif) {
    sarif.rule(SYNTAX_ERROR, "error", "A text that cannot be read");
    for kind in LintKind::ALL {
        sarif.rule(kind.name(), severity(kind.severity()), kind.title());
    }
}

pub(super) fn checked(sarif: &mut Sarif, checked: &Checked<'_>) {
    for finding in checked.findings {
        let text = match &finding.help {
            Some(help) => format!("{}: {help}", finding.message),
            None => finding.message.clone(),
        };
        sarif.found(Found {
            rule: finding.kind,
            level: severity(finding.severity),
            text: &text,
            file: checked.file,
            line: finding.position.line,
            column: Some(finding.position.column),
            plan: None,
            address: None,
            identity: None,
        });
    }
}
