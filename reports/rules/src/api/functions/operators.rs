//! Data descriptors, and operators: those run by name, and those with two phases.

use super::attributes::{NEED, PHASE_TWO};
use super::function::{Function, now, queued};
use super::role::Role::*;
use crate::api::family::Family;

/// A tensor, with its extents in elements: see [`crate::api::tensor`].
const TENSOR: &[&str] = &[
    "tensor", "address", "reach", "storage", "type", "format", "solid",
];
const ADDRESS: &[&str] = &["tensor", "address", "executor"];

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclCreateDataBuffer", Allocate(Family::DataBuffer)).with(&["buffer", "address", "size"]),
    now("aclUpdateDataBuffer", State).with(&["buffer", "address", "size"]),
    now("aclDestroyDataBuffer", Release(Family::DataBuffer)),
    queued("aclopExecute", Launch).with(&["stream"]),
    queued("aclopExecuteV2", Launch).with(&["stream"]),
    queued("aclopExecWithHandle", Launch).with(&["stream"]),
    queued("aclopCompileAndExecute", Launch).with(&["stream"]),
    queued("aclopCompileAndExecuteV2", Launch).with(&["stream"]),
    queued("aclopCast", Launch).with(&["stream"]),
    now("aclCreateTensor", Allocate(Family::Tensor)).with(TENSOR),
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
    now("PTAGetExecCache", State).with(NEED),
    now("PTAFindExecCache", State).with(NEED),
    now("NnopbaseRunForWorkspace", State).with(NEED),
    now("NnopbaseMatchArgs", State).with(NEED),
    queued("CommonOpExecutorRun", Launch).with(PHASE_TWO),
    queued("NnopbaseRunWithWorkspace", Launch).with(PHASE_TWO),
    now("aclSetAclOpExecutorRepeatable", State).with(&["executor"]),
    now("aclDestroyAclOpExecutor", State).with(&["executor"]),
];
