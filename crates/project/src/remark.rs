//! How a library that is still at work says something.

use objchange_text::Notice;

/// Gets notices as soon as there is something to say.
pub type Remarks<'r> = dyn Fn(Notice) + 'r;
