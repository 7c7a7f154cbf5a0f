//! The two sides of a change with what is known about them, ready to be walked.

use super::{Change, PathList, Paths, Unknown};
use crate::json::{Json, View};

/// The two sides of a change and their marks, wherever they come from.
pub(crate) struct Sides<'t> {
    pub(crate) before: Json<'t>,
    pub(crate) after: Json<'t>,
    pub(crate) unknown: Json<'t>,
    pub(crate) before_sensitive: Json<'t>,
    pub(crate) after_sensitive: Json<'t>,
    /// The paths that force the replacement.
    pub(crate) replace: Json<'t>,
}

impl<'t> Sides<'t> {
    /// The paths that force the replacement.
    pub(crate) fn replaced(&self) -> PathList<'_, 't> {
        self.replace.view().elements().iter().map(View::elements).collect()
    }

    pub(crate) fn change<'v>(&'v self, replaced: &'v PathList<'_, 't>) -> Change<'v, 't> {
        Change {
            unknown: Unknown::Marks(self.unknown.view()),
            before_sensitive: self.before_sensitive.view(),
            after_sensitive: self.after_sensitive.view(),
            replace: Paths::places(replaced),
            ..Change::new(self.before.view(), self.after.view())
        }
    }
}
