//! The comment above a resource: what will happen to it, and why.

use super::{Writer, escape};
use crate::diff::Diff;
use crate::document::ResourceActions;

/// What the comment above a resource says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header<'a> {
    pub(crate) heading: Heading<'a>,
    pub(crate) address: &'a str,
    /// The address before a move.
    pub(crate) previous_address: Option<&'a str>,
    pub(crate) module_address: &'a str,
    /// `resource` or `data`.
    pub(crate) keyword: &'static str,
    pub(crate) resource_type: &'a str,
    pub(crate) name: &'a str,
    /// The `count` index or `for_each` key, as JSON.
    pub(crate) index: Option<&'a str>,
    pub(crate) deposed: Option<&'a str>,
    pub(crate) actions: ResourceActions,
    pub(crate) reason: &'a str,
    /// The object is imported, perhaps with an identifier that is known.
    pub(crate) importing: Option<Option<&'a str>>,
    pub(crate) has_generated_config: bool,
}

/// Why a resource is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heading<'a> {
    /// Terraform will change it.
    Change,
    /// It has changed outside of Terraform.
    Drift,
    /// Its change is left to the next plan, for this reason.
    Deferred(&'a str),
}

impl Writer<'_> {
    /// Writes a resource with its header: the `diff` is that of its body.
    pub(crate) fn resource(&mut self, header: &Header<'_>, diff: &Diff<'_>, show_unchanged: bool) {
        match header.heading {
            Heading::Deferred(reason) => self.deferred_header(header, reason),
            _ => self.header(header),
        }
        self.push(self.colour.resource_symbol(header.actions));
        self.push(header.keyword);
        self.push(" ");
        escape::quote(&mut self.out, header.resource_type);
        self.push(" ");
        escape::quote(&mut self.out, header.name);
        self.push(" ");
        self.value(diff, 0, super::View { show_unchanged, ..super::View::default() });
    }

    fn deferred_header(&mut self, header: &Header<'_>, reason: &str) {
        let reason = match reason {
            "instance_count_unknown" => "because the number of resource instances is unknown",
            "resource_config_unknown" => "because the resource configuration is unknown",
            "provider_config_unknown" => "because the provider configuration is unknown",
            "deferred_prereq" => "because a prerequisite for this resource is deferred",
            "absent_prereq" => "because a prerequisite for this resource has not yet been created",
            _ => "for an unknown reason",
        };
        self.address_comment("  # ", header);
        let reset = self.colour.reset();
        self.push(&format!(" was deferred\n{reset}  #{reset} ({reason})\n{reset}"));
    }

    /// Writes the address in bold, after the start of a comment.
    fn address_comment(&mut self, start: &str, header: &Header<'_>) {
        self.push(self.colour.bold());
        self.push(start);
        escape::line(&mut self.out, header.address);
        if let Some(key) = header.deposed {
            self.push(" (deposed object ");
            escape::line(&mut self.out, key);
            self.push(")");
        }
        self.push(self.colour.reset());
    }

    fn header(&mut self, header: &Header<'_>) {
        use ResourceActions::{
            Create, CreateThenDelete, CreateThenForget, Delete, DeleteThenCreate, Forget, NoOp, Read, Update,
        };
        let drift = header.heading == Heading::Drift;
        let mut moved = header.previous_address;
        let mut importing = header.importing;
        match header.actions {
            NoOp => match (moved.take(), importing) {
                (Some(previous), _) => self.moved_header(previous, header),
                (None, Some(_)) => {
                    importing = None;
                    self.address_comment("  # ", header);
                    self.push(" will be imported");
                    if header.has_generated_config {
                        let reset = self.colour.reset();
                        self.push(&format!("\n  #{reset} (config will be generated)"));
                    }
                }
                (None, None) => self.address_comment("  # ", header),
            },
            Forget | CreateThenForget => self.forget_header(header),
            actions => {
                self.address_comment("  # ", header);
                match actions {
                    Create => self.push(" will be created"),
                    Read => self.push(" will be read during apply"),
                    Update if drift => self.push(" has changed"),
                    Update => self.push(" will be updated in-place"),
                    Delete if drift => self.push(" has been deleted"),
                    Delete => self.emphasised(" will be ", "destroyed", ""),
                    DeleteThenCreate | CreateThenDelete => match header.reason {
                        "replace_because_tainted" => {
                            self.emphasised(" is tainted, so must be ", "replaced", "");
                        }
                        "replace_by_request" => self.emphasised(" will be ", "replaced", ", as requested"),
                        "replace_by_triggers" => {
                            self.emphasised(
                                " will be ",
                                "replaced",
                                " due to changes in replace_triggered_by",
                            );
                        }
                        _ => self.emphasised(" must be ", "replaced", ""),
                    },
                    _ => {}
                }
                self.reason(header);
            }
        }
        self.origin(header, moved, importing);
        self.push("\n");
        self.push(self.colour.reset());
    }

    /// Writes a sentence about an important word.
    fn emphasised(&mut self, before: &str, word: &str, after: &str) {
        let (strong, reset) = (self.colour.code("\x1b[1m\x1b[31m"), self.colour.reset());
        self.push(&format!("{before}{strong}{word}{reset}{after}"));
    }

    fn moved_header(&mut self, previous: &str, header: &Header<'_>) {
        self.push(self.colour.bold());
        self.push("  # ");
        escape::line(&mut self.out, previous);
        self.push(self.colour.reset());
        self.push(" has moved to ");
        self.address_comment("", header);
    }

    fn forget_header(&mut self, header: &Header<'_>) {
        self.address_comment(" # ", header);
        if header.actions == ResourceActions::CreateThenForget {
            self.push(" must be replaced, but the existing object will not be destroyed");
        } else if header.deposed.is_some() {
            self.emphasised(" will be removed from Terraform state, but ", "will not be destroyed", "");
            let bold = self.colour.bold();
            self.push(&format!(
                "\n{bold} # (left over from a partially-failed replacement of this instance)"
            ));
        } else {
            self.emphasised(" will no longer be managed by Terraform, but ", "will not be destroyed", "");
        }
        self.push("\n # (destroy = false is set in the configuration)");
    }

    fn reason(&mut self, header: &Header<'_>) {
        use ResourceActions::{Delete, Read};
        let mut comment = |text: &str| {
            self.push("\n  # (");
            escape::line(&mut self.out, text);
            self.push(")");
        };
        let index = header.index.unwrap_or_default();
        match (header.actions, header.reason) {
            (Read, "read_because_config_unknown") => comment("config refers to values not yet known"),
            (Read, "read_because_dependency_pending") => {
                comment("depends on a resource or a module with changes pending");
            }
            (Read, "read_because_check_nested") => comment("config will be reloaded to verify a check block"),
            (Delete, "delete_because_no_resource_config") => {
                let (ty, name) = (header.resource_type, header.name);
                comment(&format!("because {ty}.{name} is not in configuration"));
            }
            (Delete, "delete_because_no_move_target") => {
                let (previous, address) = (header.previous_address.unwrap_or_default(), header.address);
                comment(&format!("because {previous} was moved to {address}, which is not in configuration"));
            }
            (Delete, "delete_because_no_module") => {
                comment(&format!("because {} is not in configuration", header.module_address));
            }
            (Delete, "delete_because_wrong_repetition") => comment(match index.bytes().next() {
                None => "because resource uses count or for_each",
                Some(b'"') => "because resource does not use for_each",
                Some(_) => "because resource does not use count",
            }),
            (Delete, "delete_because_count_index") => {
                comment(&format!("because index [{index}] is out of range for count"));
            }
            (Delete, "delete_because_each_key") => {
                comment(&format!("because key [{index}] is not in for_each map"));
            }
            _ => {}
        }
        if header.actions == Delete && header.deposed.is_some() {
            comment("left over from a partially-failed replacement of this instance");
        }
    }

    /// Writes where the resource comes from: moved, imported.
    fn origin(&mut self, header: &Header<'_>, moved: Option<&str>, importing: Option<Option<&str>>) {
        let reset = self.colour.reset();
        if let Some(previous) = moved {
            self.push(&format!("\n  # {reset}(moved from "));
            escape::line(&mut self.out, previous);
            self.push(")");
        }
        let Some(id) = importing else { return };
        match id {
            Some(id) => {
                self.push(&format!("\n  # {reset}(imported from \""));
                escape::line(&mut self.out, id);
                self.push("\")");
            }
            None => self.push(&format!("\n  # {reset}(will be imported first)")),
        }
        if matches!(header.actions, ResourceActions::DeleteThenCreate | ResourceActions::CreateThenDelete) {
            let yellow = self.colour.code("\x1b[33m");
            self.push(&format!(
                "\n  # {reset}{yellow}Warning: this will destroy the imported resource{reset}"
            ));
        }
    }
}
