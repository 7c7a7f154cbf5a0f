//! The section of checks.

use std::collections::BTreeMap;

use objchange::address::InstanceKey;
use objchange_document::Text;
use objchange_document::changes::Check;

use super::json::JsonWriter;
use crate::plan::{CheckInstance, CheckKind, CheckResult, CheckStatus};

/// The checks that did not pass, in the order of the document.
pub(super) fn not_passed(checks: &[CheckResult]) -> Vec<Check<'_>> {
    let not_passed = in_order(checks).into_iter().filter_map(|(address, check)| {
        let instances = check.instances.iter().flatten();
        Some(Check {
            address: Text::from(address),
            kind: Text::from(check.kind.name()),
            status: match check.status {
                CheckStatus::Pass => return None,
                CheckStatus::Fail => objchange_document::changes::CheckStatus::Fail,
                CheckStatus::Unknown => objchange_document::changes::CheckStatus::Unknown,
                CheckStatus::Error => objchange_document::changes::CheckStatus::Error,
            },
            problems: instances
                .flat_map(|instance| &instance.problems)
                .map(|problem| Text::from(problem.as_str()))
                .collect(),
        })
    });
    not_passed.collect()
}

/// The checks by their addresses.
fn in_order(checks: &[CheckResult]) -> Vec<(String, &CheckResult)> {
    let mut checks: Vec<_> = checks.iter().map(|check| (check.to_display(), check)).collect();
    checks.sort_by(|(a, _), (b, _)| a.cmp(b));
    checks
}

impl JsonWriter {
    pub(super) fn checks(&mut self, checks: &[CheckResult]) {
        self.array(|json| {
            for (address, check) in in_order(checks) {
                json.object(|json| json.check(&address, check));
            }
        });
    }

    fn check(&mut self, address: &str, check: &CheckResult) {
        self.member("address", |json| {
            json.object(|json| {
                json.string_member("kind", check.kind.name());
                let (mode, resource_type, name) = check.names();
                if check.kind == CheckKind::Resource {
                    json.string_member("mode", mode);
                }
                json.optional_member("module", Some(&module_path(check)));
                json.string_member("name", name);
                json.string_member("to_display", address);
                if check.kind == CheckKind::Resource {
                    json.string_member("type", resource_type);
                }
            });
        });
        self.string_member("status", check.status.name());
        // In the order of their texts: `a[10]` before `a[1]`.
        let instances = check.instances.iter().flatten();
        let instances: BTreeMap<String, _> =
            instances.map(|instance| (check.instance_text(instance), instance)).collect();
        self.member_unless_empty("instances", |json| {
            json.array(|json| {
                for (text, instance) in instances {
                    json.object(|json| json.check_instance(&text, instance));
                }
            });
        });
    }

    fn check_instance(&mut self, text: &str, instance: &CheckInstance) {
        let module = &instance.address.resource.module;
        self.member("address", |json| {
            json.object(|json| {
                let key = instance.address.key.as_ref();
                match key {
                    None => {}
                    Some(InstanceKey::Number(number)) => {
                        json.member("instance_key", |json| json.plain(number));
                    }
                    Some(InstanceKey::String(key)) => json.string_member("instance_key", key),
                }
                if !module.is_root() {
                    json.string_member("module", &module.to_string());
                }
                json.string_member("to_display", text);
            });
        });
        self.string_member("status", instance.status.name());
        self.member_unless_empty("problems", |json| {
            json.array(|json| {
                for problem in &instance.problems {
                    json.object(|json| json.string_member("message", problem));
                }
            });
        });
    }
}

impl CheckResult {
    /// The address of an instance, as it is shown.
    fn instance_text(&self, instance: &CheckInstance) -> String {
        let module = &instance.address.resource.module;
        let key = instance.address.key.as_ref().map(InstanceKey::to_string).unwrap_or_default();
        let module = if module.is_root() { String::new() } else { format!("{module}.") };
        format!("{module}{}{key}", self.name_in_module())
    }

    /// The mode, the type and the name of a resource; of others the name is the last one.
    fn names(&self) -> (&'static str, &str, &str) {
        if self.kind != CheckKind::Resource {
            return ("", "", &self.name);
        }
        let modes = [("data.", "data"), ("ephemeral.", "ephemeral")];
        let named = modes.iter().find_map(|(prefix, mode)| Some((*mode, self.name.strip_prefix(prefix)?)));
        let (mode, rest) = named.unwrap_or(("managed", &self.name));
        let (resource_type, name) = rest.split_once('.').unwrap_or(("", rest));
        (mode, resource_type, name)
    }
}

fn module_path(check: &CheckResult) -> String {
    let names: Vec<String> = check.module.iter().map(|name| format!("module.{name}")).collect();
    names.join(".")
}

impl CheckKind {
    fn name(self) -> &'static str {
        match self {
            Self::Resource => "resource",
            Self::OutputValue => "output_value",
            Self::Check => "check",
            Self::InputVariable => "var",
        }
    }
}

impl CheckStatus {
    fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unknown => "unknown",
            Self::Error => "error",
        }
    }
}
