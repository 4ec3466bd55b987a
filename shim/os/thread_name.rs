//! Names of threads (`pthread_setname_np`, `PR_SET_NAME`).

use crate::files;
use crate::racy_once::RacyOnce;
use crate::seccomp;

/// The kernel's id of the calling thread.
pub fn current_tid() -> u32 {
    // SAFETY: no arguments, and always answers.
    (unsafe { libc::syscall(libc::SYS_gettid) }) as u32
}

/// Longest name with its end, in bytes: the kernel's.
const BYTES: usize = 16;

/// Name of the calling thread; empty if it has the process's own, which says nothing.
///
/// Asks once for the main thread's name, which other threads inherit until they set their own. Under a seccomp filter, which may forbid
/// the question, no thread has a name.
pub fn own() -> String {
    if seccomp::is_seccomp_active() {
        return String::new();
    }
    static INHERITED: RacyOnce<String> = RacyOnce::new();
    let inherited = INHERITED.get_or_init(|| {
        let name = files::read("/proc/self/comm").unwrap_or_default();
        name.trim_end_matches('\n').to_owned()
    });
    let name = current();
    match name == *inherited {
        true => String::new(),
        false => name,
    }
}

fn current() -> String {
    let mut name = [0_u8; BYTES];
    // SAFETY: the kernel writes at most 16 bytes, into our own array.
    let answer = unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr(), 0, 0, 0) };
    if answer != 0 {
        return String::new();
    }
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(BYTES);
    String::from_utf8_lossy(&name[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_the_name_that_it_was_given() {
        let loader = std::thread::Builder::new().name("loader".into());
        let name = loader.spawn(own).expect("a thread").join();
        assert_eq!(name.expect("its name"), "loader");
    }
}
