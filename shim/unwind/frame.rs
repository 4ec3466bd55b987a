//! A stack frame: its program counter and its position.

/// The registers of a frame that unwinding needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// Program counter: for all but the innermost frame a return address.
    pub pc: u64,
    /// Stack pointer.
    pub sp: u64,
    /// `rbp` or `x29`; may hold any data of the program.
    pub fp: u64,
}

/// A recorded native frame. `sp` is 0 if unknown.
#[derive(Clone, Copy, Debug)]
pub struct NativeFrame {
    pub pc: u64,
    pub sp: u64,
}
