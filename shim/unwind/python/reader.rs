//! Reads the interpreter's memory.

use aclsan_os::safe_copy::{self, CopyOutcome};

/// Reads the field at `offset` of the object at `object`; `None` if there cannot be one.
pub trait Reader {
    /// 8 bytes.
    fn word(&self, object: u64, offset: u16) -> Option<u64>;
    /// 4 bytes.
    fn half(&self, object: u64, offset: u16) -> Option<u32>;
    /// A byte.
    fn byte(&self, object: u64, offset: u16) -> Option<u8>;
}

/// Plain loads, for memory that a walk with [`CheckedReader`] has validated.
pub struct UncheckedReader;

impl UncheckedReader {
    /// The address of a field of type `T`.
    #[inline(always)]
    fn field<T>(object: u64, offset: u16) -> Option<*const T> {
        // One comparison checks that it is aligned, not in the first page and not a kernel address: a misaligned one
        // gets a high bit. The offsets of a layout keep the alignment.
        let is_object = object.rotate_right(3).wrapping_sub(512) < 1 << 60;
        is_object.then_some((object + u64::from(offset)) as *const T)
    }
}

impl Reader for UncheckedReader {
    #[inline(always)]
    fn word(&self, object: u64, offset: u16) -> Option<u64> {
        let field = Self::field(object, offset)?;
        // SAFETY: a field of a live object of the interpreter, reached from the calling thread's own state through
        // pointers of a layout that `validate` has checked. Other threads may write there; the load is volatile.
        Some(unsafe { std::ptr::read_volatile::<u64>(field) })
    }

    #[inline(always)]
    fn half(&self, object: u64, offset: u16) -> Option<u32> {
        let field = Self::field(object, offset)?;
        // SAFETY: as in `word`.
        Some(unsafe { std::ptr::read_volatile::<u32>(field) })
    }

    #[inline(always)]
    fn byte(&self, object: u64, offset: u16) -> Option<u8> {
        let field = Self::field(object, offset)?;
        // SAFETY: as in `word`.
        Some(unsafe { std::ptr::read_volatile::<u8>(field) })
    }
}

/// Reads through the kernel, which refuses unmapped addresses: slow, and never faults.
pub struct CheckedReader;

impl CheckedReader {
    fn read<const N: usize>(object: u64, offset: u16) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        let from = object
            .checked_add(offset.into())
            .filter(|_| object & 7 == 0)?;
        (safe_copy::read(from, &mut bytes) == CopyOutcome::Done).then_some(bytes)
    }
}

impl Reader for CheckedReader {
    fn word(&self, object: u64, offset: u16) -> Option<u64> {
        Self::read(object, offset).map(u64::from_ne_bytes)
    }

    fn half(&self, object: u64, offset: u16) -> Option<u32> {
        Self::read(object, offset).map(u32::from_ne_bytes)
    }

    fn byte(&self, object: u64, offset: u16) -> Option<u8> {
        Self::read(object, offset).map(u8::from_ne_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_read_the_same() {
        let words = [7u64, 0x0807_0605_0403_0201];
        let at = words.as_ptr() as u64;
        for (read, name) in [
            (&UncheckedReader as &dyn Reader, "direct"),
            (&CheckedReader, "careful"),
        ] {
            assert_eq!(read.word(at, 8), Some(words[1]), "{name}");
            assert_eq!(read.half(at, 12), Some(0x0807_0605), "{name}");
            assert_eq!(read.byte(at, 14), Some(7), "{name}");
            assert_eq!(read.word(at + 1, 8), None, "{name}");
            assert_eq!(read.word(0, 8), None, "{name}");
            assert_eq!(read.word(u64::MAX - 7, 0), None, "{name}");
        }
    }

    #[test]
    fn a_careful_read_of_nothing_is_none() {
        assert_eq!(CheckedReader.word(0x1000, 0), None);
        assert_eq!(CheckedReader.word(u64::MAX - 7, 8), None);
    }
}
