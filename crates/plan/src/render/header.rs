//! The comment above a resource: what will happen to it, and why.

use super::{View, Writer, escape};
use crate::document::ResourceActions;
use crate::report::{Comment, Heading, ReportEntry, ResourceHeader};

impl Writer<'_> {
    /// Writes a resource of a plan with its header.
    pub(super) fn resource(&mut self, entry: &ReportEntry<'_, ResourceHeader<'_>>) {
        let ReportEntry { header, diff, .. } = entry;
        match header.heading {
            Heading::Deferred => self.deferred_header(header),
            heading => self.header(heading, header),
        }
        self.push(self.colour.resource_symbol(header.actions, self.program));
        self.opening(&header.mode, &header.r#type, &header.name);
        // What OpenTofu forgets looks as in a state.
        let is_plain = self.program.is_opentofu() && header.heading == Heading::Forgotten;
        self.plain = is_plain;
        self.value(diff, 0, View { no_null_suffix: is_plain, omit_replace: false });
        self.plain = false;
    }

    /// Writes what stands before the body of a resource.
    pub(super) fn opening(&mut self, mode: &str, resource_type: &str, name: &str) {
        match mode {
            "data" => self.push("data"),
            "managed" | "" => self.push("resource"),
            unknown => escape::line(&mut self.out, unknown),
        }
        self.push(" ");
        escape::quote(&mut self.out, resource_type);
        self.push(" ");
        escape::quote(&mut self.out, name);
        self.push(" ");
    }

    fn deferred_header(&mut self, header: &ResourceHeader<'_>) {
        let reason = match header.reason.as_deref().unwrap_or_default() {
            "instance_count_unknown" => "because the number of resource instances is unknown",
            "resource_config_unknown" => "because the resource configuration is unknown",
            "provider_config_unknown" => "because the provider configuration is unknown",
            "deferred_prereq" => "because a prerequisite for this resource is deferred",
            "absent_prereq" => "because a prerequisite for this resource has not yet been created",
            "instances_unknown" => "because its instances depend on what only a provider knows",
            _ => "for an unknown reason",
        };
        let (bold, reset) = (self.colour.bold(), self.colour.reset());
        self.push(&format!("{bold}  # "));
        escape::line(&mut self.out, &header.address);
        self.push(&format!("{reset} was deferred\n{reset}  #{reset} ({reason})\n{reset}"));
    }

    /// Writes the address in bold, after the start of a comment.
    fn address_comment(&mut self, start: &str, header: &ResourceHeader<'_>) {
        self.push(self.colour.bold());
        self.push(start);
        escape::line(&mut self.out, &header.address);
        self.deposed(header.deposed.as_deref());
        self.push(self.colour.reset());
    }

    pub(super) fn deposed(&mut self, key: Option<&str>) {
        if let Some(key) = key {
            self.push(" (deposed object ");
            escape::line(&mut self.out, key);
            self.push(")");
        }
    }

    fn header(&mut self, heading: Heading, header: &ResourceHeader<'_>) {
        let is_opentofu = self.program.is_opentofu();
        match heading {
            Heading::Moved => {
                self.push(self.colour.bold());
                self.push("  # ");
                escape::line(&mut self.out, header.previous_address.as_deref().unwrap_or_default());
                self.push(self.colour.reset());
                self.push(" has moved to ");
                self.address_comment("", header);
            }
            Heading::Forgotten if is_opentofu => self.address_comment("  # ", header),
            Heading::Forgotten | Heading::ReplacedButKept => self.address_comment(" # ", header),
            _ => self.address_comment("  # ", header),
        }
        match heading {
            Heading::Created => self.push(" will be created"),
            Heading::Read => self.push(" will be read during apply"),
            Heading::Updated => self.push(" will be updated in-place"),
            Heading::HasChanged => self.push(" has changed"),
            Heading::Destroyed => self.emphasised(" will be ", "destroyed", ""),
            Heading::HasBeenDeleted => self.push(" has been deleted"),
            Heading::Replaced => self.emphasised(" must be ", "replaced", ""),
            Heading::ReplacedAsTainted if is_opentofu => {
                self.emphasised(" is tainted, so it must be ", "replaced", "");
            }
            Heading::ReplacedAsTainted => self.emphasised(" is tainted, so must be ", "replaced", ""),
            Heading::ReplacedAsRequested => self.emphasised(" will be ", "replaced", ", as requested"),
            Heading::ReplacedAsTriggered => {
                self.emphasised(" will be ", "replaced", " due to changes in replace_triggered_by");
            }
            Heading::Imported => self.push(" will be imported"),
            Heading::Forgotten if is_opentofu => {
                self.emphasised(" will be removed from the OpenTofu state ", "but will not be destroyed", "");
            }
            Heading::Forgotten if header.deposed.is_some() => {
                self.emphasised(" will be removed from Terraform state, but ", "will not be destroyed", "");
            }
            Heading::Forgotten => {
                self.emphasised(" will no longer be managed by Terraform, but ", "will not be destroyed", "");
            }
            Heading::ReplacedButKept => {
                self.push(" must be replaced, but the existing object will not be destroyed");
            }
            Heading::Unknown if header.actions.words().is_empty() => {
                self.push(" has no actions, so what happens to it is unknown");
            }
            Heading::Unknown => {
                self.push(" has unknown actions: ");
                escape::line(&mut self.out, &header.actions.words().join(", "));
            }
            Heading::Moved | Heading::Deferred | Heading::Unchanged => {}
        }
        if is_opentofu && header.actions == ResourceActions::ForgetThenCreate {
            let (bold, yellow) = (self.colour.bold(), self.colour.code("\x1b[33m"));
            let reset = self.colour.reset();
            self.push(&format!(
                " - {yellow}older instance will {bold}not{reset}{yellow} be destroyed {reset}({bold}lifecycle.destroy \
                 = false{reset})"
            ));
        }
        for comment in &header.comments {
            self.comment(comment, header);
        }
        self.push("\n");
        self.push(self.colour.reset());
    }

    /// Writes a sentence about an important word.
    fn emphasised(&mut self, before: &str, word: &str, after: &str) {
        let (strong, reset) = (self.colour.code("\x1b[1m\x1b[31m"), self.colour.reset());
        self.push(&format!("{before}{strong}{word}{reset}{after}"));
    }

    fn comment(&mut self, comment: &Comment<'_>, header: &ResourceHeader<'_>) {
        let (bold, yellow) = (self.colour.bold(), self.colour.code("\x1b[33m"));
        let reset = self.colour.reset();
        let why_forgotten = match comment {
            Comment::ForgottenByState => {
                Some("was configured before this resource was removed from the configuration")
            }
            Comment::ForgottenByConfiguration => Some("is set in the configuration"),
            _ => None,
        };
        if let Some(why) = why_forgotten {
            return self.push(&format!(" \n (because {bold}lifecycle.destroy = false{reset} {why})"));
        }
        if *comment == Comment::ImportedByIdentity {
            self.push(&format!("\n  # {reset}imported using resource identity: "));
            let identity = header.importing.as_ref().and_then(|import| import.identity.as_deref());
            return escape::lines(&mut self.out, &indented(identity.unwrap_or("{}"), "\n  # "));
        }
        // How the line starts differs from one to the other.
        self.push(&match comment {
            Comment::NotToBeDestroyed => "\n # (".to_owned(),
            Comment::LeftOver if header.heading == Heading::Forgotten && !self.program.is_opentofu() => {
                format!("\n{bold} # (")
            }
            Comment::MovedFrom | Comment::ImportedFrom => format!("\n  # {reset}("),
            Comment::ConfigGenerated => format!("\n  #{reset} ("),
            Comment::DestroysImported => format!("\n  # {reset}{yellow}"),
            _ => "\n  # (".to_owned(),
        });
        escape::line(&mut self.out, &sentence(comment, header));
        self.push(if *comment == Comment::DestroysImported { reset } else { ")" });
    }
}

fn sentence(comment: &Comment<'_>, header: &ResourceHeader<'_>) -> String {
    let previous = header.previous_address.as_deref().unwrap_or_default();
    match comment {
        Comment::ConfigUnknown => "config refers to values not yet known".to_owned(),
        Comment::DependencyPending => "depends on a resource or a module with changes pending".to_owned(),
        Comment::CheckNested => "config will be reloaded to verify a check block".to_owned(),
        Comment::NotInConfiguration => {
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
        // These are no sentences in brackets.
        Comment::ForgottenByState | Comment::ForgottenByConfiguration | Comment::ImportedByIdentity => {
            String::new()
        }
        Comment::LeftOver => "left over from a partially-failed replacement of this instance".to_owned(),
        Comment::NotToBeDestroyed => "destroy = false is set in the configuration".to_owned(),
        Comment::MovedFrom => format!("moved from {previous}"),
        Comment::ImportedFrom => match header.importing.as_ref().and_then(|import| import.id.as_ref()) {
            Some(id) => format!("imported from \"{id}\""),
            None => "will be imported first".to_owned(),
        },
        Comment::ConfigGenerated => "config will be generated".to_owned(),
        Comment::DestroysImported => "Warning: this will destroy the imported resource".to_owned(),
    }
}

/// JSON with a line for each member and element, two columns a level; each line but the first begins with `line`.
///
/// Names, strings and numbers stay as they are written.
fn indented(json: &str, line: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        if is_quoted {
            out.push(c);
            is_quoted = is_escaped || c != '"';
            is_escaped = !is_escaped && c == '\\';
            continue;
        }
        let next_line = |out: &mut String, depth| {
            out.push_str(line);
            out.extend(std::iter::repeat_n("  ", depth));
        };
        match c {
            '{' | '[' => {
                out.push(c);
                while chars.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(end) = chars.next_if(|end| matches!(end, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    next_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                next_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                next_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => {
                is_quoted = c == '"';
                out.push(c);
            }
        }
    }
    out
}
