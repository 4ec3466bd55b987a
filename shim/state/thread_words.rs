//! Words of the calling thread that every hook needs.
//!
//! Without a destructor, because a thread may call hooks from its last pthread key destructors, when Rust's have already run.

use super::block_sampling::Countdown;
use aclsan_unwind::frame::Frame;
use std::cell::Cell;
use std::ffi::c_void;

/// The words; a thread begins with zeros. What most hooks touch is in one cache line.
#[repr(C, align(64))]
pub struct ThreadWords {
    /// Whether the thread is inside a hook.
    pub(super) is_inside: Cell<bool>,
    /// Whether the hook is running our code, not the runtime's.
    pub(super) is_internal: Cell<bool>,
    /// One more than the number of the forwarded call that may call the program back; 0 if there is none.
    pub(super) forwarding: Cell<u16>,
    /// Nesting depth of such calls.
    pub(super) callback_depth: Cell<u32>,
    /// Frame of the hook that the thread is in.
    pub(super) frame: Cell<Frame>,
    /// Its `Thread`; null before its first recorded call.
    pub(super) state: Cell<*mut c_void>,
    /// When its next block is recorded, with `block_sample`.
    pub(super) countdown: Countdown,
    /// Bounds of the stack, once the thread has a state.
    pub(super) stack_range: Cell<(u64, u64)>,
}

#[cfg(not(target_arch = "x86_64"))]
impl ThreadWords {
    const fn new() -> Self {
        Self {
            is_inside: Cell::new(false),
            is_internal: Cell::new(false),
            forwarding: Cell::new(0),
            callback_depth: Cell::new(0),
            frame: Cell::new(Frame {
                pc: 0,
                sp: 0,
                fp: 0,
            }),
            state: Cell::new(std::ptr::null_mut()),
            countdown: Countdown::new(),
            stack_range: Cell::new((0, 0)),
        }
    }
}

/// Runs `body` with the words of the calling thread.
#[inline(always)]
pub fn with<T>(body: impl FnOnce(&ThreadWords) -> T) -> T {
    // SAFETY: storage of the calling thread alone, zeroed or written through these fields; `body` cannot keep the reference.
    body(unsafe { &*address() })
}

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .tbss.aclsan_thread_words, \"awT\", @nobits",
    ".balign 64",
    ".globl aclsan_thread_words",
    ".hidden aclsan_thread_words",
    ".type aclsan_thread_words, @object",
    ".size aclsan_thread_words, {size}",
    "aclsan_thread_words:",
    ".zero {size}",
    ".popsection",
    size = const size_of::<ThreadWords>(),
);

/// Through a TLS descriptor (Oliva and Araújo, *Thread-Local Storage Descriptors*), 5 instructions where the library is preloaded. `thread_local!` calls
/// `__tls_get_addr`, 15 instructions; the compiler uses descriptors on aarch64 alone. Static TLS would be 2, but the loader has no room for it in
/// some processes that aclsan is attached to.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn address() -> *const ThreadWords {
    let words: *const ThreadWords;
    // SAFETY: the sequence of the ABI; it returns an address that stays the same, and preserves all registers but `rax`. Where the library was loaded
    // late, glibc before 2.39 does not preserve vector registers.
    unsafe {
        std::arch::asm!(
            "lea rax, [rip + aclsan_thread_words@TLSDESC]",
            "call qword ptr [rax + aclsan_thread_words@TLSCALL]",
            "add rax, qword ptr fs:[0]",
            out("rax") words,
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
            out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(pure, nomem),
        );
    }
    words
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn address() -> *const ThreadWords {
    thread_local! {
        static WORDS: ThreadWords = const { ThreadWords::new() };
    }
    WORDS.with(std::ptr::from_ref)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_words_of_its_own_which_begin_with_zeros() {
        let set_twice = || {
            let seen = with(|words| words.callback_depth.replace(7));
            (seen, with(|words| words.callback_depth.replace(0)))
        };
        assert_eq!(set_twice(), (0, 7));
        with(|words| words.callback_depth.set(1));
        assert_eq!(std::thread::spawn(set_twice).join().ok(), Some((0, 7)));
        assert_eq!(with(|words| words.callback_depth.replace(0)), 1);
        with(|words| assert!((&raw const *words).is_aligned()));
    }
}
