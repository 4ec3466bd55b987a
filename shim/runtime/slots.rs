//! Slots of the functions that the shim calls itself. Where it hooks one, too, the hook's row names the slot, so both use one definition.

use super::call::call;
use super::next::Slot;
use crate::abi::*;
use std::ffi::{c_char, c_void};
use std::marker::PhantomData;

/// A [`Slot`] for a function of type `F`. Only [`slots!`] makes one, and checks the type against the header.
pub struct TypedSlot<F> {
    slot: Slot,
    function: PhantomData<F>,
}

/// A slot for a function that reads one field of a record.
pub type Getter<T, R> = TypedSlot<extern "C-unwind" fn(*const T) -> R>;

impl<F: Copy> TypedSlot<F> {
    /// Calls the function for the shim: see [`mod@super::call`]. `None` if no loaded library has it, or it throws.
    pub fn call<R>(&self, with: impl FnOnce(F) -> R) -> Option<R> {
        let function = self.function()?;
        call(|| with(function))
    }

    /// As [`Self::call`], for one that may fail: an error does not become the thread's last.
    pub fn status(&self, with: impl FnOnce(F) -> i32) -> Option<i32> {
        let function = self.function()?;
        let last = LastError::now();
        let status = call(|| with(function));
        if status != Some(0) {
            last.restore();
        }
        status
    }

    /// Calls the function in place of one that the program has called: it may be cancelled, and throw.
    pub fn forward<R>(&self, with: impl FnOnce(F) -> R) -> Option<R> {
        Some(with(self.function()?))
    }

    /// Whether a loaded library has it.
    pub fn is_defined(&self) -> bool {
        self.slot.next().is_some()
    }

    /// The slot, for the hook's row.
    pub const fn slot(&self) -> &Slot {
        &self.slot
    }

    fn function(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*const ()>()) };
        let next = self.slot.next()?;
        // SAFETY: the next definition of the function; `slots!` checks its type against the header. It is safe to call because the shim gives
        // it its own variables, or what the program gives to a call that uses it alike.
        Some(unsafe { std::mem::transmute_copy::<*const (), F>(&next) })
    }
}

/// Whether the thread had no last error, which a program asks the runtime for after its own calls: a failure of one that the shim has added must not
/// be it. What was there before cannot be set again, but nothing can.
pub struct LastError {
    was_none: bool,
}

impl LastError {
    /// Asks.
    pub fn now() -> Self {
        let last = PEEK_LAST_ERROR.call(|peek| peek(ACL_RT_THREAD_LEVEL));
        Self {
            was_none: last == Some(0),
        }
    }

    /// Takes away what has failed since, if there was none.
    pub fn restore(&self) {
        if self.was_none {
            TAKE_LAST_ERROR.call(|take| take(ACL_RT_THREAD_LEVEL));
        }
    }
}

macro_rules! slots {
    ($($slot:ident: $name:ident($($ty:ty),*) -> $ret:ty;)+) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.")]
            pub static $slot: TypedSlot<extern "C-unwind" fn($($ty),*) -> $ret> = TypedSlot {
                slot: Slot::new(super::next::terminated(concat!(stringify!($name), "\0"))),
                function: PhantomData,
            };
            // A type that disagrees with the header does not compile.
            const _: unsafe extern "C" fn($($ty),*) -> $ret = crate::abi::$name;
        )+
    };
}

slots! {
    INIT: aclInit(*const c_char) -> i32;
    SET_DEVICE: aclrtSetDevice(i32) -> i32;
    RESET_DEVICE: aclrtResetDevice(i32) -> i32;
    GET_DEVICE: aclrtGetDevice(*mut i32) -> i32;
    GET_SOC_NAME: aclrtGetSocName() -> *const c_char;
    GET_RUN_MODE: aclrtGetRunMode(*mut aclrtRunMode) -> i32;
    PEEK_LAST_ERROR: aclrtPeekAtLastError(aclrtLastErrLevel) -> i32;
    TAKE_LAST_ERROR: aclrtGetLastError(aclrtLastErrLevel) -> i32;
    SYNCHRONIZE_DEVICE: aclrtSynchronizeDevice() -> i32;
    SYNCHRONIZE_STREAM: aclrtSynchronizeStream(aclrtStream) -> i32;

    MALLOC: aclrtMalloc(*mut *mut c_void, usize, aclrtMemMallocPolicy) -> i32;
    MALLOC_HOST: aclrtMallocHost(*mut *mut c_void, usize) -> i32;
    MEMCPY: aclrtMemcpy(*mut c_void, usize, *const c_void, usize, aclrtMemcpyKind) -> i32;
    FREE: aclrtFree(*mut c_void) -> i32;
    FREE_HOST: aclrtFreeHost(*mut c_void) -> i32;
    DVPP_FREE: acldvppFree(*mut c_void) -> i32;
    MPI_DVPP_FREE: hi_mpi_dvpp_free(*mut c_void) -> i32;
    GET_ADDRESS_RANGE: aclrtMemGetAddressRange(*mut c_void, *mut *mut c_void, *mut usize) -> i32;
    GET_MEM_INFO: aclrtGetMemInfo(aclrtMemAttr, *mut usize, *mut usize) -> i32;

    RESERVE: aclrtReserveMemAddress(*mut *mut c_void, usize, usize, *mut c_void, u64) -> i32;
    RELEASE: aclrtReleaseMemAddress(*mut c_void) -> i32;
    MALLOC_PHYSICAL: aclrtMallocPhysical(*mut aclrtDrvMemHandle, usize, *const aclrtPhysicalMemProp, u64) -> i32;
    FREE_PHYSICAL: aclrtFreePhysical(aclrtDrvMemHandle) -> i32;
    MAP: aclrtMapMem(*mut c_void, usize, usize, aclrtDrvMemHandle, u64) -> i32;
    UNMAP: aclrtUnmapMem(*mut c_void) -> i32;

    BUFFER_ADDRESS: aclGetDataBufferAddr(*const aclDataBuffer) -> *mut c_void;
    BUFFER_SIZE: aclGetDataBufferSizeV2(*const aclDataBuffer) -> usize;
    DATASET_COUNT: aclmdlGetDatasetNumBuffers(*const aclmdlDataset) -> usize;
    DATASET_BUFFER: aclmdlGetDatasetBuffer(*const aclmdlDataset, usize) -> *mut aclDataBuffer;
    AIPP_DATA_SIZE: aclmdlGetAippDataSize(u64, *mut usize) -> i32;
    AIPP_TYPE: aclmdlGetAippType(u32, usize, *mut aclmdlInputAippType, *mut usize) -> i32;

    RANK_SIZE: HcclGetRankSize(HcclComm, *mut u32) -> HcclResult;
    RANK_ID: HcclGetRankId(HcclComm, *mut u32) -> HcclResult;

    EXCEPTION_STREAM: aclrtGetStreamIdFromExceptionInfo(*const aclrtExceptionInfo) -> u32;
    EXCEPTION_TASK: aclrtGetTaskIdFromExceptionInfo(*const aclrtExceptionInfo) -> u32;
    EXCEPTION_THREAD: aclrtGetThreadIdFromExceptionInfo(*const aclrtExceptionInfo) -> u32;
    EXCEPTION_CODE: aclrtGetErrorCodeFromExceptionInfo(*const aclrtExceptionInfo) -> u32;
    EXCEPTION_DEVICE: aclrtGetDeviceIdFromExceptionInfo(*const aclrtExceptionInfo) -> u32;

    VIDEO_BLOCK_ADDRESS: hi_mpi_vb_handle_to_addr(hi_vb_blk) -> *mut c_void;
    PICTURE_DATA: acldvppGetPicDescData(*const acldvppPicDesc) -> *mut c_void;
    PICTURE_SIZE: acldvppGetPicDescSize(*const acldvppPicDesc) -> u32;
    PICTURE_FORMAT: acldvppGetPicDescFormat(*const acldvppPicDesc) -> acldvppPixelFormat;
    PICTURE_WIDTH: acldvppGetPicDescWidthStride(*const acldvppPicDesc) -> u32;
    PICTURE_HEIGHT: acldvppGetPicDescHeightStride(*const acldvppPicDesc) -> u32;
    BATCH_PICTURE: acldvppGetPicDesc(*mut acldvppBatchPicDesc, u32) -> *mut acldvppPicDesc;
    FRAME_DATA: acldvppGetStreamDescData(*const acldvppStreamDesc) -> *mut c_void;
    FRAME_SIZE: acldvppGetStreamDescSize(*const acldvppStreamDesc) -> u32;
    FRAME_EOS: acldvppGetStreamDescEos(*const acldvppStreamDesc) -> u8;
}
