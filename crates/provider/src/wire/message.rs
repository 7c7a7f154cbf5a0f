//! Parts that many messages have: diagnostics, paths, reasons to defer, abilities of the client.

use objchange::Value;
use objchange::change::{DeferredReason, Diagnostic, Severity};
use objchange::value::{Number, Path, PathStep};

use super::Protocol;
use super::tfplugin6::{self as pb, attribute_path, diagnostic};

pub(crate) fn read_diagnostics(messages: Vec<pb::Diagnostic>) -> Vec<Diagnostic> {
    messages
        .into_iter()
        .map(|message| {
            let mut diagnostic = match message.severity() {
                diagnostic::Severity::Warning => Diagnostic::warning(message.summary),
                // An unknown severity counts as an error.
                _ => Diagnostic::error(message.summary),
            };
            diagnostic.detail = message.detail;
            diagnostic.path = message.attribute.map(read_path);
            diagnostic
        })
        .collect()
}

pub(crate) fn write_diagnostics(diagnostics: &[Diagnostic]) -> Vec<pb::Diagnostic> {
    let write = |diagnostic: &Diagnostic| pb::Diagnostic {
        severity: match diagnostic.severity {
            Severity::Warning => diagnostic::Severity::Warning,
            _ => diagnostic::Severity::Error,
        } as i32,
        summary: diagnostic.summary.clone(),
        detail: diagnostic.detail.clone(),
        attribute: diagnostic.path.as_ref().map(write_path),
    };
    diagnostics.iter().map(write).collect()
}

/// An empty step ends the path.
pub(crate) fn read_path(message: pb::AttributePath) -> Path {
    use attribute_path::step::Selector;
    message
        .steps
        .into_iter()
        // The protocol has no step for an element of a set, so a path into a set ends there.
        .map_while(|step| {
            Some(match step.selector? {
                Selector::AttributeName(name) => PathStep::Attribute(name.into()),
                Selector::ElementKeyString(key) => PathStep::Index(Value::from(key)),
                Selector::ElementKeyInt(key) => PathStep::Index(Value::from(key)),
            })
        })
        .collect()
}

/// The protocol has no step for an element of a set: the path ends at the set.
pub(crate) fn write_path(path: &Path) -> pb::AttributePath {
    use attribute_path::step::Selector;
    let selector = |step: &PathStep| match step {
        PathStep::Attribute(name) => Some(Selector::AttributeName(name.to_string())),
        PathStep::Index(key) => match key.as_str() {
            Some(key) => Some(Selector::ElementKeyString(key.to_owned())),
            None => key.as_number().and_then(Number::as_i64).map(Selector::ElementKeyInt),
        },
    };
    let step = |selector| attribute_path::Step { selector: Some(selector) };
    pb::AttributePath { steps: path.steps().iter().map_while(selector).map(step).collect() }
}

pub(crate) fn read_deferred(message: Option<pb::Deferred>) -> Option<DeferredReason> {
    use pb::deferred::Reason;
    message.map(|deferred| match deferred.reason() {
        Reason::Unknown => DeferredReason::Unknown,
        Reason::ResourceConfigUnknown => DeferredReason::ResourceConfigUnknown,
        Reason::ProviderConfigUnknown => DeferredReason::ProviderConfigUnknown,
        Reason::AbsentPrereq => DeferredReason::AbsentPrerequisite,
    })
}

pub(crate) fn write_deferred(reason: Option<DeferredReason>) -> Option<pb::Deferred> {
    use pb::deferred::Reason;
    reason.map(|reason| {
        let reason = match reason {
            DeferredReason::ResourceConfigUnknown => Reason::ResourceConfigUnknown,
            DeferredReason::ProviderConfigUnknown => Reason::ProviderConfigUnknown,
            DeferredReason::AbsentPrerequisite => Reason::AbsentPrereq,
            _ => Reason::Unknown,
        };
        pb::Deferred { reason: reason as i32 }
    })
}

/// Terraform's capabilities. Protocol 5 has only two of the fields.
pub(crate) fn client_capabilities(
    protocol: Protocol,
    deferral_allowed: bool,
) -> Option<pb::ClientCapabilities> {
    let is_6 = protocol == Protocol::V6;
    Some(pb::ClientCapabilities {
        deferral_allowed,
        // Without it a provider must refuse configured write-only attributes.
        write_only_attributes_allowed: true,
        // Fields 3 and 4 are in Terraform's 6.11 alone; OpenTofu's 6.10 has neither, and an unknown field harms no
        // provider.
        store_planned_private: is_6,
        computed_blocks_allowed: is_6,
    })
}

pub(crate) fn deferral_allowed(message: Option<&pb::ClientCapabilities>) -> bool {
    message.is_some_and(|capabilities| capabilities.deferral_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back_and_end_at_a_set() {
        let path: Path = r#"disk[0].labels["a b"].x"#.parse().unwrap();
        assert_eq!(read_path(write_path(&path)), path);
        let into_set = Path::root().attribute("rule").index(Value::object([("a", 1)])).attribute("a");
        assert_eq!(read_path(write_path(&into_set)).to_string(), "rule");
        let broken = pb::AttributePath { steps: vec![attribute_path::Step { selector: None }] };
        assert!(read_path(broken).is_root());
    }

    #[test]
    fn diagnostics_come_back() {
        let mut warning = Diagnostic::warning("old");
        (warning.detail, warning.path) = ("use another".into(), Some(Path::root().attribute("a")));
        let all = vec![Diagnostic::error("bad"), warning];
        assert_eq!(read_diagnostics(write_diagnostics(&all)), all);
        let unheard_of = pb::Diagnostic { severity: 7, ..Default::default() };
        assert_eq!(read_diagnostics(vec![unheard_of])[0].severity, Severity::Error);
    }
}
