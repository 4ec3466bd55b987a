//! Families: kinds of things that one call allocates and another releases.

/// Who owns a thing. The function that allocated it decides which one releases it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Family {
    /// `aclrtMalloc` and its variants.
    Device,
    /// `aclrtMallocHost`: page-locked host memory.
    Pinned,
    /// `acldvppMalloc`.
    Dvpp,
    /// `hi_mpi_dvpp_malloc`.
    DvppMpi,
    /// `aclrtMemAllocManaged`: memory that both host and device access.
    Managed,
    /// `aclrtMemPoolMallocAsync`.
    Pool,
    /// `HIAI_DMalloc`: HiAI Matrix host memory that its transport can send.
    Hiai,
    /// `HIAI_DVPP_DMalloc`.
    HiaiDvpp,
    /// `aclrtMallocPhysical`: a handle to memory without an address.
    Physical,
    /// `aclrtAllocBuf`: a handle to a shared buffer.
    Buffer,
    /// `aclrtReserveMemAddress`: addresses, no memory.
    Reserved,
    /// `aclrtMapMem`: memory mapped into a part of a reservation.
    Mapped,
    /// `aclrtIpcMemImportByKey`: another process's block.
    Imported,
    /// `aclrtIpcMemGetExportKey`: a key to a block of this process.
    Exported,
    /// `aclrtHostRegister`: the program's own host memory, made known to devices.
    Registered,
    /// `aclrtMemPoolCreate`.
    MemPool,
    /// `hi_mpi_vb_create_pool`.
    VideoPool,
    /// `hi_mpi_vb_get_block`: a part of a pool, identified by its address.
    VideoBlock,
    /// `aclrtCreateStream` and its variants.
    Stream,
    /// `aclrtCreateEvent` and its variants.
    Event,
    /// `aclrtCreateNotify`.
    Notify,
    /// `aclrtCntNotifyCreate`.
    CountNotify,
    /// `aclCreateDataBuffer`.
    DataBuffer,
    /// `aclCreateTensor`.
    Tensor,
    /// `aclCreateTensorList`.
    TensorList,
    /// `acldvppCreatePicDesc`.
    PictureDesc,
    /// `acldvppCreateBatchPicDesc`.
    PictureBatch,
    /// `acldvppCreateStreamDesc`.
    StreamDesc,
}

/// What it means not to release a thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// Memory: `leak`.
    Memory,
    /// Something that keeps memory or addresses in use: `leak-registration`.
    Registration,
    /// A small object on the host: `leak-descriptor`.
    Descriptor,
}

/// How a thing is identified: by the address of its bytes, or by a number that is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Naming {
    /// Device memory, dropped by the device's last reset.
    Device,
    /// Memory that host code may access.
    Host,
    /// Memory that host and devices access; no device reset is known to drop it.
    Shared,
    /// A handle.
    Handle,
}

struct Kind {
    name: &'static str,
    release: &'static str,
    naming: Naming,
    loss: Loss,
}

impl Family {
    /// Every family, in the order of reports.
    pub const ALL: [Self; 28] = [
        Self::Device,
        Self::Pinned,
        Self::Dvpp,
        Self::DvppMpi,
        Self::Managed,
        Self::Pool,
        Self::Hiai,
        Self::HiaiDvpp,
        Self::Physical,
        Self::Buffer,
        Self::Reserved,
        Self::Mapped,
        Self::Imported,
        Self::Exported,
        Self::Registered,
        Self::MemPool,
        Self::VideoPool,
        Self::VideoBlock,
        Self::Stream,
        Self::Event,
        Self::Notify,
        Self::CountNotify,
        Self::DataBuffer,
        Self::Tensor,
        Self::TensorList,
        Self::PictureDesc,
        Self::PictureBatch,
        Self::StreamDesc,
    ];

    /// The families that are memory, whose bytes are counted; the first of [`Family::ALL`].
    pub const MEMORY: [Self; 10] = [
        Self::Device,
        Self::Pinned,
        Self::Dvpp,
        Self::DvppMpi,
        Self::Managed,
        Self::Pool,
        Self::Hiai,
        Self::HiaiDvpp,
        Self::Physical,
        Self::Buffer,
    ];

    #[rustfmt::skip] // a table
    const fn kind(self) -> Kind {
        const fn kind(name: &'static str, release: &'static str, naming: Naming, loss: Loss) -> Kind {
            Kind { name, release, naming, loss }
        }
        use {Loss::*, Naming::*};
        match self {
            Self::Device => kind("device", "aclrtFree", Naming::Device, Memory),
            Self::Pinned => kind("pinned host", "aclrtFreeHost", Host, Memory),
            Self::Dvpp => kind("dvpp", "acldvppFree", Naming::Device, Memory),
            Self::DvppMpi => kind("dvpp-mpi", "hi_mpi_dvpp_free", Naming::Device, Memory),
            Self::Managed => kind("managed", "aclrtFree", Shared, Memory),
            Self::Pool => kind("pool", "aclrtMemPoolFreeAsync", Naming::Device, Memory),
            Self::Hiai => kind("hiai", "HIAI_DFree", Host, Memory),
            Self::HiaiDvpp => kind("hiai-dvpp", "HIAI_DVPP_DFree", Host, Memory),
            Self::Physical => kind("physical", "aclrtFreePhysical", Handle, Registration),
            Self::Buffer => kind("shared buffer", "aclrtFreeBuf", Handle, Memory),
            Self::Reserved => kind("reserved range", "aclrtReleaseMemAddress", Naming::Device, Registration),
            Self::Mapped => kind("mapping", "aclrtUnmapMem", Handle, Registration),
            Self::Imported => kind("ipc import", "aclrtIpcMemClose", Naming::Device, Registration),
            Self::Exported => kind("ipc export", "aclrtIpcMemClose", Handle, Registration),
            Self::Registered => kind("registered host range", "aclrtHostUnregister", Handle, Registration),
            Self::MemPool => kind("memory pool", "aclrtMemPoolDestroy", Handle, Registration),
            Self::VideoPool => kind("video-buffer pool", "hi_mpi_vb_destroy_pool", Handle, Registration),
            Self::VideoBlock => kind("video buffer", "hi_mpi_vb_release_block", Naming::Device, Registration),
            Self::Stream => kind("stream", "aclrtDestroyStream", Handle, Descriptor),
            Self::Event => kind("event", "aclrtDestroyEvent", Handle, Descriptor),
            Self::Notify => kind("notify", "aclrtDestroyNotify", Handle, Descriptor),
            Self::CountNotify => kind("count notify", "aclrtCntNotifyDestroy", Handle, Descriptor),
            Self::DataBuffer => kind("data buffer", "aclDestroyDataBuffer", Handle, Descriptor),
            Self::Tensor => kind("tensor", "aclDestroyTensor", Handle, Descriptor),
            Self::TensorList => kind("tensor list", "aclDestroyTensorList", Handle, Descriptor),
            Self::PictureDesc => kind("picture descriptor", "acldvppDestroyPicDesc", Handle, Descriptor),
            Self::PictureBatch => kind("batch of picture descriptors", "acldvppDestroyBatchPicDesc", Handle, Descriptor),
            Self::StreamDesc => kind("stream descriptor", "acldvppDestroyStreamDesc", Handle, Descriptor),
        }
    }

    /// Short name for reports and JSON.
    pub const fn name(self) -> &'static str {
        self.kind().name
    }

    /// One of its things, in a sentence.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Physical => "physical handle",
            Self::Imported => "foreign block",
            Self::Exported => "memory key",
            _ => self.name(),
        }
    }

    /// The function that releases its things.
    pub const fn release(self) -> &'static str {
        self.kind().release
    }

    /// Whether host code may access its blocks.
    pub const fn is_host(self) -> bool {
        matches!(self.kind().naming, Naming::Host | Naming::Shared)
    }

    /// Whether its blocks belong to host and devices alike, so that copies of them have no direction.
    pub const fn is_shared(self) -> bool {
        matches!(self.kind().naming, Naming::Shared)
    }

    /// Whether it is identified by a handle, not by an address of bytes.
    pub const fn is_handle(self) -> bool {
        /// A bit for each of them: hooks ask this several times.
        const HANDLES: u32 = {
            let (mut bits, mut at) = (0, 0);
            while at < Family::ALL.len() {
                let family = Family::ALL[at];
                bits |= (matches!(family.kind().naming, Naming::Handle) as u32) << family as u32;
                at += 1;
            }
            bits
        };
        HANDLES >> self as u32 & 1 != 0
    }

    /// Whether its bytes are memory: counted in totals, timelines and leaks.
    pub const fn is_memory(self) -> bool {
        matches!(self.kind().loss, Loss::Memory) || matches!(self, Self::Physical)
    }

    /// Whether `block_sample` chooses the blocks that are recorded; of other families, all are.
    pub const fn is_sampled(self) -> bool {
        use Family::*;
        matches!(self, Device | Pinned | Dvpp | DvppMpi | Managed)
    }

    /// Whether the device's last reset drops it: device memory, by address or by handle, and what was imported there.
    /// Pinned host memory survives (driver ef377e95, `devmm_svm.c`, `svm_shmem_node.c`); for shared buffers this is not
    /// documented.
    pub const fn is_dropped_by_reset(self) -> bool {
        use Family::*;
        matches!(self, Device | Dvpp | DvppMpi | Pool | Physical | Imported)
    }

    /// Whether its bytes are a device's own memory: counted in what a device holds, and dropped by its last reset.
    pub const fn is_of_device(self) -> bool {
        self.is_memory() && self.is_dropped_by_reset()
    }

    /// Whether programs make and release many of them: plain memory, and the descriptors and events of each operator.
    pub const fn is_passing(self) -> bool {
        match self {
            Self::Buffer | Self::Physical => false,
            Self::DataBuffer | Self::Tensor | Self::TensorList | Self::Event => true,
            _ => self.is_memory(),
        }
    }

    /// What it means not to release one.
    pub const fn loss(self) -> Loss {
        self.kind().loss
    }

    /// The key for tables of live things: an address as it is; a handle outside the address space and separate for each
    /// family, since a range may be mapped, registered and exported at the same time under the same number.
    pub const fn key(self, address: u64) -> u64 {
        if self.is_handle() {
            HANDLE | (self as u64) << FAMILY_SHIFT | address & HANDLE_MASK
        } else {
            address
        }
    }

    /// The address or handle of a key.
    pub const fn named(self, key: u64) -> u64 {
        if self.is_handle() {
            key & HANDLE_MASK
        } else {
            key
        }
    }
}

/// No process has addresses with this bit.
const HANDLE: u64 = 1 << 63;
const FAMILY_SHIFT: u32 = 56;
/// Handles are pointers of the runtime or small numbers; the bits above are cut off, which a hash of 56 bits survives.
const HANDLE_MASK: u64 = (1 << FAMILY_SHIFT) - 1;

/// Whether accesses to a family are checked for races.
#[inline]
pub(crate) const fn is_race_checked(family: Family) -> bool {
    matches!(
        family,
        Family::Device
            | Family::Dvpp
            | Family::DvppMpi
            | Family::Pool
            | Family::Managed
            | Family::Mapped
            | Family::Pinned
            | Family::Registered
    )
}

/// Whether a race-checked family is host memory.
pub const fn is_host_memory(family: Family) -> bool {
    matches!(family, Family::Pinned | Family::Registered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::functions::{Role, function};

    #[test]
    fn all_families_stand_in_the_order_of_their_numbers_memory_first() {
        for (place, family) in Family::ALL.into_iter().enumerate() {
            assert_eq!(family as usize, place);
        }
        assert_eq!(Family::ALL[..Family::MEMORY.len()], Family::MEMORY);
        for family in Family::ALL {
            assert_eq!(Family::MEMORY.contains(&family), family.is_memory());
        }
    }

    #[test]
    fn a_handle_comes_back_from_its_key_and_never_meets_an_address() {
        for family in Family::ALL {
            let key = family.key(0x7f12_3456_7890);
            assert_eq!(family.named(key), 0x7f12_3456_7890);
            assert_eq!(key > i64::MAX as u64, family.is_handle());
        }
        assert_ne!(Family::Mapped.key(0x1000), Family::Registered.key(0x1000));
    }

    #[test]
    fn what_a_reset_drops_is_memory_of_the_device_or_seen_there() {
        for family in Family::ALL {
            let is_apart = matches!(family, Family::Imported | Family::Buffer);
            let is_device_memory = family.is_memory() && !family.is_host();
            assert!(
                is_apart || family.is_dropped_by_reset() == is_device_memory,
                "{family:?}"
            );
        }
    }

    #[test]
    fn every_known_release_of_a_family_is_a_release() {
        for family in Family::ALL {
            if let Some(function) = function(family.release()) {
                assert!(matches!(function.role, Role::Release(_)), "{family:?}");
            }
        }
    }
}
