//! A signal ends the process: how, and where, goes into the log's header before anything else is tried; then the stack, with its Python
//! functions; then a message, unless `aclsan run` reports.
//!
//! Runs in the handler of the signal ([`aclsan_os::crash`]), which ends it should it crash or hang: the thread may have been interrupted with
//! locks of ours.

use crate::judge;
use crate::state::modules::{self, ProcessModules};
use crate::state::process::Process;
use crate::state::settings;
use crate::state::thread;
use aclsan_log::{End, EndKind};
use aclsan_os::clock;
use aclsan_os::crash::{self, Crash};
use aclsan_os::lock::attempt;
use aclsan_os::status::{IDLE, STATE};
use aclsan_unwind::frame::NativeFrame;
use aclsan_unwind::{interrupted, python};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Makes crashes come here.
pub fn register() {
    crash::report_with(on_crash);
}

/// Finds the block that libc was given, if it is that of which the process dies, and reports it.
pub type FindFreed = fn(&Crash, &[NativeFrame]) -> Option<u64>;

static FIND_FREED: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Sets what finds such a block.
pub fn find_freed_with(find: FindFreed) {
    FIND_FREED.store(find as *mut (), Relaxed);
}

fn freed(crash: &Crash, frames: &[NativeFrame]) -> Option<u64> {
    let find = FIND_FREED.load(Relaxed);
    if find.is_null() {
        return None;
    }
    // SAFETY: only `find_freed_with` stores it.
    let find = unsafe { std::mem::transmute::<*mut (), FindFreed>(find) };
    find(crash, frames)
}

fn on_crash(crash: &Crash) {
    let Some(process) = Process::if_initialized() else {
        return;
    };
    if STATE.load(Relaxed) & IDLE != 0 {
        return; // The watch has ended before.
    }
    // The signal of `halt_on_error`, whose summary is printed.
    if judge::is_halting() {
        return;
    }
    let [pc, sp, ..] = crash.registers;
    let home = thread::stack_range();
    let mut end = End {
        code: crash.code,
        thread: crash.thread,
        address: crash.address,
        ticks: clock::ticks(clock::source()),
        is_overflow: crash.code > 0
            && crash.signal == libc::SIGSEGV
            && interrupted::is_overflow(crash.address, sp, home),
        ..End::new(EndKind::Signal, crash.signal)
    };
    judge::set_dying(true);
    write(
        process,
        &end,
        &[pc.wrapping_add(interrupted::PAST_INSTRUCTION)],
    );
    let native = attempt(|| stack(process, crash)).unwrap_or_default();
    // The alternate stack may be the program's, and as small as what it needs itself: Python's faulthandler takes 16 KiB from the heap, and there is no
    // guard page below.
    thread::run_on_big_stack(|| report(process, crash, &mut end, &native));
    judge::set_dying(false);
}

fn report(process: &Process, crash: &Crash, end: &mut End, native: &[NativeFrame]) {
    let plain: Vec<u64> = native.iter().map(|frame| frame.pc).collect();
    write(process, end, &plain);
    attempt(|| modules::refresh(process));
    let frames = attempt(|| with_python(process, native)).unwrap_or_else(|| plain.into());
    write(process, end, &frames);
    attempt(|| process.log.sink.write_lost_counts());
    if settings::current().summary {
        judge::print_death(process, end, &frames);
    }
    if let Some(address) = attempt(|| freed(crash, native)).flatten() {
        end.freed = address;
        write(process, end, &frames);
    }
    if settings::current().summary {
        attempt(|| judge::summarize(process, judge::End::Halt));
    }
}

fn write(process: &Process, end: &End, frames: &[u64]) {
    if let Some(log) = process.log.sink.file() {
        log.write_end(end, frames);
    }
}

fn stack(process: &Process, crash: &Crash) -> Vec<NativeFrame> {
    let most = process.options.depth().max(1);
    let home = thread::stack_range();
    let walked = attempt(|| interrupted::walk::<ProcessModules>(crash.registers, home, most));
    let (frames, is_whole) = walked.unwrap_or_default();
    if is_whole {
        return frames;
    }
    let other = interrupted::walk_unchecked(crash.registers[0], most);
    match other.len() > frames.len() {
        true => other,
        false => frames,
    }
}

fn with_python(process: &Process, native: &[NativeFrame]) -> Box<[u64]> {
    let define = |definition: &aclsan_log::Definition| process.log.sink.define(definition);
    python::merge_native(
        &process.code.python,
        &define,
        native,
        process.options.depth(),
    )
}
