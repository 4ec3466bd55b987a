//! What a program asked of its allocator, in order.

/// A part that the allocator gave out, by a number that is used again after its release.
pub type Part = u32;

/// A request for memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Bytes, before the allocator rounds them.
    pub bytes: u64,
    /// The stream that is to use it, as a number from 0.
    pub stream: u32,
    /// The private pool it is taken from, from 1; 0 for the shared one.
    pub pool: u32,
}

/// One step of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A part was asked for.
    Allocate(Part, Asked),
    /// The program gave the part back, but streams still use it.
    Retire(Part),
    /// The part can be reused.
    Release(Part),
    /// The program asked the allocator to return what it caches.
    EmptyCache,
    /// A private pool's owner is gone: its memory can be returned.
    ClosePool(u32),
    /// Others took that many bytes of the device.
    TakenByOthers(u64),
    /// Others returned that many bytes.
    ReturnedByOthers(u64),
}

/// A step, when and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// Nanoseconds since the recording began.
    pub ns: u64,
    /// The call site, as the recording numbers them; 0 if it is not known.
    pub site: u32,
    /// What happened.
    pub step: Step,
}
