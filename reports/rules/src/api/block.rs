//! Blocks, and what is at an address.

use crate::api::functions::{Call, Family, Function};
use aclsan_log::{BlockId, CallSiteId};

/// A block that a known call allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its id in the log.
    pub id: BlockId,
    /// Its first byte, as the program sees it. For things without bytes, its handle.
    pub address: u64,
    /// Bytes that the program asked for.
    pub size: u64,
    /// The call that allocated it.
    pub function: &'static Function,
    /// Where that call came from.
    pub site: CallSiteId,
    /// Its device, −1 if unknown.
    pub device: i32,
}

impl Block {
    /// The block that a call allocated.
    #[inline]
    pub fn of(call: &Call, id: BlockId, address: u64, size: u64) -> Self {
        Self {
            id,
            address,
            size,
            function: call.function,
            site: call.site,
            device: call.device,
        }
    }

    /// Who owns it.
    #[inline]
    pub fn family(&self) -> Family {
        self.function.family().unwrap_or(Family::Device)
    }

    /// The function that releases it.
    pub fn release(&self) -> &'static str {
        let vendor = self.function.vendor();
        (vendor.release)(self.family())
    }

    /// The key for tables of live blocks: its address, or for a handle a number that is no address.
    #[inline]
    pub fn key(&self) -> u64 {
        self.family().key(self.address)
    }

    /// Whether `address` is one of its bytes. A block of no bytes has its start. No block wraps around the end of the
    /// address space, whatever size a corrupted log gives it.
    pub fn covers(&self, address: u64) -> bool {
        let offset = address.checked_sub(self.address);
        offset.is_some_and(|offset| offset < self.size.max(1))
    }
}

/// How a block ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// A release at this site.
    Released(CallSiteId),
    /// The device's last reset, at this site, dropped it.
    Reset(CallSiteId),
    /// It was sent at this site, and belongs to the framework.
    Sent(CallSiteId),
}

/// A description of an address (Valgrind's `AddrInfo`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressInfo {
    /// A live block, and the offset in it.
    Live(Block, u64),
    /// An ended block whose memory no later block is known to have, and the offset in it.
    Ended(Block, u64, End),
    /// Not seen allocated: unknown origin, or ordinary host memory.
    Unknown,
}

impl AddressInfo {
    /// The block, live or ended, and the offset in it.
    pub fn block(&self) -> Option<(&Block, u64)> {
        match self {
            Self::Live(block, offset) | Self::Ended(block, offset, _) => Some((block, *offset)),
            Self::Unknown => None,
        }
    }

    /// Whether this many bytes from here on are in a live block that has memory: the common case.
    #[inline]
    pub fn has(&self, bytes: u64) -> bool {
        let Self::Live(block, offset) = self else {
            return false;
        };
        let end = bytes.checked_add(*offset);
        end.is_some_and(|end| end <= block.size) && block.family() != Family::Reserved
    }
}
