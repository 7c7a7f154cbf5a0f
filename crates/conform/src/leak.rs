//! Finds secrets of a configuration in a provider's messages and objects.

use std::collections::{BTreeMap, HashSet};

use objchange::Value;
use objchange::change::Diagnostic;
use objchange::schema::Block;
use objchange::value::{Descend, Kind, Path, PathStep};

use super::secrets::unmarked_texts;
use super::{Clause, Finding};

/// In bytes. A shorter text may be equal to a secret by chance.
const MIN_LENGTH: usize = 6;

/// The secret texts of configurations.
#[derive(Default)]
pub(super) struct Leaks {
    /// Values of sensitive and write-only attributes, each with its path.
    hidden: BTreeMap<String, Path>,
    write_only: HashSet<String>,
    /// Values outside of write-only attributes. The provider may repeat them, whether they are secret or not.
    ordinary: HashSet<String>,
}

impl Leaks {
    /// Registers the hidden values of a configuration, except those that it also contains in the clear.
    pub(super) fn learn(&mut self, block: &Block, config: &Value) {
        let mut visible = HashSet::new();
        unmarked_texts(&block.mark_hidden(config), &mut visible);
        let add = |value: &Value, add: &mut dyn FnMut(String)| {
            value.unmark_deep().0.visit(|_, part| {
                if let Kind::String(text) = part.kind()
                    && text.trim().len() >= MIN_LENGTH
                    && !visible.contains(text)
                {
                    add(text.to_owned());
                }
                Descend::Into
            });
        };
        let marked = block.mark_hidden(config);
        marked.visit(|path, part| {
            if part.is_marked() {
                let path = block.hide_keys(&path.to_path());
                add(part, &mut |text| {
                    self.hidden.entry(text).or_insert_with(|| path.clone());
                });
                return Descend::Over;
            }
            if part.contains_marked() { Descend::Into } else { Descend::Over }
        });
        let write_only: HashSet<Path> = block.write_only_paths(config).into_iter().collect();
        for part in write_only.iter().filter_map(|path| config.at(path)) {
            add(part, &mut |text| {
                self.write_only.insert(text);
            });
        }
        config.unmark_deep().0.visit(|path, part| {
            // Most types have no write-only attribute: the first test then saves a path for each part.
            if !write_only.is_empty() && write_only.contains(&path.to_path()) {
                return Descend::Over;
            }
            self.ordinary.extend(part.as_str().map(str::to_owned));
            Descend::Into
        });
    }

    /// The finding that a diagnostic holds a hidden value.
    pub(super) fn in_diagnostics(&self, diagnostics: &[Diagnostic]) -> Option<Finding> {
        let (diagnostic, path) = diagnostics.iter().find_map(|diagnostic| {
            let repeats =
                |hidden: &str| diagnostic.summary.contains(hidden) || diagnostic.detail.contains(hidden);
            let (_, path) = self.hidden.iter().find(|(hidden, _)| repeats(hidden))?;
            Some((diagnostic, path))
        })?;
        let message = format!("a diagnostic repeats the value of this sensitive attribute: {diagnostic}");
        Some(Finding::new(Clause::K2, "secret_in_diagnostic", path.clone(), message))
    }

    /// Reports a write-only value that another attribute of the object repeats.
    pub(super) fn in_object(&self, block: &Block, object: &Value) -> Option<Finding> {
        if self.write_only.is_empty() {
            return None;
        }
        let own: HashSet<Path> = block.write_only_paths(object).into_iter().collect();
        let mut found: Option<Path> = None;
        object.visit(|path, part| {
            let holds = |text: &str| {
                !self.ordinary.contains(text)
                    && self.write_only.iter().any(|secret| text.contains(secret.as_str()))
            };
            if found.is_none() && part.as_str().is_some_and(holds) && !own.contains(&path.to_path()) {
                // A key may be secret, so the path ends before the first one.
                let path = path.to_path();
                let names = path.steps().iter().take_while(|step| matches!(step, PathStep::Attribute(_)));
                found = Some(names.cloned().collect());
            }
            Descend::Into
        });
        let path = found?;
        let message = "the value of a write-only attribute comes back here";
        Some(Finding::new(Clause::K1, "write_only_echoed", path, message))
    }
}
