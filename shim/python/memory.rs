//! Reading the interpreter's memory.

/// How memory is read.
pub trait Memory {
    /// The 8 bytes at `address`; `None` if it is no place for them.
    fn word(&self, address: u64) -> Option<u64>;

    /// The 4 bytes at `address`.
    #[inline(always)]
    fn half(&self, address: u64) -> Option<u32> {
        let word = self.word(address & !7)?;
        Some((word >> (8 * (address & 4))) as u32)
    }

    /// The byte at `address`.
    #[inline(always)]
    fn byte(&self, address: u64) -> Option<u8> {
        let word = self.word(address & !7)?;
        Some((word >> (8 * (address & 7))) as u8)
    }
}

/// Plain loads: of what a walk that [`Careful`] did has shown to be there.
pub struct Direct;

impl Memory for Direct {
    #[inline(always)]
    fn word(&self, address: u64) -> Option<u64> {
        if address & 7 != 0 || address < 4096 {
            return None;
        }
        // SAFETY: aligned, and part of a live object of the interpreter: reached from the calling thread's own state through pointers of a
        // layout that `proof` has checked. Other threads may write there; the load is volatile.
        Some(unsafe { (address as *const u64).read_volatile() })
    }
}

/// Reads that the kernel does, and refuses where nothing is mapped: slow, and never a fault.
pub struct Careful;

impl Memory for Careful {
    fn word(&self, address: u64) -> Option<u64> {
        if address & 7 != 0 {
            return None;
        }
        let mut bytes = [0; 8];
        let into = libc::iovec {
            iov_base: bytes.as_mut_ptr().cast(),
            iov_len: bytes.len(),
        };
        let from = libc::iovec {
            iov_base: address as *mut _,
            iov_len: bytes.len(),
        };
        // SAFETY: asks the kernel for a number.
        let process = unsafe { libc::getpid() };
        // SAFETY: writes into our own array at most; an address with nothing behind it is an error, not a fault.
        let read = unsafe { libc::process_vm_readv(process, &into, 1, &from, 1, 0) };
        (read == 8).then_some(u64::from_ne_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_read_the_same() {
        let words = [0x0807_0605_0403_0201u64, 9];
        let at = words.as_ptr() as u64;
        assert_eq!(Direct.word(at), Some(words[0]));
        assert_eq!(Careful.word(at), Some(words[0]));
        assert_eq!(Careful.half(at + 4), Some(0x0807_0605));
        assert_eq!(Direct.half(at), Some(0x0403_0201));
        assert_eq!(Direct.byte(at + 6), Some(7));
    }

    #[test]
    fn a_careful_read_of_nothing_is_none() {
        assert_eq!(Careful.word(0), None);
        assert_eq!(Careful.word(8), None);
        assert_eq!(Careful.word(u64::MAX - 7), None);
        assert_eq!(Direct.word(3), None);
    }
}
