//! The functions that read files, and the directories that they may read.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use data_encoding::BASE64;
use objchange::{Type, Value};

use super::directory::Directory;
use super::glob::{self, BadPattern};
use super::hashing::{DIGESTS, Digester};
use super::limits::{MAX_ELEMENTS, MAX_TEXT};
use super::paths::clean;
use super::{Answer, any, quote, string, text, unknown};
use crate::eval::forms::{RenderError, Template};
use crate::eval::steps_to_read;
use crate::function::{
    CallContext, Capability, Function, FunctionError, Functions, NO_DIRECTORY, OUTSIDE_DIRECTORIES, Parameter,
};

/// The directories whose files functions may read. A path or a symbolic link that leads out of them is an error, even for a
/// function that only asks whether a file exists.
///
/// Files are opened relative to a handle of their directory, so concurrent changes of links cannot lead outside.
#[derive(Debug, Clone)]
pub struct BaseDirectory {
    base: Arc<Root>,
    others: Vec<Arc<Root>>,
    home: Option<PathBuf>,
    /// A cache of files and directories, if there is one.
    known: Option<KnownFiles>,
}

/// A cache of the files and directories that functions read. They are assumed not to change in the meantime.
/// Clones share them.
#[derive(Debug, Clone, Default)]
pub struct KnownFiles(Arc<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The canonical paths of directories and files. Canonicalizing a path takes a system call for each of its steps: 201 files
    /// that 100 instances of a module read took 241,006 of them. Looking only at the last step took one for each call: 20,000 for
    /// 325 files that 20 modules read three times.
    paths: Mutex<HashMap<PathBuf, PathBuf>>,
    /// The contents of files, by their canonical paths.
    contents: Mutex<Contents>,
    /// The names that patterns match.
    matches: Mutex<HashMap<SearchKey, BTreeSet<String>>>,
}

/// The directories that may be read, the directory and the pattern. A module may read more than its caller.
type SearchKey = (Vec<PathBuf>, String, String);

#[derive(Default)]
struct Contents {
    by_path: HashMap<PathBuf, Arc<Vec<u8>>>,
    size: usize,
}

impl std::fmt::Debug for Contents {
    /// Without the contents, which may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contents").field("size", &self.size).finish_non_exhaustive()
    }
}

/// The maximum size of all cached files in bytes. Others are read again.
const MOST_KEPT: usize = 128 << 20;

/// The error for a path that leads out of the directories.
pub const OUTSIDE: &str = "it is outside of the directories that may be read";

/// A path leads out of the directories that may be read.
#[derive(Debug, thiserror::Error)]
#[error("{OUTSIDE}")]
struct Outside;

/// The kind of the error if files may not be read.
fn refused(error: &io::Error) -> Option<&'static str> {
    error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<Outside>)
        .then_some(OUTSIDE_DIRECTORIES)
}

#[derive(Debug)]
struct Root {
    /// In the form without links.
    path: PathBuf,
    handle: Directory,
}

impl Root {
    fn open(path: &Path) -> io::Result<Arc<Self>> {
        let path = fs::canonicalize(path)?;
        let handle = Directory::open_ambient(&path)?;
        Ok(Arc::new(Self { path, handle }))
    }
}

/// A file or folder in one of the directories.
struct AllowedPath<'r> {
    root: &'r Root,
    inside: PathBuf,
}

impl AllowedPath<'_> {
    fn is_folder(&self) -> bool {
        self.root.handle.is_folder(&self.inside)
    }

    /// Whether it is another place, or below it.
    fn is_within(&self, other: &AllowedPath<'_>) -> bool {
        self.root.path.join(&self.inside).starts_with(other.root.path.join(&other.inside))
    }
}

impl BaseDirectory {
    /// This directory.
    ///
    /// # Errors
    ///
    /// It cannot be found.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self { base: Root::open(path.as_ref())?, others: Vec::new(), home: None, known: None })
    }

    /// Functions may also read files below this directory. Relative paths still start at the first one.
    ///
    /// # Errors
    ///
    /// It cannot be found.
    pub fn allow(mut self, path: impl AsRef<Path>) -> io::Result<Self> {
        self.others.push(Root::open(path.as_ref())?);
        Ok(self)
    }

    /// Reads each file at most once, with this cache, and assumes that it does not change. Missing files are looked for again.
    #[must_use]
    pub fn reading_once(self, known: KnownFiles) -> Self {
        Self { known: Some(known), ..self }
    }

    /// Sets the directory that replaces `~` at the start of a path. Reading files there needs its own permission.
    #[must_use]
    pub fn with_home(mut self, path: impl Into<PathBuf>) -> Self {
        self.home = Some(path.into());
        self
    }

    /// The path with the home directory in place of `~`.
    fn expand(&self, path: &str) -> Result<PathBuf, &'static str> {
        match path.strip_prefix('~') {
            None => Ok(PathBuf::from(path)),
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                let home = self.home.as_ref().ok_or("the home directory is not known here")?;
                Ok(home.join(rest.trim_start_matches('/')))
            }
            Some(_) => Err("cannot expand user-specific home dir"),
        }
    }

    /// The target of a path. An error if it is outside of the directories.
    fn resolve(&self, path: &str) -> io::Result<AllowedPath<'_>> {
        self.resolve_expanded(&self.expand(path).map_err(io::Error::other)?)
    }

    fn resolve_expanded(&self, path: &Path) -> io::Result<AllowedPath<'_>> {
        let real = self.without_links(&self.base.path.join(path))?;
        for root in self.roots() {
            if let Ok(inside) = real.strip_prefix(&root.path) {
                return Ok(AllowedPath { root, inside: inside.to_owned() });
            }
        }
        Err(io::Error::new(io::ErrorKind::PermissionDenied, Outside))
    }

    /// Like [`fs::canonicalize`], with a cache of the enclosing directories.
    fn without_links(&self, path: &Path) -> io::Result<PathBuf> {
        let Some(known) = &self.known else { return fs::canonicalize(path) };
        // A path that ends in `..` has no name.
        let (Some(around), Some(name)) = (path.parent(), path.file_name()) else {
            return fs::canonicalize(path);
        };
        let paths = || known.0.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |path: &Path| paths().get(path).cloned();
        if let Some(real) = find(path) {
            return Ok(real);
        }
        let around = match find(around) {
            Some(real) => real,
            None => {
                let real = fs::canonicalize(around)?;
                paths().insert(around.to_owned(), real.clone());
                real
            }
        };
        let real = around.join(name);
        let real = if fs::symlink_metadata(&real)?.is_symlink() { fs::canonicalize(real)? } else { real };
        paths().insert(path.to_owned(), real.clone());
        Ok(real)
    }

    fn roots(&self) -> impl Iterator<Item = &Root> {
        [&self.base].into_iter().chain(&self.others).map(Arc::as_ref)
    }

    fn is_file(&self, path: &str) -> io::Result<bool> {
        self.is_file_at(&self.expand(path).map_err(io::Error::other)?)
    }

    fn is_file_at(&self, path: &Path) -> io::Result<bool> {
        let place = self.resolve_expanded(path)?;
        place.root.handle.is_file(&place.inside)
    }

    fn read(&self, path: &str) -> Result<Arc<Vec<u8>>, ReadError> {
        let wrong = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => ReadError::Missing,
            _ => ReadError::Other(FunctionError {
                refused: refused(&error),
                ..FunctionError::argument(0, format!("the file {path:?} cannot be read: {error}"))
            }),
        };
        let place = self.resolve(path).map_err(wrong)?;
        let whole = place.root.path.join(&place.inside);
        let contents = self.known.as_ref().map(|known| &known.0.contents);
        let lock = |contents: &'_ Mutex<Contents>| {
            let contents = contents.lock().unwrap_or_else(PoisonError::into_inner);
            contents.by_path.get(&whole).cloned()
        };
        if let Some(kept) = contents.and_then(lock) {
            return Ok(kept);
        }
        // Reading others, such as pipes, might never end.
        let Some(file) = place.root.handle.open_file(&place.inside).map_err(wrong)? else {
            return Err(ReadError::NotAFile);
        };
        let content = objchange_text::read_at_most(file, MAX_TEXT as u64 + 1).map_err(wrong)?;
        if content.len() > MAX_TEXT {
            let message = format!("the file {path:?} has more than 64 MiB");
            return Err(ReadError::Other(FunctionError::argument(0, message)));
        }
        let content = Arc::new(content);
        if let Some(contents) = contents {
            let mut contents = contents.lock().unwrap_or_else(PoisonError::into_inner);
            if contents.size + content.len() <= MOST_KEPT {
                contents.size += content.len();
                contents.by_path.insert(whole, Arc::clone(&content));
            }
        }
        Ok(content)
    }

    /// Whether there is a file; an error if there is something else.
    fn exists(&self, path: &str) -> Result<bool, FunctionError> {
        match self.is_file(path) {
            Ok(true) => Ok(true),
            Ok(false) => Err(FunctionError::new(format!("{} is a directory, not a file", quote(path)))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(not_looked_at(path, &error)),
        }
    }

    /// The names of the files that match a pattern, relative to a directory.
    fn matching(&self, directory: &str, pattern: &str) -> Result<BTreeSet<String>, FunctionError> {
        let mut walk = Walk { base: self, pattern: String::new(), found: BTreeSet::new(), visited: 0 };
        let relative_directory = match Path::new(directory).is_absolute() {
            false => Path::new(directory),
            true => match Path::new(directory).strip_prefix(&self.base.path) {
                Ok(inside) => inside,
                Err(_) if self.roots().any(|root| Path::new(directory).starts_with(&root.path)) => {
                    Path::new(directory)
                }
                Err(_) => return Ok(walk.found),
            },
        };
        let known = self.known.as_ref().map(|known| &known.0.matches);
        let roots = self.roots().map(|root| root.path.clone()).collect();
        let key = (roots, relative_directory.to_string_lossy().into_owned(), pattern.to_owned());
        let found =
            known.and_then(|known| known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned());
        if let Some(found) = found {
            return Ok(found);
        }
        let directory = clean(&relative_directory.to_string_lossy());
        // Terraform joins both before it matches, so `..` works in a pattern: `fileset(".", "../w/*.tf")` (Terraform
        // 1.11.4).
        let pattern = clean(&format!("{directory}/{pattern}"));
        let parts: Vec<&str> = pattern.split('/').collect();
        if parts.len() > MAX_PATTERN_PARTS {
            return Err(FunctionError::new("the pattern has more than 256 parts"));
        }
        walk.pattern.clone_from(&pattern);
        walk.search(String::new(), &parts)?;
        let relative = |found: &String| relative_path(Path::new(&directory), Path::new(found));
        let names: BTreeSet<String> = walk.found.iter().map(relative).collect();
        if let Some(known) = known {
            known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, names.clone());
        }
        Ok(names)
    }
}

/// Longer patterns are refused.
const MAX_PATTERN_PARTS: usize = 256;

/// The relative path between two paths without links and `..`: `../b` leads from `a` to `b`.
pub fn relative_path(from: &Path, to: &Path) -> String {
    let parts = |path: &'_ Path| {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let (from, to) = (parts(from), parts(to));
    let common = std::iter::zip(&from, &to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    let steps: Vec<String> = up.chain(to[common..].iter().cloned()).collect();
    if steps.is_empty() { ".".to_owned() } else { steps.join("/") }
}

/// A search for files.
struct Walk<'b> {
    base: &'b BaseDirectory,
    pattern: String,
    found: BTreeSet<String>,
    visited: usize,
}

impl Walk<'_> {
    /// Continues from a path with the rest of a pattern.
    fn search(&mut self, path: String, parts: &[&str]) -> Result<(), FunctionError> {
        self.visited += 1;
        if self.visited > MAX_ELEMENTS {
            return Err(FunctionError::new("there are more than 1048576 files and directories to look at"));
        }
        let Some((part, rest)) = parts.split_first() else {
            if inside(&path, self.base.is_file_at(Path::new(&path)))?.unwrap_or(false) {
                self.found.insert(path);
            }
            return Ok(());
        };
        let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        if *part == "**" {
            // `**` is no directory, or one or more. At the end it is any file.
            if rest.is_empty() {
                self.search(path.clone(), &["*"])?;
            } else {
                self.search(path.clone(), rest)?;
            }
            let Some(here) = inside(&path, self.base.resolve_expanded(Path::new(&path)))? else {
                return Ok(());
            };
            for name in self.names(&path) {
                let below = join(&name);
                // A link to an enclosing directory would lead around in circles.
                let place = inside(&below, self.base.resolve_expanded(Path::new(&below)))?
                    .filter(AllowedPath::is_folder);
                let is_below = place.is_some_and(|place| !here.is_within(&place));
                if is_below {
                    self.search(below, parts)?;
                }
            }
            return Ok(());
        }
        // Names up to the next pattern are one path: it may leave the directories with `..`, and come back.
        let names = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '{', '\\'])).count();
        if names > 0 {
            let (names, rest) = parts.split_at(names);
            let below = join(&names.join("/"));
            return match inside(&below, self.base.resolve_expanded(Path::new(&below)))? {
                Some(_) => self.search(below, rest),
                None => Ok(()),
            };
        }
        for name in self.names(&path) {
            match glob::matches(part, &name) {
                Ok(true) => self.search(join(&name), rest)?,
                Ok(false) => {}
                // A mistake in a pattern is an error only if a match gets to it: `fileset(".", "a[")` is empty without a name
                // in `a` (Terraform 1.11.4).
                Err(BadPattern) => {
                    let pattern = quote(&self.pattern);
                    let message = format!("failed to glob pattern {pattern}: syntax error in pattern");
                    return Err(FunctionError::new(message));
                }
            }
        }
        Ok(())
    }

    /// The entries of a directory, sorted.
    fn names(&self, path: &str) -> Vec<String> {
        let mut names = self
            .base
            .resolve_expanded(Path::new(path))
            .and_then(|place| place.root.handle.names(&place.inside))
            .unwrap_or_default();
        names.sort();
        names
    }
}

/// Separates "not there" from "not readable". A link that leads outside of the base directory may match, so it is an
/// error: leaving it out would be a wrong answer.
fn inside<T>(path: &str, found: io::Result<T>) -> Result<Option<T>, FunctionError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(not_looked_at(path, &error)),
        Err(_) => Ok(None),
    }
}

fn not_looked_at(path: &str, error: &io::Error) -> FunctionError {
    FunctionError {
        refused: refused(error),
        ..FunctionError::new(format!("{path:?} cannot be looked at: {error}"))
    }
}

/// The error of a file that was not read.
enum ReadError {
    Missing,
    NotAFile,
    Other(FunctionError),
}

/// The content of the file that the first argument names.
fn read(base: &BaseDirectory, path: &str) -> Result<Arc<Vec<u8>>, FunctionError> {
    base.read(path).map_err(|error| {
        let message = match error {
            ReadError::Missing => format!(
                "no file exists at {}; this function works only with files that are distributed as part of the \
                 configuration source code, so if this file will be created by a resource in this configuration you \
                 must instead obtain this result from an attribute of that resource",
                quote(path)
            ),
            ReadError::NotAFile => format!("failed to read file: read {path}: is a directory"),
            ReadError::Other(error) => return error,
        };
        FunctionError::argument(0, message)
    })
}

fn read_text(base: &BaseDirectory, path: &str) -> Result<String, FunctionError> {
    let content = read(base, path)?;
    let text = std::str::from_utf8(&content).map(str::to_owned);
    text.map_err(|_| {
        FunctionError::new(format!(
            "contents of {} are not valid UTF-8; use the filebase64 function to obtain the Base64 encoded contents or \
             the other file functions (e.g. filemd5, filesha256) to obtain file hashing results instead",
            quote(path)
        ))
    })
}

fn render_file(
    base: &BaseDirectory,
    path: &str,
    variables: &Value,
    functions: &Functions,
    context: &mut CallContext,
) -> Answer {
    let text = read_text(base, path)?;
    context.spend(steps_to_read(text.len()));
    let template = Template::parse(path, &text).map_err(FunctionError::new)?;
    template.render(variables, functions, Capability::Files, context).map_err(|error| match error {
        RenderError::Variables(message) => FunctionError::argument(1, message),
        RenderError::Failed(message) => FunctionError::new(message),
    })
}

/// The source of files.
#[derive(Clone)]
enum Source {
    /// No directory was set: the functions fail.
    Nowhere,
    /// The files are not at hand: their content is unknown.
    Absent,
    Directory(BaseDirectory),
}

impl Source {
    /// The directory; `None` if the files are not at hand.
    fn base(&self) -> Result<Option<&BaseDirectory>, FunctionError> {
        match self {
            Self::Directory(base) => Ok(Some(base)),
            Self::Absent => Ok(None),
            Self::Nowhere => Err(FunctionError {
                refused: Some(NO_DIRECTORY),
                ..FunctionError::new("no directory is given from which files may be read")
            }),
        }
    }

    /// A function of a path, which may be marked or unknown.
    fn function(&self, ty: Type, answer: fn(&BaseDirectory, &str) -> Answer) -> Function {
        let source = self.clone();
        let function = Function::new([path()], ty, move |a, ty| {
            let answer = match a[0].as_str() {
                Some(path) => match source.base()? {
                    Some(base) => answer(base, path)?,
                    None => unknown(ty.clone()),
                },
                None => unknown(ty.clone()),
            };
            Ok(answer.with_marks(a[0].marks()))
        });
        function.reaching(Capability::Files)
    }

    fn digest(&self, digest: Digester) -> Function {
        let source = self.clone();
        let function = Function::spending(
            [string("path")],
            |_| Ok(Type::String),
            move |a, _, context| {
                let path = text(a, 0);
                // Unlike `file`, these blame the call and not the argument, and quote the operating system (Terraform
                // 1.11.4).
                let Some(base) = source.base()? else { return Ok(Value::unknown(Type::String)) };
                let content = base.read(path).map_err(|error| {
                    FunctionError::new(match error {
                        ReadError::Missing => format!("open {path}: no such file or directory"),
                        ReadError::NotAFile => format!("read {path}: is a directory"),
                        ReadError::Other(error) => return FunctionError { argument: None, ..error },
                    })
                })?;
                context.spend(steps_to_read(content.len()));
                Ok(digest(content.as_slice()).into())
            },
        );
        function.reaching(Capability::Files)
    }

    fn file_set(&self) -> Function {
        let source = self.clone();
        let parameters = [path(), string("pattern").unknown().marked()];
        let function = Function::new(parameters, Type::set(Type::String), move |a, ty| {
            let names = match (a[0].as_str(), a[1].as_str()) {
                (Some(path), Some(pattern)) => match source.base()? {
                    Some(base) => Value::set(Type::String, base.matching(path, pattern)?)?,
                    None => unknown(ty.clone()),
                },
                _ => unknown(ty.clone()),
            };
            Ok(names.with_marks(a[0].marks() | a[1].marks()))
        });
        function.reaching(Capability::Files)
    }

    /// Renders a file with variables. The template may call these functions.
    fn template_file(&self, functions: Functions) -> Function {
        let source = self.clone();
        let parameters = [path(), any("vars").unknown().marked()];
        let function = Function::spending(
            parameters,
            |_| Ok(Type::Dynamic),
            move |a, _, context| {
                let value = match a[0].as_str() {
                    Some(path) if a[1].is_known() => match source.base()? {
                        Some(base) => render_file(base, path, &a[1], &functions, context)?,
                        None => Value::unknown(Type::Dynamic),
                    },
                    _ => Value::unknown(Type::Dynamic),
                };
                Ok(value.with_marks(a[0].marks() | a[1].marks()))
            },
        );
        function.nullable().reaching(Capability::Templates)
    }

    fn absolute_path(&self) -> Function {
        let source = self.clone();
        Function::new([string("path")], Type::String, move |a, _| {
            let Some(base) = source.base()? else { return Ok(Value::unknown(Type::String)) };
            Ok(clean(&base.base.path.join(text(a, 0)).to_string_lossy()).into())
        })
    }

    fn expanded_path(&self) -> Function {
        let source = self.clone();
        Function::new([string("path")], Type::String, move |a, _| {
            let path = text(a, 0);
            // Terraform cleans a path only if it replaces `~`: `pathexpand("a/../b")` stays as it is (Terraform 1.11.4).
            // Without `~` no directory is needed.
            if !path.starts_with('~') {
                return Ok(path.into());
            }
            let expanded = match &source {
                Self::Directory(base) => base.expand(path),
                Self::Absent => return Ok(Value::unknown(Type::String)),
                Self::Nowhere => Err("the home directory is not known here"),
            };
            let expanded = expanded.map_err(FunctionError::new)?;
            Ok(clean(&expanded.to_string_lossy()).into())
        })
    }

    fn add(&self, functions: &mut Functions) {
        let file = |base: &BaseDirectory, path: &str| Ok(read_text(base, path)?.into());
        functions.insert("file", self.function(Type::String, file));
        let encoded =
            |base: &BaseDirectory, path: &str| Ok(BASE64.encode(read(base, path)?.as_slice()).into());
        functions.insert("filebase64", self.function(Type::String, encoded));
        functions.insert("fileexists", self.function(Type::Bool, |base, path| Ok(base.exists(path)?.into())));
        for (name, digest) in DIGESTS {
            let name = match name.strip_prefix("base64") {
                Some(name) => format!("filebase64{name}"),
                None => format!("file{name}"),
            };
            functions.insert(name, self.digest(digest));
        }
        functions.insert("fileset", self.file_set());
        functions.insert("abspath", self.absolute_path());
        functions.insert("pathexpand", self.expanded_path());
        functions.insert("templatefile", self.template_file(functions.clone()));
    }
}

fn path() -> Parameter {
    string("path").unknown().marked()
}

/// The file functions without a directory: they exist, and fail.
pub(super) fn add(functions: &mut Functions) {
    Source::Nowhere.add(functions);
}

impl Functions {
    /// Lets the file functions read from this directory.
    #[must_use]
    pub fn with_files(mut self, base: &BaseDirectory) -> Self {
        Source::Directory(base.clone()).add(&mut self);
        self.base = Some(Arc::new(base.clone()));
        self
    }

    /// Lets the file functions answer with unknown values, because the files are not at hand.
    ///
    /// ```
    /// use objchange_hcl::{Functions, Scope, Variables, evaluate, parse_expression};
    ///
    /// let functions = Functions::pure().clone().without_files();
    /// let expr = parse_expression("file(\"a.txt\")").unwrap();
    /// let (value, errors) = evaluate(&expr, &Scope::new(&Variables::default()), &functions);
    /// assert!(!value.is_known() && errors.is_empty());
    /// ```
    #[must_use]
    pub fn without_files(mut self) -> Self {
        Source::Absent.add(&mut self);
        self
    }

    /// The functions for a module in a directory, relative to the base directory: they may also read files below it. `None` if
    /// they may do so anyway, or may not read files at all.
    #[must_use]
    pub fn in_directory(&self, directory: &str) -> Option<Self> {
        let base = self.base.as_ref()?;
        let real = fs::canonicalize(base.base.path.join(directory)).ok()?;
        if base.roots().any(|root| real.starts_with(&root.path)) {
            return None;
        }
        let base = base.as_ref().clone().allow(real).ok()?;
        Some(self.clone().with_files(&base))
    }
}
