//! Reads the declarations in the files of a module: `collect` gathers the blocks of all files, and each other module reads
//! one type of block.

mod action;
mod address;
mod call;
mod check;
mod collect;
mod import;
mod moves;
mod provider;
mod references;
mod resource;
mod terraform;
mod testing;
mod values;
mod variable;

use std::cell::OnceCell;
use std::ops::Range;

use super::declarations::ModuleConfig;
use crate::decode::problems::Problems;
use crate::edition::Edition;
use crate::eval::{Evaluator, Failed};
use crate::function::Functions;
use crate::sources::{Places, SourceFile, Sources};
use crate::syntax::ast::Expr;
pub(super) use address::instance_key;
use collect::Collected;
use objchange_text::Span;
pub(super) use references::NO_REFERENCE;

impl ModuleConfig {
    /// Reads all files as those of one module. Files named like `override.tf` or `a_override.tf.json` override the
    /// declarations of others. Files whose names end with `.json` have JSON syntax.
    ///
    /// ```
    /// use objchange_hcl::{ModuleConfig, Sources};
    ///
    /// let mut sources = Sources::default();
    /// sources.add("a.tf", "resource \"test_disk\" \"data\" {\n  size = 1\n}\n").unwrap();
    /// sources.add("b.tf.json", r#"{"resource": {"test_disk": {"data": {"size": 2}}}}"#).unwrap();
    /// let (_, problems) = ModuleConfig::read(&sources);
    /// assert_eq!(problems.errors[0].summary, "Duplicate resource \"test_disk\" configuration");
    /// assert!(problems.errors[0].detail.contains("at a.tf:1,1-28"));
    ///
    /// let mut sources = Sources::default();
    /// sources.add("a.tf", "resource \"test_disk\" \"data\" {\n  size = 1\n}\n").unwrap();
    /// sources.add("override.tf.json", r#"{"resource": {"test_disk": {"data": {"size": 2}}}}"#).unwrap();
    /// let (module, problems) = ModuleConfig::read(&sources);
    /// assert!(problems.errors.is_empty());
    /// assert_eq!(module.resources.len(), 1);
    /// ```
    pub fn read(sources: &Sources) -> (Self, Problems) {
        // A single file overrides nothing.
        let files = 0..sources.len();
        if files.len() == 1 {
            return read(sources, files, Edition::NEWEST, |_| false);
        }
        Self::read_files(sources, files, Edition::NEWEST)
    }

    /// Reads some of the files as those of one module: those with these positions, in a version of the language.
    pub fn read_files(sources: &Sources, files: Range<usize>, edition: Edition) -> (Self, Problems) {
        read(sources, files, edition, is_override)
    }
}

fn read(
    sources: &Sources,
    files: Range<usize>,
    edition: Edition,
    is_override: impl Fn(&SourceFile) -> bool,
) -> (ModuleConfig, Problems) {
    let mut reader = Reader::new(sources, files.clone());
    reader.problems.edition = edition;
    let files = sources.files().get(files).unwrap_or_default();
    let (overrides, primary): (Vec<_>, Vec<_>) = files.iter().partition(|file| is_override(file));
    let mut collected = Collected::default();
    for file in primary {
        collected.add_file(file, &mut reader);
    }
    for file in overrides {
        collected.override_with(file, &mut reader);
    }
    let config = collected.decode(&mut reader);
    (config, reader.finish())
}

/// Whether a file is an override file, by its name.
fn is_override(file: &SourceFile) -> bool {
    let name = file.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.strip_suffix(".json").unwrap_or(name);
    let stem = name.strip_suffix(".tf").or_else(|| name.strip_suffix(".tofu"));
    stem.is_some_and(|stem| stem == "override" || stem.ends_with("_override"))
}

/// State shared by all readers of a module.
struct Reader<'s> {
    sources: &'s Sources,
    /// The indices of the module's files.
    files: Range<usize>,
    /// For questions about places in them; most modules ask none.
    places: OnceCell<Places<'s>>,
    /// Evaluates the literal values; one evaluator, so that all share one budget of steps.
    evaluator: Evaluator<'static>,
    problems: Problems,
}

impl<'s> Reader<'s> {
    /// Reads files with these positions.
    fn new(sources: &'s Sources, files: Range<usize>) -> Self {
        let evaluator = Evaluator::new(Functions::pure());
        Self { sources, files, places: OnceCell::new(), evaluator, problems: Problems::default() }
    }

    /// Returns the errors and warnings.
    fn finish(mut self) -> Problems {
        self.problems.errors.extend(self.evaluator.into_diagnostics());
        self.problems
    }
}

impl Reader<'_> {
    /// Evaluates a literal, and reports its errors.
    fn constant<T>(&mut self, read: impl FnOnce(&mut Evaluator<'static>) -> Result<T, Failed>) -> Option<T> {
        let result = read(&mut self.evaluator);
        self.problems.errors.append(&mut self.evaluator.diagnostics);
        result.ok()
    }

    /// Where an error about an expression as a whole points to: in JSON all of it, else its first words.
    fn start_of(&self, expr: &Expr) -> Span {
        let files = self.sources.files();
        let behind = files.partition_point(|file| file.start <= expr.span.start);
        let file = behind.checked_sub(1).and_then(|index| files.get(index));
        if file.is_some_and(|file| file.name.ends_with(".json")) { expr.span } else { expr.start() }
    }

    /// A place in words, as `main.tf:3,1-14`.
    fn place(&self, span: Span) -> String {
        self.places.get_or_init(|| self.sources.places_of(self.files.clone())).describe(span)
    }
}

const BAD_NAME: &str = "A name must start with a letter or underscore and may contain only letters, digits, underscores, and dashes.";
