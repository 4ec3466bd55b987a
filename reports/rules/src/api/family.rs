//! Families: kinds of things that one call allocates and another releases.

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
    /// A handle that is the address of an object on the host, which the destroying call deletes unseen.
    Object,
}

struct Kind {
    name: &'static str,
    naming: Naming,
    loss: Loss,
}

/// The families, in the order of reports, memory first: `Name: name in reports, naming, loss;`.
macro_rules! families {
    ($($(#[doc = $doc:literal])+ $name:ident: $text:literal, $naming:ident, $loss:ident;)+) => {
        /// Who owns a thing. The function that allocated it decides which one releases it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Family {
            $($(#[doc = $doc])+ $name),+
        }

        impl Family {
            /// Every family, in the order of reports.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$name),+];

            #[inline(always)]
            const fn kind(self) -> &'static Kind {
                static KINDS: [Kind; Family::ALL.len()] = [$(Kind {
                    name: $text,
                    naming: Naming::$naming,
                    loss: Loss::$loss,
                }),+];
                &KINDS[self as usize]
            }
        }
    };
}

families! {
    /// `aclrtMalloc` and its variants.
    Device: "device", Device, Memory;
    /// `aclrtMallocHost`: page-locked host memory.
    Pinned: "pinned host", Host, Memory;
    /// `acldvppMalloc`.
    Dvpp: "dvpp", Device, Memory;
    /// `hi_mpi_dvpp_malloc`.
    DvppMpi: "dvpp-mpi", Device, Memory;
    /// `aclrtMemAllocManaged`: memory that both host and device access.
    Managed: "managed", Shared, Memory;
    /// `aclrtMemPoolMallocAsync`.
    Pool: "pool", Device, Memory;
    /// `HIAI_DMalloc`: HiAI Matrix host memory that its transport can send.
    Hiai: "hiai", Host, Memory;
    /// `HIAI_DVPP_DMalloc`.
    HiaiDvpp: "hiai-dvpp", Host, Memory;
    /// `aclrtMallocPhysical`: a handle to memory without an address.
    Physical: "physical", Handle, Registration;
    /// `aclrtAllocBuf`: a handle to a shared buffer.
    Buffer: "shared buffer", Handle, Memory;
    /// `aclrtReserveMemAddress`: addresses, no memory.
    Reserved: "reserved range", Device, Registration;
    /// `aclrtMapMem`: memory mapped into a part of a reservation.
    Mapped: "mapping", Handle, Registration;
    /// `aclrtIpcMemImportByKey`: another process's block.
    Imported: "ipc import", Device, Registration;
    /// `aclrtIpcMemGetExportKey`: a key to a block of this process.
    Exported: "ipc export", Handle, Registration;
    /// `aclrtHostRegister`: the program's own host memory, made known to devices.
    Registered: "registered host range", Handle, Registration;
    /// `aclrtMemPoolCreate`.
    MemPool: "memory pool", Handle, Registration;
    /// `hi_mpi_vb_create_pool`.
    VideoPool: "video-buffer pool", Handle, Registration;
    /// `hi_mpi_vb_get_block`: a part of a pool, identified by its address.
    VideoBlock: "video buffer", Device, Registration;
    /// `aclrtCreateStream` and its variants.
    Stream: "stream", Handle, Descriptor;
    /// `aclrtCreateEvent` and its variants.
    Event: "event", Handle, Descriptor;
    /// `aclrtCreateNotify`.
    Notify: "notify", Handle, Descriptor;
    /// `aclrtCntNotifyCreate`.
    CountNotify: "count notify", Handle, Descriptor;
    /// `aclCreateDataBuffer`.
    DataBuffer: "data buffer", Object, Descriptor;
    /// `aclCreateTensor`.
    Tensor: "tensor", Object, Descriptor;
    /// `aclCreateTensorList`.
    TensorList: "tensor list", Object, Descriptor;
    /// `acldvppCreatePicDesc`.
    PictureDesc: "picture descriptor", Object, Descriptor;
    /// `acldvppCreateBatchPicDesc`.
    PictureBatch: "batch of picture descriptors", Object, Descriptor;
    /// `acldvppCreateStreamDesc`.
    StreamDesc: "stream descriptor", Object, Descriptor;
    /// `aclCreateScalar`.
    Scalar: "scalar", Object, Descriptor;
    /// `aclCreateScalarList`.
    ScalarList: "scalar list", Object, Descriptor;
    /// `aclCreateBoolArray`.
    BoolArray: "bool array", Object, Descriptor;
    /// `aclCreateFloatArray`.
    FloatArray: "float array", Object, Descriptor;
    /// `aclCreateIntArray`.
    IntArray: "int array", Object, Descriptor;
    /// `aclCreateTensorDesc`.
    TensorDesc: "tensor descriptor", Object, Descriptor;
    /// `aclopCreateAttr`.
    OperatorAttributes: "set of operator attributes", Object, Descriptor;
    /// `aclopCreateHandle`.
    OperatorHandle: "operator handle", Object, Descriptor;
    /// `aclmdlCreateDataset`.
    Dataset: "dataset", Object, Descriptor;
    /// `aclmdlCreateDesc`.
    ModelDesc: "model descriptor", Object, Descriptor;
    /// `aclmdlCreateAIPP`.
    ModelAipp: "AIPP configuration", Object, Descriptor;
    /// `aclmdlCreateConfigHandle`.
    ModelConfig: "model-load configuration", Object, Descriptor;
    /// `aclmdlCreateExecConfigHandle`.
    ExecConfig: "model-execution configuration", Object, Descriptor;
    /// `aclmdlBundleCreateQueryInfo`.
    BundleQuery: "bundle query", Object, Descriptor;
    /// `acldvppCreateChannelDesc`.
    ChannelDesc: "channel descriptor", Object, Descriptor;
    /// `acldvppCreateChannel`: named by its descriptor.
    Channel: "DVPP channel", Handle, Descriptor;
    /// `acldvppCreateResizeConfig`.
    ResizeConfig: "resize configuration", Object, Descriptor;
    /// `acldvppCreateRoiConfig`.
    RoiConfig: "region of interest", Object, Descriptor;
    /// `acldvppCreateJpegeConfig`.
    JpegeConfig: "JPEGE configuration", Object, Descriptor;
    /// `acldvppCreateBorderConfig`.
    BorderConfig: "border configuration", Object, Descriptor;
    /// `acldvppCreateLutMap`.
    LutMap: "lookup table", Object, Descriptor;
    /// `acldvppCreateHist`.
    Histogram: "histogram", Object, Descriptor;
    /// `aclvdecCreateChannelDesc`.
    VdecChannelDesc: "VDEC channel descriptor", Object, Descriptor;
    /// `aclvdecCreateChannel`: named by its descriptor.
    VdecChannel: "VDEC channel", Handle, Descriptor;
    /// `aclvdecCreateFrameConfig`.
    VdecFrameConfig: "VDEC frame configuration", Object, Descriptor;
    /// `aclvencCreateChannelDesc`.
    VencChannelDesc: "VENC channel descriptor", Object, Descriptor;
    /// `aclvencCreateChannel`: named by its descriptor.
    VencChannel: "VENC channel", Handle, Descriptor;
    /// `aclvencCreateFrameConfig`.
    VencFrameConfig: "VENC frame configuration", Object, Descriptor;
    /// `aclrtCreateStreamConfigHandle`.
    StreamConfig: "stream configuration", Object, Descriptor;
    /// `aclrtAllocatorCreateDesc`.
    AllocatorDesc: "allocator descriptor", Object, Descriptor;
    /// `aclrtCreateGroupInfo`.
    GroupInfo: "group description", Object, Descriptor;
    /// `aclrtCreateLabel`.
    Label: "label", Handle, Descriptor;
    /// `aclrtCreateLabelList`.
    LabelList: "label list", Handle, Descriptor;
    /// `aclrtCreateBinary`.
    Binary: "kernel binary", Object, Descriptor;
    /// `aclrtBinaryLoad` and its variants.
    LoadedBinary: "loaded kernel binary", Handle, Descriptor;
    /// `HcclCommInitRootInfo` and its variants.
    Communicator: "communicator", Handle, Descriptor;
}

impl Family {
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
        const HANDLES: u64 = {
            let (mut bits, mut at) = (0, 0);
            while at < Family::ALL.len() {
                let family = Family::ALL[at];
                bits |= (matches!(family.kind().naming, Naming::Handle | Naming::Object) as u64)
                    << family as u32;
                at += 1;
            }
            bits
        };
        HANDLES >> self as u32 & 1 != 0
    }

    /// Whether its things are objects on the host that the destroying call deletes without a look at the handle.
    pub const fn is_host_object(self) -> bool {
        matches!(self.kind().naming, Naming::Object)
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

    /// Whether programs make and release many of them: plain memory, events, and objects on the host. A model's configuration
    /// says which memory the model will use.
    pub const fn is_passing(self) -> bool {
        match self {
            Self::Buffer | Self::Physical | Self::ModelConfig => false,
            Self::Event => true,
            _ => self.is_memory() || self.is_host_object(),
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
}
