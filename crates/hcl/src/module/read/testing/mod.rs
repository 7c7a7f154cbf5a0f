//! Reads test files: `*.tftest.hcl`, `*.tftest.json`.

mod mock;
mod run;
mod shapes;

use std::collections::BTreeMap;

use objchange_text::{Diagnostic, Span};
use smol_str::SmolStr;

use super::super::testing::{MockData, OverrideDuring, TestFile};
use super::collect::Declared;
use super::references::keyword;
use super::{BAD_NAME, Reader};
use crate::decode::Problems;
use crate::decode::raw::{RawBlock, RawBody};
use crate::decode::shape::{PROVIDER, VARIABLE};
use crate::edition::Edition;
use crate::sources::Sources;
use crate::syntax::ast::Attribute;
use crate::syntax::is_name;

impl TestFile {
    /// Reads the source at `index` as a test file, in JSON syntax if its name ends with `.json`. Older editions know fewer
    /// names, and no functions in mocks and overrides.
    ///
    /// ```
    /// use objchange_hcl::{Edition, RunCommand, Sources, TestFile};
    ///
    /// let sources = Sources::from_text("a.tftest.hcl", "run \"p\" {\n  command = plan\n}\n").unwrap();
    /// let (file, problems) = TestFile::read(&sources, 0, Edition::NEWEST);
    /// assert!(problems.errors.is_empty());
    /// assert_eq!(file.runs[0].command, RunCommand::Plan);
    ///
    /// let sources = Sources::from_text("a.tftest.hcl", "run \"p\" {\n  command = \"plan\"\n}\n").unwrap();
    /// let (_, problems) = TestFile::read(&sources, 0, Edition::NEWEST);
    /// assert_eq!(problems.errors[0].summary, "Invalid \"command\" keyword");
    /// ```
    pub fn read(sources: &Sources, index: usize, edition: Edition) -> (Self, Problems) {
        let mut reader = Reader::new(sources, index..index + 1);
        reader.problems.edition = edition;
        let mut file = Self::default();
        if let Some(source) = sources.files().get(index)
            && let Some(body) = RawBody::of_file(source, &mut reader.problems)
        {
            reader.test_file(body, &mut file);
        }
        (file, reader.finish())
    }
}

impl MockData {
    /// Reads the source at `index` as a mock file, in JSON syntax if its name ends with `.json`.
    pub fn read(sources: &Sources, index: usize, edition: Edition) -> (Self, Problems) {
        let mut reader = Reader::new(sources, index..index + 1);
        reader.problems.edition = edition;
        let mut data = Self::default();
        if let Some(source) = sources.files().get(index)
            && let Some(body) = RawBody::of_file(source, &mut reader.problems)
        {
            let content = body.read(&shapes::MOCK_FILE, &mut reader.problems);
            data = reader.mock_data(content.blocks);
        }
        (data, reader.finish())
    }
}

impl Reader<'_> {
    fn test_file(&mut self, body: RawBody<'_>, file: &mut TestFile) {
        let content = body.read(&shapes::FILE, &mut self.problems);
        let mut single_blocks = SingleBlocks::new("test file");
        let mut names: BTreeMap<SmolStr, Span> = BTreeMap::new();
        let mut providers: BTreeMap<(SmolStr, Option<SmolStr>), Span> = BTreeMap::new();
        let mut overrides = Vec::new();
        for block in content.blocks {
            match &*block.kind {
                "test" => {
                    if single_blocks.is_first(&block, self) {
                        let content = block.body.read(&shapes::TEST, &mut self.problems);
                        file.parallel = self.bool(&content, "parallel").unwrap_or(false);
                    }
                }
                "variables" => {
                    if single_blocks.is_first(&block, self) {
                        file.variables = block.body.arguments(&mut self.problems);
                        for attribute in &file.variables {
                            if let Some(declared) = file.declared.get(&attribute.name) {
                                let place = attribute.name_span.to(attribute.expr.span);
                                self.duplicate_variable(&attribute.name, declared.header, place);
                            }
                        }
                    }
                }
                "variable" => {
                    let declared = Declared::new(block, &VARIABLE, self);
                    self.check_variable_name(&declared);
                    let name = declared.label(0);
                    let variable = self.variable(&name, declared);
                    let value = file.variables.iter().find(|attribute| attribute.name == name);
                    let first = file.declared.get(&name).map(|declared| declared.header);
                    if let Some(first) = first.or(value.map(|attribute| attribute.expr.span)) {
                        self.duplicate_variable(&name, variable.header, first);
                        continue;
                    }
                    file.declared.insert(name, variable);
                }
                "run" => {
                    let Some(run) = self.run(block) else { continue };
                    if let Some(first) = names.get(&run.name) {
                        let detail = format!(
                            "This test file already has a run named {} block defined at {}.",
                            run.name,
                            self.place(*first)
                        );
                        // Up to Terraform 1.14 the place is the header.
                        let is_old = self.problems.edition < Edition(15);
                        let place = if is_old { run.header } else { run.name_span };
                        self.problems.error("Duplicate \"run\" block names", place, detail);
                    } else {
                        names.insert(run.name.clone(), run.header);
                        file.runs.push(run);
                    }
                }
                "provider" => {
                    let label = block.labels.first().map(|label| label.span);
                    let mut declared = Declared::new(block, &PROVIDER, self);
                    self.refuse_version(&mut declared);
                    let header = declared.header;
                    let alias =
                        declared.content.attribute("alias").map(|_| self.string(&declared.content, "alias"));
                    if alias.is_some_and(|alias| !alias.is_some_and(|(alias, _)| is_name(&alias))) {
                        self.refuse_alias();
                        continue;
                    }
                    let Some(provider) = self.provider(declared) else { continue };
                    let key = (provider.name.clone(), provider.alias.clone());
                    if self.is_first_provider(&mut providers, key, label.unwrap_or(header), header) {
                        file.providers.push(provider);
                    }
                }
                "mock_provider" => {
                    let Some(provider) = self.mock_provider(block) else { continue };
                    let key = (provider.name.clone(), provider.alias.clone());
                    if self.is_first_provider(&mut providers, key, provider.name_span, provider.header) {
                        file.mock_providers.push(provider);
                    }
                }
                _ => overrides.push(block),
            }
        }
        file.overrides = self.overrides(overrides);
    }

    fn duplicate_variable(&mut self, name: &SmolStr, place: Span, first: Span) {
        let detail =
            format!("This test file already has a variable named {name} defined at {}.", self.place(first));
        self.problems.error("Duplicate \"variable\" block names", place, detail);
    }

    fn refuse_version(&mut self, declared: &mut Declared<'_>) {
        let attributes = std::mem::take(&mut declared.content.attributes);
        for attribute in attributes {
            if attribute.name != "version" {
                declared.content.attributes.push(attribute);
                continue;
            }
            let detail = "Version constraints inside provider configuration blocks are not allowed in test files. To silence \
                          this error, move the provider version constraint into the required_providers block of the \
                          configuration that uses this provider.";
            let place = attribute.name_span.to(attribute.expr.span);
            self.problems.error("Version constraints are not allowed in test files", place, detail);
        }
    }

    /// Terraform reports this error without a place, too.
    fn refuse_alias(&mut self) {
        let detail = format!("An alias must be a valid name. {BAD_NAME}");
        let error = Diagnostic::new("Invalid provider configuration alias", None, detail);
        self.problems.errors.push(error);
    }

    /// Whether this is the first provider with its name and alias. Reports a second one.
    fn is_first_provider(
        &mut self,
        all: &mut BTreeMap<(SmolStr, Option<SmolStr>), Span>,
        key: (SmolStr, Option<SmolStr>),
        label: Span,
        header: Span,
    ) -> bool {
        match all.get(&key) {
            Some(first) => {
                let (name, alias) = &key;
                let shown =
                    alias.as_ref().map_or_else(|| name.to_string(), |alias| format!("{name}.{alias}"));
                let detail = format!("A provider for {shown} is already defined at {}.", self.place(*first));
                self.problems.error("Duplicate provider block", header, detail);
                false
            }
            None => {
                all.insert(key, label);
                true
            }
        }
    }

    /// Reads `override_during`.
    fn override_during(&mut self, attribute: Option<&Attribute>) -> Option<OverrideDuring> {
        let attribute = attribute?;
        match keyword(&attribute.expr) {
            Some("plan") => Some(OverrideDuring::Plan),
            Some("apply") => Some(OverrideDuring::Apply),
            _ => {
                let place = attribute.name_span.to(attribute.expr.span);
                let detail = "The override_during attribute must be a value of plan or apply.";
                self.problems.error("Invalid override_during value", place, detail);
                None
            }
        }
    }
}

/// Blocks that may appear at most once in a file or block.
struct SingleBlocks {
    parent: &'static str,
    seen: Vec<(SmolStr, Span)>,
}

impl SingleBlocks {
    fn new(parent: &'static str) -> Self {
        Self { parent, seen: Vec::new() }
    }

    /// Whether this is the first block of its type. Reports a second one.
    fn is_first(&mut self, block: &RawBlock<'_>, reader: &mut Reader<'_>) -> bool {
        let RawBlock { kind, header, .. } = block;
        match self.seen.iter().find(|(other, _)| other == kind) {
            Some((_, first)) => {
                let detail = format!(
                    "This {} already has a {kind} block defined at {}.",
                    self.parent,
                    reader.place(*first)
                );
                reader.problems.error(
                    ("multiple_blocks", format!("Multiple {:?} blocks", kind.as_str())),
                    *header,
                    detail,
                );
                false
            }
            None => {
                self.seen.push((kind.clone(), *header));
                true
            }
        }
    }
}
