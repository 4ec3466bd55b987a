//! What the table keeps of a block, and how that fits 24 bytes beside the key.

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
    /// Bytes of pattern before that, in the runtime's own rounding. Both are 0 for a block that is not guarded.
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

/// An entry in three words:
///
/// ```text
/// id 48 │ function 12 │ state 2 │ age 1 │ 1 if the entry stands elsewhere
/// size 35 │ guard 13 │ slack 8 │ device 8
/// site 32 │ end 32
/// ```
///
/// A block of 32 GiB and more, and whatever else does not fit, stands elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed([u64; 3]);

const ID_BITS: u32 = 48;
const ID: u64 = (1 << ID_BITS) - 1;
const FUNCTION: u64 = (1 << 12) - 1;
const STATE_SHIFT: u32 = 60;
const AGE_SHIFT: u32 = 62;
const FAR: u64 = 1 << 63;
const SIZE_BITS: u32 = 35;
const SIZE: u64 = (1 << SIZE_BITS) - 1;
const GUARD: u64 = (1 << 13) - 1;

const _: () = assert!(FUNCTIONS.len() <= FUNCTION as usize);

impl Packed {
    /// What stands for an entry that does not fit.
    pub const FAR: Self = Self([FAR, 0, 0]);

    /// `None` for an entry that does not fit.
    #[inline(always)]
    pub fn of(entry: &Entry) -> Option<Self> {
        let id = entry.id.0;
        let (guard, function) = (u64::from(entry.guard), u64::from(entry.function));
        let beyond = (entry.size & !SIZE) | (guard & !GUARD) | (function & !FUNCTION);
        // A block that is not on record has the number of all ones, however many there are.
        let fits = beyond == 0 && id.wrapping_add(1) <= ID;
        fits.then(|| {
            Self([
                (id & ID)
                    | u64::from(entry.function) << ID_BITS
                    | (entry.state as u64) << STATE_SHIFT
                    | u64::from(entry.age & 1) << AGE_SHIFT,
                entry.size
                    | u64::from(entry.guard) << SIZE_BITS
                    | u64::from(entry.slack) << 48
                    | u64::from(entry.device as u8) << 56,
                u64::from(entry.site.0) | u64::from(entry.end.0) << 32,
            ])
        })
    }

    /// `None` where the entry stands elsewhere.
    #[inline(always)]
    pub fn entry(self) -> Option<Entry> {
        let [first, second, third] = self.0;
        let id = first & ID;
        (first & FAR == 0).then(|| Entry {
            id: BlockId(if id == ID { u64::MAX } else { id }),
            size: second & SIZE,
            site: SiteId(third as u32),
            end: SiteId((third >> 32) as u32),
            guard: (second >> SIZE_BITS & GUARD) as u16,
            slack: (second >> 48) as u8,
            function: (first >> ID_BITS & FUNCTION) as u16,
            device: (second >> 56) as i8,
            state: State::of(first >> STATE_SHIFT),
            age: (first >> AGE_SHIFT & 1) as u8,
        })
    }

    /// Whether it is of a live block that does not stand elsewhere.
    #[inline(always)]
    pub fn is_live(self) -> bool {
        self.0[0] & (FAR | 3 << STATE_SHIFT) == (State::Live as u64) << STATE_SHIFT
    }

    /// Has the live block end at `site`.
    #[inline(always)]
    pub fn release(&mut self, site: SiteId, age: u8) {
        let [first, _, third] = &mut self.0;
        *first = *first & !(1 << AGE_SHIFT)
            | (State::Released as u64) << STATE_SHIFT
            | u64::from(age & 1) << AGE_SHIFT;
        *third = u64::from(*third as u32) | u64::from(site.0) << 32;
    }
}

impl State {
    /// The state with that number, which is taken from the last two bits.
    #[inline(always)]
    fn of(number: u64) -> Self {
        match number & 3 {
            0 => Self::Live,
            1 => Self::Released,
            2 => Self::Reset,
            _ => Self::Sent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Entry = Entry {
        id: BlockId(5 << 16 | 7),
        size: 4096,
        site: SiteId(11),
        end: SiteId(0),
        guard: 512,
        slack: 31,
        function: 3,
        device: -1,
        state: State::Live,
        age: 0,
    };

    fn comes_back(entry: Entry) -> bool {
        Packed::of(&entry).and_then(Packed::entry) == Some(entry)
    }

    #[test]
    fn entries_fit_or_say_that_they_do_not() {
        let most = Entry {
            id: BlockId(ID - 1),
            size: (32 << 30) - 1,
            site: SiteId(u32::MAX),
            end: SiteId(u32::MAX),
            guard: 8191,
            slack: 255,
            function: 4095,
            device: 127,
            state: State::Sent,
            age: 1,
        };
        let unwritten = Entry {
            id: BlockId(u64::MAX),
            ..ENTRY
        };
        for state in [State::Live, State::Released, State::Reset, State::Sent] {
            assert!(comes_back(Entry { state, ..ENTRY }), "{state:?}");
        }
        assert!(comes_back(most) && comes_back(unwritten));
        for large in [
            Entry {
                size: 32 << 30,
                ..most
            },
            Entry {
                guard: 8192,
                ..most
            },
            Entry {
                id: BlockId(ID),
                ..most
            },
            Entry {
                function: 4096,
                ..most
            },
        ] {
            assert_eq!(Packed::of(&large), None);
        }
        assert_eq!(Packed::FAR.entry().map(|entry| entry.id), None);
    }

    #[test]
    fn a_release_changes_state_end_and_age_alone() {
        let mut packed = Packed::of(&ENTRY).unwrap();
        assert!(packed.is_live());
        packed.release(SiteId(77), 1);
        let released = Entry {
            end: SiteId(77),
            state: State::Released,
            age: 1,
            ..ENTRY
        };
        assert_eq!(packed.entry(), Some(released));
        assert!(!packed.is_live() && !Packed::FAR.is_live());
    }
}
