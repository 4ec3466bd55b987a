//! Which function releases what.

use crate::api::family::Family;
use crate::api::function::Function;

/// The function that releases things of a family.
#[rustfmt::skip] // a table
pub(super) fn release(family: Family) -> &'static str {
    match family {
        Family::Device => "aclrtFree",
        Family::Pinned => "aclrtFreeHost",
        Family::Dvpp => "acldvppFree",
        Family::DvppMpi => "hi_mpi_dvpp_free",
        Family::Managed => "aclrtFree",
        Family::Pool => "aclrtMemPoolFreeAsync",
        Family::Hiai => "HIAI_DFree",
        Family::HiaiDvpp => "HIAI_DVPP_DFree",
        Family::Physical => "aclrtFreePhysical",
        Family::Buffer => "aclrtFreeBuf",
        Family::Reserved => "aclrtReleaseMemAddress",
        Family::Mapped => "aclrtUnmapMem",
        Family::Imported => "aclrtIpcMemClose",
        Family::Exported => "aclrtIpcMemClose",
        Family::Registered => "aclrtHostUnregister",
        Family::MemPool => "aclrtMemPoolDestroy",
        Family::VideoPool => "hi_mpi_vb_destroy_pool",
        Family::VideoBlock => "hi_mpi_vb_release_block",
        Family::Stream => "aclrtDestroyStream",
        Family::Event => "aclrtDestroyEvent",
        Family::Notify => "aclrtDestroyNotify",
        Family::CountNotify => "aclrtCntNotifyDestroy",
        Family::DataBuffer => "aclDestroyDataBuffer",
        Family::Tensor => "aclDestroyTensor",
        Family::TensorList => "aclDestroyTensorList",
        Family::PictureDesc => "acldvppDestroyPicDesc",
        Family::PictureBatch => "acldvppDestroyBatchPicDesc",
        Family::StreamDesc => "acldvppDestroyStreamDesc",
        Family::Scalar => "aclDestroyScalar",
        Family::ScalarList => "aclDestroyScalarList",
        Family::BoolArray => "aclDestroyBoolArray",
        Family::FloatArray => "aclDestroyFloatArray",
        Family::IntArray => "aclDestroyIntArray",
        Family::TensorDesc => "aclDestroyTensorDesc",
        Family::OperatorAttributes => "aclopDestroyAttr",
        Family::OperatorHandle => "aclopDestroyHandle",
        Family::Dataset => "aclmdlDestroyDataset",
        Family::ModelDesc => "aclmdlDestroyDesc",
        Family::ModelAipp => "aclmdlDestroyAIPP",
        Family::ModelConfig => "aclmdlDestroyConfigHandle",
        Family::ExecConfig => "aclmdlDestroyExecConfigHandle",
        Family::BundleQuery => "aclmdlBundleDestroyQueryInfo",
        Family::ChannelDesc => "acldvppDestroyChannelDesc",
        Family::Channel => "acldvppDestroyChannel",
        Family::ResizeConfig => "acldvppDestroyResizeConfig",
        Family::RoiConfig => "acldvppDestroyRoiConfig",
        Family::JpegeConfig => "acldvppDestroyJpegeConfig",
        Family::BorderConfig => "acldvppDestroyBorderConfig",
        Family::LutMap => "acldvppDestroyLutMap",
        Family::Histogram => "acldvppDestroyHist",
        Family::VdecChannelDesc => "aclvdecDestroyChannelDesc",
        Family::VdecChannel => "aclvdecDestroyChannel",
        Family::VdecFrameConfig => "aclvdecDestroyFrameConfig",
        Family::VencChannelDesc => "aclvencDestroyChannelDesc",
        Family::VencChannel => "aclvencDestroyChannel",
        Family::VencFrameConfig => "aclvencDestroyFrameConfig",
        Family::StreamConfig => "aclrtDestroyStreamConfigHandle",
        Family::AllocatorDesc => "aclrtAllocatorDestroyDesc",
        Family::GroupInfo => "aclrtDestroyGroupInfo",
        Family::Label => "aclrtDestroyLabel",
        Family::LabelList => "aclrtDestroyLabelList",
        Family::Binary => "aclrtDestroyBinary",
        Family::LoadedBinary => "aclrtBinaryUnLoad",
        Family::Communicator => "HcclCommDestroy",
    }
}

/// `aclrtFree` has a counterpart that waits for the device.
pub(super) fn waiting_release(function: &Function) -> Option<&'static str> {
    (function.name == "aclrtFree").then_some("aclrtFreeWithDevSync")
}

/// Whether the documentation allows `releaser`'s function for a block of `owner`. Pools and plain memory accept each
/// other's blocks (runtime 681ef761, `MemPoolFreeSync` and the callback that `aclrtMemPoolFreeAsync` queues).
pub(super) fn may_release(owner: Family, releaser: Family) -> bool {
    owner == releaser
        || matches!(
            (owner, releaser),
            (Family::Managed | Family::Pool, Family::Device) | (Family::Device, Family::Pool)
        )
}
