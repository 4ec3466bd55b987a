//! Roles of functions.

use crate::api::family::Family;

/// What a function does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Allocates a block, or a thing with a handle.
    Allocate(Family),
    /// Releases a thing of this family.
    Release(Family),
    /// Copies bytes.
    Copy,
    /// Copies rows of bytes.
    Copy2d,
    /// Fills bytes.
    Set,
    /// `aclInit`.
    Initialize,
    /// `aclFinalize`, `aclFinalizeReference`.
    Finalize,
    /// `aclrtSetDevice`: one more reference to the device.
    SetDevice,
    /// `aclrtResetDevice`: one reference less; the last one drops every block of the device.
    ResetDevice,
    /// `aclrtResetDeviceForce`: drops every block of the device, whatever the count.
    ResetDeviceForce,
    /// Reports how much memory is free.
    MemoryInfo,
    /// Streams, events, callbacks, contexts: recorded for happens-before.
    Order,
    /// Reads or writes ranges that it names: operators, models, messages.
    Launch,
    /// Passes memory to a framework, which may own it from then on.
    Send,
    /// Changes something that `trackers::objects` tracks.
    State,
    /// The CPU reads or writes host memory.
    HostAccess,
    /// Not a function of AscendCL: the program tells aclsan, or any tool, about itself.
    Annotation,
}

impl Role {
    /// The family that it allocates or releases.
    pub(crate) const fn family(self) -> Option<Family> {
        match self {
            Self::Allocate(family) | Self::Release(family) => Some(family),
            _ => None,
        }
    }
}
