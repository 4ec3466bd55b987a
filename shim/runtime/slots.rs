//! Slots of the functions that the shim both hooks and calls itself. The hook's row names the slot, so both use one definition.

use super::next::Slot;
use crate::abi::*;
use std::ffi::c_void;
use std::marker::PhantomData;

/// A [`Slot`] for a function of type `F`. Only [`slots!`] makes one, and checks the type against the header.
pub struct TypedSlot<F> {
    slot: Slot,
    function: PhantomData<F>,
}

impl<F: Copy> TypedSlot<F> {
    /// The next definition; `None` if no loaded library has one.
    pub fn next(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*const ()>()) };
        let next = self.slot.next()?;
        // SAFETY: the next definition of the function; `slots!` checks its type against the header.
        Some(unsafe { std::mem::transmute_copy::<*const (), F>(&next) })
    }

    /// The slot, for the hook's row.
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
            // A type that disagrees with the header does not compile.
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
