//! Operators of CANN that take indices. Names and order of arguments: `aclnnop/*.h` of CANN 8.1 to 9.2; ranges: the operators' pages of the
//! same versions. Where a page is silent about negative numbers, they count from the end here, as no valid call may be reported.

use crate::api::indices::{Bound, Bound::*, IndexArgument, IndexedOperator, NoIndex};

/// An index whose numbers are valid from 0 on.
const fn at(argument: u8, bound: Bound) -> IndexArgument {
    IndexArgument {
        argument,
        bound,
        wraps: false,
        none: NoIndex::Never,
        when: &[],
    }
}

/// The same; negative numbers count from the end.
const fn wrapping(argument: u8, bound: Bound) -> IndexArgument {
    IndexArgument {
        wraps: true,
        ..at(argument, bound)
    }
}

/// The same; a number is skipped.
const fn but(argument: u8, bound: Bound, none: NoIndex) -> IndexArgument {
    IndexArgument {
        none,
        ..at(argument, bound)
    }
}

const fn row(
    function: &'static str,
    arguments: &'static [&'static str],
    indices: &'static [IndexArgument],
) -> IndexedOperator {
    IndexedOperator {
        function,
        arguments,
        positions: &[],
        indices,
    }
}

/// The same, for arguments at such positions.
const fn row_of(
    function: &'static str,
    arguments: &'static [&'static str],
    positions: &'static [u8],
    indices: &'static [IndexArgument],
) -> IndexedOperator {
    IndexedOperator {
        positions,
        ..row(function, arguments, indices)
    }
}

/// By the axis that argument 1 names.
const ALONG: &[IndexArgument] = &[wrapping(2, AxisOf(0, 1))];
const LOSS: &[&str] = &["self", "target", "weight", "reduction", "ignoreIndex"];
const LOSS_BACKWARD: &[&str] = &[
    "gradOutput",
    "self",
    "target",
    "weight",
    "reduction",
    "ignoreIndex",
];
const CLASS: &[IndexArgument] = &[but(1, Classes(0), NoIndex::Argument(4))];
const CLASS_BACKWARD: &[IndexArgument] = &[but(2, Classes(1), NoIndex::Argument(5))];

const PAGED: &[&str] = &["key", "actualSeqLengthsKv", "blockTable", "blockSize"];
const BLOCK: &[IndexArgument] = &[at(
    2,
    Blocks {
        cache: 0,
        lengths: 1,
        size: 3,
    },
)];
const ROUTED: &[&str] = &["expertIdx", "expertNum"];
const EXPERT: &[IndexArgument] = &[at(0, Number(1))];
const GROUPED: &[&str] = &["x", "groupList", "groupType", "groupListType"];
/// Groups of rows, whose list has ends or counts; one of pairs has no contract.
const GROUPS: &[IndexArgument] = &[
    IndexArgument {
        when: &[(2, 0), (3, 0)],
        ..at(1, PlacesOfRows(0))
    },
    IndexArgument {
        when: &[(2, 0), (3, 1)],
        ..at(1, PlacesOfRows(0))
    },
];

#[rustfmt::skip] // a table
pub const OPERATORS: &[IndexedOperator] = &[
    row("aclnnEmbeddingGetWorkspaceSize", &["weight", "indices"], &[at(1, Axis(0, 0))]),
    row("aclnnEmbeddingBagGetWorkspaceSize", &["weight", "indices", "offsets"], &[at(1, Axis(0, 0)), at(2, Places(1))]),
    row("aclnnEmbeddingDenseBackwardGetWorkspaceSize", &["grad", "indices", "numWeights"], &[at(1, Number(2))]),
    row("aclnnEmbeddingRenormGetWorkspaceSize", &["selfRef", "indices"], &[at(1, Axis(0, 0))]),
    row("aclnnGatherGetWorkspaceSize", &["self", "dim", "index"], ALONG),
    row("aclnnScatterGetWorkspaceSize", &["self", "dim", "index"], ALONG),
    row("aclnnInplaceScatterGetWorkspaceSize", &["selfRef", "dim", "index"], ALONG),
    row("aclnnScatterValueGetWorkspaceSize", &["self", "dim", "index"], ALONG),
    row("aclnnInplaceScatterValueGetWorkspaceSize", &["selfRef", "dim", "index"], ALONG),
    row("aclnnScatterAddGetWorkspaceSize", &["self", "dim", "index"], ALONG),
    row("aclnnScatterReduceGetWorkspaceSize", &["self", "dim", "index"], ALONG),
    row("aclnnInplaceScatterReduceGetWorkspaceSize", &["selfRef", "dim", "index"], ALONG),
    row("aclnnIndexSelectGetWorkspaceSize", &["self", "dim", "index"], ALONG),
    row("aclnnIndexAddGetWorkspaceSize", &["self", "dim", "index"], ALONG),
    row("aclnnIndexCopyGetWorkspaceSize", &["self", "dim", "index"], ALONG),
    row("aclnnInplaceIndexCopyGetWorkspaceSize", &["selfRef", "dim", "index"], ALONG),
    row("aclnnIndexFillGetWorkspaceSize", &["self", "dim", "index"], ALONG),
    row("aclnnInplaceIndexFillGetWorkspaceSize", &["selfRef", "dim", "index"], ALONG),
    row("aclnnTakeGetWorkspaceSize", &["self", "index"], &[wrapping(1, Elements(0))]),
    row("aclnnInplacePutGetWorkspaceSize", &["selfRef", "index"], &[wrapping(1, Elements(0))]),
    row("aclnnIndexGetWorkspaceSize", &["self", "indices"], &[wrapping(1, AxisOfPlace(0))]),
    row("aclnnIndexPutImplGetWorkspaceSize", &["selfRef", "indices"], &[wrapping(1, AxisOfPlace(0))]),
    row("aclnnScatterPaKvCacheGetWorkspaceSize", &["key", "keyCacheRef", "slotMapping"], &[but(2, Slots(1), NoIndex::Number(-1))]),
    row_of("aclnnIncreFlashAttentionV4GetWorkspaceSize", &["key", "actualSeqLengths", "blocktable", "blockSize"], &[1, 5, 13, 18], BLOCK),
    row_of("aclnnFusedInferAttentionScoreV2GetWorkspaceSize", PAGED, &[1, 6, 14, 31], BLOCK),
    row_of("aclnnFusedInferAttentionScoreV3GetWorkspaceSize", PAGED, &[1, 6, 14, 34], BLOCK),
    row_of("aclnnFusedInferAttentionScoreV4GetWorkspaceSize", PAGED, &[1, 6, 14, 36], BLOCK),
    row_of("aclnnMoeInitRoutingV2GetWorkspaceSize", ROUTED, &[1, 4], EXPERT),
    row_of("aclnnMoeInitRoutingV3GetWorkspaceSize", ROUTED, &[1, 6], EXPERT),
    row("aclnnMoeComputeExpertTokensGetWorkspaceSize", &["sortedExperts", "numExperts"], EXPERT),
    row("aclnnMoeTokenPermuteGetWorkspaceSize", &["tokens", "indices"], &[at(1, Nothing)]),
    row("aclnnMoeTokenUnpermuteGetWorkspaceSize", &["permutedTokens", "sortedIndices"], &[at(1, Rows(0))]),
    row_of("aclnnMoeFinalizeRoutingV2GetWorkspaceSize", &["expandedX", "expandedRowIdx", "bias", "expertIdx"], &[0, 1, 4, 6], &[but(1, Rows(0), NoIndex::Number(-1)), at(3, Axis(2, 0))]),
    row_of("aclnnGroupedMatmulV4GetWorkspaceSize", GROUPED, &[0, 8, 13, 14], GROUPS),
    row_of("aclnnGroupedMatmulV5GetWorkspaceSize", GROUPED, &[0, 8, 13, 14], GROUPS),
    row("aclnnNLLLossGetWorkspaceSize", LOSS, CLASS),
    row("aclnnNLLLoss2dGetWorkspaceSize", LOSS, CLASS),
    row("aclnnNLLLossBackwardGetWorkspaceSize", LOSS_BACKWARD, CLASS_BACKWARD),
    row("aclnnNLLLoss2dBackwardGetWorkspaceSize", LOSS_BACKWARD, CLASS_BACKWARD),
    row("aclnnCrossEntropyLossGetWorkspaceSize", &["input", "target", "weight", "reduction", "ignoreIndex"], CLASS),
    row("aclnnMultilabelMarginLossGetWorkspaceSize", &["self", "target"], &[but(1, Axis(0, -1), NoIndex::Number(-1))]),
    row("aclnnOneHotGetWorkspaceSize", &["self", "numClasses"], &[at(0, Number(1))]),
    row("aclnnBincountGetWorkspaceSize", &["self", "weights", "minlength", "out"], &[at(0, Elements(3))]),
    row("aclnnRepeatInterleaveGetWorkspaceSize", &["self", "repeats"], &[at(1, Nothing)]),
    row("aclnnRepeatInterleaveWithDimGetWorkspaceSize", &["self", "repeats"], &[at(1, Nothing)]),
];
