//! Numbers by which events refer to things.

/// Number of a call site: a call, its rarely changing arguments, its device and its stack. 0 means unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct CallSiteId(pub u32);

/// Number of a block, unique in its log: the segment of its allocation, and its index among that segment's allocations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct BlockId(pub u64);

impl BlockId {
    /// The `place`-th allocation (from 0) of segment `segment` (from 0).
    pub fn new(segment: u32, place: u16) -> Self {
        Self(u64::from(segment) << 16 | u64::from(place))
    }

    /// Index of its segment in the file.
    pub fn segment(self) -> u32 {
        (self.0 >> 16) as u32
    }

    /// Its index among the allocations of its segment.
    pub fn place(self) -> u16 {
        self.0 as u16
    }
}
