//! Data descriptors, and operators: those run by name, and those with two phases.

use crate::api::family::Family;
use crate::api::function::Effect;
use crate::api::function::Role::*;
use crate::api::function::SyncRole;
use crate::api::function::attributes::{NEED, PHASE_TWO};
use crate::api::function::{Function, now, queued};

/// A tensor, with its extents in elements: see [`crate::api::tensor`].
const TENSOR: &[&str] = &[
    "tensor", "address", "reach", "storage", "type", "format", "solid", "first",
];
/// What a plan uses of up to three tensors.
const PLAN_TENSORS: &[&str] = &[
    "executor", "from1", "bytes1", "from2", "bytes2", "from3", "bytes3",
];
const ADDRESS: &[&str] = &["tensor", "address", "executor"];

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclCreateDataBuffer", Allocate(Family::DataBuffer)).with(&["buffer", "address", "size"]).does(Effect::DescribeBuffer),
    now("aclUpdateDataBuffer", State).with(&["buffer", "address", "size"]).does(Effect::DescribeBuffer),
    now("aclDestroyDataBuffer", Release(Family::DataBuffer)),
    queued("aclopExecute", Launch).with(&["stream"]).does(Effect::RunOperator).opaque(),
    queued("aclopExecuteV2", Launch).with(&["stream"]).does(Effect::RunOperator).opaque(),
    queued("aclopExecWithHandle", Launch).with(&["stream"]).does(Effect::RunOperator).opaque(),
    queued("aclopCompileAndExecute", Launch).with(&["stream"]).does(Effect::RunOperator).opaque(),
    queued("aclopCompileAndExecuteV2", Launch).with(&["stream"]).does(Effect::RunOperator).opaque(),
    queued("aclopCast", Launch).with(&["stream"]).opaque(),
    now("aclCreateTensor", Allocate(Family::Tensor)).with(TENSOR).sync(SyncRole::MakeTensor),
    now("aclInitTensor", State).with(TENSOR),
    now("aclDestroyTensor", Release(Family::Tensor)),
    now("aclCreateTensorList", Allocate(Family::TensorList)),
    now("aclDestroyTensorList", Release(Family::TensorList)),
    now("aclSetRawTensorAddr", State).with(ADDRESS),
    now("aclSetInputTensorAddr", State).with(ADDRESS),
    now("aclSetOutputTensorAddr", State).with(ADDRESS),
    now("aclSetTensorAddr", State).with(ADDRESS),
    now("aclSetDynamicInputTensorAddr", State).with(ADDRESS),
    now("aclSetDynamicOutputTensorAddr", State).with(ADDRESS),
    now("aclSetDynamicTensorAddr", State).with(ADDRESS),
    now("AclSetInputTensorAddr", State).with(ADDRESS),
    now("AclSetOutputTensorAddr", State).with(ADDRESS),
    now("AclSetTensorAddr", State).with(ADDRESS),
    now("AclSetDynamicInputTensorAddr", State).with(ADDRESS),
    now("AclSetDynamicOutputTensorAddr", State).with(ADDRESS),
    now("AclSetDynamicTensorAddr", State).with(ADDRESS),
    now("UniqueExecutor", State),
    now("aclOpExecutorGetWorkspaceSize", State),
    now("aclOpExecutorAddCache", State).with(NEED),
    now("opGetFromCache", State).with(NEED),
    now("InitPTACacheThreadLocal", State),
    now("AddTensorAddrToCachedList", State).with(PLAN_TENSORS).sync(SyncRole::PlanTensors),
    now("PTAGetExecCache", State).with(NEED),
    now("PTAFindExecCache", State).with(NEED),
    now("NnopbaseRunForWorkspace", State).with(NEED).does(Effect::PlanGenerated),
    now("NnopbaseMatchArgs", State).with(NEED).does(Effect::PlanGenerated),
    queued("CommonOpExecutorRun", Launch).with(PHASE_TWO).does(Effect::RunExecutor),
    queued("NnopbaseRunWithWorkspace", Launch).with(PHASE_TWO),
    now("aclSetAclOpExecutorRepeatable", State).with(&["executor"]).does(Effect::RepeatExecutor),
    now("aclDestroyAclOpExecutor", State).with(&["executor"]).does(Effect::DestroyExecutor),
];
