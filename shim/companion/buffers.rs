//! Functions of libc that read or write the caller's buffers.
//!
//! The kernel does not fault on a protected page, it refuses the call with EFAULT. So the pages are opened first, and the
//! call counts as an access.

#![allow(clippy::too_many_arguments)] // libc's

use crate::host_pages::{
    Here, argument, buffer, failed, is_watching, keeping_errno, may_be_protected, missing, wrap,
};
use crate::next::Next;
use aclsan_os::safe_copy::{self, CopyOutcome};
use libc::{
    FILE, c_char, c_int, c_long, c_uint, c_ulong, c_void, iovec, mmsghdr, msghdr, off_t, size_t,
    sockaddr, socklen_t, ssize_t, timespec,
};
use std::mem::MaybeUninit;
use std::slice;

/// The numbers of functions, as `shim/calls/host_access.rs` counts them.
mod number {
    pub const READ: u32 = 0;
    pub const PREAD: u32 = 1;
    pub const READV: u32 = 2;
    pub const PREADV: u32 = 3;
    pub const RECV: u32 = 4;
    pub const RECVFROM: u32 = 5;
    pub const RECVMSG: u32 = 6;
    pub const FREAD: u32 = 7;
    pub const FGETS: u32 = 8;
    pub const WRITE: u32 = 9;
    pub const PWRITE: u32 = 10;
    pub const WRITEV: u32 = 11;
    pub const PWRITEV: u32 = 12;
    pub const SEND: u32 = 13;
    pub const SENDTO: u32 = 14;
    pub const SENDMSG: u32 = 15;
    pub const FWRITE: u32 = 16;
    pub const FPUTS: u32 = 17;
}
use number::*;

/// Most buffers of one call, as the kernel has it.
const IOV_MAX: usize = 1024;

fn fills(here: Here, to: *mut c_void, size: usize, which: u32) {
    buffer(here, to, size, which, true);
}

fn takes(here: Here, from: *const c_void, size: usize, which: u32) {
    buffer(here, from, size, which, false);
}

/// The caller's record at an address where there may be none: the kernel then answers EFAULT, and we must not fault before it does. Where no
/// such copy can be made, the record is read as the program would.
fn record<T: Copy>(here: Here, at: *const T, which: u32) -> Option<T> {
    takes(here, at.cast(), size_of::<T>(), which);
    let mut copy = MaybeUninit::<T>::zeroed();
    let start = copy.as_mut_ptr().cast::<u8>();
    // SAFETY: the bytes of the local, which are initialized.
    let bytes = unsafe { slice::from_raw_parts_mut(start, size_of::<T>()) };
    let mut outcome = CopyOutcome::Unsupported;
    keeping_errno(|| outcome = safe_copy::read(at as u64, bytes));
    match outcome {
        // SAFETY: records of the kernel are plain numbers and pointers.
        CopyOutcome::Done => Some(unsafe { copy.assume_init() }),
        CopyOutcome::Faulted => None,
        // SAFETY: the caller's record, by its own promise to the call.
        CopyOutcome::Unsupported => Some(unsafe { at.read_unaligned() }),
    }
}

/// Each of `count` buffers.
fn each(here: Here, first: *const iovec, count: usize, which: u32, is_write: bool) {
    if first.is_null() || !may_be_protected() {
        return;
    }
    for at in 0..count.min(IOV_MAX) {
        let Some(part) = record(here, first.wrapping_add(at), which) else {
            return;
        };
        buffer(here, part.iov_base, part.iov_len, which, is_write);
    }
}

/// The buffers of a message.
fn message(here: Here, of: *const msghdr, which: u32, is_write: bool) {
    if of.is_null() || !may_be_protected() {
        return;
    }
    if let Some(of) = record(here, of, which) {
        each(here, of.msg_iov, of.msg_iovlen, which, is_write);
        buffer(here, of.msg_control, of.msg_controllen, which, is_write);
    }
}

/// The buffers of `count` messages.
fn messages(here: Here, first: *const mmsghdr, count: c_uint, which: u32, is_write: bool) {
    if first.is_null() || !may_be_protected() {
        return;
    }
    for at in 0..(count as usize).min(IOV_MAX) {
        message(here, first.wrapping_add(at).cast(), which, is_write);
    }
}

/// The length of a string on a page that may be protected is not known before it is read.
fn string(here: Here, text: *const c_char) {
    takes(here, text.cast(), 1, FPUTS);
}

wrap! {
    fn read(fd: c_int, to: *mut c_void, size: size_t) -> ssize_t, |here| fills(here, to, size, READ);
    fn __read_chk(fd: c_int, to: *mut c_void, size: size_t, room: size_t) -> ssize_t, |here| fills(here, to, size, READ);
    fn pread(fd: c_int, to: *mut c_void, size: size_t, at: off_t) -> ssize_t, |here| fills(here, to, size, PREAD);
    fn pread64(fd: c_int, to: *mut c_void, size: size_t, at: off_t) -> ssize_t, |here| fills(here, to, size, PREAD);
    fn __pread_chk(fd: c_int, to: *mut c_void, size: size_t, at: off_t, room: size_t) -> ssize_t, |here| fills(here, to, size, PREAD);
    fn __pread64_chk(fd: c_int, to: *mut c_void, size: size_t, at: off_t, room: size_t) -> ssize_t, |here| fills(here, to, size, PREAD);
    fn readv(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t, |here| each(here, parts, count.max(0) as usize, READV, true);
    fn preadv(fd: c_int, parts: *const iovec, count: c_int, at: off_t) -> ssize_t, |here| each(here, parts, count.max(0) as usize, PREADV, true);
    fn preadv64(fd: c_int, parts: *const iovec, count: c_int, at: off_t) -> ssize_t, |here| each(here, parts, count.max(0) as usize, PREADV, true);
    fn recv(fd: c_int, to: *mut c_void, size: size_t, flags: c_int) -> ssize_t, |here| fills(here, to, size, RECV);
    fn __recv_chk(fd: c_int, to: *mut c_void, size: size_t, room: size_t, flags: c_int) -> ssize_t, |here| fills(here, to, size, RECV);
    fn recvfrom(fd: c_int, to: *mut c_void, size: size_t, flags: c_int, from: *mut sockaddr, length: *mut socklen_t) -> ssize_t,
        |here| fills(here, to, size, RECVFROM);
    fn __recvfrom_chk(fd: c_int, to: *mut c_void, size: size_t, room: size_t, flags: c_int, from: *mut sockaddr, length: *mut socklen_t) -> ssize_t,
        |here| fills(here, to, size, RECVFROM);
    fn recvmsg(fd: c_int, of: *mut msghdr, flags: c_int) -> ssize_t, |here| message(here, of, RECVMSG, true);
    fn recvmmsg(fd: c_int, first: *mut mmsghdr, count: c_uint, flags: c_int, patience: *mut timespec) -> c_int,
        |here| messages(here, first, count, RECVMSG, true);
    fn fread(to: *mut c_void, size: size_t, count: size_t, file: *mut FILE) -> size_t, |here| fills(here, to, size.saturating_mul(count), FREAD);
    fn fread_unlocked(to: *mut c_void, size: size_t, count: size_t, file: *mut FILE) -> size_t,
        |here| fills(here, to, size.saturating_mul(count), FREAD);
    fn __fread_chk(to: *mut c_void, room: size_t, size: size_t, count: size_t, file: *mut FILE) -> size_t,
        |here| fills(here, to, size.saturating_mul(count), FREAD);
    fn __fread_unlocked_chk(to: *mut c_void, room: size_t, size: size_t, count: size_t, file: *mut FILE) -> size_t,
        |here| fills(here, to, size.saturating_mul(count), FREAD);
    fn fgets(to: *mut c_char, size: c_int, file: *mut FILE) -> *mut c_char, |here| fills(here, to.cast(), size.max(0) as usize, FGETS);
    fn __fgets_chk(to: *mut c_char, room: size_t, size: c_int, file: *mut FILE) -> *mut c_char,
        |here| fills(here, to.cast(), size.max(0) as usize, FGETS);
    fn write(fd: c_int, from: *const c_void, size: size_t) -> ssize_t, |here| takes(here, from, size, WRITE);
    fn pwrite(fd: c_int, from: *const c_void, size: size_t, at: off_t) -> ssize_t, |here| takes(here, from, size, PWRITE);
    fn pwrite64(fd: c_int, from: *const c_void, size: size_t, at: off_t) -> ssize_t, |here| takes(here, from, size, PWRITE);
    fn writev(fd: c_int, parts: *const iovec, count: c_int) -> ssize_t, |here| each(here, parts, count.max(0) as usize, WRITEV, false);
    fn pwritev(fd: c_int, parts: *const iovec, count: c_int, at: off_t) -> ssize_t, |here| each(here, parts, count.max(0) as usize, PWRITEV, false);
    fn pwritev64(fd: c_int, parts: *const iovec, count: c_int, at: off_t) -> ssize_t, |here| each(here, parts, count.max(0) as usize, PWRITEV, false);
    fn send(fd: c_int, from: *const c_void, size: size_t, flags: c_int) -> ssize_t, |here| takes(here, from, size, SEND);
    fn sendto(fd: c_int, from: *const c_void, size: size_t, flags: c_int, to: *const sockaddr, length: socklen_t) -> ssize_t,
        |here| takes(here, from, size, SENDTO);
    fn sendmsg(fd: c_int, of: *const msghdr, flags: c_int) -> ssize_t, |here| message(here, of, SENDMSG, false);
    fn sendmmsg(fd: c_int, first: *mut mmsghdr, count: c_uint, flags: c_int) -> c_int, |here| messages(here, first, count, SENDMSG, false);
    fn fwrite(from: *const c_void, size: size_t, count: size_t, file: *mut FILE) -> size_t, |here| takes(here, from, size.saturating_mul(count), FWRITE);
    fn fwrite_unlocked(from: *const c_void, size: size_t, count: size_t, file: *mut FILE) -> size_t,
        |here| takes(here, from, size.saturating_mul(count), FWRITE);
    fn fputs(text: *const c_char, file: *mut FILE) -> c_int, |here| string(here, text);
    fn puts(text: *const c_char) -> c_int, |here| string(here, text);
}

/// A system call of any number: values that are addresses of protected pages may be buffers, to be read or written.
#[unsafe(export_name = "syscall")]
pub unsafe extern "C-unwind" fn any(
    number: c_long,
    a: c_ulong,
    b: c_ulong,
    c: c_ulong,
    d: c_ulong,
    e: c_ulong,
    f: c_ulong,
) -> c_long {
    type Syscall = extern "C-unwind" fn(
        c_long,
        c_ulong,
        c_ulong,
        c_ulong,
        c_ulong,
        c_ulong,
        c_ulong,
    ) -> c_long;
    // Where the caller passes fewer values, the others are not used.
    static NEXT: Next<Syscall> = Next::new(c"syscall");
    if is_watching() {
        [a, b, c, d, e, f].into_iter().for_each(argument);
    }
    let Some(next) = NEXT.get() else {
        return missing() as c_long;
    };
    let answer = next(number, a, b, c, d, e, f);
    if answer == -1 {
        failed();
    }
    answer
}

/// As [`any`].
#[unsafe(export_name = "ioctl")]
pub unsafe extern "C-unwind" fn ioctl(fd: c_int, request: c_ulong, value: c_ulong) -> c_int {
    static NEXT: Next<extern "C-unwind" fn(c_int, c_ulong, c_ulong) -> c_int> = Next::new(c"ioctl");
    if is_watching() {
        argument(value);
    }
    let Some(next) = NEXT.get() else {
        return missing() as c_int;
    };
    let answer = next(fd, request, value);
    if answer == -1 {
        failed();
    }
    answer
}
