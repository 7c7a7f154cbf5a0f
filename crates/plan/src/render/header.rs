//! The comment above a resource: its action, and why.

use objchange_text::json::indented;

use super::tokens::{Role, resource_sign};
use super::{View, Writer, escape};
use crate::report::{Comment, Heading, ReportEntry, ResourceHeader};
use objchange_document::changes::Deferred;
use objchange_document::changes::ResourceActions;

impl Writer<'_> {
    /// Writes a resource of a plan with its header.
    pub(super) fn resource(&mut self, entry: &ReportEntry<'_, ResourceHeader<'_>>) {
        match entry.header.heading {
            Heading::Deferred => self.deferred_header(&entry.header),
            heading => self.header(heading, &entry.header),
        }
        self.resource_body(entry);
    }

    /// Writes a resource of a plan without its header.
    pub(super) fn resource_body(&mut self, entry: &ReportEntry<'_, ResourceHeader<'_>>) {
        let ReportEntry { header, diff, .. } = entry;
        self.text(Role::Sign, resource_sign(header.actions.kind, self.program));
        self.opening(&header.mode, &header.r#type, &header.name);
        // OpenTofu prints a forgotten object as in a state.
        // Without `-> null`, because nothing is destroyed.
        let is_plain = self.program.is_opentofu() && header.heading == Heading::Forgotten;
        self.plain = is_plain;
        self.value(diff, 0, View { no_null_suffix: is_plain, omit_replace: false });
        self.plain = false;
    }

    /// Writes what is before the body of a resource.
    pub(super) fn opening(&mut self, mode: &str, resource_type: &str, name: &str) {
        match mode {
            // Old documents lack the mode.
            "data" => self.push("data"),
            "managed" | "" => self.push("resource"),
            unknown => self.push(&escape::line(unknown)),
        }
        self.push(" ");
        self.quote(Role::Key, resource_type);
        self.push(" ");
        self.quote(Role::Key, name);
        self.push(" ");
    }

    fn comment(&mut self, text: &str) {
        self.text(Role::Comment, text);
    }

    fn deferred_header(&mut self, header: &ResourceHeader<'_>) {
        let reason = match header.reason.as_deref().unwrap_or_default() {
            "instance_count_unknown" => "because the number of resource instances is unknown",
            "resource_config_unknown" => "because the resource configuration is unknown",
            "provider_config_unknown" => "because the provider configuration is unknown",
            "deferred_prereq" => "because a prerequisite for this resource is deferred",
            "absent_prereq" => "because a prerequisite for this resource has not yet been created",
            Deferred::INSTANCES_UNKNOWN => "because its instances depend on what only a provider knows",
            Deferred::WORKSPACE_UNKNOWN => {
                "because its instances depend on the workspace, which nothing names"
            }
            Deferred::INPUT_MISSING => "because its instances depend on input that is missing",
            Deferred::ACTION_UNKNOWN => "because what happens to it depends on input that is missing",
            Deferred::REPLACEMENT_UNKNOWN => {
                "because only its provider knows whether it is updated or replaced"
            }
            Deferred::IMPORT_UNKNOWN => "because only its provider knows the object to import",
            _ => "for an unknown reason",
        };
        self.text(Role::Heading, &format!("  # {}", escape::line(&header.address)));
        self.comment(" was deferred\n");
        self.end(Role::UnitEnd);
        self.text(Role::CommentSign, "  #");
        self.comment(&format!(" ({reason})\n"));
        self.end(Role::UnitEnd);
    }

    /// Writes the address after the start of a comment.
    fn address_comment(&mut self, start: &str, header: &ResourceHeader<'_>) {
        let address = escape::line(&header.address);
        self.text(Role::Heading, &format!("{start}{address}{}", deposed(header.deposed.as_deref())));
    }

    fn header(&mut self, heading: Heading, header: &ResourceHeader<'_>) {
        let is_opentofu = self.program.is_opentofu();
        match heading {
            Heading::Moved => {
                let previous = escape::line(header.previous_address.as_deref().unwrap_or_default());
                self.text(Role::Heading, &format!("  # {previous}"));
                self.comment(" has moved to ");
                self.address_comment("", header);
            }
            Heading::Forgotten if is_opentofu => self.address_comment("  # ", header),
            // One space, as Terraform 1.11.4 prints it.
            Heading::Forgotten | Heading::ReplacedButKept => self.address_comment(" # ", header),
            _ => self.address_comment("  # ", header),
        }
        let (before, important, after) = match heading {
            Heading::Created if self.may_exist => (" will be created or updated", "", ""),
            Heading::Created => (" will be created", "", ""),
            Heading::Read => (" will be read during apply", "", ""),
            Heading::Updated => (" will be updated in-place", "", ""),
            Heading::HasChanged => (" has changed", "", ""),
            Heading::Destroyed => (" will be ", "destroyed", ""),
            Heading::HasBeenDeleted => (" has been deleted", "", ""),
            Heading::Replaced => (" must be ", "replaced", ""),
            Heading::ReplacedAsTainted if is_opentofu => (" is tainted, so it must be ", "replaced", ""),
            // OpenTofu 1.12 has "it"; Terraform 1.11 has not.
            Heading::ReplacedAsTainted => (" is tainted, so must be ", "replaced", ""),
            Heading::ReplacedAsRequested => (" will be ", "replaced", ", as requested"),
            Heading::ReplacedAsTriggered => {
                (" will be ", "replaced", " due to changes in replace_triggered_by")
            }
            Heading::Imported => (" will be imported", "", ""),
            Heading::Forgotten if is_opentofu => {
                (" will be removed from the OpenTofu state ", "but will not be destroyed", "")
            }
            // The current object stays managed, so Terraform speaks of the state alone.
            Heading::Forgotten if header.deposed.is_some() => {
                (" will be removed from Terraform state, but ", "will not be destroyed", "")
            }
            Heading::Forgotten => {
                (" will no longer be managed by Terraform, but ", "will not be destroyed", "")
            }
            Heading::ReplacedButKept => {
                (" must be replaced, but the existing object will not be destroyed", "", "")
            }
            Heading::Unknown => (" has unknown actions: ", "", &*header.actions.unknown.join(", ")),
            Heading::Moved | Heading::Deferred | Heading::Unchanged => ("", "", ""),
        };
        self.comment(before);
        if !important.is_empty() {
            self.text(Role::Danger, important);
        }
        self.comment(&escape::line(after));
        if is_opentofu && header.actions.kind == ResourceActions::ForgetThenCreate {
            self.comment(" - ");
            self.text(Role::CautionStart, "older instance will ");
            self.text(Role::Strong, "not");
            self.text(Role::Caution, " be destroyed ");
            self.comment("(");
            self.text(Role::Strong, "lifecycle.destroy = false");
            self.comment(")");
        }
        for comment in &header.comments {
            self.extra_comment(comment, header);
        }
        // The unit of colour includes the line break, so the surplus reset opens the next line, as in Terraform.
        self.push("\n");
        self.end(Role::UnitEnd);
    }

    fn extra_comment(&mut self, comment: &Comment<'_>, header: &ResourceHeader<'_>) {
        let why_forgotten = match comment {
            Comment::ForgottenByState => {
                Some("was configured before this resource was removed from the configuration")
            }
            Comment::ForgottenByConfiguration => Some("is set in the configuration"),
            _ => None,
        };
        if let Some(why) = why_forgotten {
            // OpenTofu ends the line with a space, and begins the next without `#`.
            self.comment(" \n (because ");
            self.text(Role::Strong, "lifecycle.destroy = false");
            return self.comment(&format!(" {why})"));
        }
        self.push("\n");
        if *comment == Comment::ImportedByIdentity {
            let identity = header.importing.as_ref().and_then(|import| import.identity.as_deref());
            self.text(Role::CommentSign, "  # ");
            self.comment("imported using resource identity: ");
            return self.comment(&escape::lines(&indented(identity.unwrap_or("{}"), "\n  # ")));
        }
        let sentence = sentence(comment, header);
        let sentence = escape::line(&sentence);
        // How the line starts differs from one to the other.
        match comment {
            Comment::NotToBeDestroyed => self.comment(&format!(" # ({sentence})")),
            Comment::LeftOver if header.heading == Heading::Forgotten && !self.program.is_opentofu() => {
                self.text(Role::StrongRest, &format!(" # ({sentence})"));
            }
            Comment::MovedFrom | Comment::ImportedFrom => {
                self.text(Role::CommentSign, "  # ");
                self.comment(&format!("({sentence})"));
            }
            Comment::ConfigGenerated => {
                self.text(Role::CommentSign, "  #");
                self.comment(&format!(" ({sentence})"));
            }
            Comment::DestroysImported => {
                self.text(Role::CommentSign, "  # ");
                self.text(Role::Caution, &sentence);
            }
            _ => self.comment(&format!("  # ({sentence})")),
        }
    }
}

/// Which object of an instance it is, where that is one that was replaced.
pub(super) fn deposed(key: Option<&str>) -> String {
    key.map_or_else(String::new, |key| format!(" (deposed object {})", escape::line(key)))
}

fn sentence(comment: &Comment<'_>, header: &ResourceHeader<'_>) -> String {
    let previous = header.previous_address.as_deref().unwrap_or_default();
    match comment {
        Comment::ConfigUnknown => "config refers to values not yet known".to_owned(),
        Comment::DependencyPending => "depends on a resource or a module with changes pending".to_owned(),
        Comment::CheckNested => "config will be reloaded to verify a check block".to_owned(),
        Comment::NotInConfiguration => {
            // Without module and instance key, unlike all other reasons (Terraform 1.11.4).
            format!("because {}.{} is not in configuration", header.r#type, header.name)
        }
        Comment::MoveTargetNotInConfiguration => {
            format!("because {previous} was moved to {}, which is not in configuration", header.address)
        }
        Comment::ModuleNotInConfiguration(module) => format!("because {module} is not in configuration"),
        Comment::UsesRepetition => "because resource uses count or for_each".to_owned(),
        Comment::UsesNoForEach => "because resource does not use for_each".to_owned(),
        Comment::UsesNoCount => "because resource does not use count".to_owned(),
        Comment::IndexOutOfRange(index) => format!("because index [{index}] is out of range for count"),
        Comment::KeyNotInMap(key) => format!("because key [{key}] is not in for_each map"),
        Comment::NotEnabled => "because enabled is false".to_owned(),
        // These are not sentences in brackets.
        Comment::ForgottenByState | Comment::ForgottenByConfiguration | Comment::ImportedByIdentity => {
            String::new()
        }
        Comment::LeftOver => "left over from a partially-failed replacement of this instance".to_owned(),
        Comment::NotToBeDestroyed => "destroy = false is set in the configuration".to_owned(),
        Comment::MovedFrom => format!("moved from {previous}"),
        Comment::ImportedFrom => match header.importing.as_ref().and_then(|import| import.id.as_ref()) {
            Some(id) => format!("imported from \"{id}\""),
            // An ID that is only known during the apply cannot be said.
            None => "will be imported first".to_owned(),
        },
        Comment::ConfigGenerated => "config will be generated".to_owned(),
        Comment::DestroysImported => "Warning: this will destroy the imported resource".to_owned(),
    }
}
