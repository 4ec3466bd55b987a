//! Walks a stack that is not the thread's own: a coroutine's, or an alternate signal stack. Nobody says where it ends,
//! and unwind tables know nothing about code that switches stacks by hand, so the next frame may seem to lie past its
//! end. Everything that is read has therefore been proved readable by the kernel, each time again, since stacks come and
//! go.
//!
//! The `backtrace` crate does not check what it reads, so it cannot continue where there is no rule. On aarch64, where
//! nearly all code has frame records, the outer frames are found by those: `x29` points to the caller's record,
//! followed by the return address.

use crate::CodeMap;
use crate::frame::Frame;
use crate::step::{CODE, StackRange, Step};
use aclsan_os::maps;
use aclsan_os::page_range::page_down;
use aclsan_os::safe_copy;

/// Pages from the stack pointer on that are checked; frames beyond them are left out.
const MAX_PAGES: usize = 32;

/// Return addresses from `leaf` outwards, innermost first, at most `most`, without the innermost ones inside `own`.
/// `home` is the thread's own stack, which a signal may have interrupted.
pub fn walk<C: CodeMap>(leaf: Frame, own: (u64, u64), home: StackRange, most: usize) -> Vec<u64> {
    let mut frames = Vec::with_capacity(64);
    let mut frame = leaf;
    let mut extent = StackRange::new((leaf.sp, readable_end(leaf.sp)));
    while frames.len() < most {
        let is_own = (own.0..own.1).contains(&frame.pc);
        if !frames.is_empty() || !is_own {
            frames.push(frame.pc);
        }
        match extent.step::<C>(&mut frame) {
            Step::Caller(_) => {}
            Step::End => break,
            Step::NeedsFallback => match interrupted_frame::<C>(&extent, &frame) {
                Some(before) if home.has(before.sp) => {
                    (frame, extent) = (before, home);
                }
                Some(_) => break,
                None => {
                    if cfg!(target_arch = "aarch64") {
                        let is_there = |call| home.is_code::<C>(call);
                        walk_frame_records(&extent, frame, is_there, &mut frames, most);
                    }
                    break;
                }
            },
        }
    }
    frames
}

/// Follows the frame records from that of `frame` on, as long as each is further out and the call it returns to
/// `is_there`, i.e. is code. Frame records do not give the stack pointer, so no unwind rule can be used after the first
/// one.
pub(crate) fn walk_frame_records(
    extent: &StackRange,
    frame: Frame,
    is_there: impl Fn(u64) -> bool,
    frames: &mut Vec<u64>,
    most: usize,
) {
    let (mut at, mut low) = (frame.fp, frame.sp);
    while frames.len() < most && at >= low {
        let (Some(outer), Some(returned)) = (extent.word(at), extent.word(at.wrapping_add(8)))
        else {
            break;
        };
        let pc = returned & CODE;
        if !is_there(pc.wrapping_sub(1)) {
            break;
        }
        frames.push(pc);
        (at, low) = (outer, at + 16);
    }
}

/// End of the pages that are readable from `address` on.
pub(crate) fn readable_end(address: u64) -> u64 {
    let page = maps::page_size();
    let first = page_down(address);
    // One byte of each page: the kernel stops at the first that is not mapped.
    let addresses: [u64; MAX_PAGES] =
        std::array::from_fn(|number| first.wrapping_add(number as u64 * page));
    let (_, read) = bytes_at(addresses);
    // If the kernel forbids this, the page of the stack pointer is mapped all the same.
    first.saturating_add(read.max(1) as u64 * page)
}

/// The bytes at these addresses, as far as the kernel can read them, and how many it read.
fn bytes_at<const MOST: usize>(addresses: [u64; MOST]) -> ([u8; MOST], usize) {
    let mut bytes = [0u8; MOST];
    let from = addresses.map(|address| libc::iovec {
        iov_base: address as *mut _,
        iov_len: 1,
    });
    let read = safe_copy::read_pieces(&from, &mut bytes);
    (bytes, read)
}

/// The layout of `ucontext_t`, and the code that a signal handler returns to.
#[cfg(target_arch = "x86_64")]
mod signal {
    /// `mov rax, 15; syscall`: SYS_rt_sigreturn, in the C library.
    pub const SIGRETURN_CODE: [u8; 9] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];
    /// The return popped its address, so the stack pointer is at the saved context. `rbp`, `rsp` and `rip` are
    /// registers number 10, 15 and 16, after 40 bytes.
    pub const FP: u64 = 40 + 8 * 10;
    pub const SP: u64 = 40 + 8 * 15;
    pub const PC: u64 = 40 + 8 * 16;
}
#[cfg(target_arch = "aarch64")]
mod signal {
    /// `mov x8, 139; svc 0`: the same, in the vDSO.
    pub const SIGRETURN_CODE: [u8; 8] = [0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4];
    /// The stack pointer is at `siginfo_t`, followed by `ucontext_t`, whose last field is `struct sigcontext`: an
    /// address, the registers `x0` to `x30`, and the two others.
    const REGISTERS: u64 = 128 + 176 + 8;
    pub const FP: u64 = REGISTERS + 8 * 29;
    pub const SP: u64 = REGISTERS + 8 * 31;
    pub const PC: u64 = REGISTERS + 8 * 32;
}

/// The frame that a signal interrupted, if its handler returns to `frame`.
pub(crate) fn interrupted_frame<C: CodeMap>(extent: &StackRange, frame: &Frame) -> Option<Frame> {
    let is_sigreturn = match C::module_at(frame.pc) {
        Some(module) => {
            let code = module.readable_from(frame.pc)?;
            code.starts_with(&signal::SIGRETURN_CODE)
        }
        // Emulators may have the code where no module is.
        None => {
            let place = |at: usize| frame.pc.wrapping_add(at as u64);
            let (code, read) = bytes_at(std::array::from_fn(place));
            read == code.len() && code == signal::SIGRETURN_CODE
        }
    };
    if !is_sigreturn {
        return None;
    }
    let register = |at| extent.word(frame.sp + at);
    Some(Frame {
        pc: register(signal::PC)?,
        sp: register(signal::SP)?,
        fp: register(signal::FP)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Loaded;
    use std::hint::black_box;

    /// MapsEntry pages, the last of which is not readable.
    struct Pages(*mut libc::c_void, usize);

    impl Pages {
        fn new(count: usize) -> Self {
            let bytes = count * maps::page_size() as usize;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: the kernel chooses the address.
            let low = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
            assert_ne!(low, libc::MAP_FAILED);
            let page = maps::page_size() as usize;
            let last = low.wrapping_byte_add(bytes - page);
            // SAFETY: the last page of the mapping made above.
            let status = unsafe { libc::mprotect(last, page, libc::PROT_NONE) };
            assert_eq!(status, 0);
            Self(low, bytes)
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: our own mapping.
            unsafe { libc::munmap(self.0, self.1) };
        }
    }

    #[test]
    fn what_can_be_read_ends_at_the_guard_page() {
        let pages = Pages::new(4);
        let (low, page) = (pages.0 as u64, maps::page_size());
        assert_eq!(readable_end(low + 8), low + 3 * page);
        assert_eq!(readable_end(low + 2 * page), low + 3 * page);
    }

    #[test]
    fn a_walk_that_seems_to_go_behind_the_end_ends_there() {
        let pages = Pages::new(2);
        let top = pages.0 as u64 + maps::page_size();
        let home = StackRange::new((0, 0));
        let here = crate::registers::here();
        let leaf = Frame {
            sp: top - 8,
            ..here
        };
        assert_eq!(walk::<Loaded>(leaf, (0, 1), home, 8), [here.pc]);
    }

    #[test]
    fn records_are_followed_outwards_as_long_as_they_return_to_code() {
        const CALLS: std::ops::Range<u64> = 0x1000..0x2000;
        let mut memory = [0u64; 32];
        let base = memory.as_ptr() as u64;
        let at = |word: u64| base + 8 * word;
        let frame = Frame {
            pc: 0x1800,
            sp: at(2),
            fp: at(4),
        };
        let followed = |most| {
            let mut frames = vec![frame.pc];
            let extent = StackRange::new((base, base + 8 * 32));
            let is_there = |call| CALLS.contains(&call);
            walk_frame_records(&extent, frame, is_there, &mut frames, most);
            frames
        };
        for (word, outer, returned) in [(4, at(10), 0x1100), (10, at(30), 0x1200), (30, 0, 0x1300)]
        {
            black_box(&mut memory)[word..word + 2].copy_from_slice(&[outer, returned]);
        }
        assert_eq!(followed(8), [0x1800, 0x1100, 0x1200, 0x1300]);
        assert_eq!(followed(2), [0x1800, 0x1100]);
        // Two records that lie too far in, one that is misaligned, two that are not on the stack, and two words that
        // are no return address.
        for (word, value, count) in [
            (10, at(4), 3),
            (10, at(11), 3),
            (10, at(30) + 4, 3),
            (10, at(31), 3),
            (10, u64::MAX - 7, 3),
            (11, 0x7000, 2),
            (11, 0, 2),
        ] {
            let before = std::mem::replace(&mut black_box(&mut memory)[word], value);
            assert_eq!(followed(8).len(), count, "{word} {value:#x}");
            black_box(&mut memory)[word] = before;
        }
    }
}
