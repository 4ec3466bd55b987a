//! Blocks, and what lies at an address.

use crate::api::functions::{Call, Family, Function};
use aclsan_log::{BlockId, SiteId};

/// A block that a known call allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its number in the log.
    pub id: BlockId,
    /// Its first byte, as the program sees it; of a thing without bytes, its handle.
    pub address: u64,
    /// Bytes that the program asked for.
    pub size: u64,
    /// The call that made it.
    pub function: &'static Function,
    /// Where that call came from.
    pub site: SiteId,
    /// Its device, −1 when not known.
    pub device: i32,
}

impl Block {
    /// What a call made.
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

    /// What tables of live blocks file it under: its address, or for a handle a number that is no address.
    #[inline]
    pub fn key(&self) -> u64 {
        self.family().key(self.address)
    }

    /// Whether `address` is one of its bytes. A block of no bytes has its start. None goes round the end of all addresses, whatever size a
    /// damaged log gives it.
    pub fn covers(&self, address: u64) -> bool {
        let offset = address.checked_sub(self.address);
        offset.is_some_and(|offset| offset < self.size.max(1))
    }
}

/// How a block came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// A release at this site.
    Released(SiteId),
    /// The device's last reset at this site dropped it.
    Reset(SiteId),
    /// It was sent at this site, and belongs to the framework.
    Sent(SiteId),
}

/// What lies at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressInfo {
    /// A live block, this many bytes after its start.
    Live(Block, u64),
    /// A block that has ended and whose memory no later block is known to have taken, this many bytes after its start.
    Ended(Block, u64, End),
    /// Nothing that was seen allocated: unknown origin, or ordinary host memory.
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

    /// Whether so many bytes from there on lie in a live block that has memory: the usual case.
    #[inline]
    pub fn has(&self, bytes: u64) -> bool {
        let Self::Live(block, offset) = self else {
            return false;
        };
        let end = bytes.checked_add(*offset);
        end.is_some_and(|end| end <= block.size) && block.family() != Family::Reserved
    }
}
