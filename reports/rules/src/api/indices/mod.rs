//! Operators with arguments that are numbers of rows, classes or slots: their contracts, and what breaks them.
//!
//! A contract is a row of the vendor's table. Phase one resolves it: shapes and numbers of that call become a [`Check`] for each argument
//! that is an index. Before the operator runs, the elements are held to it.

mod view;

use super::tensor;
pub use view::{Axes, View};
use view::{BOOL, integer, integer_size};

/// An operator that takes indices.
pub struct IndexedOperator {
    /// The function of phase one.
    pub function: &'static str,
    /// Names of its arguments that a contract needs, in order.
    pub arguments: &'static [&'static str],
    /// Their positions among all, without floating-point ones, which are passed apart; empty: from the first on.
    pub positions: &'static [u8],
    /// Those of them that are indices.
    pub indices: &'static [IndexArgument],
}

/// An argument that is an index: a tensor of integers, or a list of them with one for each axis.
pub struct IndexArgument {
    /// Its place in [`IndexedOperator::arguments`], as all numbers of arguments here.
    pub argument: u8,
    /// The numbers that it may have.
    pub bound: Bound,
    /// Whether numbers from the negative of the bound on count from the end.
    pub wraps: bool,
    /// A value that the operator ignores, such as an ignored class or padding.
    pub none: NoIndex,
    /// Arguments, and the numbers that they must be: in other calls it is no index, or has other bounds.
    pub when: &'static [(u8, i64)],
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
    /// The blocks of a paged cache, the first axis of the first tensor of a list. Of each row of the table, only the blocks are read that a
    /// sequence's length fills.
    Blocks {
        /// The list.
        cache: u8,
        /// The array of lengths: one for each row, or one for all.
        lengths: u8,
        /// The number of slots of a block.
        size: u8,
    },
    /// The rows of a tensor, all its axes but the last; or the elements of the index itself, if these are more: rows may have been dropped.
    Rows(u8),
    /// One more than the rows of the first tensor of a list: a place between them.
    PlacesOfRows(u8),
    /// An argument, if it is positive; else any number that is not negative.
    Number(u8),
    /// None: any number that is not negative.
    Nothing,
}

/// A value that the operator ignores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoIndex {
    /// There is none.
    Never,
    /// This number.
    Number(i64),
    /// The number that an argument says.
    Argument(u8),
}

/// Descriptions of what a call's arguments are, by their handles.
pub trait Objects {
    /// A tensor.
    fn view(&self, tensor: u64) -> Option<View>;
    /// The tensors of a list.
    fn list(&self, list: u64) -> Option<Box<[u64]>>;
    /// The numbers of an array.
    fn array(&self, array: u64) -> Option<Box<[i64]>>;
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
    /// Of a table, the elements of each row that are used, the rest being anything. One number is for all rows.
    pub used: Option<Box<[i64]>>,
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

impl IndexedOperator {
    /// The checks of one call, whose arguments are `words`. An index whose tensor or bound is unknown has no check.
    pub fn checks(&self, words: &[u64], objects: &impl Objects) -> Vec<Check> {
        let mut checks = Vec::new();
        let word = |argument: u8| words.get(usize::from(argument)).copied();
        let is_so =
            |&(argument, number): &(u8, i64)| word(argument) == Some(number.cast_unsigned());
        for index in self.indices {
            if !index.when.iter().all(is_so) {
                continue;
            }
            let handle = word(index.argument);
            let tensors = match index.bound {
                Bound::AxisOfPlace(_) => handle.and_then(|list| objects.list(list)),
                _ => handle.map(|tensor| [tensor].into()),
            };
            let mut place = 0;
            for tensor in tensors.unwrap_or_default() {
                let Some(view) = objects.view(tensor) else {
                    break; // Of a list, which axes those after it number is unknown.
                };
                // A mask takes as many axes as it has.
                let is_mask = view.data_type == BOOL && !view.sizes.contains(&0);
                let taken = if is_mask { view.sizes.len() } else { 1 };
                checks.extend(index.check(words, tensor, view, place, objects));
                place += taken;
            }
        }
        checks
    }
}

impl IndexArgument {
    fn check(
        &self,
        words: &[u64],
        tensor: u64,
        view: View,
        place: usize,
        objects: &impl Objects,
    ) -> Option<Check> {
        view.bytes()?;
        let word = |argument: u8| words.get(usize::from(argument)).copied();
        let tensor_at = |argument| objects.view(word(argument)?);
        let first_of = |list| objects.view(*objects.list(word(list)?)?.first()?);
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
        let elements = |sizes: &[i64]| i64::try_from(tensor::elements(sizes)).ok();
        let rows = |tensor: View| elements(tensor.sizes.split_last()?.1);
        let mut used = None;
        let (below, axis) = match self.bound {
            Bound::Axis(of, axis) => along(of, axis.into())?,
            Bound::AxisOf(of, axis) => along(of, word(axis)?.cast_signed())?,
            Bound::Classes(of) => along(of, i64::from(tensor_at(of)?.sizes.len() > 1))?,
            Bound::AxisOfPlace(of) => along(of, place as i64)?,
            Bound::Elements(of) => (elements(&tensor_at(of)?.sizes)?, None),
            Bound::Places(of) => (elements(&tensor_at(of)?.sizes)?.checked_add(1)?, None),
            Bound::Slots(of) => match tensor_at(of)?.sizes[..] {
                [blocks, one, other, _] => (blocks.checked_mul(one.max(other))?, None),
                _ => return None,
            },
            Bound::Blocks {
                cache,
                lengths,
                size,
            } => {
                let lengths = objects.array(word(lengths)?)?;
                used = Some(blocks_of_rows(&lengths, word(size)?.cast_signed(), &view)?);
                (*first_of(cache)?.sizes.first()?, Some(0))
            }
            Bound::Rows(of) => (rows(tensor_at(of)?)?.max(elements(&view.sizes)?), None),
            Bound::PlacesOfRows(of) => (rows(first_of(of)?)?.checked_add(1)?, None),
            Bound::Number(of) => match word(of)?.cast_signed() {
                number @ 1.. => (number, None),
                _ => (i64::MAX, None),
            },
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
            used,
        })
    }
}

/// The blocks that sequences of such lengths fill, for each row of the table. `None` unless there is a length for each row, or one for all.
fn blocks_of_rows(lengths: &[i64], size: i64, table: &View) -> Option<Box<[i64]>> {
    let &[rows, _] = &table.sizes[..] else {
        return None;
    };
    let is_known = size > 0 && (lengths.len() == 1 || lengths.len() as i64 == rows);
    let blocks = |&length: &i64| length.max(0) / size + i64::from(length.max(0) % size > 0);
    is_known.then(|| lengths.iter().map(blocks).collect())
}

impl Check {
    /// The first element out of range; `bytes` are those that [`View::bytes`] says.
    pub fn broken_by(&self, bytes: &[u8]) -> Option<OutOfRange> {
        let view = &self.view;
        let size = integer_size(view.data_type)? as usize;
        let (first, _) = view.bytes()?;
        // An axis without a stride repeats the same elements.
        let axes = view.sizes.iter().zip(&view.strides);
        let once: Axes = axes
            .map(|(&size, &stride)| if stride == 0 { size.min(1) } else { size })
            .collect();
        let mut at: Axes = once.iter().map(|_| 0).collect();
        for _ in 0..tensor::elements(&once) {
            let steps = at.iter().zip(&view.strides).map(|(at, stride)| at * stride);
            let from = steps.sum::<i64>() as usize * size;
            let value = integer(view.data_type, bytes.get(from..from + size)?);
            let is_valid = self.least <= value && value < self.below;
            if !is_valid && Some(value) != self.none && self.is_used(&at) {
                let places = at.iter().zip(&view.sizes);
                let position = places.fold(0u64, |position, (&at, &size)| {
                    let rows = position.wrapping_mul(size.cast_unsigned());
                    rows.wrapping_add(at.cast_unsigned())
                });
                let offset = first + from as u64;
                return Some(OutOfRange {
                    position,
                    offset,
                    value,
                });
            }
            // The next one in row-major order.
            for (at, &size) in at.iter_mut().zip(&once).rev() {
                *at += 1;
                if *at < size {
                    break;
                }
                *at = 0;
            }
        }
        None
    }

    fn is_used(&self, at: &[i64]) -> bool {
        let Some((used, &[row, column])) = self.used.as_ref().zip(at.first_chunk()) else {
            return true;
        };
        let of_row = used.get(row as usize).or(used.first());
        of_row.is_some_and(|&used| column < used)
    }
}

#[cfg(test)]
mod tests;
