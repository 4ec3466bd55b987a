//! Initialization of the process's state: the options, the banner, and the properties at the start of the log.

use super::{companion, language};
use aclsan_options::{HandleSignals, HostAccess, Options, Start};
use aclsan_os::signal_stack::SignalStack;
use aclsan_os::{arena, crash, files, seccomp, signal, status, stderr};
use aclsan_sink;
use aclsan_unwind::modules;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::*};

/// The options, parsed once.
pub fn options() -> &'static Options {
    &parsed().0
}

/// Options and errors in them, with the text that they come from.
type Parsed = (Options, Vec<String>, String);

/// Replaced by an attach, and never freed.
static PARSED: AtomicPtr<Parsed> = AtomicPtr::new(std::ptr::null_mut());
/// Whether the watch began with an attach.
static IS_ATTACHED: AtomicBool = AtomicBool::new(false);

/// The options, and errors in them.
fn parsed() -> &'static Parsed {
    // SAFETY: null, or from `parse`.
    match unsafe { PARSED.load(Acquire).as_ref() } {
        Some(parsed) => parsed,
        None => parse(environment()),
    }
}

/// Makes the options be those of `text`. Two threads may do so at once with the same text, before the first call.
fn parse(text: String) -> &'static Parsed {
    let (options, wrong) = Options::parse(&text);
    if options.leak_scan {
        arena::open();
        companion::track_runtime_chunks();
    }
    if options.traps_host_access() {
        companion::watch_host_access();
    }
    apply(&options);
    if options.help {
        stderr::print_lines(&Options::help());
    }
    let parsed = Box::leak(Box::new((options, wrong, text)));
    PARSED.store(parsed, Release);
    parsed
}

/// Does what options say that is asked for before each call.
fn apply(options: &Options) {
    if options.control {
        status::request_control();
    }
    if options.start == Start::Paused {
        status::stop();
    }
    language::init(options);
    stderr::set_quiet(options.quiet || !stderr::has_stderr());
}

/// The watch begins now, with the options of `text`.
pub fn attached(text: &str) {
    IS_ATTACHED.store(true, Relaxed);
    status::take_control_request();
    status::start();
    match parsed() {
        same if same.2 == text => apply(&same.0),
        _ => _ = parse(text.to_owned()),
    }
}

/// Whether the watch began with an attach, so that what happened before is unknown.
pub fn is_partial() -> bool {
    IS_ATTACHED.load(Relaxed)
}

/// A stack for the handler of a crash, if the calling thread has none and there is such a handler.
pub fn signal_stack() -> Option<SignalStack> {
    match options().handle_signals {
        HandleSignals::No => None,
        HandleSignals::Unhandled | HandleSignals::All => SignalStack::install(),
    }
}

fn environment() -> String {
    let text = std::env::var_os("ACLSAN_OPTIONS").unwrap_or_default();
    text.to_string_lossy().into_owned()
}

/// Prints the banner and errors in options. Only in a process that calls AscendCL, not in every shell above it.
pub(super) fn print_banner(options: &Options) {
    let wrong = &parsed().1;
    wrong.iter().for_each(|sentence| stderr::warning(sentence));
    if options.handle_signals != HandleSignals::No {
        crash::install(options.handle_signals == HandleSignals::All);
    }
    let number = options.snapshot_signal.0;
    if !signal::listen(number) {
        stderr::warning(&format!(
            "option `snapshot_signal`: the program handles signal {number} itself or ignores it; no snapshots are taken, try another signal"
        ));
    }
    if options.leak_scan && !companion::is_loaded() {
        stderr::warning(
            "option `leak_scan` needs libaclsan_free.so preloaded after libaclsan.so, or the runtime's own records of a block look like pointers to it; `aclsan run --set leak_scan=1` does that",
        );
    }
    if options.host_access == HostAccess::Trap && !options.traps_host_access() {
        stderr::warning(
            "option `host_access=trap` needs `mode=check` and `order=1`: nothing is trapped",
        );
    }
    if options.traps_host_access() && !companion::is_loaded() {
        stderr::warning(
            "option `host_access` needs libaclsan_free.so preloaded after libaclsan.so, or system calls may fail with EFAULT and signal handlers are not seen; `aclsan run --set host_access=trap` does that",
        );
    }
    if options.libc_free && !companion::is_loaded() {
        stderr::warning(
            "option `libc_free` needs libaclsan_free.so preloaded after libaclsan.so; `aclsan run --set libc_free=1` does that",
        );
    }
    if !options.verbose {
        return;
    }
    let (mode, guard) = (options.mode, options.guard());
    stderr::warning(
        &format!(
            "{} watches {} memory (mode={mode:?}, guard={guard:?})",
            env!("CARGO_PKG_VERSION"),
            crate::VENDOR.name
        )
        .to_lowercase(),
    );
}

/// Properties of the process, which its log starts with. `forked_from` is its parent, 0 if the shim was not loaded there.
pub(super) fn log_properties(forked_from: u32) -> Vec<(&'static str, String)> {
    let program = files::executable_path().to_string_lossy().into_owned();
    // Not from `argv`: the program may have changed it, and it may point anywhere by now.
    let arguments = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let arguments = String::from_utf8_lossy(arguments.strip_suffix(b"\0").unwrap_or(&arguments));
    let parent = match seccomp::is_seccomp_active() {
        true => String::new(),
        // SAFETY: asks the kernel for a number.
        false => unsafe { libc::getppid() }.to_string(),
    };
    let mut properties = vec![
        ("program", program),
        ("arguments", arguments.replace('\0', " ")),
        ("host", aclsan_sink::path::host()),
        ("parent", parent),
        ("shim_version", env!("CARGO_PKG_VERSION").into()),
        ("shim_build_id", modules::own_build_id()),
        ("options", parsed().2.clone()),
        ("slow_ns", aclsan_log::record::SLOW_NS.to_string()),
    ];
    if options().stack_sample.0 > 1 {
        properties.push(("stack_sample", options().stack_sample.0.to_string()));
    }
    if options().block_sample > 0 {
        let mean = options().block_sample.to_string();
        properties.push((aclsan_log::record::BLOCK_SAMPLE, mean));
    }
    if !options().run_id.is_empty() {
        properties.push(("run_id", options().run_id.clone()));
    }
    if let Ok(settings) = std::env::var(crate::VENDOR.allocator_settings) {
        properties.push((aclsan_log::record::ALLOCATOR_SETTINGS, settings));
    }
    if is_partial() {
        properties.push((aclsan_log::record::ATTACHED, "1".into()));
    }
    if forked_from != 0 {
        properties.push(("forked_from", forked_from.to_string()));
    }
    properties
}
