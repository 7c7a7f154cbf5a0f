//! The files of a configuration, one behind the other: a span of one of them tells its file too.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use objchange::Value;
use objchange_text::{Diagnostic, LineIndex, Position, Span};

use crate::syntax::json;

/// The texts of a configuration. Spans count through all of them: each file begins where the one before ends.
///
/// ```
/// use objchange_hcl::{Sources, Span};
///
/// let mut sources = Sources::default();
/// sources.add("a.tf", "a = 1\n").unwrap();
/// sources.add("b.tf", "b = 2\n").unwrap();
/// let places = sources.places();
/// assert_eq!(places.find(Span::at(11)).unwrap().to_string(), "b.tf:1,5-5");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Sources {
    // Shared by the clones: a suite of tests has one for each module.
    files: Arc<Vec<SourceFile>>,
}

/// A file, whose text begins at this byte of all of them.
#[derive(Debug, Clone)]
pub(crate) struct SourceFile {
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
    pub(crate) start: u32,
    /// Its line index, made on first use: each error of a module names places in its files.
    lines: Arc<OnceLock<LineIndex<'static>>>,
}

impl Sources {
    /// Creates sources with a single text.
    ///
    /// # Errors
    ///
    /// It is too long.
    pub fn from_text(name: impl Into<String>, text: impl Into<String>) -> Result<Self, Box<Diagnostic>> {
        let mut sources = Self::default();
        sources.add(name, text)?;
        Ok(sources)
    }

    /// Adds a file behind the others.
    ///
    /// # Errors
    ///
    /// All of them together are longer than a span can tell.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> Result<(), Box<Diagnostic>> {
        // One byte more, so that the end of one is not the start of the next.
        let start = self.files.last().map_or(0, |last| last.start as usize + last.text.len() + 1);
        let text = text.into();
        match u32::try_from(start + text.len() + 1) {
            Ok(_) => {
                let (name, text) = (name.into().into(), text.into());
                Arc::make_mut(&mut self.files).push(SourceFile {
                    name,
                    text,
                    start: start as u32,
                    lines: Arc::default(),
                });
                Ok(())
            }
            Err(_) => {
                let detail = "The files of a configuration cannot be longer than 4 GiB together.";
                Err(Box::new(Diagnostic::new("Source too long", None, detail)))
            }
        }
    }

    /// There is no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Where the last file ends.
    pub fn end(&self) -> u32 {
        self.files.last().map_or(0, |last| last.start + last.text.len() as u32)
    }

    /// The text of the file with this name.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|file| *file.name == *name).map(|file| &*file.text)
    }

    /// The files in order: the name and the text of each, and the byte of all of them at which it begins.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str, u32)> {
        self.files.iter().map(|file| (&*file.name, &*file.text, file.start))
    }

    /// The literal value at a place in JSON syntax, where strings are not templates; `None` in the native syntax.
    pub fn json_value(&self, span: Span) -> Option<Value> {
        let behind = self.files.partition_point(|file| file.start <= span.start);
        let file = self.files.get(behind.checked_sub(1)?).filter(|file| file.name.ends_with(".json"))?;
        let range = span.start.checked_sub(file.start)? as usize..span.end.checked_sub(file.start)? as usize;
        json::constant(file.text.get(range)?)
    }

    pub(crate) fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Prepares for questions about places.
    pub fn places(&self) -> Places<'_> {
        self.places_of(0..self.len())
    }

    /// Prepares for questions about places in some of the files: those with these positions.
    pub(crate) fn places_of(&self, files: Range<usize>) -> Places<'_> {
        let files = self.files.get(files).unwrap_or_default();
        Places { files: files.iter().collect() }
    }
}

/// Finds places in the files of a configuration.
#[derive(Debug)]
pub struct Places<'s> {
    files: Vec<&'s SourceFile>,
}

/// A part of a file.
#[derive(Debug, Clone, Copy)]
pub struct FileSpan<'p> {
    /// The name of the file.
    pub name: &'p str,
    /// Its lines.
    pub lines: &'p LineIndex<'p>,
    /// The part, in the text of the file.
    pub span: Span,
}

impl<'s> Places<'s> {
    /// The part of a file that a span is; `None` if there is no file at all.
    pub fn find<'p>(&'p self, span: Span) -> Option<FileSpan<'p>>
    where
        's: 'p,
    {
        let behind = self.files.partition_point(|file| file.start <= span.start);
        let file = *self.files.get(behind.checked_sub(1)?)?;
        let lines = file.lines.get_or_init(|| LineIndex::new(file.text.to_string()));
        // A span may end in a later file or begin behind the last one: it is cut to the file in which it begins.
        let local = |byte: u32| (byte - file.start).min(file.text.len() as u32);
        let start = local(span.start);
        Some(FileSpan { name: &file.name, lines, span: Span::new(start, local(span.end.max(span.start))) })
    }

    /// The place in words, as `main.tf:3,1-14`.
    pub fn describe(&self, span: Span) -> String {
        self.find(span).map(|place| place.to_string()).unwrap_or_default()
    }
}

impl FileSpan<'_> {
    /// Where it begins.
    pub fn start(&self) -> Position {
        self.lines.position(self.span.start)
    }

    /// Where it ends.
    pub fn end(&self) -> Position {
        self.lines.position(self.span.end)
    }
}

/// Terraform's form: file, line and columns.
impl std::fmt::Display for FileSpan<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (start, end) = (self.start(), self.end());
        let name = self.name;
        if start.line == end.line {
            write!(f, "{name}:{},{}-{}", start.line, start.column, end.column)
        } else {
            write!(f, "{name}:{},{}-{},{}", start.line, start.column, end.line, end.column)
        }
    }
}
