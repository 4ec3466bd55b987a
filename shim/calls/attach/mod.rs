//! `aclsan attach` and `aclsan detach`, the half inside the program: a library that was loaded late redirects the calls of all modules to the
//! hooks, and back.
//!
//! Blocks that were allocated before are of unknown origin: their releases are silent and their copies unchecked. Each attach starts with a new state and
//! a new log. After a detach, pointers to hooks that the program got by `dlsym` only forward; calls in flight end in the old log.

mod redirect;

use crate::lifecycle::control;
use crate::state::attachment;
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use crate::state::settings;
use crate::state::start;
use aclsan_log::{End, EndKind};
use aclsan_options::{Guard, Options};
use aclsan_os::cancel::CancelGuard;
use aclsan_os::clock;
use aclsan_os::errno::ErrnoGuard;
use aclsan_os::loader::late;
use aclsan_os::status::{OFF, STATE};
use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;

/// Defaults here: nothing is printed into the program's output, no block gets larger, no signal is handled.
const DEFAULTS: &str = "mode=record:quiet=1:handle_signals=0";

/// Starts the watch, with `options` as in `ACLSAN_OPTIONS`. Returns 0 and writes the log's path to `answer`, or returns 1 and writes why not.
///
/// # Safety
/// `options` is null or a terminated string, `answer` has room for `size` bytes.
#[cfg_attr(not(test), unsafe(export_name = "aclsan_attach"))]
unsafe extern "C" fn attach_entry(
    options: *const c_char,
    answer: *mut c_char,
    size: usize,
) -> c_int {
    let options = match options.is_null() {
        true => c"",
        // SAFETY: a terminated string, by the contract.
        false => unsafe { CStr::from_ptr(options) },
    };
    let options = options.to_string_lossy();
    reply(|| attach(&options), answer, size)
}

/// Ends the watch. Returns 0 and writes the log's path to `answer`, or returns 1 and writes why not.
///
/// # Safety
/// `answer` has room for `size` bytes.
#[cfg_attr(not(test), unsafe(export_name = "aclsan_detach"))]
unsafe extern "C" fn detach_entry(answer: *mut c_char, size: usize) -> c_int {
    reply(detach, answer, size)
}

/// Runs `work` as if inside a hook, and writes its answer.
fn reply(work: impl FnOnce() -> Result<String, String>, to: *mut c_char, size: usize) -> c_int {
    let _errno = ErrnoGuard::new();
    let _uncancelled = CancelGuard::enter();
    let result = match ReentrancyGuard::enter() {
        Some(_inside) => catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
            Err("internal error in aclsan; please report the message above".into())
        }),
        None => Err("the thread is inside a call of AscendCL; try again".into()),
    };
    let (status, text) = match &result {
        Ok(text) => (0, text),
        Err(text) => (1, text),
    };
    let length = text.len().min(size.saturating_sub(1));
    if size > 0 {
        // SAFETY: room for `size` bytes, by the contract; not ours.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast(), length) };
        // SAFETY: within that room.
        let end = unsafe { to.add(length) };
        // SAFETY: as above.
        unsafe { end.write(0) };
    }
    status
}

fn attach(options: &str) -> Result<String, String> {
    let text = format!("{DEFAULTS}:{options}");
    if !late::is_late() {
        return Err("the process was started with aclsan and is watched already".into());
    }
    if attachment::is_attached() {
        let log = Process::if_initialized().and_then(|process| process.log.sink.path());
        let log = log.map(|log| format!(": its log is `{}`", log.display()));
        return Err(format!(
            "the process is attached to already{}",
            log.unwrap_or_default()
        ));
    }
    if STATE.load(Relaxed) & OFF != 0 {
        return Err(
            "an internal error or a lack of memory has ended an earlier watch of this process; restart it".into(),
        );
    }
    let (options, wrong) = Options::parse(&text);
    if let Some(wrong) = wrong.first() {
        return Err(wrong.clone());
    }
    refuse(&options)?;
    start::attached(&text);
    settings::reset();
    Process::abandon();
    let process = Process::current();
    let Some(log) = process.log.sink.open() else {
        return Err(format!(
            "the process cannot write a log at `{}`; set `log_path` to a folder that it can write",
            process.options.log_path
        ));
    };
    attachment::begin(redirect::new, process.log.sink.begun_ns());
    redirect::all(process);
    Ok(log.display().to_string())
}

/// Refuses options that need the start of the program.
fn refuse(options: &Options) -> Result<(), String> {
    let wrong = match options.guard() {
        Guard::Both | Guard::Page => Some((
            "guard",
            "addresses of blocks would be other than the runtime's, and a detach cannot undo that; `rear` is possible",
        )),
        _ if options.quarantine() > 0 => Some((
            "quarantine_mb",
            "a detach cannot release what is in quarantine",
        )),
        _ if options.leak_scan => Some(("leak_scan", "it needs libaclsan_free.so from the start")),
        _ if options.libc_free => Some(("libc_free", "it needs libaclsan_free.so from the start")),
        _ if options.traps_host_access() => {
            Some(("host_access", "it needs libaclsan_free.so from the start"))
        }
        _ => None,
    };
    match wrong {
        Some((option, reason)) => Err(format!(
            "option `{option}` is not possible in a running process: {reason}"
        )),
        None => Ok(()),
    }
}

fn detach() -> Result<String, String> {
    let Some(process) = Process::if_initialized().filter(|_| attachment::is_attached()) else {
        return Err("the process is not attached to".into());
    };
    attachment::end();
    redirect::back();
    let end = End {
        ticks: clock::ticks(clock::source()),
        ..End::new(EndKind::Detached, 0)
    };
    control::end(process);
    let sink = &process.log.sink;
    sink.write_lost_counts();
    if let Some(file) = sink.file() {
        file.write_end(&end, &[]);
        file.unlock();
    }
    let path = sink.path().map(|path| path.display().to_string());
    Ok(path.unwrap_or_default())
}
