//! Walking a stack that is not the thread's own: a coroutine's, or the one that signals are handled on. Nobody says where it ends, and
//! unwind tables know nothing of code that switches stacks by hand, so that the next frame may seem to lie behind the end: what is read
//! has been shown to be there by the kernel, each time anew, since stacks come and go.

use super::extent::{Exit, Extent, Stepped};
use super::rule::Frame;
use crate::mapping;

/// Pages from the stack pointer on that are looked at: what lies further out is left out.
const PAGES_MOST: usize = 32;

/// Return addresses from `leaf` outwards, innermost first, at most `most` of them, without the innermost ones inside `own`. `home` is the
/// thread's own stack, where a signal may have come from.
pub fn walk(leaf: Frame, own: (u64, u64), home: Extent, most: usize) -> Vec<u64> {
    let mut frames = Vec::with_capacity(64);
    let (mut frame, mut exit) = (leaf, Exit::default());
    let mut extent = Extent::new((leaf.sp, readable_end(leaf.sp)));
    while frames.len() < most {
        let is_own = (own.0..own.1).contains(&frame.pc);
        if !frames.is_empty() || !is_own {
            frames.push(frame.pc);
        }
        match extent.step(&mut frame, &mut exit) {
            Stepped::On => {}
            Stepped::Outermost => break,
            Stepped::Beyond => match interrupted(&extent, &frame) {
                Some(before) if home.has(before.sp) => {
                    (frame, extent) = (before, home);
                }
                _ => break,
            },
        }
    }
    frames
}

/// Where the pages end that can be read from `address` on.
fn readable_end(address: u64) -> u64 {
    let page = mapping::page();
    let first = address & !(page - 1);
    let mut bytes = [0u8; PAGES_MOST];
    let into = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: PAGES_MOST,
    };
    // One byte of each: the kernel stops at the first that is not there.
    let from: [libc::iovec; PAGES_MOST] = std::array::from_fn(|number| libc::iovec {
        iov_base: (first + number as u64 * page) as *mut _,
        iov_len: 1,
    });
    // SAFETY: asks the kernel for a number.
    let process = unsafe { libc::getpid() };
    // SAFETY: writes into our own array at most; an address with nothing behind it ends the reading, and is no fault.
    let read = unsafe {
        libc::process_vm_readv(
            process,
            &into,
            1,
            from.as_ptr(),
            PAGES_MOST as libc::c_ulong,
            0,
        )
    };
    // Where that is forbidden, the page that the stack pointer is in is there all the same.
    let pages = u64::try_from(read).unwrap_or(0).max(1);
    first + pages * page
}

/// What was interrupted by the signal whose handler returns to `frame`, if that is the C library's way back.
#[cfg(target_arch = "x86_64")]
fn interrupted(extent: &Extent, frame: &Frame) -> Option<Frame> {
    /// `mov rax, 15; syscall`: SYS_rt_sigreturn.
    const WAY_BACK: [u8; 9] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];
    /// Where `ucontext_t` has `rbp`, `rsp` and `rip`: 40 bytes before the registers, of which they are number 10, 15 and 16.
    const FP: u64 = 40 + 8 * 10;
    const SP: u64 = 40 + 8 * 15;
    const PC: u64 = 40 + 8 * 16;
    let module = crate::modules::at(frame.pc)?;
    if !module.readable_from(frame.pc)?.starts_with(&WAY_BACK) {
        return None;
    }
    // The return took the address off: the stack pointer is at the saved context.
    let register = |at| extent.word(frame.sp + at);
    Some(Frame {
        pc: register(PC)?,
        sp: register(SP)?,
        fp: register(FP)?,
    })
}

/// Elsewhere the walk ends at the handler.
#[cfg(not(target_arch = "x86_64"))]
fn interrupted(_: &Extent, _: &Frame) -> Option<Frame> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some pages of which the last cannot be read.
    struct Pages(*mut libc::c_void, usize);

    impl Pages {
        fn new(count: usize) -> Self {
            let bytes = count * mapping::page() as usize;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: lets the kernel choose the place.
            let low = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
            assert_ne!(low, libc::MAP_FAILED);
            let page = mapping::page() as usize;
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
        let (low, page) = (pages.0 as u64, mapping::page());
        assert_eq!(readable_end(low + 8), low + 3 * page);
        assert_eq!(readable_end(low + 2 * page), low + 3 * page);
    }

    #[test]
    fn a_walk_that_seems_to_go_behind_the_end_ends_there() {
        let pages = Pages::new(2);
        let top = pages.0 as u64 + mapping::page();
        let home = Extent::new((0, 0));
        let here = crate::stack::registers::here();
        let leaf = Frame {
            sp: top - 8,
            ..here
        };
        assert_eq!(walk(leaf, (0, 1), home, 8), [here.pc]);
    }
}
