//! Operators with arguments that are numbers of rows, classes or slots: their contracts, and what breaks them.
//!
//! A contract is a row of the vendor's table. Phase one resolves it: shapes and numbers of that call become a [`Check`] for each argument
//! that is an index. Before the operator runs, the elements are held to it.

use super::dtype;
use smallvec::SmallVec;

/// An operator that takes indices.
pub struct IndexedOperator {
    /// The function of phase one.
    pub function: &'static str,
    /// Names of its arguments up to the last one that a contract needs, without floating-point ones, which are passed apart.
    pub arguments: &'static [&'static str],
    /// Which of them are indices.
    pub indices: &'static [IndexArgument],
}

/// An argument that is an index: a tensor of integers, or a list of them with one for each axis.
pub struct IndexArgument {
    /// Its position among the arguments.
    pub argument: u8,
    /// The numbers that it may have.
    pub bound: Bound,
    /// Whether numbers from the negative of the bound on count from the end.
    pub wraps: bool,
    /// A number that stands for none.
    pub none: NoIndex,
}

/// Below which number indices are valid. All are at least 0, but for those that wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The size of a tensor along an axis; negative axes count from the end.
    Axis(u8, i8),
    /// The size of a tensor along the axis that another argument names.
    AxisOf(u8, u8),
    /// The size of a tensor along the axis of classes: the second one, or the only one.
    Classes(u8),
    /// The size of a tensor along the axis that is the index's place in its list.
    AxisOfPlace(u8),
    /// The elements of a tensor.
    Elements(u8),
    /// One more than the elements of a tensor: a place between them.
    Places(u8),
    /// The slots of a paged cache, `[blocks, slots of a block, …]`, or with a layout in fractals `[blocks, …, slots of a block, …]`: the
    /// larger product, as nothing tells the layouts apart.
    Slots(u8),
    /// An argument.
    Number(u8),
    /// None: any number that is not negative.
    Nothing,
}

/// An index that is none, and is skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoIndex {
    /// There is none.
    Never,
    /// This number.
    Number(i64),
    /// The number that an argument says.
    Argument(u8),
}

/// The operator whose first phase has that name.
pub fn operator(
    operators: &'static [IndexedOperator],
    function: &str,
) -> Option<&'static IndexedOperator> {
    operators
        .iter()
        .find(|operator| operator.function == function)
}

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

/// What the elements of an index must be, in one call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Which argument it is.
    pub argument: u8,
    /// The tensor's handle.
    pub tensor: u64,
    /// The tensor.
    pub view: View,
    /// The least valid number.
    pub least: i64,
    /// The first number beyond the valid ones.
    pub below: i64,
    /// The axis that the index numbers, if it is one.
    pub axis: Option<u8>,
    /// A number that is skipped.
    pub none: Option<i64>,
}

/// An element that is out of range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfRange {
    /// Its place in row-major order.
    pub position: u64,
    /// Bytes from the tensor's address to it.
    pub offset: u64,
    /// Its value.
    pub value: i64,
}

impl View {
    fn elements(&self) -> Option<u64> {
        let sizes = self.sizes.iter();
        sizes
            .copied()
            .try_fold(1u64, |all, size| all.checked_mul(u64::try_from(size).ok()?))
    }

    /// The bytes from its address on that its elements are within: the first, and their number. `None` if it has none, or is no tensor of
    /// integers with steps forward.
    pub fn bytes(&self) -> Option<(u64, u64)> {
        let size = integer_size(self.data_type)?;
        let first = u64::try_from(self.offset).ok()?;
        let axes = self.sizes.iter().zip(&self.strides);
        let reach = axes.clone().try_fold(1u64, |reach, (&size, &stride)| {
            let steps = u64::try_from(size).ok()?.checked_sub(1)?;
            reach.checked_add(steps.checked_mul(u64::try_from(stride).ok()?)?)
        })?;
        (axes.len() == self.sizes.len())
            .then_some((first.checked_mul(size)?, reach.checked_mul(size)?))
    }
}

/// Bytes of an element of a type of integers that indices have; `None` for other types.
fn integer_size(data_type: u64) -> Option<u64> {
    let is_integer = matches!(data_type, 2 | 3 | 4 | 6 | 7 | 8 | 9 | 10);
    is_integer.then(|| dtype::size(data_type)).flatten()
}

/// The number in little-endian bytes of a type of integers; unsigned ones beyond an `i64` are its largest.
fn integer(data_type: u64, bytes: &[u8]) -> i64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    let (word, unused) = (u64::from_le_bytes(word), 64 - 8 * bytes.len() as u32);
    match data_type {
        4 | 7 | 8 | 10 => i64::try_from(word).unwrap_or(i64::MAX),
        _ => (word << unused).cast_signed() >> unused,
    }
}

impl IndexedOperator {
    /// The checks of one call, given its arguments' words and what is known of the tensors and lists among them. Indices of which too
    /// little is known have none.
    pub fn checks(
        &self,
        words: &[u64],
        view_of: impl Fn(u64) -> Option<View>,
        list_of: impl Fn(u64) -> Option<Box<[u64]>>,
    ) -> Vec<Check> {
        let mut checks = Vec::new();
        for index in self.indices {
            let word = words.get(usize::from(index.argument)).copied();
            let tensors = match index.bound {
                Bound::AxisOfPlace(_) => word.and_then(&list_of).unwrap_or_default(),
                _ => word.into_iter().collect(),
            };
            let mut place = 0;
            for tensor in tensors {
                let Some(view) = view_of(tensor) else {
                    break; // Of a list, which axes those after it number is unknown.
                };
                // A mask takes as many axes as it has.
                let is_mask = view.data_type == BOOL && !view.sizes.contains(&0);
                let taken = if is_mask { view.sizes.len() } else { 1 };
                checks.extend(index.check(words, tensor, view, place, &view_of));
                place += taken;
            }
        }
        checks
    }
}

/// `ACL_BOOL`.
const BOOL: u64 = 12;

impl IndexArgument {
    fn check(
        &self,
        words: &[u64],
        tensor: u64,
        view: View,
        place: usize,
        view_of: &impl Fn(u64) -> Option<View>,
    ) -> Option<Check> {
        view.bytes()?;
        let word = |argument: u8| words.get(usize::from(argument)).copied();
        let tensor_at = |argument| view_of(word(argument)?);
        let along = |argument, axis: i64| {
            let sizes = tensor_at(argument)?.sizes;
            let rank = sizes.len().max(1) as i64;
            let axis = if axis < 0 { axis + rank } else { axis };
            let at = usize::try_from(axis).ok()?;
            // A number alone is a vector of one.
            let size = if sizes.is_empty() && at == 0 {
                1
            } else {
                *sizes.get(at)?
            };
            Some((size, Some(u8::try_from(at).ok()?)))
        };
        let elements = |argument| i64::try_from(tensor_at(argument)?.elements()?).ok();
        let (below, axis) = match self.bound {
            Bound::Axis(of, axis) => along(of, axis.into())?,
            Bound::AxisOf(of, axis) => along(of, word(axis)?.cast_signed())?,
            Bound::Classes(of) => along(of, i64::from(tensor_at(of)?.sizes.len() > 1))?,
            Bound::AxisOfPlace(of) => along(of, place as i64)?,
            Bound::Elements(of) => (elements(of)?, None),
            Bound::Places(of) => (elements(of)?.checked_add(1)?, None),
            Bound::Slots(of) => match tensor_at(of)?.sizes[..] {
                [blocks, one, other, _] => (blocks.checked_mul(one.max(other))?, None),
                _ => return None,
            },
            Bound::Number(of) => (word(of)?.cast_signed(), None),
            Bound::Nothing => (i64::MAX, None),
        };
        Some(Check {
            argument: self.argument,
            tensor,
            view,
            least: if self.wraps { below.checked_neg()? } else { 0 },
            below,
            axis,
            none: match self.none {
                NoIndex::Never => None,
                NoIndex::Number(none) => Some(none),
                NoIndex::Argument(none) => Some(word(none)?.cast_signed()),
            },
        })
    }
}

impl Check {
    /// The first element out of range; `bytes` are those that [`View::bytes`] says.
    pub fn broken_by(&self, bytes: &[u8]) -> Option<OutOfRange> {
        let view = &self.view;
        let size = integer_size(view.data_type)? as usize;
        let (first, _) = view.bytes()?;
        let mut at: SmallVec<[i64; 8]> = view.sizes.iter().map(|_| 0).collect();
        for position in 0..view.elements()? {
            let steps = at.iter().zip(&view.strides).map(|(at, stride)| at * stride);
            let from = steps.sum::<i64>() as usize * size;
            let value = integer(view.data_type, bytes.get(from..from + size)?);
            let is_valid = self.least <= value && value < self.below;
            if !is_valid && Some(value) != self.none {
                let offset = first + from as u64;
                return Some(OutOfRange {
                    position,
                    offset,
                    value,
                });
            }
            // The next one in row-major order.
            for (at, &size) in at.iter_mut().zip(&view.sizes).rev() {
                *at += 1;
                if *at < size {
                    break;
                }
                *at = 0;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT32: u64 = 3;
    const INT64: u64 = 9;

    fn view(sizes: &[i64], strides: &[i64], offset: i64, data_type: u64) -> View {
        View {
            address: 0x1000,
            sizes: sizes.into(),
            strides: strides.into(),
            offset,
            data_type,
        }
    }

    fn check(view: View, least: i64, below: i64, none: Option<i64>) -> Check {
        Check {
            argument: 1,
            tensor: 2,
            view,
            least,
            below,
            axis: Some(0),
            none,
        }
    }

    fn words(numbers: &[i64]) -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    #[test]
    fn the_first_element_out_of_range_is_found_with_its_place() {
        let rows = check(view(&[2, 2], &[2, 1], 0, INT64), 0, 100, None);
        assert_eq!(rows.broken_by(&words(&[0, 99, 5, 7])), None);
        let found = rows.broken_by(&words(&[0, 99, 100, -1])).unwrap();
        assert_eq!((found.position, found.offset, found.value), (2, 16, 100));
    }

    #[test]
    fn numbers_count_from_the_end_where_they_wrap_and_none_is_skipped() {
        let vector = || view(&[3], &[1], 0, INT64);
        assert_eq!(
            check(vector(), -4, 4, None).broken_by(&words(&[-4, 3, 0])),
            None
        );
        let found = check(vector(), -4, 4, None)
            .broken_by(&words(&[-4, -5, 0]))
            .unwrap();
        assert_eq!((found.position, found.value), (1, -5));
        assert_eq!(
            check(vector(), 0, 4, Some(-100)).broken_by(&words(&[-100, 3, 0])),
            None
        );
        assert!(
            check(vector(), 0, 4, Some(-1))
                .broken_by(&words(&[-100, 3, 0]))
                .is_some()
        );
    }

    /// A transposed view after an offset: elements 1, 3, 5 and 2, 4, 6 of seven.
    #[test]
    fn strides_and_the_offset_are_followed() {
        let turned = view(&[2, 3], &[1, 2], 1, INT32);
        assert_eq!(turned.bytes(), Some((4, 24)));
        let stored: Vec<u8> = [1i32, 2, 9, 4, 5, 6]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let found = check(turned, 0, 8, None).broken_by(&stored).unwrap();
        // Row 0 is 1, 9, 5.
        assert_eq!((found.position, found.offset, found.value), (1, 12, 9));
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

    const GATHER: IndexedOperator = IndexedOperator {
        function: "gather",
        arguments: &["self", "dim", "index"],
        indices: &[IndexArgument {
            argument: 2,
            bound: Bound::AxisOf(0, 1),
            wraps: true,
            none: NoIndex::Never,
        }],
    };
    const INDEX: IndexedOperator = IndexedOperator {
        function: "index",
        arguments: &["self", "indices"],
        indices: &[IndexArgument {
            argument: 1,
            bound: Bound::AxisOfPlace(0),
            wraps: true,
            none: NoIndex::Never,
        }],
    };

    #[test]
    fn slots_of_a_cache_are_those_of_the_larger_layout() {
        const CACHE: IndexedOperator = IndexedOperator {
            function: "cache",
            arguments: &["cache", "slots"],
            indices: &[IndexArgument {
                argument: 1,
                bound: Bound::Slots(0),
                wraps: false,
                none: NoIndex::Number(-1),
            }],
        };
        let below = |sizes: &[i64]| {
            let cache = view(sizes, &[1; 4][..sizes.len()], 0, 1);
            let views = |tensor| {
                if tensor == 1 {
                    Some(cache.clone())
                } else {
                    views(tensor)
                }
            };
            let checks = CACHE.checks(&[1, 2], views, |_| None);
            checks.first().map(|check| check.below)
        };
        assert_eq!(below(&[10, 128, 8, 64]), Some(1280));
        assert_eq!(below(&[10, 32, 128, 16]), Some(1280));
        assert_eq!(below(&[10, 128, 8]), None);
    }

    fn views(tensor: u64) -> Option<View> {
        match tensor {
            1 => Some(view(&[5, 6, 7], &[42, 7, 1], 0, 0)),
            2 => Some(view(&[2], &[1], 0, INT64)),
            3 => Some(view(&[5, 6], &[6, 1], 0, BOOL)),
            4 => Some(view(&[0], &[1], 0, 0)),
            _ => None,
        }
    }

    #[test]
    fn an_axis_comes_from_the_call() {
        for (axis, size) in [(0, 5), (-1, 7), (1, 6)] {
            let [found] = &GATHER.checks(&[1, i64::cast_unsigned(axis), 2], views, |_| None)[..]
            else {
                panic!("one index");
            };
            assert_eq!((found.least, found.below), (-size, size));
        }
        // An axis that there is not, a tensor that nobody has seen.
        assert!(GATHER.checks(&[1, 3, 2], views, |_| None).is_empty());
        assert!(GATHER.checks(&[9, 0, 2], views, |_| None).is_empty());
        assert!(GATHER.checks(&[1, 0, 9], views, |_| None).is_empty());
    }

    #[test]
    fn indices_of_a_list_number_the_axes_that_masks_and_holes_leave() {
        let bounds = |list: &[u64]| {
            let list: Box<[u64]> = list.into();
            let checks = INDEX.checks(&[1, 7], views, move |handle| {
                (handle == 7).then(|| list.clone())
            });
            checks
                .iter()
                .map(|check| (check.axis, check.below))
                .collect::<Vec<_>>()
        };
        assert_eq!(bounds(&[2, 2]), [(Some(0), 5), (Some(1), 6)]);
        assert_eq!(bounds(&[4, 2]), [(Some(1), 6)]);
        assert_eq!(bounds(&[3, 2]), [(Some(2), 7)]);
        assert_eq!(bounds(&[2, 9, 2]), [(Some(0), 5)]);
    }
}
