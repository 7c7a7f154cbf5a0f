//! The longest common subsequence of values.

use std::hash::{Hash, Hasher};

use super::subsequence::common_subsequence;
use crate::value::Value;

/// The elements of `xs` that a list shares with `ys`, in order, as many as possible.
///
/// Two elements are equal if they are definitely equal, marks aside, and carry equally many distinct marks.
/// If there are several longest subsequences, the result is Terraform's choice; [`common_subsequence`]
/// describes it, and the cost.
///
/// ```
/// use objchange::Value;
/// use objchange::change::longest_common_subsequence;
///
/// let values = |s: &str| s.chars().map(|c| Value::from(c.to_string())).collect::<Vec<_>>();
/// assert_eq!(longest_common_subsequence(&values("abcd"), &values("acxd")), values("acd"));
/// ```
#[doc(alias = "LongestCommonSubsequence")]
pub fn longest_common_subsequence(xs: &[Value], ys: &[Value]) -> Vec<Value> {
    common_subsequence(&keys(xs), &keys(ys)).into_iter().map(|(i, _)| xs[i].clone()).collect()
}

fn keys(values: &[Value]) -> Vec<Key<'_>> {
    values.iter().map(Key::new).collect()
}

/// A value as the equality of subsequences sees it.
struct Key<'v> {
    value: &'v Value,
    /// How many distinct marks it carries at any depth.
    marks: usize,
}

impl<'v> Key<'v> {
    fn new(value: &'v Value) -> Self {
        Self { value, marks: value.marks_deep().len() }
    }
}

/// An element that is not wholly known equals only itself: the same element of the same list.
impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        if !self.value.is_wholly_known() || !other.value.is_wholly_known() {
            return std::ptr::eq(self.value, other.value);
        }
        self.marks == other.marks && self.value.definitely_equals(other.value)
    }
}

impl Eq for Key<'_> {}

impl Hash for Key<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.value.content_hash());
        state.write_usize(self.marks);
        if !self.value.is_wholly_known() {
            state.write_usize(std::ptr::from_ref(self.value) as usize);
        }
    }
}
