//! Globs in arguments: quoted ones, and those that a shell leaves as they are.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

const SPECIAL: [char; 4] = ['*', '?', '[', '{'];

/// A glob over paths.
pub(crate) struct PathGlob {
    matcher: GlobMatcher,
    /// The part without special characters, in which everything is that may match; `.` where there is none.
    pub(crate) folder: PathBuf,
    is_here: bool,
    /// The number of levels below the folder at which something may match.
    pub(crate) depth: usize,
}

impl PathGlob {
    /// The text of a glob, if an argument is one. A file or directory of exactly this name comes first.
    pub(crate) fn text_of(argument: &Path) -> Option<&str> {
        argument.to_str().filter(|text| text.contains(SPECIAL) && !argument.exists())
    }

    /// Parses a glob, whose `*` matches no `/`.
    pub(crate) fn parse(text: &str) -> Result<Self, globset::Error> {
        let matcher = GlobBuilder::new(text).literal_separator(true).build()?.compile_matcher();
        let path = Path::new(text);
        let is_plain = |component: &Component<'_>| !component.as_os_str().to_string_lossy().contains(SPECIAL);
        let folder: PathBuf = path.components().take_while(is_plain).collect();
        // Alternatives in braces may have slashes. Any other glob matches at one depth, and large trees are not walked below
        // it.
        let depth = match text.contains("**") || text.contains('{') {
            true => usize::MAX,
            false => path.components().count() - folder.components().count(),
        };
        let is_here = folder.as_os_str().is_empty();
        let folder = if is_here { PathBuf::from(".") } else { folder };
        Ok(Self { matcher, folder, is_here, depth })
    }

    /// Whether a path below the folder matches.
    pub(crate) fn is_match(&self, path: &Path) -> bool {
        self.matcher.is_match(if self.is_here { path.strip_prefix(".").unwrap_or(path) } else { path })
    }
}
