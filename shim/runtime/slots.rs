//! The functions that the shim hooks and calls itself. A row of the hooks names its slot, so that both find one definition.

use super::next::Slot;
use crate::abi::*;
use std::ffi::c_void;
use std::marker::PhantomData;

/// A slot for a function of type `F`. The header gives the type: see [`slots!`].
pub struct TypedSlot<F> {
    slot: Slot,
    function: PhantomData<F>,
}

impl<F: Copy> TypedSlot<F> {
    /// The definition behind ours; `None` where no loaded library has one.
    pub fn next(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*const ()>()) };
        let next = self.slot.next()?;
        // SAFETY: the next definition of the function, whose type `slots!` holds to the header.
        Some(unsafe { std::mem::transmute_copy::<*const (), F>(&next) })
    }

    /// For a row of the hooks.
    pub const fn slot(&self) -> &Slot {
        &self.slot
    }
}

macro_rules! slots {
    ($($slot:ident: $name:ident($($ty:ty),*);)+) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.")]
            pub static $slot: TypedSlot<unsafe extern "C-unwind" fn($($ty),*) -> i32> = TypedSlot {
                slot: Slot::new(super::next::terminated(concat!(stringify!($name), "\0"))),
                function: PhantomData,
            };
            // The header is the authority: a type that disagrees does not compile.
            const _: unsafe extern "C" fn($($ty),*) -> i32 = crate::abi::$name;
        )+
    };
}

slots! {
    MEMCPY: aclrtMemcpy(*mut c_void, usize, *const c_void, usize, aclrtMemcpyKind);
    FREE: aclrtFree(*mut c_void);
    FREE_HOST: aclrtFreeHost(*mut c_void);
    DVPP_FREE: acldvppFree(*mut c_void);
    MPI_DVPP_FREE: hi_mpi_dvpp_free(*mut c_void);
    GET_RUN_MODE: aclrtGetRunMode(*mut aclrtRunMode);
    GET_ADDRESS_RANGE: aclrtMemGetAddressRange(*mut c_void, *mut *mut c_void, *mut usize);
    GET_MEM_INFO: aclrtGetMemInfo(aclrtMemAttr, *mut usize, *mut usize);
    RESERVE: aclrtReserveMemAddress(*mut *mut c_void, usize, usize, *mut c_void, u64);
    RELEASE: aclrtReleaseMemAddress(*mut c_void);
    MALLOC_PHYSICAL: aclrtMallocPhysical(*mut aclrtDrvMemHandle, usize, *const aclrtPhysicalMemProp, u64);
    FREE_PHYSICAL: aclrtFreePhysical(aclrtDrvMemHandle);
    MAP: aclrtMapMem(*mut c_void, usize, usize, aclrtDrvMemHandle, u64);
    UNMAP: aclrtUnmapMem(*mut c_void);
    SYNCHRONIZE_DEVICE: aclrtSynchronizeDevice();
}
