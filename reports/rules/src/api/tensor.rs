//! How far a tensor reaches: the arithmetic of shapes and strides.

use crate::api::dtype;
use aclsan_log::Values;
use smallvec::SmallVec;

/// The number of elements from the tensor's first byte up to and including the last one that a view touches: 1 more
/// than `offset` and the sum of `(dimension - 1) * stride`. Without strides, those of a dense view. 0 for a view
/// without elements, and if it cannot be computed: a negative number, or one beyond all memory.
pub fn reach(dimensions: &[i64], strides: Option<&[i64]>, offset: i64) -> u64 {
    let counted = || {
        let mut last = u64::try_from(offset).ok()?;
        let mut dense: u64 = 1;
        for (axis, &dimension) in dimensions.iter().enumerate().rev() {
            let dimension = u64::try_from(dimension).ok()?;
            let stride = match strides {
                Some(strides) => u64::try_from(*strides.get(axis)?).ok()?,
                None => dense,
            };
            let steps = dimension.checked_sub(1)?;
            last = last.checked_add(steps.checked_mul(stride)?)?;
            dense = dense.checked_mul(dimension)?;
        }
        last.checked_add(1)
    };
    counted().unwrap_or(0)
}

/// Whether a view has every element from its first byte on exactly once, in any order: no offset, no gaps, no
/// repetition.
pub fn is_solid(dimensions: &[i64], strides: Option<&[i64]>, offset: i64) -> bool {
    let Some(strides) = strides else {
        return offset == 0;
    };
    if offset != 0 || strides.len() != dimensions.len() {
        return false;
    }
    let axes = || strides.iter().copied().zip(dimensions.iter().copied());
    let dense = |next: i64, (stride, dimension): (i64, i64)| {
        let is_next = dimension == 1 || stride == next && dimension > 0;
        is_next.then(|| next.checked_mul(dimension)).flatten()
    };
    // As they mostly are, the innermost last; a transposed one after sorting.
    if axes().rev().try_fold(1, dense).is_some() {
        return true;
    }
    let mut sorted: SmallVec<[(i64, i64); 8]> = axes().collect();
    sorted.sort_unstable();
    sorted.into_iter().try_fold(1, dense).is_some()
}

/// How a view is recorded: 0 with gaps, 1 if it is solid, 2 if it is solid from its offset on; and the offset, in elements,
/// in the last case.
pub fn solidity(dimensions: &[i64], strides: Option<&[i64]>, offset: i64) -> [u64; 2] {
    match (is_solid(dimensions, strides, 0), u64::try_from(offset)) {
        (true, Ok(0)) => [1, 0],
        (true, Ok(offset)) => [2, offset],
        _ => [0, 0],
    }
}

/// Elements of a shape; 0 if there are none or the number cannot be computed.
pub fn elements(dimensions: &[i64]) -> u64 {
    let counted = dimensions.iter().try_fold(1u64, |product, &dimension| {
        product.checked_mul(u64::try_from(dimension).ok()?)
    });
    counted.unwrap_or(0)
}

/// Properties of a tensor regardless of its address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Elements up to the last one of its view: [`reach`].
    pub reach: u64,
    /// Elements of its storage.
    pub storage: u64,
    /// Its `aclDataType`.
    pub data_type: u64,
    /// Its `aclFormat`.
    pub format: u64,
    /// [`is_solid`]; older logs do not record it.
    pub is_solid: bool,
    /// Where it is solid.
    pub density: Density,
}

/// Whether a view has gaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Density {
    /// The log does not say.
    Unknown,
    /// It has, or elements more than once.
    Gaps,
    /// It is solid from this element on, up to its last.
    From(u64),
}

impl Shape {
    /// The shape from the values of `aclCreateTensor` and `aclInitTensor`.
    pub fn of(values: &Values) -> Self {
        Self {
            reach: values.get(2),
            storage: values.get(3),
            data_type: values.get(4),
            format: values.get(5),
            is_solid: values.get(6) == 1,
            density: match values.get(6) {
                1 => Density::From(0),
                2 => Density::From(values.get(7)),
                _ if values.all().len() > 6 => Density::Gaps,
                _ => Density::Unknown,
            },
        }
    }

    /// The bytes that it takes from its address on. `None` if that is unknown.
    ///
    /// In plain formats, where the strides say where elements are, that is the view: programs write anything into the
    /// storage shape there (ggml-cann once passed bytes), and nothing reads it. In private formats the view's shape
    /// says nothing about the layout, but the storage's does.
    pub fn extent(&self) -> Option<u64> {
        let elements = if self.is_plain() {
            self.reach
        } else {
            self.storage
        };
        elements.checked_mul(dtype::size(self.data_type)?)
    }

    /// The bytes that it touches, each of them: how many after its address they begin, and their number. `None` where it
    /// has gaps, is empty, or nothing is known.
    pub fn range(&self) -> Option<(u64, u64)> {
        let size = dtype::size(self.data_type)?;
        let is_whole = self.reach == self.storage;
        let (first, last) = match self.density {
            _ if !self.is_plain() => is_whole.then_some((0, self.storage))?,
            Density::From(first) => (first, self.reach),
            // One that is as large as its storage rarely has gaps.
            Density::Unknown => is_whole.then_some((0, self.reach))?,
            Density::Gaps => return None,
        };
        let count = last.checked_sub(first).filter(|&count| count > 0)?;
        Some((first.checked_mul(size)?, count.checked_mul(size)?))
    }

    /// NCHW, NHWC, ND, HWCN, NDHWC, NCDHW, NC, NCL, and no format at all.
    fn is_plain(&self) -> bool {
        matches!(
            self.format as u32 as i32,
            -1 | 0 | 1 | 2 | 16 | 27 | 30 | 35 | 47
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dense_view_reaches_all_its_elements() {
        assert_eq!(reach(&[2, 3, 4], None, 0), 24);
        assert_eq!(reach(&[2, 3, 4], Some(&[12, 4, 1]), 6), 30);
        assert_eq!(reach(&[], None, 2), 3); // a scalar
    }

    #[test]
    fn a_view_reaches_its_last_element_and_no_further() {
        assert_eq!(reach(&[3, 2], Some(&[1, 3]), 0), 6); // a transpose
        assert_eq!(reach(&[2, 2], Some(&[8, 1]), 0), 10); // columns of a wider matrix
        assert_eq!(reach(&[1000, 4], Some(&[0, 1]), 0), 4); // broadcast
    }

    #[test]
    fn only_what_has_every_element_once_is_solid() {
        assert!(is_solid(&[2, 3, 4], None, 0));
        assert!(is_solid(&[2, 3, 4], Some(&[12, 4, 1]), 0));
        assert!(is_solid(&[3, 2], Some(&[1, 3]), 0)); // a transpose
        assert!(is_solid(&[1, 4], Some(&[99, 1]), 0)); // a row
        assert!(is_solid(&[], Some(&[]), 0));
        assert!(!is_solid(&[2, 2], Some(&[8, 1]), 0)); // columns of a wider matrix
        assert!(!is_solid(&[2, 2], Some(&[0, 3]), 0)); // 4 elements that reach 4, and are two
        assert!(!is_solid(&[4], Some(&[1]), 2));
        assert!(!is_solid(&[4], Some(&[]), 0));
        assert!(!is_solid(&[4, 4], Some(&[-4, 1]), 0));
        assert!(!is_solid(&[i64::MAX, i64::MAX], Some(&[i64::MAX, 1]), 0));
    }

    #[test]
    fn a_range_is_what_a_view_touches_and_nothing_else() {
        let range = |view: &[i64], strides: &[i64], offset| {
            let [solid, first] = solidity(view, Some(strides), offset);
            let reach = reach(view, Some(strides), offset);
            Shape::of(&Values::new(&[1, 0x1000, reach, 32, 0, 2, solid, first])).range()
        };
        assert_eq!(range(&[4, 8], &[8, 1], 0), Some((0, 128)));
        assert_eq!(range(&[2, 8], &[8, 1], 16), Some((64, 64))); // two rows of four
        assert_eq!(range(&[8, 2], &[1, 8], 16), Some((64, 64))); // the same, transposed
        assert_eq!(range(&[4, 4], &[8, 1], 0), None); // half of each row
        assert_eq!(range(&[2, 8], &[16, 1], 8), None); // every second row, to the last byte of the storage
        assert_eq!(range(&[0, 8], &[8, 1], 8), None);
        assert_eq!(range(&[2], &[1], -1), None);
    }

    #[test]
    fn what_has_no_elements_or_is_unknown_reaches_nowhere() {
        assert_eq!(reach(&[4, 0], None, 7), 0);
        assert_eq!(reach(&[4, 4], Some(&[-4, 1]), 12), 0);
        assert_eq!(reach(&[i64::MAX, i64::MAX], None, 0), 0);
        assert_eq!(reach(&[4], Some(&[]), 0), 0);
        assert_eq!(elements(&[3, -1]), 0);
    }

    #[test]
    fn the_storage_counts_in_private_formats_alone() {
        let plain = Shape {
            reach: 6,
            storage: 24,
            data_type: 0,
            format: 2,
            is_solid: true,
            density: Density::From(0),
        };
        assert_eq!(plain.extent(), Some(24));
        assert_eq!(
            Shape {
                format: 29,
                ..plain
            }
            .extent(),
            Some(96)
        );
        assert_eq!(
            Shape {
                data_type: 29,
                ..plain
            }
            .extent(),
            None
        );
    }
}
