//! Options that commands share.

mod mask;
mod max_input;

pub(crate) use self::mask::MaskArgs;
pub(crate) use self::max_input::MaxInput;
