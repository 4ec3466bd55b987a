//! A frame of a stack: where it goes on, and where it lies.

/// A frame's registers, as far as walking needs them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// Where it goes on: for all but the innermost frame a return address.
    pub pc: u64,
    /// Stack pointer.
    pub sp: u64,
    /// `rbp` or `x29`, which may be any data of the program's.
    pub fp: u64,
}

/// A native frame, innermost first in a stack. `sp` is 0 where it is not known.
#[derive(Clone, Copy, Debug)]
pub struct NativeFrame {
    pub pc: u64,
    pub sp: u64,
}

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::NativeFrame as Native;
