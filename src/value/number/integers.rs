//! Numbers from integers of the program.

use super::Number;
use super::Repr::Int;
use super::binary::Precision;

macro_rules! from_small_integer {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Number {
            fn from(value: $ty) -> Self {
                Self(Int(value.into(), Precision::INTEGER))
            }
        }
    )*};
}

from_small_integer!(i8, i16, i32, i64, u8, u16, u32);

macro_rules! from_large_integer {
    ($($ty:ty),*) => {$(
        impl From<$ty> for Number {
            fn from(value: $ty) -> Self {
                match i64::try_from(value) {
                    Ok(int) => Self(Int(int, Precision::INTEGER)),
                    // `u128::from(usize)` does not exist; the cast loses no bits.
                    Err(_) => Self::from_u128(false, value as u128),
                }
            }
        }
    )*};
}

from_large_integer!(u64, u128, usize);

impl From<isize> for Number {
    fn from(value: isize) -> Self {
        // At most 64 bits wide on every platform.
        Self(Int(value as i64, Precision::INTEGER))
    }
}

impl From<i128> for Number {
    fn from(value: i128) -> Self {
        Self::from_u128(value < 0, value.unsigned_abs())
    }
}
