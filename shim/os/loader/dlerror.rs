//! Preserves what `dlerror` answers across lookups of ours: a program may ask after any number of other calls.
//!
//! Every function of `dlfcn.h` clears or replaces the thread's last error. Since 2.34, glibc keeps it behind one thread-local word, which is set
//! aside here. Before, it is in libdl, out of reach: there the first call of a hooked function still clears it.

use super::elf;
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

unsafe extern "C" {
    /// POSIX.
    safe fn dlerror() -> *mut c_char;
}

/// glibc's word: null, or the thread's error.
const WORD: &[u8] = b"__libc_dlerror_result";

/// Puts the thread's error back when dropped.
pub struct DlerrorGuard {
    word: Option<*mut *mut c_void>,
    before: *mut c_void,
}

impl DlerrorGuard {
    /// Sets the error aside.
    #[expect(clippy::new_without_default, reason = "a guard, no value")]
    pub fn new() -> Self {
        let word = word();
        // SAFETY: the calling thread's word, to which null means no error.
        let before = word.map_or(std::ptr::null_mut(), |word| unsafe {
            word.replace(std::ptr::null_mut())
        });
        Self { word, before }
    }
}

impl Drop for DlerrorGuard {
    fn drop(&mut self) {
        let Some(word) = self.word else {
            return;
        };
        // SAFETY: the word of the thread that created the guard; the raw pointer keeps it from moving to another.
        let ours = unsafe { word.read() };
        if !ours.is_null() {
            discard();
        }
        // SAFETY: as above.
        unsafe { word.write(self.before) };
    }
}

/// Has glibc free the thread's error. It does so when it is asked once more for one that it has given; after a success it keeps room for the next
/// one, so there is one first.
fn discard() {
    if dlerror().is_null() {
        // SAFETY: a pseudo-handle and a terminated name, which nothing has.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"".as_ptr()) };
        dlerror();
    }
    dlerror();
}

/// The thread's word; `None` where libc has none.
fn word() -> Option<*mut *mut c_void> {
    // Its distance from `errno`, which is in libc's block of each thread, too.
    static DISTANCE: AtomicIsize = AtomicIsize::new(UNKNOWN);
    const UNKNOWN: isize = 0;
    const NONE: isize = 1;
    // SAFETY: returns the address of this thread's variable.
    let errno = unsafe { libc::__errno_location() }.cast::<c_void>();
    let mut distance = DISTANCE.load(Relaxed);
    if distance == UNKNOWN {
        let mut found = std::ptr::null_mut::<c_void>();
        // SAFETY: `look` takes what is passed here, which outlives the call.
        unsafe { elf::iterate(look, (&raw mut found).cast()) };
        distance = match found.is_null() {
            true => NONE,
            false => (found as isize).wrapping_sub(errno as isize),
        };
        DISTANCE.store(distance, Relaxed);
    }
    (distance != NONE).then(|| errno.wrapping_byte_offset(distance).cast())
}

unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, size: usize, data: *mut c_void) -> c_int {
    // Before glibc 2.4, the structure ends before the thread's blocks.
    if size < size_of::<libc::dl_phdr_info>() {
        return 1;
    }
    // SAFETY: the loader passes an initialized structure.
    let info = unsafe { &*info };
    // SAFETY: what `word` passed.
    let found = unsafe { &mut *data.cast::<*mut c_void>() };
    if let Some(offset) = elf::offset_in_libc(info, WORD) {
        *found = info.dlpi_tls_data.wrapping_byte_add(offset as usize);
    }
    c_int::from(!found.is_null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn fail(name: &CStr) {
        // SAFETY: a pseudo-handle and a terminated name.
        assert!(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.is_null());
    }

    fn succeed() {
        // SAFETY: a pseudo-handle and a terminated name.
        assert!(!unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"malloc".as_ptr()) }.is_null());
    }

    fn answer() -> Option<String> {
        let text = dlerror();
        // SAFETY: null, or libc's text, which it keeps until the next call.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into())
    }

    #[test]
    fn an_error_is_there_after_lookups_that_fail_and_succeed() {
        for lookups in [
            &[succeed as fn()][..],
            &[|| fail(c"mine_1")],
            &[|| fail(c"mine_2"), succeed],
        ] {
            for depth in 1..3 {
                fail(c"no_such_symbol_of_the_program");
                let mut guards: Vec<_> = (0..depth).map(|_| DlerrorGuard::new()).collect();
                lookups.iter().for_each(|lookup| lookup());
                while guards.pop().is_some() {}
                let text = answer().expect("the program's error");
                assert!(text.contains("no_such_symbol_of_the_program"), "{text}");
                assert_eq!(answer(), None);
            }
        }
    }

    #[test]
    fn where_there_was_no_error_there_is_none_afterwards() {
        succeed();
        assert_eq!(answer(), None);
        let guard = DlerrorGuard::new();
        fail(c"mine");
        drop(guard);
        assert_eq!(answer(), None);
        // Each thread has a word of its own.
        let other = std::thread::spawn(|| {
            fail(c"of_the_other_thread");
            drop(DlerrorGuard::new());
            answer().is_some()
        });
        assert!(other.join().unwrap());
        assert_eq!(answer(), None);
    }
}
