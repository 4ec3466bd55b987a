//! Accesses of the CPU to host memory that a device uses (`host_access=trap`): instructions that fault, and buffers that the
//! program gives to libc, which libaclsan_free.so reports.
//!
//! An access inside a hook is the runtime's or ours, and so is one with a frame of the runtime on its stack: its threads,
//! and callbacks that it runs. They only open the pages.

use crate::judge::{objects, stream_order};
use crate::record::{Hook, Recording};
use crate::runtime::installation;
use crate::runtime::next::Interceptor;
use crate::state::process::Process;
use crate::state::{modules, thread};
use aclsan_log::Event;
use aclsan_log::record::Access;
use aclsan_os::host_pages::fault::{self, Fault};
use aclsan_os::page_range::end_of;
use aclsan_os::status::STATE;
use aclsan_os::{host_pages, stderr};
use aclsan_rules::api::functions::number;
use aclsan_rules::evidence::operation::RangeUse;
use aclsan_unwind::frame::Frame;
use aclsan_unwind::interrupted::PAST_INSTRUCTION;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static LOAD: Interceptor = Interceptor::unforwarded(number("load"));
static STORE: Interceptor = Interceptor::unforwarded(number("store"));

/// The functions that the companion reports, in the order of its numbers. They have no hook here.
static LIBC_CALLS: [Interceptor; 18] = [
    Interceptor::unforwarded(number("read")),
    Interceptor::unforwarded(number("pread")),
    Interceptor::unforwarded(number("readv")),
    Interceptor::unforwarded(number("preadv")),
    Interceptor::unforwarded(number("recv")),
    Interceptor::unforwarded(number("recvfrom")),
    Interceptor::unforwarded(number("recvmsg")),
    Interceptor::unforwarded(number("fread")),
    Interceptor::unforwarded(number("fgets")),
    Interceptor::unforwarded(number("write")),
    Interceptor::unforwarded(number("pwrite")),
    Interceptor::unforwarded(number("writev")),
    Interceptor::unforwarded(number("pwritev")),
    Interceptor::unforwarded(number("send")),
    Interceptor::unforwarded(number("sendto")),
    Interceptor::unforwarded(number("sendmsg")),
    Interceptor::unforwarded(number("fwrite")),
    Interceptor::unforwarded(number("fputs")),
];

#[cfg(not(test))]
#[ctor::ctor(unsafe)]
fn init() {
    fault::explain_with(on_fault);
}

/// The program has accessed bytes that a device uses. Runs in the handler of the fault, in the middle of the program's code.
fn on_fault(fault: &Fault) {
    let [pc, sp, fp, _] = fault.registers;
    let is_write = fault.writes;
    let access = if is_write {
        Access::Write
    } else {
        Access::Read
    };
    let leaf = Frame {
        pc: pc + PAST_INSTRUCTION,
        sp,
        fp,
    };
    let used = RangeUse {
        address: fault.address,
        size: 1,
        access,
    };
    let row = if is_write { &STORE } else { &LOAD };
    // The handler may be on a small stack.
    thread::run_on_big_stack(|| judge(row, leaf, None, &used));
}

/// libc is given a buffer, on a page that may be protected.
#[cfg_attr(not(test), unsafe(export_name = "aclsan_host_buffer"))]
extern "C" fn buffer(
    address: u64,
    size: u64,
    which: u32,
    is_write: bool,
    pc: u64,
    sp: u64,
    fp: u64,
) {
    let end = address.saturating_add(size);
    let Some(first) = host_pages::access(address, end, is_write) else {
        return;
    };
    let Some(row) = LIBC_CALLS.get(which as usize) else {
        return;
    };
    let access = if is_write {
        Access::Write
    } else {
        Access::Read
    };
    let used = RangeUse {
        address: first,
        size: end - first,
        access,
    };
    judge(row, Frame { pc, sp, fp }, Some(pc), &used);
}

/// The program maps, unmaps, protects or advises about memory: the pages are its own again.
#[cfg_attr(not(test), unsafe(export_name = "aclsan_host_mapping"))]
extern "C" fn mapping(address: u64, size: u64) {
    host_pages::remapped(address, end_of(address, size));
    if let Some(process) = Process::if_initialized() {
        process.host.remapped();
    }
}

/// A system call that libc does not wrap is given this value, which may be a buffer.
#[cfg_attr(not(test), unsafe(export_name = "aclsan_host_argument"))]
extern "C" fn argument(address: u64) {
    host_pages::open(address, address.saturating_add(1), true);
}

/// A system call failed with EFAULT, while pages were protected.
#[cfg_attr(not(test), unsafe(export_name = "aclsan_host_efault"))]
extern "C" fn efault() {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !host_pages::is_empty() && !WARNED.swap(true, Relaxed) {
        stderr::warning(
            "option `host_access`: a system call failed with EFAULT; if it was given host memory that a copy still uses, wait for the copy first: aclsan opens the pages only for the functions of libc that take buffers",
        );
    }
}

/// The program sets or asks for its action at SIGSEGV. Returns whether that was done; if not, it is libc's to do.
///
/// # Safety
/// Both are null or valid.
#[cfg_attr(not(test), unsafe(export_name = "aclsan_host_sigaction"))]
unsafe extern "C" fn segv_action(
    new: *const ::libc::sigaction,
    old: *mut ::libc::sigaction,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe { host_pages::replace_program_action(new, old) }
}

/// Records the access and asks the rules. `companion` is an address in libaclsan_free.so, if the access came through it.
fn judge(row: &'static Interceptor, leaf: Frame, companion: Option<u64>, used: &RangeUse) {
    let Some(process) = Process::if_initialized() else {
        return;
    };
    let recording = Recording::of(STATE.load(Relaxed));
    let Some(hook) = recording.and_then(|recording| Hook::enter(row, leaf, recording)) else {
        return;
    };
    let own = companion.and_then(modules::at).map(|module| module.range);
    hook.with_own_range(own).record(|recorder| {
        recorder.thread.calls_until_sample = 0; // Where it happened is all there is to say.
        let call = recorder.call(0);
        let frames = process.log.call_sites.get(call.site);
        let frames = frames.map_or_else(Box::default, |known| known.frames);
        if frames
            .iter()
            .any(|&frame| installation::is_code_of_runtime(frame))
        {
            return;
        }
        recorder.event(&Event::Use {
            site: call.site,
            address: used.address,
            size: used.size,
            access: used.access,
            stream: 0,
        });
        let place = objects::resolve(recorder, used.address);
        stream_order::host_access(recorder, &call, used, &place);
    });
}
