//! The two sides of a change with what is known about them, ready to be walked.

use super::{Change, Dialect, PathList, Paths, Unknown};
use objchange_document::DocumentError;
use objchange_document::changes::{ChangeValues, PlannedValues, WrittenValues};
use objchange_document::json::{
    Builder, Built, Json, JsonError, Shape, View, fitted_marks, marks_or_all, union_marks,
};

/// The two sides of a change and their marks, wherever they come from.
#[derive(Debug)]
pub struct Sides<'t> {
    /// The value before.
    pub before: Json<'t>,
    /// The value after, as far as it is known.
    pub after: Json<'t>,
    /// The unknown parts of the value after.
    pub unknown: Json<'t>,
    /// The sensitive parts of the value before.
    pub before_sensitive: Json<'t>,
    /// The sensitive parts of the value after.
    pub after_sensitive: Json<'t>,
    /// The paths that force the replacement.
    pub replace: Json<'t>,
}

impl<'t> Sides<'t> {
    /// The paths that force the replacement.
    pub(crate) fn replaced(&self) -> PathList<'_, 't> {
        self.replace.view().elements().iter().map(View::elements).collect()
    }

    pub(crate) fn change<'v>(&'v self, replaced: &'v PathList<'_, 't>, dialect: Dialect) -> Change<'v, 't> {
        Change {
            unknown: Unknown::Marks(self.unknown.view()),
            before_sensitive: self.before_sensitive.view(),
            after_sensitive: self.after_sensitive.view(),
            replace: Paths::places(replaced),
            ..Change::new(self.before.view(), self.after.view(), dialect)
        }
    }
}

impl<'t> Sides<'t> {
    /// Reads the sides of a change, which a document has at this location.
    ///
    /// # Errors
    ///
    /// A part of the change is not JSON, or nests too deep.
    pub fn read(
        document: &str,
        values: &ChangeValues<'t>,
        location: impl Fn() -> String,
    ) -> Result<Self, DocumentError> {
        match values {
            ChangeValues::Written(written) => Self::read_written(document, written, location),
            ChangeValues::Planned(planned) => Ok(Self::from_planned(planned)),
            ChangeValues::Packed { plain, values } => {
                if let Some(sides) = plain.and_then(Self::from_packed) {
                    return Ok(sides);
                }
                let planned =
                    values.unpack().map_err(|error| DocumentError::in_no_text(error.to_string()))?;
                Ok(Self::from_planned(&planned))
            }
        }
    }

    /// Hides on both sides what either has marked, and what other marks of the object say. Where the sides hide as much
    /// already they stay as they are, because that a mark comes or goes is a change, too.
    pub(crate) fn hiding(self, others: Option<View<'_, '_>>) -> Self {
        let own = union_marks(&[self.before_sensitive.view(), self.after_sensitive.view()]);
        let all = match others {
            Some(others) => union_marks(&[own.view(), others]),
            None => own.clone(),
        };
        let marks = all.view();
        // A mark of the other side may lead to nothing here.
        let fitted = |value: &Json<'t>| fitted_marks(marks, value.view(), marks.bool(true));
        let (before, after) = (fitted(&self.before), fitted(&self.after));
        let is_hidden = before.is_none() && after.is_none() && all == own;
        if is_hidden && !marks_below(self.unknown.view(), marks) {
            return self;
        }
        let all = || marks.to_json();
        Self {
            before_sensitive: before.unwrap_or_else(all),
            after_sensitive: after.unwrap_or_else(all),
            ..self
        }
    }

    pub(crate) fn from_planned(planned: &PlannedValues) -> Self {
        Self::from_values(planned.before(), planned.after(), planned.replaced_paths())
    }

    fn read_written(
        document: &str,
        written: &WrittenValues<'t>,
        location: impl Fn() -> String,
    ) -> Result<Self, DocumentError> {
        let placed = |value: Result<Built, JsonError>, part: &str| {
            value.map_err(|error| {
                DocumentError::from_json(&error, document, &format!("{}.{part}", location()))
            })
        };
        let WrittenValues {
            before,
            after,
            after_unknown,
            before_sensitive,
            after_sensitive,
            replace_paths,
            ..
        } = written;
        let parts = [before, after, after_unknown, before_sensitive, after_sensitive, replace_paths];
        let mut builder = Builder::for_values(&parts);
        let (before, after) = builder.read_sides(before, after);
        let (before, after) = (placed(before, "before")?, placed(after, "after")?);
        // Most changes have equal marks on both sides: parse them once.
        let have_same_marks = before_sensitive.text() == after_sensitive.text();
        let before_sensitive = placed(builder.read(before_sensitive), "before_sensitive")?;
        let after_sensitive = match have_same_marks {
            true => before_sensitive,
            false => placed(builder.read(after_sensitive), "after_sensitive")?,
        };
        let unknown = placed(builder.read(after_unknown), "after_unknown")?;
        let replace = placed(builder.read(replace_paths), "replace_paths")?;
        let built = builder.finish();
        let (before, after) = (built(before), built(after));
        Ok(Self {
            // Marks that are no marks hide everything.
            before_sensitive: marks_or_all(built(before_sensitive), &before),
            after_sensitive: marks_or_all(built(after_sensitive), &after),
            before,
            after,
            unknown: built(unknown),
            replace: built(replace),
        })
    }
}

/// Whether a part of something that is wholly unknown is marked. Its mark is lost where that is shown.
fn marks_below(unknown: View<'_, '_>, marks: View<'_, '_>) -> bool {
    match marks.shape() {
        Shape::Object(members) => match unknown.is_bool() {
            true => unknown.is_true() && marks.has_true(),
            false => members
                .iter()
                .any(|(key, marks)| unknown.get(key).is_some_and(|unknown| marks_below(unknown, marks))),
        },
        Shape::Array(elements) => match unknown.is_bool() {
            true => unknown.is_true() && marks.has_true(),
            false => std::iter::zip(elements.iter(), unknown.elements().iter())
                .any(|(marks, unknown)| marks_below(unknown, marks)),
        },
        _ => false,
    }
}
