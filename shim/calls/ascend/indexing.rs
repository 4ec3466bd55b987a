//! Phase one of operators that take indices. Only with `check_indices=1` anything is done: what the indices must be is kept for phase two.

use crate::abi::*;
use crate::calls::actions::written;
use crate::calls::ascend::tensor;
use crate::calls::interpose;
use crate::record::{Hook, Recorder};
use crate::state::index_checks::{IndexChecks, PlannedCheck};
use crate::state::process::Process;
use aclsan_rules::api::functions::FUNCTIONS;
use aclsan_rules::api::indices::{self, Objects, View};
use std::ffi::{c_char, c_int};

interpose! {
    fn aclnnEmbeddingGetWorkspaceSize(weight: *const aclTensor, indices: *const aclTensor, out: *const aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [weight, indices] (executor), aclnnEmbeddingGetWorkspaceSize;
    fn aclnnEmbeddingBagGetWorkspaceSize(weight: *const aclTensor, indices: *const aclTensor, offsets: *const aclTensor,
        scale_grad_by_freq: bool, mode: i64, sparse: bool, per_sample_weights: *const aclTensor, include_last_offset: bool,
        padding_idx: i64, output: *mut aclTensor, offset2bag: *mut aclTensor, bag_size: *mut aclTensor, max_indices: *mut aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [weight, indices, offsets] (executor), aclnnEmbeddingBagGetWorkspaceSize;
    fn aclnnEmbeddingDenseBackwardGetWorkspaceSize(grad: *const aclTensor, indices: *const aclTensor, num_weights: u64,
        padding_idx: u64, scale_grad_by_freq: bool, out: *const aclTensor, workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [grad, indices, num_weights] (executor), aclnnEmbeddingDenseBackwardGetWorkspaceSize;
    fn aclnnEmbeddingRenormGetWorkspaceSize(self_ref: *mut aclTensor, indices: *const aclTensor, max_norm: f64, norm_type: f64,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [self_ref, indices] (executor), aclnnEmbeddingRenormGetWorkspaceSize;
    fn aclnnGatherGetWorkspaceSize(this: *const aclTensor, dim: i64, index: *const aclTensor, out: *mut aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, dim, index] (executor), aclnnGatherGetWorkspaceSize;
    fn aclnnScatterGetWorkspaceSize(this: *const aclTensor, dim: i64, index: *const aclTensor, src: *const aclTensor, reduce: i64,
        out: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, dim, index] (executor), aclnnScatterGetWorkspaceSize;
    fn aclnnInplaceScatterGetWorkspaceSize(self_ref: *mut aclTensor, dim: i64, index: *const aclTensor, src: *const aclTensor,
        reduce: i64, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [self_ref, dim, index] (executor), aclnnInplaceScatterGetWorkspaceSize;
    fn aclnnScatterValueGetWorkspaceSize(this: *const aclTensor, dim: i64, index: *const aclTensor, value: *const aclScalar,
        reduce: i64, out: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, dim, index] (executor), aclnnScatterValueGetWorkspaceSize;
    fn aclnnInplaceScatterValueGetWorkspaceSize(self_ref: *mut aclTensor, dim: i64, index: *const aclTensor,
        value: *const aclScalar, reduce: i64, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [self_ref, dim, index] (executor), aclnnInplaceScatterValueGetWorkspaceSize;
    fn aclnnScatterAddGetWorkspaceSize(this: *const aclTensor, dim: i64, index: *const aclTensor, src: *const aclTensor,
        out: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, dim, index] (executor), aclnnScatterAddGetWorkspaceSize;
    fn aclnnScatterReduceGetWorkspaceSize(this: *const aclTensor, dim: i64, index: *const aclTensor, src: *const aclTensor,
        reduction: i64, include_self: bool, out: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, dim, index] (executor), aclnnScatterReduceGetWorkspaceSize;
    fn aclnnInplaceScatterReduceGetWorkspaceSize(self_ref: *mut aclTensor, dim: i64, index: *const aclTensor, src: *const aclTensor,
        reduction: i64, include_self: bool, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [self_ref, dim, index] (executor), aclnnInplaceScatterReduceGetWorkspaceSize;
    fn aclnnIndexSelectGetWorkspaceSize(this: *const aclTensor, dim: i64, index: *const aclTensor, out: *mut aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, dim, index] (executor), aclnnIndexSelectGetWorkspaceSize;
    fn aclnnIndexAddGetWorkspaceSize(this: *const aclTensor, dim: i64, index: *const aclTensor, source: *const aclTensor,
        alpha: *const aclScalar, out: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, dim, index] (executor), aclnnIndexAddGetWorkspaceSize;
    fn aclnnIndexCopyGetWorkspaceSize(this: *const aclTensor, dim: i64, index: *const aclTensor, source: *const aclTensor,
        out: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, dim, index] (executor), aclnnIndexCopyGetWorkspaceSize;
    fn aclnnInplaceIndexCopyGetWorkspaceSize(self_ref: *mut aclTensor, dim: i64, index: *const aclTensor, source: *const aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [self_ref, dim, index] (executor), aclnnInplaceIndexCopyGetWorkspaceSize;
    fn aclnnIndexFillGetWorkspaceSize(this: *const aclTensor, dim: i64, index: *const aclTensor, value: *const aclScalar,
        out: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, dim, index] (executor), aclnnIndexFillGetWorkspaceSize;
    fn aclnnInplaceIndexFillGetWorkspaceSize(self_ref: *mut aclTensor, dim: i64, index: *const aclTensor, value: *const aclScalar,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [self_ref, dim, index] (executor), aclnnInplaceIndexFillGetWorkspaceSize;
    fn aclnnTakeGetWorkspaceSize(this: *const aclTensor, index: *const aclTensor, out: *mut aclTensor, workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, index] (executor), aclnnTakeGetWorkspaceSize;
    fn aclnnInplacePutGetWorkspaceSize(self_ref: *mut aclTensor, index: *const aclTensor, source: *const aclTensor,
        accumulate: bool, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [self_ref, index] (executor), aclnnInplacePutGetWorkspaceSize;
    fn aclnnIndexGetWorkspaceSize(this: *const aclTensor, indices: *const aclTensorList, out: *mut aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, indices] (executor), aclnnIndexGetWorkspaceSize;
    fn aclnnIndexPutImplGetWorkspaceSize(self_ref: *mut aclTensor, indices: *const aclTensorList, values: *const aclTensor,
        accumulate: bool, is_unsafe: bool, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [self_ref, indices] (executor), aclnnIndexPutImplGetWorkspaceSize;
    fn aclnnScatterPaKvCacheGetWorkspaceSize(key: *const aclTensor, key_cache_ref: *mut aclTensor, slot_mapping: *const aclTensor,
        value: *const aclTensor, value_cache_ref: *mut aclTensor, compress_lens_optional: *const aclTensor,
        compress_seq_offset_optional: *const aclTensor, seq_lens_optional: *const aclTensor, cache_mode_optional: *mut c_char,
        scatter_mode_optional: *mut c_char, strides_optional: *const aclIntArray, offsets_optional: *const aclIntArray,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [key, key_cache_ref, slot_mapping] (executor), aclnnScatterPaKvCacheGetWorkspaceSize;
    fn aclnnIncreFlashAttentionV4GetWorkspaceSize(query: *const aclTensor, key: *const aclTensorList,
        value: *const aclTensorList, pse_shift: *const aclTensor, atten_mask: *const aclTensor, seq_lengths: *const aclIntArray,
        dequant_scale1: *const aclTensor, quant_scale1: *const aclTensor, dequant_scale2: *const aclTensor,
        quant_scale2: *const aclTensor, quant_offset2: *const aclTensor, antiquant_scale: *const aclTensor,
        antiquant_offset: *const aclTensor, block_table: *const aclTensor, kv_padding_size: *const aclTensor, num_heads: i64,
        scale_value: f64, input_layout: *mut c_char, num_key_value_heads: i64, block_size: i64, inner_precise: i64,
        attention_out: *const aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [key, seq_lengths, block_table, block_size] (executor), aclnnIncreFlashAttentionV4GetWorkspaceSize;
    fn aclnnFusedInferAttentionScoreV2GetWorkspaceSize(query: *const aclTensor, key: *const aclTensorList,
        value: *const aclTensorList, pse_shift: *const aclTensor, atten_mask: *const aclTensor, seq_lengths: *const aclIntArray,
        kv_seq_lengths: *const aclIntArray, deq_scale1: *const aclTensor, quant_scale1: *const aclTensor,
        deq_scale2: *const aclTensor, quant_scale2: *const aclTensor, quant_offset2: *const aclTensor,
        antiquant_scale: *const aclTensor, antiquant_offset: *const aclTensor, block_table: *const aclTensor,
        query_padding_size: *const aclTensor, kv_padding_size: *const aclTensor, key_antiquant_scale: *const aclTensor,
        key_antiquant_offset: *const aclTensor, value_antiquant_scale: *const aclTensor,
        value_antiquant_offset: *const aclTensor, key_shared_prefix: *const aclTensor, value_shared_prefix: *const aclTensor,
        shared_prefix_lengths: *const aclIntArray, num_heads: i64, scale_value: f64, pre_tokens: i64, next_tokens: i64,
        input_layout: *mut c_char, num_key_value_heads: i64, sparse_mode: i64, inner_precise: i64, block_size: i64,
        antiquant_mode: i64, softmax_lse_flag: bool, key_antiquant_mode: i64, value_antiquant_mode: i64,
        attention_out: *const aclTensor, softmax_lse: *const aclTensor, workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [key, kv_seq_lengths, block_table, block_size] (executor), aclnnFusedInferAttentionScoreV2GetWorkspaceSize;
    fn aclnnFusedInferAttentionScoreV3GetWorkspaceSize(query: *const aclTensor, key: *const aclTensorList,
        value: *const aclTensorList, pse_shift: *const aclTensor, atten_mask: *const aclTensor, seq_lengths: *const aclIntArray,
        kv_seq_lengths: *const aclIntArray, deq_scale1: *const aclTensor, quant_scale1: *const aclTensor,
        deq_scale2: *const aclTensor, quant_scale2: *const aclTensor, quant_offset2: *const aclTensor,
        antiquant_scale: *const aclTensor, antiquant_offset: *const aclTensor, block_table: *const aclTensor,
        query_padding_size: *const aclTensor, kv_padding_size: *const aclTensor, key_antiquant_scale: *const aclTensor,
        key_antiquant_offset: *const aclTensor, value_antiquant_scale: *const aclTensor,
        value_antiquant_offset: *const aclTensor, key_shared_prefix: *const aclTensor, value_shared_prefix: *const aclTensor,
        shared_prefix_lengths: *const aclIntArray, query_rope: *const aclTensor, key_rope: *const aclTensor,
        key_rope_antiquant_scale: *const aclTensor, num_heads: i64, scale_value: f64, pre_tokens: i64, next_tokens: i64,
        input_layout: *mut c_char, num_key_value_heads: i64, sparse_mode: i64, inner_precise: i64, block_size: i64,
        antiquant_mode: i64, softmax_lse_flag: bool, key_antiquant_mode: i64, value_antiquant_mode: i64,
        attention_out: *const aclTensor, softmax_lse: *const aclTensor, workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [key, kv_seq_lengths, block_table, block_size] (executor), aclnnFusedInferAttentionScoreV3GetWorkspaceSize;
    fn aclnnFusedInferAttentionScoreV4GetWorkspaceSize(query: *const aclTensor, key: *const aclTensorList,
        value: *const aclTensorList, pse_shift: *const aclTensor, atten_mask: *const aclTensor, seq_lengths: *const aclIntArray,
        kv_seq_lengths: *const aclIntArray, deq_scale1: *const aclTensor, quant_scale1: *const aclTensor,
        deq_scale2: *const aclTensor, quant_scale2: *const aclTensor, quant_offset2: *const aclTensor,
        antiquant_scale: *const aclTensor, antiquant_offset: *const aclTensor, block_table: *const aclTensor,
        query_padding_size: *const aclTensor, kv_padding_size: *const aclTensor, key_antiquant_scale: *const aclTensor,
        key_antiquant_offset: *const aclTensor, value_antiquant_scale: *const aclTensor,
        value_antiquant_offset: *const aclTensor, key_shared_prefix: *const aclTensor, value_shared_prefix: *const aclTensor,
        shared_prefix_lengths: *const aclIntArray, query_rope: *const aclTensor, key_rope: *const aclTensor,
        key_rope_antiquant_scale: *const aclTensor, dequant_scale_query: *const aclTensor, learnable_sink: *const aclTensor,
        num_heads: i64, scale_value: f64, pre_tokens: i64, next_tokens: i64, input_layout: *mut c_char,
        num_key_value_heads: i64, sparse_mode: i64, inner_precise: i64, block_size: i64, antiquant_mode: i64,
        softmax_lse_flag: bool, key_antiquant_mode: i64, value_antiquant_mode: i64, query_quant_mode: i64,
        attention_out: *const aclTensor, softmax_lse: *const aclTensor, workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [key, kv_seq_lengths, block_table, block_size] (executor), aclnnFusedInferAttentionScoreV4GetWorkspaceSize;
    fn aclnnMoeInitRoutingV2GetWorkspaceSize(x: *const aclTensor, expert_idx: *const aclTensor, active_num: i64,
        expert_capacity: i64, expert_num: i64, drop_pad_mode: i64, expert_tokens_count_or_cumsum_flag: i64,
        expert_tokens_before_capacity_flag: bool, expanded_x_out: *const aclTensor, expanded_row_idx_out: *const aclTensor,
        expert_tokens_count_or_cumsum_out: *const aclTensor, expert_tokens_before_capacity_out: *const aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [expert_idx, expert_num] (executor), aclnnMoeInitRoutingV2GetWorkspaceSize;
    fn aclnnMoeInitRoutingV3GetWorkspaceSize(x: *const aclTensor, expert_idx: *const aclTensor, scale: *const aclTensor,
        offset: *const aclTensor, active_num: i64, expert_capacity: i64, expert_num: i64, drop_pad_mode: i64,
        expert_tokens_num_type: i64, expert_tokens_num_flag: bool, quant_mode: i64, active_expert_range: *const aclIntArray,
        row_idx_type: i64, expanded_x_out: *const aclTensor, expanded_row_idx_out: *const aclTensor,
        expert_tokens_count_or_cumsum_out: *const aclTensor, expanded_scale_out: *const aclTensor, workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [expert_idx, expert_num] (executor), aclnnMoeInitRoutingV3GetWorkspaceSize;
    fn aclnnMoeComputeExpertTokensGetWorkspaceSize(sorted_experts: *const aclTensor, num_experts: i64, out: *const aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [sorted_experts, num_experts] (executor), aclnnMoeComputeExpertTokensGetWorkspaceSize;
    fn aclnnMoeTokenPermuteGetWorkspaceSize(tokens: *const aclTensor, indices: *const aclTensor, num_out_tokens: i64,
        padded_mode: bool, permute_tokens_out: *const aclTensor, sorted_indices_out: *const aclTensor, workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [tokens, indices] (executor), aclnnMoeTokenPermuteGetWorkspaceSize;
    fn aclnnMoeTokenUnpermuteGetWorkspaceSize(permuted_tokens: *const aclTensor, sorted_indices: *const aclTensor,
        probs: *const aclTensor, padded_mode: bool, restore_shape: *const aclIntArray, out: *mut aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [permuted_tokens, sorted_indices] (executor), aclnnMoeTokenUnpermuteGetWorkspaceSize;
    fn aclnnMoeFinalizeRoutingV2GetWorkspaceSize(expanded_x: *const aclTensor, expanded_row_idx: *const aclTensor,
        x1: *const aclTensor, x2: *const aclTensor, bias: *const aclTensor, scales: *const aclTensor,
        expert_idx: *const aclTensor, drop_pad_mode: i64, out: *const aclTensor, workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [expanded_x, expanded_row_idx, bias, expert_idx] (executor), aclnnMoeFinalizeRoutingV2GetWorkspaceSize;
    fn aclnnGroupedMatmulV4GetWorkspaceSize(x: *const aclTensorList, weight: *const aclTensorList, bias: *const aclTensorList,
        scale: *const aclTensorList, offset: *const aclTensorList, antiquant_scale: *const aclTensorList,
        antiquant_offset: *const aclTensorList, per_token_scale: *const aclTensorList, group_list: *const aclTensor,
        activation_input: *const aclTensorList, activation_quant_scale: *const aclTensorList,
        activation_quant_offset: *const aclTensorList, split_item: i64, group_type: i64, group_list_type: i64, act_type: i64,
        out: *mut aclTensorList, activation_feature_out: *mut aclTensorList, dyn_quant_scale_out: *mut aclTensorList,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [x, group_list, group_type, group_list_type] (executor), aclnnGroupedMatmulV4GetWorkspaceSize;
    fn aclnnGroupedMatmulV5GetWorkspaceSize(x: *const aclTensorList, weight: *const aclTensorList, bias: *const aclTensorList,
        scale: *const aclTensorList, offset: *const aclTensorList, antiquant_scale: *const aclTensorList,
        antiquant_offset: *const aclTensorList, per_token_scale: *const aclTensorList, group_list: *const aclTensor,
        activation_input: *const aclTensorList, activation_quant_scale: *const aclTensorList,
        activation_quant_offset: *const aclTensorList, split_item: i64, group_type: i64, group_list_type: i64, act_type: i64,
        tuning_config: *const aclIntArray, out: *mut aclTensorList, activation_feature_out: *mut aclTensorList,
        dyn_quant_scale_out: *mut aclTensorList, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [x, group_list, group_type, group_list_type] (executor), aclnnGroupedMatmulV5GetWorkspaceSize;
    fn aclnnNLLLossGetWorkspaceSize(this: *const aclTensor, target: *const aclTensor, weight: *const aclTensor, reduction: i64,
        ignore_index: i64, out: *mut aclTensor, total_weight_out: *mut aclTensor, workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, target, weight, reduction, ignore_index] (executor), aclnnNLLLossGetWorkspaceSize;
    fn aclnnNLLLoss2dGetWorkspaceSize(this: *const aclTensor, target: *const aclTensor, weight: *const aclTensor, reduction: i64,
        ignore_index: i64, out: *mut aclTensor, total_weight_out: *mut aclTensor, workspace_size: *mut u64,
        executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, target, weight, reduction, ignore_index] (executor), aclnnNLLLoss2dGetWorkspaceSize;
    fn aclnnNLLLossBackwardGetWorkspaceSize(grad_output: *const aclTensor, this: *const aclTensor, target: *const aclTensor,
        weight: *const aclTensor, reduction: i64, ignore_index: i64, total_weight: *const aclTensor, out: *mut aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [grad_output, this, target, weight, reduction, ignore_index] (executor), aclnnNLLLossBackwardGetWorkspaceSize;
    fn aclnnNLLLoss2dBackwardGetWorkspaceSize(grad_output: *const aclTensor, this: *const aclTensor, target: *const aclTensor,
        weight: *const aclTensor, reduction: i64, ignore_index: i64, total_weight: *const aclTensor, out: *mut aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [grad_output, this, target, weight, reduction, ignore_index] (executor), aclnnNLLLoss2dBackwardGetWorkspaceSize;
    fn aclnnCrossEntropyLossGetWorkspaceSize(input: *const aclTensor, target: *const aclTensor, weight_optional: *const aclTensor,
        reduction_optional: *mut c_char, ignore_index: i64, label_smoothing: f64, lse_square_scale_for_zloss: f64,
        return_zloss: bool, loss_out: *const aclTensor, log_prob_out: *const aclTensor, zloss_out: *const aclTensor,
        lse_for_zloss_out: *const aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [input, target, weight_optional, reduction_optional, ignore_index] (executor), aclnnCrossEntropyLossGetWorkspaceSize;
    fn aclnnMultilabelMarginLossGetWorkspaceSize(this: *const aclTensor, target: *const aclTensor, reduction: i64,
        out: *mut aclTensor, is_target: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, target] (executor), aclnnMultilabelMarginLossGetWorkspaceSize;
    fn aclnnOneHotGetWorkspaceSize(this: *const aclTensor, num_classes: c_int, on_value: *const aclTensor,
        off_value: *const aclTensor, axis: i64, out: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, num_classes] (executor), aclnnOneHotGetWorkspaceSize;
    fn aclnnBincountGetWorkspaceSize(this: *const aclTensor, weights: *const aclTensor, minlength: i64, out: *mut aclTensor,
        workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, weights, minlength, out] (executor), aclnnBincountGetWorkspaceSize;
    fn aclnnRepeatInterleaveGetWorkspaceSize(this: *const aclTensor, repeats: *const aclTensor, output_size: i64,
        out: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, repeats] (executor), aclnnRepeatInterleaveGetWorkspaceSize;
    fn aclnnRepeatInterleaveWithDimGetWorkspaceSize(this: *const aclTensor, repeats: *const aclTensor, dim: i64, output_size: i64,
        out: *mut aclTensor, workspace_size: *mut u64, executor: *mut *mut aclOpExecutor)
        -> aclnnStatus = planned [this, repeats] (executor), aclnnRepeatInterleaveWithDimGetWorkspaceSize;
}

/// What phase one calls is recorded as usual. `words` are the arguments that the operator's contract names.
fn planned<const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> aclnnStatus,
    words: impl Fn(bool) -> [u64; N],
    executor: *mut *mut aclOpExecutor,
) -> aclnnStatus {
    if !Process::current().options.checks_indices() {
        return hook.allow_callbacks(forward);
    }
    let key = hook.record(|recorder| recorder.thread.operator_call.missed_key());
    let status = hook.allow_callbacks(forward);
    if let Some(executor) = written(executor, status == 0) {
        hook.record(|recorder| keep(recorder, executor as u64, &words(true), key.unwrap_or(0)));
    }
    status
}

/// The objects of the process.
struct Described<'a>(&'a IndexChecks);

impl Objects for Described<'_> {
    fn view(&self, tensor: u64) -> Option<View> {
        self.0.view(tensor)
    }

    fn list(&self, list: u64) -> Option<Box<[u64]>> {
        tensor::parts(list)
    }

    fn array(&self, array: u64) -> Option<Box<[i64]>> {
        self.0.array(array)
    }
}

/// Keeps what the indices of an executor must be, and under `key`, unless it is 0, those of the plan that goes into a cache.
fn keep(recorder: &mut Recorder, executor: u64, words: &[u64], key: u64) {
    let checks = &recorder.process.calls.index_checks;
    let function = &FUNCTIONS[usize::from(recorder.function_id())];
    let operators = function.vendor().indexed_operators;
    let Some(operator) = indices::operator(operators, function.name) else {
        return;
    };
    let found = operator.checks(words, &Described(checks));
    if key != 0 {
        let addresses = recorder.thread.operator_call.addresses();
        checks.keep(key, function.number(), &found, addresses);
    }
    if !found.is_empty() {
        let call = recorder.call(0);
        let planned = found.into_iter().map(|check| PlannedCheck { call, check });
        checks.plan(executor, planned.collect());
    }
}
