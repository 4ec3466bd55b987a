//! Tensors whose elements are read: which bytes hold them, and the numbers in these.

use crate::api::{dtype, tensor};
use smallvec::SmallVec;

/// `ACL_BOOL`.
pub(super) const BOOL: u64 = 12;

/// Sizes or strides of a tensor.
pub type Axes = SmallVec<[i64; 8]>;

/// A tensor as its creator describes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// Where its storage begins.
    pub address: u64,
    /// Elements along each axis.
    pub sizes: Axes,
    /// Elements from one to the next along each axis.
    pub strides: Axes,
    /// Elements before the first.
    pub offset: i64,
    /// Its `aclDataType`.
    pub data_type: u64,
}

impl View {
    /// The bytes from its address on that its elements are within: the first, and their number. `None` if it has none, or is no tensor of
    /// integers with steps forward.
    pub fn bytes(&self) -> Option<(u64, u64)> {
        let size = integer_size(self.data_type)?;
        let first = u64::try_from(self.offset).ok()?;
        let reach = tensor::reach(&self.sizes, Some(&self.strides), self.offset);
        let count = reach.checked_sub(first).filter(|&count| count > 0)?;
        Some((first.checked_mul(size)?, count.checked_mul(size)?))
    }
}

/// Bytes of an element of a type of integers that indices have; `None` for other types.
pub(super) fn integer_size(data_type: u64) -> Option<u64> {
    let is_integer = matches!(data_type, 2 | 3 | 4 | 6 | 7 | 8 | 9 | 10);
    is_integer.then(|| dtype::size(data_type)).flatten()
}

/// The number in little-endian bytes of a type of integers; unsigned ones beyond an `i64` are its largest.
pub(super) fn integer(data_type: u64, bytes: &[u8]) -> i64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let (word, unused) = (u64::from_le_bytes(word), 64 - 8 * bytes.len() as u32);
    match data_type {
        4 | 7 | 8 | 10 => i64::try_from(word).unwrap_or(i64::MAX),
        _ => (word << unused).cast_signed() >> unused,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub const INT32: u64 = 3;
    pub const INT64: u64 = 9;

    pub fn view(sizes: &[i64], strides: &[i64], offset: i64, data_type: u64) -> View {
        View {
            address: 0x1000,
            sizes: sizes.into(),
            strides: strides.into(),
            offset,
            data_type,
        }
    }

    #[test]
    fn what_has_no_elements_or_no_integers_is_not_checked() {
        assert_eq!(view(&[0, 4], &[4, 1], 0, INT64).bytes(), None);
        assert_eq!(view(&[4], &[1], 0, 0).bytes(), None); // floats
        assert_eq!(view(&[4], &[1], 0, BOOL).bytes(), None);
        assert_eq!(view(&[4], &[-1], 3, INT64).bytes(), None);
        assert_eq!(view(&[i64::MAX, 4], &[4, 1], 0, INT64).bytes(), None);
        assert_eq!(view(&[], &[], 0, INT64).bytes(), Some((0, 8)));
    }

    #[test]
    fn narrow_integers_keep_their_sign_and_wide_ones_are_too_large() {
        assert_eq!(integer(INT32, &(-1i32).to_le_bytes()), -1);
        assert_eq!(integer(8, &u32::MAX.to_le_bytes()), i64::from(u32::MAX));
        assert_eq!(integer(4, &[255]), 255);
        assert_eq!(integer(2, &[255]), -1);
        assert_eq!(integer(10, &u64::MAX.to_le_bytes()), i64::MAX);
    }
}
