//! Files of one directory and those below it.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use data_encoding::BASE64;
use objchange::{Type, Value};

use super::glob::{self, BadPattern};
use super::hashing::DIGESTS;
use super::limits::{MAX_ELEMENTS, MAX_TEXT};
use super::paths::clean;
use super::{Answer, any, string, text, unknown};
use crate::eval::forms::{RenderError, render};
use crate::function::{Function, FunctionError, Functions, Reach};
use crate::syntax::parse_template;

/// The directory whose files functions may read: what is not in it or below does not exist for them, whatever path
/// or symbolic link leads there.
///
/// Whoever can change the directory while a function runs can still lead it astray.
#[derive(Debug, Clone)]
pub struct BaseDirectory(Arc<Path>);

impl BaseDirectory {
    /// This directory.
    ///
    /// # Errors
    ///
    /// It cannot be found.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self(fs::canonicalize(path)?.into()))
    }

    /// Where a path leads, if not out of the directory.
    fn resolve(&self, path: &str) -> io::Result<PathBuf> {
        let path = fs::canonicalize(self.0.join(path))?;
        match path.starts_with(&self.0) {
            true => Ok(path),
            false => Err(io::Error::new(io::ErrorKind::NotFound, "the path leads out of the base directory")),
        }
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let wrong = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => format!("there is no file {path:?} in the base directory or below"),
            _ => format!("the file {path:?} cannot be read: {error}"),
        };
        let place = self.resolve(path).map_err(wrong)?;
        // Others, such as pipes, might never end.
        if !place.is_file() {
            return Err(format!("{path:?} is no file"));
        }
        let mut content = Vec::new();
        File::open(place).map_err(wrong)?.take(MAX_TEXT as u64 + 1).read_to_end(&mut content).map_err(wrong)?;
        if content.len() > MAX_TEXT {
            return Err(format!("the file {path:?} has more than 64 MiB"));
        }
        Ok(content)
    }

    /// Whether there is a file; an error if there is something else.
    fn exists(&self, path: &str) -> Result<bool, FunctionError> {
        match self.resolve(path) {
            Ok(place) if place.is_file() => Ok(true),
            Ok(_) => Err(FunctionError::new(format!("{path:?} is no file"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(FunctionError::new(format!("{path:?} cannot be looked at: {error}"))),
        }
    }

    /// The names of the files that match a pattern, relative to a directory.
    fn matching(&self, directory: &str, pattern: &str) -> Result<BTreeSet<String>, FunctionError> {
        let pattern = clean(&format!("{directory}/{pattern}").trim_start_matches(if directory.is_empty() { "/" } else { "" }));
        let directory = clean(directory);
        let mut walk = Walk { base: self, found: BTreeSet::new(), visited: 0 };
        let parts: Vec<&str> = pattern.split('/').collect();
        walk.search(String::new(), &parts)?;
        let relative = |found: &String| relative(&directory, found);
        Ok(walk.found.iter().map(relative).collect())
    }
}

/// The way from one clean path to another.
fn relative(from: &str, to: &str) -> String {
    let parts = |path: &str| path.split('/').filter(|part| *part != ".").map(str::to_owned).collect::<Vec<_>>();
    let (from, to) = (parts(from), parts(to));
    let common = std::iter::zip(&from, &to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - common);
    up.chain(to[common..].iter().cloned()).collect::<Vec<_>>().join("/")
}

/// A search for files.
struct Walk<'b> {
    base: &'b BaseDirectory,
    found: BTreeSet<String>,
    visited: usize,
}

impl Walk<'_> {
    /// Goes on from a path by the rest of a pattern.
    fn search(&mut self, path: String, parts: &[&str]) -> Result<(), FunctionError> {
        self.visited += 1;
        if self.visited > MAX_ELEMENTS {
            return Err(FunctionError::new("there are more than 1048576 files and directories to look at"));
        }
        let Some((part, rest)) = parts.split_first() else {
            if self.base.resolve(&path).is_ok_and(|place| place.is_file()) {
                self.found.insert(path);
            }
            return Ok(());
        };
        let join = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        if *part == "**" {
            // No directory, or one and perhaps more. At the end it is any file.
            if rest.is_empty() {
                self.search(path.clone(), &["*"])?;
            } else {
                self.search(path.clone(), rest)?;
            }
            for name in self.names(&path) {
                let below = join(&name);
                // Links are not followed, which might lead around in circles.
                let is_directory = fs::symlink_metadata(self.base.0.join(&below)).is_ok_and(|found| found.is_dir());
                if is_directory {
                    self.search(below, parts)?;
                }
            }
            return Ok(());
        }
        if !part.contains(['*', '?', '[', '{', '\\']) {
            return match self.base.resolve(&join(part)) {
                Ok(_) => self.search(join(part), rest),
                Err(_) => Ok(()),
            };
        }
        for name in self.names(&path) {
            match glob::matches(part, &name) {
                Ok(true) => self.search(join(&name), rest)?,
                Ok(false) => {}
                Err(BadPattern) => return Err(FunctionError::new("the pattern is not valid")),
            }
        }
        Ok(())
    }

    /// What is in a directory, in order.
    fn names(&self, path: &str) -> Vec<String> {
        let Ok(entries) = self.base.resolve(path).and_then(fs::read_dir) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}

/// The content of the file that the first argument names.
fn read(base: &BaseDirectory, path: &str) -> Result<Vec<u8>, FunctionError> {
    base.read(path).map_err(|message| FunctionError::argument(0, message))
}

fn render_file(base: &BaseDirectory, path: &str, variables: &Value, functions: &Functions) -> Answer {
    let text = String::from_utf8(read(base, path)?);
    let text = text.map_err(|_| FunctionError::new(format!("the file {path:?} is not text in UTF-8")))?;
    let template = parse_template(&text).map_err(|errors| {
        let first = errors.first().map_or_else(String::new, ToString::to_string);
        FunctionError::new(format!("the file {path:?} is no template: {first}"))
    })?;
    let value = render(&template, variables, functions, Reach::Files).map_err(|error| match error {
        RenderError::Variables(message) => FunctionError::argument(1, message),
        RenderError::Failed(message) => FunctionError::new(message),
    })?;
    if value.is_null() { Err(FunctionError::new("the template gives null")) } else { Ok(value) }
}

impl Functions {
    /// The same functions, and those that read files, from this directory.
    #[must_use]
    pub fn with_files(mut self, base: &BaseDirectory) -> Self {
        let path = || string("path").unknown().marked();
        let content = |ty: Type, read: fn(&BaseDirectory, &str) -> Answer| {
            let base = base.clone();
            Function::new([path()], ty, move |a, ty| {
                let answer = match a[0].as_str() {
                    Some(path) => read(&base, path)?,
                    None => unknown(ty.clone()),
                };
                Ok(answer.with_marks(a[0].marks()))
            })
            .reaching(Reach::Files)
        };
        self.insert("file", content(Type::String, |base, path| {
            let text = String::from_utf8(read(base, path)?);
            text.map(Value::from).map_err(|_| FunctionError::new(format!("the file {path:?} is not text in UTF-8")))
        }));
        self.insert("filebase64", content(Type::String, |base, path| Ok(BASE64.encode(&read(base, path)?).into())));
        self.insert("fileexists", content(Type::Bool, |base, path| Ok(base.exists(path)?.into())));
        for (name, digest) in DIGESTS {
            let base = base.clone();
            let name = match name.strip_prefix("base64") {
                Some(name) => format!("filebase64{name}"),
                None => format!("file{name}"),
            };
            let hash = Function::new([string("path")], Type::String, move |a, _| {
                Ok(digest(&base.read(text(a, 0)).map_err(FunctionError::new)?).into())
            });
            self.insert(name, hash.reaching(Reach::Files));
        }
        let of = base.clone();
        let pattern = string("pattern").unknown().marked();
        let set = Function::new([path(), pattern], Type::set(Type::String), move |a, ty| {
            let names = match (a[0].as_str(), a[1].as_str()) {
                (Some(path), Some(pattern)) => Value::set(Type::String, of.matching(path, pattern)?)?,
                _ => unknown(ty.clone()),
            };
            Ok(names.with_marks(a[0].marks() | a[1].marks()))
        });
        self.insert("fileset", set.reaching(Reach::Files));
        let plain = self.clone();
        let of = base.clone();
        let parameters = [path(), any("vars").unknown().marked()];
        let template = Function::typed_by(parameters, |_| Ok(Type::Dynamic), move |a, _| {
            let value = match a[0].as_str() {
                Some(path) if a[1].is_known() => render_file(&of, path, &a[1], &plain)?,
                _ => Value::unknown(Type::Dynamic),
            };
            Ok(value.with_marks(a[0].marks() | a[1].marks()))
        });
        self.insert("templatefile", template.nullable().reaching(Reach::Templates));
        let of = base.clone();
        let absolute = Function::new([string("path")], Type::String, move |a, _| {
            Ok(clean(&of.0.join(text(a, 0)).to_string_lossy()).into())
        });
        self.insert("abspath", absolute);
        self
    }
}
