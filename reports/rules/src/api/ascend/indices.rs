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

/// The blocks of a paged cache that sequences fill: positions of the table, the list of caches, the lengths and the size of a block.
const fn blocks(table: u8, cache: u8, lengths: u8, size: u8) -> [IndexArgument; 1] {
    [at(
        table,
        Blocks {
            cache,
            lengths,
            size,
        },
    )]
}

const fn row(
    function: &'static str,
    arguments: &'static [&'static str],
    indices: &'static [IndexArgument],
) -> IndexedOperator {
    IndexedOperator {
        function,
        arguments,
        indices,
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

/// Arguments of grouped products up to the kind of their list of groups: ends, counts, or (without a contract) pairs.
const GROUPED: &[&str] = &[
    "x",
    "weight",
    "bias",
    "scale",
    "offset",
    "antiquantScale",
    "antiquantOffset",
    "perTokenScale",
    "groupList",
    "activationInput",
    "activationQuantScale",
    "activationQuantOffset",
    "splitItem",
    "groupType",
    "groupListType",
];
/// Groups of rows, whose list has ends or counts.
const GROUPS: &[IndexArgument] = &[
    IndexArgument {
        when: &[(13, 0), (14, 0)],
        ..at(8, PlacesOfRows(0))
    },
    IndexArgument {
        when: &[(13, 0), (14, 1)],
        ..at(8, PlacesOfRows(0))
    },
];

#[rustfmt::skip] // as wide as the prototypes
mod attention {
    pub const INCREMENTAL: &[&str] = &[
        "query", "key", "value", "pseShift", "attenMask", "actualSeqLengths", "dequantScale1", "quantScale1", "dequantScale2", "quantScale2",
        "quantOffset2", "antiquantScale", "antiquantOffset", "blocktable", "kvPaddingSize", "numHeads", "inputLayout", "numKeyValueHeads",
        "blockSize",
    ];
    pub const V2: &[&str] = &[
        "query", "key", "value", "pseShift", "attenMask", "actualSeqLengths", "actualSeqLengthsKv", "deqScale1", "quantScale1", "deqScale2",
        "quantScale2", "quantOffset2", "antiquantScale", "antiquantOffset", "blockTable", "queryPaddingSize", "kvPaddingSize",
        "keyAntiquantScale", "keyAntiquantOffset", "valueAntiquantScale", "valueAntiquantOffset", "keySharedPrefix", "valueSharedPrefix",
        "actualSharedPrefixLen", "numHeads", "preTokens", "nextTokens", "inputLayout", "numKeyValueHeads", "sparseMode", "innerPrecise",
        "blockSize",
    ];
    pub const V3: &[&str] = &[
        "query", "key", "value", "pseShift", "attenMask", "actualSeqLengths", "actualSeqLengthsKv", "deqScale1", "quantScale1", "deqScale2",
        "quantScale2", "quantOffset2", "antiquantScale", "antiquantOffset", "blockTable", "queryPaddingSize", "kvPaddingSize",
        "keyAntiquantScale", "keyAntiquantOffset", "valueAntiquantScale", "valueAntiquantOffset", "keySharedPrefix", "valueSharedPrefix",
        "actualSharedPrefixLen", "queryRope", "keyRope", "keyRopeAntiquantScale", "numHeads", "preTokens", "nextTokens", "inputLayout",
        "numKeyValueHeads", "sparseMode", "innerPrecise", "blockSize",
    ];
    pub const V4: &[&str] = &[
        "query", "key", "value", "pseShift", "attenMask", "actualSeqLengths", "actualSeqLengthsKv", "deqScale1", "quantScale1", "deqScale2",
        "quantScale2", "quantOffset2", "antiquantScale", "antiquantOffset", "blockTable", "queryPaddingSize", "kvPaddingSize",
        "keyAntiquantScale", "keyAntiquantOffset", "valueAntiquantScale", "valueAntiquantOffset", "keySharedPrefix", "valueSharedPrefix",
        "actualSharedPrefixLen", "queryRope", "keyRope", "keyRopeAntiquantScale", "dequantScaleQuery", "learnableSink", "numHeads",
        "preTokens", "nextTokens", "inputLayout", "numKeyValueHeads", "sparseMode", "innerPrecise", "blockSize",
    ];
}

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
    row("aclnnIndexFillTensorGetWorkspaceSize", &["self", "dim", "index"], ALONG),
    row("aclnnInplaceIndexFillTensorGetWorkspaceSize", &["selfRef", "dim", "index"], ALONG),
    row("aclnnTakeGetWorkspaceSize", &["self", "index"], &[wrapping(1, Elements(0))]),
    row("aclnnInplacePutGetWorkspaceSize", &["selfRef", "index"], &[wrapping(1, Elements(0))]),
    row("aclnnIndexGetWorkspaceSize", &["self", "indices"], &[wrapping(1, AxisOfPlace(0))]),
    row("aclnnIndexPutImplGetWorkspaceSize", &["selfRef", "indices"], &[wrapping(1, AxisOfPlace(0))]),
    row("aclnnScatterPaKvCacheGetWorkspaceSize", &["key", "keyCacheRef", "slotMapping"], &[but(2, Slots(1), NoIndex::Number(-1))]),
    row("aclnnIncreFlashAttentionV4GetWorkspaceSize", attention::INCREMENTAL, &blocks(13, 1, 5, 18)),
    row("aclnnFusedInferAttentionScoreV2GetWorkspaceSize", attention::V2, &blocks(14, 1, 6, 31)),
    row("aclnnFusedInferAttentionScoreV3GetWorkspaceSize", attention::V3, &blocks(14, 1, 6, 34)),
    row("aclnnFusedInferAttentionScoreV4GetWorkspaceSize", attention::V4, &blocks(14, 1, 6, 36)),
    row("aclnnMoeInitRoutingV2GetWorkspaceSize", &["x", "expertIdx", "activeNum", "expertCapacity", "expertNum"], &[at(1, Number(4))]),
    row("aclnnMoeInitRoutingV3GetWorkspaceSize", &["x", "expertIdx", "scale", "offset", "activeNum", "expertCapacity", "expertNum"], &[at(1, Number(6))]),
    row("aclnnMoeComputeExpertTokensGetWorkspaceSize", &["sortedExperts", "numExperts"], &[at(0, Number(1))]),
    row("aclnnMoeTokenPermuteGetWorkspaceSize", &["tokens", "indices"], &[at(1, Nothing)]),
    row("aclnnMoeTokenUnpermuteGetWorkspaceSize", &["permutedTokens", "sortedIndices"], &[at(1, Rows(0))]),
    row("aclnnMoeFinalizeRoutingV2GetWorkspaceSize", &["expandedX", "expandedRowIdx", "x1", "x2", "bias", "scales", "expertIdx"], &[but(1, Rows(0), NoIndex::Number(-1)), at(6, Axis(4, 0))]),
    row("aclnnGroupedMatmulV4GetWorkspaceSize", GROUPED, GROUPS),
    row("aclnnGroupedMatmulV5GetWorkspaceSize", GROUPED, GROUPS),
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
