//! Notes and warnings that accompany a result.

/// A note or a warning that accompanies a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// What else there is to know about the answer.
    Note(String),
    /// What is wrong, although the work goes on.
    Error(String),
    /// What the answer does not show, or cannot be relied on for.
    Warning(String),
}

/// Gets remarks as soon as there is something to say.
pub type Remarks<'r> = dyn Fn(Remark) + 'r;
