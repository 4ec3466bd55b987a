//! How the process ended, if not by itself: a fixed place in the header, written without a lock or an allocation by a process that is
//! about to die, or by whoever waited for it.
//!
//! ```text
//! end = kind:u32 signal:u32 code:i32 thread:u32 address:u64 ticks:u64 frames:u32 flags:u32 freed:u64 frame:u64×256
//! ```
//!
//! `kind` is 0 in the log of a process that runs or ended by itself, and is stored last. `code` is the kernel's `si_code`. `address` is the
//! address of a fault, or the process that sent the signal. `freed` is the address that libc was given when it aborted; 0 if unknown. The
//! stack is innermost first; of its first frame, the address of the instruction plus one, so that all frames are return addresses.

use std::ops::Range;

/// Where the header has it.
pub const END: Range<usize> = 128..128 + END_BYTES;
/// Its size.
pub const END_BYTES: usize = 48 + 8 * MAX_END_FRAMES;
/// The deepest stack that it has room for.
pub const MAX_END_FRAMES: usize = 256;

/// What ended the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum EndKind {
    /// A signal, which the shim's handler saw.
    Signal = 1,
    /// The shim, at an error (`halt_on_error`).
    Halt = 2,
    /// A signal, which its parent saw.
    Killed = 3,
    /// Nothing: `aclsan detach` ended the watch.
    Detached = 4,
}

/// How the process ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct End {
    /// What ended it.
    pub kind: EndKind,
    /// The signal; 0 if there was none.
    pub signal: i32,
    /// What the kernel says about it (`si_code`).
    pub code: i32,
    /// The thread that it came to; 0 if unknown.
    pub thread: u32,
    /// The address of a fault; for a signal that a process sent, that process.
    pub address: u64,
    /// When, on the log's clock; 0 if unknown.
    pub ticks: u64,
    /// Whether the thread's stack was full.
    pub is_overflow: bool,
    /// What libc was asked to free when it aborted; 0 if unknown.
    pub freed: u64,
    /// The thread's stack, innermost first; empty if unknown.
    pub frames: Vec<u64>,
}

impl End {
    /// An end of which nothing else is known.
    pub fn new(kind: EndKind, signal: i32) -> Self {
        Self {
            kind,
            signal,
            code: 0,
            thread: 0,
            address: 0,
            ticks: 0,
            is_overflow: false,
            freed: 0,
            frames: Vec::new(),
        }
    }

    /// Its words, in the order of the file, without frames. The first, which has `kind`, is to be stored last.
    pub fn words(&self, frames: usize) -> [u64; 6] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        [
            pair(self.kind as u32, self.signal.cast_unsigned()),
            pair(self.code.cast_unsigned(), self.thread),
            self.address,
            self.ticks,
            pair(frames as u32, self.is_overflow.into()),
            self.freed,
        ]
    }

    /// The bytes at [`END`], without the frames that there are not.
    pub fn encode(&self) -> Vec<u8> {
        let frames = &self.frames[..self.frames.len().min(MAX_END_FRAMES)];
        let words = self.words(frames.len());
        let all = words.iter().chain(frames);
        all.flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Reads [`End::encode`]'s bytes, which may end early. `None` if there is no end, or one of a kind that only a later version knows.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| {
            let bytes = bytes.get(8 * at..8 * at + 8)?.try_into().ok()?;
            Some(u64::from_le_bytes(bytes))
        };
        let halves = |at: usize| word(at).map(|word| (word as u32, (word >> 32) as u32));
        let (kind, signal) = halves(0)?;
        let kind = match kind {
            1 => EndKind::Signal,
            2 => EndKind::Halt,
            3 => EndKind::Killed,
            4 => EndKind::Detached,
            _ => return None,
        };
        let (code, thread) = halves(1)?;
        let (count, flags) = halves(4)?;
        let count = (count as usize).min(MAX_END_FRAMES);
        Some(Self {
            kind,
            signal: signal.cast_signed(),
            code: code.cast_signed(),
            thread,
            address: word(2)?,
            ticks: word(3)?,
            is_overflow: flags & 1 != 0,
            freed: word(5)?,
            frames: (6..6 + count).map_while(word).collect(),
        })
    }
}

// As the specification has it.
const _: () = assert!(END.start.is_multiple_of(8) && END.end <= 4096);

#[cfg(test)]
mod tests {
    use super::*;

    fn crash() -> End {
        End {
            code: -6,
            thread: 9,
            address: 0x10,
            ticks: 77,
            is_overflow: true,
            freed: 0x7000,
            frames: vec![1, 2, u64::MAX],
            ..End::new(EndKind::Signal, 6)
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = crash().encode();
        assert_eq!(&bytes[..12], b"\x01\0\0\0\x06\0\0\0\xfa\xff\xff\xff");
        assert_eq!(End::decode(&bytes), Some(crash()));
    }

    #[test]
    fn no_end_is_none_and_a_torn_one_has_the_frames_that_are_there() {
        assert_eq!(End::decode(&[0; END_BYTES]), None);
        assert_eq!(End::decode(b""), None);
        let mut bytes = crash().encode();
        bytes[0] = 9;
        assert_eq!(End::decode(&bytes), None);
        let mut bytes = crash().encode();
        bytes.truncate(48 + 8 + 3);
        assert_eq!(End::decode(&bytes).unwrap().frames, [1]);
        bytes[32..36].copy_from_slice(&u32::MAX.to_le_bytes());
        bytes.resize(END_BYTES + 80, 7);
        assert_eq!(End::decode(&bytes).unwrap().frames.len(), MAX_END_FRAMES);
    }
}
