//! The entries of a section, made one at a time on demand, so that not all of a large document is in
//! memory at once.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use serde::{Serialize, Serializer};

use super::{ReportAction, ShowError};
use crate::diff::Diff;

/// An entry of a section: its header and its diff.
#[derive(Debug, Clone, Serialize)]
pub struct ReportEntry<'p, H> {
    /// The text about it.
    #[serde(flatten)]
    pub header: H,
    /// Its difference, with the parts that are not shown marked as hidden.
    pub diff: Diff<'p>,
    /// The actions that are invoked before this change, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions_before: Vec<ReportAction<'p>>,
    /// The actions that are invoked after this change, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions_after: Vec<ReportAction<'p>>,
}

impl<'p, H> ReportEntry<'p, H> {
    /// An entry that has no actions.
    pub fn new(header: H, diff: Diff<'p>) -> Self {
        Self { header, diff, actions_before: Vec::new(), actions_after: Vec::new() }
    }
}

/// The entries of a section, in the order of the page.
pub struct Entries<'p, H>(Repr<'p, H>);

enum Repr<'p, H> {
    Made(Vec<ReportEntry<'p, H>>),
    Asked { len: usize, header: Box<dyn Fn(usize) -> H + 'p>, body: Box<dyn Fn(usize) -> Body<'p> + 'p> },
}

/// An entry before its header is known; `None` if nothing is shown.
type Body<'p> = Result<Option<ReportEntry<'p, ()>>, ShowError>;

impl<'p> From<Diff<'p>> for ReportEntry<'p, ()> {
    fn from(diff: Diff<'p>) -> Self {
        Self::new((), diff)
    }
}

impl<'p, H: Clone> Entries<'p, H> {
    /// Entries of these things, of those that have a body.
    pub(super) fn new<T: Copy + 'p, B: Into<ReportEntry<'p, ()>>>(
        things: Vec<T>,
        header: impl Fn(T) -> H + 'p,
        body: impl Fn(T) -> Result<Option<B>, ShowError> + 'p,
    ) -> Self {
        let things: Rc<[T]> = things.into();
        let (len, same) = (things.len(), Rc::clone(&things));
        let (header, body) =
            (move |i: usize| header(things[i]), move |i: usize| Ok(body(same[i])?.map(Into::into)));
        Self(Repr::Asked { len, header: Box::new(header), body: Box::new(body) })
    }

    /// Whether the section has nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn len(&self) -> usize {
        match &self.0 {
            Repr::Made(entries) => entries.len(),
            Repr::Asked { len, .. } => *len,
        }
    }

    /// The text above each entry, without reading values; for drift also of entries that turn out not to
    /// matter.
    pub fn headers(&self) -> impl Iterator<Item = Cow<'_, H>> {
        (0..self.len()).map(|index| match &self.0 {
            Repr::Made(entries) => Cow::Borrowed(&entries[index].header),
            Repr::Asked { header, .. } => Cow::Owned(header(index)),
        })
    }

    /// The entries, each made when it is asked for.
    pub fn iter(&self) -> impl Iterator<Item = Result<Cow<'_, ReportEntry<'p, H>>, ShowError>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// The entry of the header at this place, if it makes one.
    pub(crate) fn get(&self, index: usize) -> Option<Result<Cow<'_, ReportEntry<'p, H>>, ShowError>> {
        match &self.0 {
            Repr::Made(entries) => Some(Ok(Cow::Borrowed(&entries[index]))),
            Repr::Asked { header, body, .. } => {
                let body = body(index).transpose()?;
                let entry = |ReportEntry { diff, actions_before, actions_after, .. }| {
                    Cow::Owned(ReportEntry { header: header(index), diff, actions_before, actions_after })
                };
                Some(body.map(entry))
            }
        }
    }
}

impl<H> Default for Entries<'_, H> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<'p, H> From<Vec<ReportEntry<'p, H>>> for Entries<'p, H> {
    fn from(entries: Vec<ReportEntry<'p, H>>) -> Self {
        Self(Repr::Made(entries))
    }
}

impl<H: Clone + fmt::Debug> fmt::Debug for Entries<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<H: Clone + Serialize> Serialize for Entries<'_, H> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::{Error, SerializeSeq};
        let mut list = serializer.serialize_seq(None)?;
        for entry in self.iter() {
            list.serialize_element(&entry.map_err(Error::custom)?)?;
        }
        list.end()
    }
}
