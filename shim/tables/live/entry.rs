//! What the table keeps of a block.

use aclsan_log::{BlockId, SiteId};
use aclsan_rules::functions::FUNCTIONS;
use aclsan_rules::{Block, End, Family, Place};

/// What the table keeps of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Number in the log.
    pub id: BlockId,
    /// Bytes that the program asked for.
    pub size: u64,
    /// Where it was allocated.
    pub site: SiteId,
    /// Where it ended, if it did.
    pub end: SiteId,
    /// Bytes of guard behind the rounded size.
    pub guard: u16,
    /// Bytes of pattern before that, in the runtime's own rounding. Both are 0 for a block that is not guarded, and once it has ended.
    pub slack: u8,
    /// Index of its allocator in `FUNCTIONS`.
    pub function: u16,
    /// Its device, −1 when not known.
    pub device: i8,
    /// Live, or how it ended.
    pub state: State,
    /// When it ended: the last bit of a count of purges.
    pub age: u8,
}

/// What a block is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// It may be used.
    Live,
    /// It was released.
    Released,
    /// A reset dropped it.
    Reset,
    /// It was sent, and belongs to the framework.
    Sent,
}

impl Entry {
    /// In the words of the rules; `key` is what the table files it under.
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

    /// Whether host code may touch the block.
    pub fn is_host(&self) -> bool {
        FUNCTIONS[usize::from(self.function).min(FUNCTIONS.len() - 1)]
            .family()
            .is_some_and(Family::is_host)
    }

    /// What lies `offset` bytes behind its start.
    pub fn place(&self, address: u64, offset: u64) -> Place {
        let block = self.block(address);
        match self.state {
            State::Live => Place::Live(block, offset),
            State::Released => Place::Ended(block, offset, End::Released(self.end)),
            State::Reset => Place::Ended(block, offset, End::Reset(self.end)),
            State::Sent => Place::Ended(block, offset, End::Sent(self.end)),
        }
    }
}

impl State {
    /// The state with that number, which is taken from the last two bits.
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
