//! A known block: one cache line.

use aclsan_log::{BlockId, CallSiteId};

use super::live_block::LiveBlock;
use crate::api::block::{Block, End};
use crate::api::functions::FUNCTIONS;

/// Unit of the room, the alignment of small blocks in common allocators: up to 64 GiB can be counted.
const ROOM_UNIT: u64 = 16;

/// A known block.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Slot {
    id: BlockId,
    address: u64,
    size: u64,
    since_ns: u64,
    /// Allocations before its own: the low 40 bits of the number, which count a trillion.
    order: u32,
    order_high: u8,
    state: u8,
    function: u16,
    room: u32,
    site: CallSiteId,
    device: i32,
    thread: u32,
    /// Where it ended.
    ended: CallSiteId,
    /// Where its id is indexed: see [`IdIndex::insert`](super::id_index::IdIndex::insert).
    pub place: u32,
}

/// What became of it, one of five; the other bits of the state are flags.
const KIND: u8 = 7;
const FREE: u8 = 0;
const LIVE: u8 = 1;
/// Set if it has ended in any way.
const ENDED: u8 = 4;
const RELEASED: u8 = ENDED;
const RESET: u8 = ENDED + 1;
const SENT: u8 = ENDED + 2;
/// A call named it.
const NAMED: u8 = 1 << 3;
/// It is a handle, stored under a key of its own: see [`Family::key`](crate::api::family::Family::key).
const HANDLE: u8 = 1 << 4;
/// A call named it by its start, and everything to note about that was noted. Never set for handles.
const NAMED_BY_START: u8 = 1 << 5;

const _: () = assert!(size_of::<Slot>() == 64);

impl Slot {
    /// A slot without a block.
    pub const FREE: Self = Self {
        id: BlockId(0),
        address: 0,
        size: 0,
        since_ns: 0,
        order: 0,
        order_high: 0,
        state: FREE,
        function: 0,
        room: 0,
        site: CallSiteId(0),
        device: 0,
        thread: 0,
        ended: CallSiteId(0),
        place: u32::MAX,
    };

    /// The slot of a live block without room.
    #[inline]
    pub fn of(live: LiveBlock) -> Self {
        let mut slot = Self::of_memory(live);
        slot.state |= u8::from(live.block.family().is_handle()) * HANDLE;
        slot
    }

    /// [`Slot::of`] for a block that is no handle.
    #[inline]
    fn of_memory(live: LiveBlock) -> Self {
        let block = live.block;
        Self {
            id: block.id,
            address: block.address,
            size: block.size,
            since_ns: live.since_ns,
            order: live.order as u32,
            order_high: (live.order >> 32) as u8,
            state: LIVE | (u8::from(live.is_named) * NAMED),
            function: block.function.number,
            room: 0,
            site: block.site,
            device: block.device,
            thread: live.thread,
            ended: CallSiteId(0),
            place: u32::MAX,
        }
    }

    /// Its id.
    #[inline]
    pub fn id(&self) -> BlockId {
        self.id
    }

    /// Its first byte, or its handle.
    #[inline]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Whether the block is live, begins at `address`, and was named by its start.
    #[inline(always)]
    pub fn is_named_at(&self, address: u64) -> bool {
        self.address == address && self.is_live() && self.state & NAMED_BY_START > 0
    }

    /// A call named it by its start.
    pub fn set_named_at(&mut self) {
        if self.state & HANDLE == 0 {
            self.state |= NAMED_BY_START;
        }
    }

    /// Allocations of the process before it.
    #[inline]
    pub fn order(&self) -> u64 {
        u64::from(self.order_high) << 32 | u64::from(self.order)
    }

    /// Bytes that the program asked for.
    #[inline]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether it has a block, live or ended.
    #[inline]
    pub fn is_taken(&self) -> bool {
        self.kind() != FREE
    }

    /// Forgets the block.
    pub fn free(&mut self) {
        self.become_kind(FREE);
    }

    /// Replaces the block by another. The room stays.
    #[inline]
    pub fn replace(&mut self, live: LiveBlock) {
        *self = Self {
            room: self.room,
            ..Self::of(live)
        };
    }

    /// [`Slot::replace`] for a block that is no handle.
    #[inline(always)]
    pub fn replace_by_memory(&mut self, live: LiveBlock) {
        *self = Self {
            room: self.room,
            ..Self::of_memory(live)
        };
    }

    /// Whether it has a block of memory, not a handle, that began there and has ended.
    #[inline(always)]
    pub fn has_ended_at(&self, address: u64) -> bool {
        self.address == address && self.state & (ENDED | HANDLE) == ENDED
    }

    /// Whether no other block begins within this many bytes.
    #[inline(always)]
    pub fn has_room(&self, bytes: u64) -> bool {
        bytes.max(1) <= u64::from(self.room) * ROOM_UNIT
    }

    /// The block.
    #[inline]
    pub fn block(&self) -> Block {
        Block {
            id: self.id,
            address: self.address,
            size: self.size,
            function: &FUNCTIONS[usize::from(self.function)],
            site: self.site,
            device: self.device,
        }
    }

    /// The block and its history.
    #[inline]
    pub fn live(&self) -> LiveBlock {
        LiveBlock {
            block: self.block(),
            since_ns: self.since_ns,
            thread: self.thread,
            is_named: self.is_named(),
            order: self.order(),
            bytes: self.size,
        }
    }

    /// The key it is stored under.
    #[inline]
    pub fn key(&self) -> u64 {
        match self.state & HANDLE {
            0 => self.address,
            _ => self.key_of_handle(),
        }
    }

    #[inline(never)]
    fn key_of_handle(&self) -> u64 {
        self.block().key()
    }

    /// Whether the block is live.
    #[inline]
    pub fn is_live(&self) -> bool {
        self.kind() == LIVE
    }

    /// Whether its block has ended.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.state & ENDED != 0
    }

    /// How the block ended, if it has.
    pub fn ended(&self) -> Option<End> {
        match self.kind() {
            RELEASED => Some(End::Released(self.ended)),
            RESET => Some(End::Reset(self.ended)),
            SENT => Some(End::Sent(self.ended)),
            _ => None,
        }
    }

    /// Ends the block; with `None`, revives it.
    #[inline]
    pub fn end(&mut self, how: Option<End>) {
        let (kind, site) = match how {
            None => (LIVE, CallSiteId(0)),
            Some(End::Released(site)) => (RELEASED, site),
            Some(End::Reset(site)) => (RESET, site),
            Some(End::Sent(site)) => (SENT, site),
        };
        self.become_kind(kind);
        self.ended = site;
    }

    #[inline(always)]
    fn kind(&self) -> u8 {
        self.state & KIND
    }

    #[inline(always)]
    fn become_kind(&mut self, kind: u8) {
        self.state = self.state & !KIND | kind;
    }

    /// Whether a call named the block.
    #[inline]
    pub fn is_named(&self) -> bool {
        self.state & NAMED != 0
    }

    /// A call named the block. Returns whether it was the first.
    #[inline]
    pub fn name(&mut self) -> bool {
        let before = self.state;
        self.state |= NAMED;
        before & NAMED == 0
    }

    /// Address up to which no other block begins, or less.
    #[inline]
    pub fn room(&self) -> u64 {
        self.key().saturating_add(u64::from(self.room) * ROOM_UNIT)
    }

    /// No other block begins before `end`.
    pub fn set_room(&mut self, end: u64) {
        let units = end.saturating_sub(self.key()) / ROOM_UNIT;
        self.room = u32::try_from(units).unwrap_or(u32::MAX);
    }
}
