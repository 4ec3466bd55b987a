//! The threads of this process, as the kernel lists them. Reads files without allocating memory, and without libc's buffers.

use crate::thread_name::current_tid;
use std::ffi::{CStr, c_int};
use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Bytes of a file about a task that are read: all of `syscall`, and of `status` more than is looked at.
const FILE_BYTES: usize = 4096;
const LIST_BYTES: usize = 32 * 1024;
/// Where the type and the name begin in a `linux_dirent64`.
const ENTRY_LENGTH: usize = 16;
const ENTRY_NAME: usize = 19;

/// The thread of ours that is left out.
pub(super) static LEFT_OUT: AtomicU32 = AtomicU32::new(0);

/// A thread.
pub(super) struct Task {
    pub(super) id: u32,
    /// State as in `ps`: `R`, `S`, … `Z` for one that has ended.
    state: u8,
    blocked: u64,
    /// Whether it is a worker of the kernel's, which has no registers of the program's.
    is_kernels: bool,
    /// The system call that it waits in. `None` if it does not wait, or that is not known.
    pub(super) call: Option<Call>,
    is_call_known: bool,
}

/// A system call that has not returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Call {
    pub(super) number: i64,
    pub(super) arguments: [u64; 6],
    pub(super) sp: u64,
    pub(super) pc: u64,
}

impl Task {
    pub(super) fn is_gone(&self) -> bool {
        matches!(self.state, b'Z' | b'X') || self.is_kernels
    }

    /// Whether the thread will run a handler of `signal`. One that waits for signals would get it as an answer.
    pub(super) fn can_be_asked(&self, signal: c_int) -> bool {
        self.is_call_known && self.blocked & bit(signal) == 0 && !self.waits_for_signals()
    }

    pub(super) fn waits_for_signals(&self) -> bool {
        self.call
            .is_some_and(|call| call.number == libc::SYS_rt_sigtimedwait)
    }
}

/// Lets others run for a moment.
pub(super) fn pause() {
    let time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 500_000,
    };
    // SAFETY: a time, on this stack.
    unsafe {
        libc::syscall(
            libc::SYS_nanosleep,
            &raw const time,
            std::ptr::null_mut::<u8>(),
        )
    };
}

fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// Lists threads, in memory that it has from the start.
pub(super) struct Tasks {
    list: Box<[u8]>,
    file: Box<[u8]>,
}

impl Tasks {
    pub(super) fn new() -> Self {
        Self {
            list: vec![0; LIST_BYTES].into(),
            file: vec![0; FILE_BYTES].into(),
        }
    }

    /// A real-time signal that has no handler and that the fewest threads block; `None` if all have one.
    pub(super) fn unused_signal(&mut self) -> Option<c_int> {
        let status = read(c"/proc/thread-self/status", &mut self.file)?;
        let used = mask(status, "SigIgn:")? | mask(status, "SigCgt:")?;
        let mut blocked = 0;
        self.each(|task| blocked |= if task.is_gone() { 0 } else { task.blocked });
        let mut unused = (libc::SIGRTMIN()..=libc::SIGRTMAX())
            .rev()
            .filter(|&signal| used & bit(signal) == 0);
        let first = unused.next()?;
        let free = std::iter::once(first)
            .chain(unused)
            .find(|&signal| blocked & bit(signal) == 0);
        Some(free.unwrap_or(first))
    }

    /// Passes each thread but the calling one to `look`. Returns whether they could be listed.
    pub(super) fn each(&mut self, mut look: impl FnMut(&Task)) -> bool {
        let Some(folder) = open(c"/proc/self/task", libc::O_DIRECTORY) else {
            return false;
        };
        let own = [current_tid(), LEFT_OUT.load(Relaxed)];
        loop {
            let (at, room) = (self.list.as_mut_ptr(), self.list.len());
            // SAFETY: our own buffer, as long as it says.
            let count = unsafe { libc::syscall(libc::SYS_getdents64, folder, at, room) };
            let Ok(count @ 1..) = usize::try_from(count) else {
                close(folder);
                return count == 0;
            };
            let mut entries = &self.list[..count];
            while let Some((id, rest)) = entry(entries) {
                entries = rest;
                let other = id.filter(|id| !own.contains(id));
                if let Some(task) = other.and_then(|id| task(id, &mut self.file)) {
                    look(&task);
                }
            }
        }
    }
}

/// The first entry of a list, if it is a number, and the others.
fn entry(list: &[u8]) -> Option<(Option<u32>, &[u8])> {
    let length = list.get(ENTRY_LENGTH..)?.first_chunk().copied();
    let length = usize::from(u16::from_ne_bytes(length?));
    let name = list.get(ENTRY_NAME..length)?;
    let name = CStr::from_bytes_until_nul(name).ok()?.to_str().ok();
    Some((name.and_then(|name| name.parse().ok()), list.get(length..)?))
}

/// `None` if it has ended.
fn task(id: u32, buffer: &mut [u8]) -> Option<Task> {
    // What it waits in is asked twice: while it waits for signals, its mask lacks them.
    let first = call(id, buffer);
    let status = read(path(id, "status", &mut [0; 64])?, buffer)?;
    let name = field(status, "Name:")?;
    let state = field(status, "State:")?.bytes().next()?;
    let task = Task {
        id,
        state,
        blocked: mask(status, "SigBlk:")?,
        // Workers of io_uring, which are listed as threads.
        is_kernels: name.starts_with("iou-"),
        call: None,
        is_call_known: false,
    };
    let second = call(id, buffer);
    let waits = |known: &Option<Option<Call>>| matches!(known, Some(Some(call)) if call.number == libc::SYS_rt_sigtimedwait);
    let known = if waits(&first) { first } else { second };
    Some(Task {
        is_call_known: known.is_some(),
        call: known.flatten(),
        ..task
    })
}

/// The call that a thread waits in, if it waits. `None` if the kernel does not say.
fn call(id: u32, buffer: &mut [u8]) -> Option<Option<Call>> {
    let line = read(path(id, "syscall", &mut [0; 64])?, buffer)?;
    parse_call(line)
}

/// A line of `/proc/…/syscall`: `running`; or number, six arguments, stack pointer and program counter. Outside a call the number is -1 and
/// arguments are missing.
fn parse_call(line: &str) -> Option<Option<Call>> {
    if line.starts_with("running") {
        return Some(None);
    }
    let mut words = line.split_ascii_whitespace();
    let number = words.next()?.parse().ok()?;
    if number < 0 {
        return Some(None);
    }
    let mut values = [0; 8];
    for value in &mut values {
        *value = u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok()?;
    }
    let [a, b, c, d, e, f, sp, pc] = values;
    let arguments = [a, b, c, d, e, f];
    Some(Some(Call {
        number,
        arguments,
        sp,
        pc,
    }))
}

fn path<'a>(id: u32, file: &str, buffer: &'a mut [u8; 64]) -> Option<&'a CStr> {
    let mut to = Cursor::new(&mut buffer[..]);
    write!(to, "/proc/self/task/{id}/{file}\0").ok()?;
    CStr::from_bytes_until_nul(buffer).ok()
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.map(str::trim)
}

fn mask(status: &str, name: &str) -> Option<u64> {
    u64::from_str_radix(field(status, name)?, 16).ok()
}

/// The beginning of a file, as far as it is text.
fn read<'a>(path: &CStr, buffer: &'a mut [u8]) -> Option<&'a str> {
    let file = open(path, 0)?;
    // SAFETY: our own buffer, as long as it says.
    let count = unsafe { libc::syscall(libc::SYS_read, file, buffer.as_mut_ptr(), buffer.len()) };
    close(file);
    let read = &buffer[..usize::try_from(count).ok()?];
    match str::from_utf8(read) {
        Ok(text) => Some(text),
        // A thread's name may be anything, and what is cut may end anywhere.
        Err(error) if error.valid_up_to() > 0 => str::from_utf8(&read[..error.valid_up_to()]).ok(),
        Err(_) => None,
    }
}

fn open(path: &CStr, flags: c_int) -> Option<libc::c_long> {
    let flags = libc::O_RDONLY | libc::O_CLOEXEC | flags;
    // SAFETY: a terminated path.
    let file = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags) };
    (file >= 0).then_some(file)
}

fn close(file: libc::c_long) {
    // SAFETY: opened here, and known to nobody else.
    unsafe { libc::syscall(libc::SYS_close, file) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_syscall_is_read_in_each_of_its_forms() {
        assert_eq!(parse_call("running\n"), Some(None));
        assert_eq!(parse_call("-1 0x7ffe 0x7f3e\n"), Some(None));
        let call = parse_call("7 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffe021c1778 0x7f3ecb10a2ad\n");
        let expected = Call {
            number: 7,
            arguments: [1, 2, 3, 4, 5, 6],
            sp: 0x7ffe_021c_1778,
            pc: 0x7f3e_cb10_a2ad,
        };
        assert_eq!(call, Some(Some(expected)));
        assert_eq!(parse_call("7 0x1"), None);
        assert_eq!(parse_call(""), None);
    }

    #[test]
    fn threads_that_block_it_or_wait_for_signals_are_not_asked() {
        let waiting = Call {
            number: libc::SYS_rt_sigtimedwait,
            arguments: [0; 6],
            sp: 0,
            pc: 0,
        };
        let task = |blocked, call, is_call_known| Task {
            id: 1,
            state: b'S',
            blocked,
            is_kernels: false,
            call,
            is_call_known,
        };
        assert!(task(1 << 61, None, true).can_be_asked(64));
        assert!(!task(1 << 63, None, true).can_be_asked(64));
        assert!(!task(0, Some(waiting), true).can_be_asked(64));
        assert!(!task(0, None, false).can_be_asked(64));
    }
}
