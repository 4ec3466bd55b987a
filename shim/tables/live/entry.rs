//! What the live table stores of a block.

use aclsan_log::{BlockId, CallSiteId};
use aclsan_rules::api::block::{AddressInfo, Block, End};
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::FUNCTIONS;

/// What the live table stores of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number in the log.
    pub id: BlockId,
    /// Bytes that the program asked for.
    pub size: u64,
    /// Allocation site.
    pub site: CallSiteId,
    /// Site that freed it, if any.
    pub end: CallSiteId,
    /// Bytes of redzone after the rounded size.
    pub guard: u16,
    /// Alignment padding before the redzone, filled with the pattern too: what the runtime rounds the size up by. Both
    /// are 0 for a block without a redzone, and once it is freed.
    pub slack: u8,
    /// Index of its allocator in `FUNCTIONS`.
    pub function: u16,
    /// Its device, −1 if unknown.
    pub device: i8,
    /// Live, or how it ended.
    pub state: State,
    /// Generation in which it was freed: the last bit of the count of evictions.
    pub age: u8,
}

/// The state of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It may be used.
    Live,
    /// It was freed.
    Released,
    /// A reset dropped it.
    Reset,
    /// It was sent and now belongs to the framework.
    Sent,
}

impl Entry {
    /// The block as the rules see it. `key` is its key in the table.
    #[inline(always)]
    pub fn block(&self, key: u64) -> Block {
        let function = &FUNCTIONS[usize::from(self.function).min(FUNCTIONS.len() - 1)];
        let family = function.family().unwrap_or(Family::Device);
        Block {
            id: self.id,
            address: family.named(key),
            size: self.size,
            function,
            site: self.site,
            device: self.device.into(),
        }
    }

    /// Whether host code may access the block.
    pub fn is_host(&self) -> bool {
        FUNCTIONS[usize::from(self.function).min(FUNCTIONS.len() - 1)]
            .family()
            .is_some_and(Family::is_host)
    }

    /// Describes the byte `offset` bytes after the block's start.
    pub fn place(&self, address: u64, offset: u64) -> AddressInfo {
        let block = self.block(address);
        match self.state {
            State::Live => AddressInfo::Live(block, offset),
            State::Released => AddressInfo::Ended(block, offset, End::Released(self.end)),
            State::Reset => AddressInfo::Ended(block, offset, End::Reset(self.end)),
            State::Sent => AddressInfo::Ended(block, offset, End::Sent(self.end)),
        }
    }
}

impl State {
    /// Decodes a state from the low two bits of `number`.
    #[inline(always)]
    pub fn of(number: u64) -> Self {
        match number & 3 {
            0 => Self::Live,
            1 => Self::Released,
            2 => Self::Reset,
            _ => Self::Sent,
        }
    }
}
