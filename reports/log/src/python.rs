//! Python frames among the return addresses of a stack.

/// A line of a Python function, encoded as a word that cannot be a return address: the top bit set, then 31 bits of line number, then the
/// code's number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PythonFrame {
    /// Number of the function, defined by [`Definition::PythonCode`](crate::Definition::PythonCode).
    pub code: u32,
    /// Line from 1, 0 if unknown.
    pub line: u32,
}

const MARK: u64 = 1 << 63;
const MAX_LINE: u32 = (1 << 31) - 1;

impl PythonFrame {
    /// Prefix of a function's file if the function is not Python's: logs converted from other tools' recordings have names of native
    /// functions but no addresses.
    pub const NATIVE: &str = "native:";

    /// The word that represents it in a stack.
    pub fn address(self) -> u64 {
        MARK | u64::from(self.line.min(MAX_LINE)) << 32 | u64::from(self.code)
    }

    /// The frame that a word of a stack represents; `None` for a return address.
    pub fn of(address: u64) -> Option<Self> {
        (address & MARK != 0).then_some(Self {
            code: address as u32,
            line: (address >> 32) as u32 & MAX_LINE,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_back_and_a_return_address_is_none() {
        for (code, line) in [(0, 0), (7, 31), (u32::MAX, MAX_LINE)] {
            let frame = PythonFrame { code, line };
            assert_eq!(PythonFrame::of(frame.address()), Some(frame));
        }
        assert_eq!(PythonFrame::of(0x7fff_ffff_f000), None);
        assert_eq!(PythonFrame::of(0xffff_ffff_f000), None);
    }
}
