//! Finds secrets of a configuration that a provider shows.

use std::collections::{BTreeMap, HashSet};

use objchange::Value;
use objchange::change::Diagnostic;
use objchange::schema::Block;
use objchange::value::{Descend, Kind, Path, PathStep};

use super::secrets::unmarked_texts;
use super::{Clause, Finding};

/// A shorter text may come from anywhere.
const MIN_LENGTH: usize = 6;

/// The secret texts of configurations.
#[derive(Default)]
pub(super) struct Leaks {
    /// Values of sensitive and write-only attributes, each with its path.
    hidden: BTreeMap<String, Path>,
    write_only: HashSet<String>,
    /// Values that configurations have outside of write-only attributes. A provider may repeat those,
    /// secret or not.
    ordinary: HashSet<String>,
}

impl Leaks {
    /// Registers the hidden values of a configuration that are not repeated in it in the clear.
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
            // Most types have no write-only attribute, and then no path is allocated for each part.
            if !write_only.is_empty() && write_only.contains(&path.to_path()) {
                return Descend::Over;
            }
            self.ordinary.extend(part.as_str().map(str::to_owned));
            Descend::Into
        });
    }

    /// The finding that a diagnostic holds a hidden value.
    pub(super) fn in_diagnostics(&self, diagnostics: &[Diagnostic]) -> Option<Finding> {
        let repeats =
            |said: &Diagnostic, hidden: &str| said.summary.contains(hidden) || said.detail.contains(hidden);
        let first =
            |said| self.hidden.iter().find(|(hidden, _)| repeats(said, hidden)).map(|(_, path)| (said, path));
        let (said, path) = diagnostics.iter().find_map(first)?;
        let message = format!("a diagnostic repeats the value of this sensitive attribute: {said}");
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
                // A key may be secret.
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
