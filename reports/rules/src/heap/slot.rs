//! A block that is known: one cache line.

use aclsan_log::{BlockId, SiteId};

use super::Held;
use crate::block::{Block, End};
use crate::functions::FUNCTIONS;

/// Room is counted in so many bytes, as allocators of small blocks place them: up to 64 GiB.
const ROOM_UNIT: u64 = 16;

/// A block that is known.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Slot {
    id: BlockId,
    address: u64,
    size: u64,
    since_ns: u64,
    order: u64,
    room: u32,
    site: SiteId,
    device: i32,
    thread: u32,
    /// Where it ended.
    ended: SiteId,
    function: u16,
    kind: Kind,
    marks: u8,
}

/// A call named it.
const NAMED: u8 = 1;
/// It is a handle, filed under a key of its own: see [`Family::key`](crate::Family::key).
const HANDLE: u8 = 2;
/// A call named it by where it begins, and has noted what there is to note of that. No handle is.
const MET: u8 = 4;

const _: () = assert!(size_of::<Slot>() == 64);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Free,
    Live,
    Released,
    Reset,
    Sent,
}

impl Slot {
    /// Of a live block that has no room.
    #[inline]
    pub fn of(held: Held) -> Self {
        let mut slot = Self::of_memory(held);
        slot.marks |= u8::from(held.block.family().is_handle()) * HANDLE;
        slot
    }

    /// The same of a block that is no handle.
    #[inline]
    fn of_memory(held: Held) -> Self {
        let block = held.block;
        Self {
            id: block.id,
            address: block.address,
            size: block.size,
            since_ns: held.since_ns,
            order: held.order,
            room: 0,
            site: block.site,
            device: block.device,
            thread: held.thread,
            ended: SiteId(0),
            function: block.function.number,
            kind: Kind::Live,
            marks: u8::from(held.is_named) * NAMED,
        }
    }

    /// Its number.
    #[inline]
    pub fn id(&self) -> BlockId {
        self.id
    }

    /// Whether the block is live, begins at `address`, and was met.
    #[inline(always)]
    pub fn is_met_at(&self, address: u64) -> bool {
        self.address == address && self.kind == Kind::Live && self.marks & MET > 0
    }

    /// A call named it by where it begins.
    pub fn meet(&mut self) {
        if self.marks & HANDLE == 0 {
            self.marks |= MET;
        }
    }

    /// How many allocations of the process came before its block's.
    #[inline]
    pub fn order(&self) -> u64 {
        self.order
    }

    /// Bytes that the program asked for.
    #[inline]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether a block is in it, live or ended.
    #[inline]
    pub fn is_taken(&self) -> bool {
        self.kind != Kind::Free
    }

    /// Nothing is known of its block any more.
    pub fn free(&mut self) {
        self.kind = Kind::Free;
    }

    /// Another block is in its place. The room stays.
    #[inline]
    pub fn replace(&mut self, held: Held) {
        *self = Self {
            room: self.room,
            ..Self::of(held)
        };
    }

    /// The same of a block that is no handle.
    #[inline]
    pub fn replace_by_memory(&mut self, held: Held) {
        *self = Self {
            room: self.room,
            ..Self::of_memory(held)
        };
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
    pub fn held(&self) -> Held {
        Held {
            block: self.block(),
            since_ns: self.since_ns,
            thread: self.thread,
            is_named: self.is_named(),
            order: self.order,
        }
    }

    /// What it is filed under.
    #[inline]
    pub fn key(&self) -> u64 {
        match self.marks & HANDLE {
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
        self.kind == Kind::Live
    }

    /// Whether a block is in it that has ended.
    #[inline]
    pub fn has_ended(&self) -> bool {
        self.is_taken() && !self.is_live()
    }

    /// How it ended, if it has.
    pub fn ended(&self) -> Option<End> {
        match self.kind {
            Kind::Free | Kind::Live => None,
            Kind::Released => Some(End::Released(self.ended)),
            Kind::Reset => Some(End::Reset(self.ended)),
            Kind::Sent => Some(End::Sent(self.ended)),
        }
    }

    /// It ends, or with `None` lives again.
    #[inline]
    pub fn end(&mut self, how: Option<End>) {
        (self.kind, self.ended) = match how {
            None => (Kind::Live, SiteId(0)),
            Some(End::Released(site)) => (Kind::Released, site),
            Some(End::Reset(site)) => (Kind::Reset, site),
            Some(End::Sent(site)) => (Kind::Sent, site),
        };
    }

    /// Whether a call named it.
    #[inline]
    pub fn is_named(&self) -> bool {
        self.marks & NAMED != 0
    }

    /// A call named it; whether none had before.
    #[inline]
    pub fn name(&mut self) -> bool {
        let before = self.marks;
        self.marks |= NAMED;
        before & NAMED == 0
    }

    /// Up to where no other block begins, or less.
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
