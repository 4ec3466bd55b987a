//! AscendCL, the runtime below it, operators, collectives, media units and the HiAI Matrix: which functions are hooked,
//! and what each of them records. A file is a family; what it shares with other vendors is above.

mod aclnn;
mod aclop;
mod batch;
mod capture;
mod collective;
mod copy;
mod data_buffer;
mod device;
mod device_cache;
mod device_values;
mod dvpp;
mod exception;
mod hiai;
mod host;
mod indexing;
mod indirect_copy;
mod ipc;
mod kernel;
mod kernel_arguments;
mod lifecycle;
mod managed;
mod mbuf;
mod media;
mod memset;
mod message;
mod model;
mod model_bundle;
mod model_input;
mod notify;
mod objects;
mod overflow;
mod pinned_page;
mod pool;
mod random_numbers;
mod registration;
mod runtime;
mod snapshot;
mod stream;
mod stream_allocator;
mod tensor;
mod video_blocks;
mod virtual_memory;

use crate::runtime::next::Interceptor;

pub(super) use crate::runtime::ACL_ERROR_API_NOT_SUPPORT as NOT_SUPPORTED;

/// Every table, with all exports of each row.
pub(crate) static TABLES: &[&[&[&Interceptor]]] = &[
    device::TABLE,
    host::TABLE,
    dvpp::TABLE,
    copy::TABLE,
    memset::TABLE,
    lifecycle::TABLE,
    stream::TABLE,
    exception::TABLE,
    virtual_memory::TABLE,
    media::TABLE,
    video_blocks::TABLE,
    hiai::TABLE,
    runtime::TABLE,
    kernel::TABLE,
    kernel_arguments::TABLE,
    data_buffer::TABLE,
    aclop::TABLE,
    model::TABLE,
    model_bundle::TABLE,
    model_input::TABLE,
    tensor::TABLE,
    aclnn::TABLE,
    indexing::TABLE,
    collective::TABLE,
    message::TABLE,
    pool::TABLE,
    batch::TABLE,
    indirect_copy::TABLE,
    device_values::TABLE,
    device_cache::TABLE,
    random_numbers::TABLE,
    overflow::TABLE,
    snapshot::TABLE,
    mbuf::TABLE,
    notify::TABLE,
    objects::TABLE,
    stream_allocator::TABLE,
    capture::TABLE,
    ipc::TABLE,
    registration::TABLE,
    managed::TABLE,
];

/// Prefixes of the names of the rows.
pub(crate) const PREFIXES: [&[u8]; 11] = [
    b"acl",
    b"Acl",
    b"hi_mpi",
    b"rt",
    b"Hccl",
    b"Nnopbase",
    b"PTA",
    b"InitPTACache",
    b"AddTensorAddr",
    b"HIAI_",
    b"_Z",
];

/// Calls that callers make only if they are defined, which our export makes true, and whose answer they can do without.
pub(super) const WEAK: [&str; 1] = ["NnopbaseMatchArgs"];
