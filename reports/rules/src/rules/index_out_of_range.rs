//! `index-out-of-range`: an operator is given an index that its table does not have.
//!
//! ## What it reports
//! With `check_indices=1`, an element of an index that is out of range, before the
//! operator runs: which operator and argument, which element, its value, and the bound,
//! at the line that asked for the operator. Checked are the indices of embeddings,
//! `Gather`, the `Scatter` family, `IndexSelect`, `IndexAdd`, `IndexCopy`, `IndexFill`,
//! `Take`, `InplacePut`, `Index` and `IndexPutImpl`, slot mappings of
//! `ScatterPaKvCache`, targets of `NLLLoss`, `CrossEntropyLoss` and
//! `MultilabelMarginLoss`, and the numbers of `OneHot`, `Bincount` and
//! `RepeatInterleave`. Numbers that mean "none" (an ignored class, -1
//! where the operator says so) and negative numbers where they count from the end are
//! valid. One element is reported a launch, the first.
//!
//! The option brings each such index to the host before the launch: it waits for the
//! stream and copies, so that programs run slower and races may hide. If the wait fails,
//! the operator is not launched, and its call returns that error. During a graph
//! capture nothing is checked.
//!
//! ## Why it matters
//! On the device nothing names the mistake. The core stops with 507015 or 507035 at some
//! later call that waits, without an operator or a line; or the address is mapped, and
//! the operator reads or overwrites another tensor.
//!
//! ## Example
//! ```c
//! // 100 rows; the numbers are 7, 42, 100
//! aclnnEmbeddingGetWorkspaceSize(table, numbers, out, &size, &executor);
//! aclnnEmbedding(space, size, executor, stream);   // index-out-of-range: indices[2]
//! ```
//!
//! ## How to fix it
//! Look at what computes the index: a vocabulary larger than the table, classes counted
//! from 1, slots of a cache that has fewer blocks, padding that the operator does not
//! know.
//!
//! ## What it cannot see
//! Operators that the list lacks, and those run by name (`aclopExecute`) or by kernels of
//! the program. Tensors that were created before aclsan was attached. An index of more
//! than 256 MiB. Two indices of one cached plan that have the same address. Block tables
//! whose sequences have their lengths on the device, or none.
//!
//! Source: `aclnnop/*.h` of CANN 8.1 to 9.2, and the operators' pages.

use crate::api::block::AddressInfo;
use crate::api::functions::Call;
use crate::api::indices::{self, Bound, IndexedOperator};
use crate::evidence::finding::Finding;
use crate::evidence::plural::plural;
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::Values;

/// `index-out-of-range`.
pub static RULE: Rule = Rule {
    name: "index-out-of-range",
    severity: Severity::Error,
    summary: "an operator is given an index that its table does not have",
    is_live: true,
    source: include_str!("index_out_of_range.rs"),
};

/// In place of the number of columns: the index has more than two axes.
pub const MANY_AXES: u64 = u64::MAX;
/// In place of an axis: the bound is none's.
pub const NO_AXIS: u64 = u64::MAX;

/// An element was found out of range before `call` ran; `place` is what is at its address. See
/// [`functions`](crate::api::ascend::functions) for the values.
pub fn check(call: &Call, values: &Values, place: &AddressInfo) -> Finding {
    let [
        argument,
        address,
        value,
        least,
        below,
        position,
        columns,
        axis,
    ] = std::array::from_fn(|at| values.get(at));
    let phase = call.function.name;
    let operator = indices::operator(call.function.vendor().indexed_operators, phase);
    let name = phase.strip_suffix("GetWorkspaceSize").unwrap_or(phase);
    let index = named(operator, argument);
    let element = match columns {
        0 => format!("`{index}[{position}]`"),
        MANY_AXES => format!("element {position} of `{index}`"),
        columns => format!("`{index}[{}, {}]`", position / columns, position % columns),
    };
    let bound = bound_of(operator, argument, below.cast_signed(), axis);
    let message = format!(
        "`{name}`: {element} is {}, but {bound}",
        value.cast_signed()
    );
    let valid = match (least.cast_signed(), below.cast_signed()) {
        (_, i64::MAX) => String::new(),
        (_, below) if below <= 0 => "no index is valid".into(),
        (least, below) => format!("valid are {least} to {}", below - 1),
    };
    let mut found = Finding::new(&RULE, call.site, message);
    found = match *place {
        AddressInfo::Live(block, offset) => found.on(address, &block, offset),
        _ => found.at(address),
    };
    if !valid.is_empty() {
        found = found.detail(valid);
    }
    found.advise(
        "checks no index: the core stops at an address that is not mapped, or the operator uses memory of something else",
        "look at what computes the index, before this line",
    )
}

/// The name of an argument.
fn named(operator: Option<&IndexedOperator>, argument: u64) -> String {
    let names = operator.map_or(&[][..], |operator| operator.arguments);
    let name = usize::try_from(argument).ok().and_then(|at| names.get(at));
    name.map_or_else(
        || format!("argument {}", argument.saturating_add(1)),
        ToString::to_string,
    )
}

/// The end of a sentence: why the number is not valid.
fn bound_of(operator: Option<&IndexedOperator>, argument: u64, below: i64, axis: u64) -> String {
    let index = operator.and_then(|operator| {
        let mut indices = operator.indices.iter();
        indices.find(|index| u64::from(index.argument) == argument)
    });
    let of = |argument: u8| named(operator, argument.into());
    let counted = |count: i64, noun| plural(u64::try_from(count).unwrap_or(0), noun);
    let elements = |count| counted(count, "element");
    match index.map(|index| index.bound) {
        Some(Bound::Nothing) => "it must not be negative".into(),
        Some(Bound::Number(_)) if below == i64::MAX => "it must not be negative".into(),
        Some(Bound::Number(of_argument)) => format!("`{}` is {below}", of(of_argument)),
        Some(Bound::Elements(tensor)) => format!("tensor `{}` has {}", of(tensor), elements(below)),
        Some(Bound::Places(tensor)) => {
            format!(
                "tensor `{}` has {}",
                of(tensor),
                elements(below.saturating_sub(1))
            )
        }
        Some(Bound::Slots(cache)) => {
            format!("the cache `{}` has {}", of(cache), counted(below, "slot"))
        }
        Some(Bound::Blocks { cache, .. }) => {
            format!("the cache `{}` has {}", of(cache), counted(below, "block"))
        }
        Some(Bound::Rows(tensor)) => format!("`{}` has {}", of(tensor), counted(below, "row")),
        Some(Bound::PlacesOfRows(tensor)) => {
            let rows = counted(below.saturating_sub(1), "row");
            format!("`{}` has {rows}", of(tensor))
        }
        Some(
            Bound::Axis(tensor, _)
            | Bound::AxisOf(tensor, _)
            | Bound::Classes(tensor)
            | Bound::AxisOfPlace(tensor),
        ) if axis != NO_AXIS => {
            format!("axis {axis} of `{}` has {}", of(tensor), elements(below))
        }
        _ => format!("the first number that is too large is {below}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn message(function: &str, values: [i64; 8]) -> String {
        let values = Values::new(&values.map(i64::cast_unsigned));
        let place = AddressInfo::Live(device_block(0x1000, 64), 16);
        let found = check(&call(function), &values, &place);
        assert_eq!(found.block.map(|(_, offset)| offset), Some(16));
        found.message
    }

    #[test]
    fn the_element_its_value_and_the_bound_are_named() {
        assert_eq!(
            message(
                "aclnnEmbeddingGetWorkspaceSize",
                [1, 0x1010, 100, 0, 100, 2, 0, 0]
            ),
            "`aclnnEmbedding`: `indices[2]` is 100, but axis 0 of `weight` has 100 elements"
        );
        assert_eq!(
            message(
                "aclnnGatherGetWorkspaceSize",
                [2, 0x1010, -8, -7, 7, 11, 4, 1]
            ),
            "`aclnnGather`: `index[2, 3]` is -8, but axis 1 of `self` has 7 elements"
        );
        assert_eq!(
            message(
                "aclnnTakeGetWorkspaceSize",
                [1, 0x1010, 1, -1, 1, 11, -1, -1]
            ),
            "`aclnnTake`: element 11 of `index` is 1, but tensor `self` has 1 element"
        );
        assert_eq!(
            message(
                "aclnnOneHotGetWorkspaceSize",
                [0, 0x1010, 9, 0, 9, 0, 0, -1]
            ),
            "`aclnnOneHot`: `self[0]` is 9, but `numClasses` is 9"
        );
        assert_eq!(
            message(
                "aclnnEmbeddingBagGetWorkspaceSize",
                [2, 0x1010, 9, 0, 9, 1, 0, -1]
            ),
            "`aclnnEmbeddingBag`: `offsets[1]` is 9, but tensor `indices` has 8 elements"
        );
        assert_eq!(
            message(
                "aclnnScatterPaKvCacheGetWorkspaceSize",
                [2, 0x1010, 64, 0, 64, 1, 0, -1]
            ),
            "`aclnnScatterPaKvCache`: `slotMapping[1]` is 64, but the cache `keyCacheRef` has 64 slots"
        );
        assert_eq!(
            message(
                "aclnnFusedInferAttentionScoreV3GetWorkspaceSize",
                [2, 0x1010, 5, 0, 5, 4, 3, 0]
            ),
            "`aclnnFusedInferAttentionScoreV3`: `blockTable[1, 1]` is 5, but the cache `key` has 5 blocks"
        );
        assert_eq!(
            message(
                "aclnnMoeTokenUnpermuteGetWorkspaceSize",
                [1, 0x1010, 8, 0, 8, 7, 0, -1]
            ),
            "`aclnnMoeTokenUnpermute`: `sortedIndices[7]` is 8, but `permutedTokens` has 8 rows"
        );
        assert_eq!(
            message(
                "aclnnGroupedMatmulV4GetWorkspaceSize",
                [1, 0x1010, 5, 0, 5, 1, 0, -1]
            ),
            "`aclnnGroupedMatmulV4`: `groupList[1]` is 5, but `x` has 4 rows"
        );
        assert_eq!(
            message(
                "aclnnMoeInitRoutingV2GetWorkspaceSize",
                [0, 0x1010, -1, 0, i64::MAX, 0, 0, -1]
            ),
            "`aclnnMoeInitRoutingV2`: `expertIdx[0]` is -1, but it must not be negative"
        );
        assert_eq!(
            message(
                "aclnnRepeatInterleaveGetWorkspaceSize",
                [1, 0x1010, -1, 0, i64::MAX, 0, 0, -1]
            ),
            "`aclnnRepeatInterleave`: `repeats[0]` is -1, but it must not be negative"
        );
    }

    #[test]
    fn an_argument_that_no_contract_knows_is_numbered() {
        assert_eq!(
            message(
                "aclnnEmbeddingGetWorkspaceSize",
                [7, 0x1010, 100, 0, 100, 2, 0, 0]
            ),
            "`aclnnEmbedding`: `argument 8[2]` is 100, but the first number that is too large is 100"
        );
    }
}
