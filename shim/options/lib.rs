//! `ACLSAN_OPTIONS`: every option, declared once. The syntax is `key=value:key=value`; a value with a colon is quoted.
//!
//! Used on both sides: `libaclsan.so` parses the whole variable with [`Options::parse`]; the `aclsan` command lists
//! keys and their values ([`KEYS`]) and checks a single key and value ([`check()`]) before a program starts. Pure:
//! reads no file, prints nothing.
//!
//! Unknown keys and bad values are returned as warnings; the option keeps its default.

#![forbid(unsafe_code)]

mod check;
mod parse;
pub mod settable;
mod values;

pub use check::{Invalid, Key, check};
pub use parse::pairs;
pub use values::{
    Color, Depth, ExitCode, FileMode, Guard, GuardBytes, HaltOnError, HandleSignals, HostAccess,
    Lang, Mode, Profile, Python, Sample, Signal, Start,
};

use std::fmt::Write;
use values::Value;

/// The log's name if the user gives none.
pub const DEFAULT_LOG_PATH: &str = "aclsan-%h-%p.aclsan";

macro_rules! options {
    ($($(#[doc = $doc:literal])+ $key:ident: $type:ty = $default:expr, $shown:literal;)+) => {
        /// The options.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Options { $($(#[doc = $doc])+ pub $key: $type,)+ }

        impl Default for Options {
            fn default() -> Self {
                Self { $($key: $default,)+ }
            }
        }

        impl Options {
            fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
                match key {
                    $(stringify!($key) => match <$type>::parse(value) {
                        Some(value) => self.$key = value,
                        None => {
                            let stays = match self.$key == Self::default().$key {
                                true => $shown.to_owned(),
                                false => self.$key.shown(),
                            };
                            return Err(format!("option `{key}` takes {}, not `{value}`; it stays at {stays}", <$type>::SHAPE));
                        }
                    },)+
                    _ => return Err(format!("unknown option `{key}`; ACLSAN_OPTIONS=help=1 lists them")),
                }
                Ok(())
            }
        }

        /// Every option, in the order in which help lists them.
        pub const KEYS: &[Key] = &[$(Key {
            name: stringify!($key),
            default: $shown,
            values: <$type as Value>::SHAPE,
            meaning: concat!($($doc),+).trim_ascii(),
            is_valid: |value| <$type>::parse(value).is_some(),
        },)+];
    };
}

options! {
    /// Path of the event log, a file or a folder: %p process, %h host, %e program, %t start time, %q{ENV} a variable,
    /// %% a percent sign.
    log_path: String = DEFAULT_LOG_PATH.into(), "aclsan-%h-%p.aclsan";
    /// Who may read the event log: its permissions, in octal.
    log_mode: FileMode = FileMode(0o600), "0600";
    /// Size at which the event log ends, in MiB, 0 for none: later events are only counted.
    log_mb: u32 = 0, "0";
    /// record: record and judge; check: also write and check redzones.
    mode: Mode = Mode::Check, "check";
    /// production: start with block_sample=524288, stack_sample=1/64 and guard_sample=1/1024, for programs that are
    /// watched permanently; other options still apply.
    profile: Profile = Profile::Full, "full";
    /// Redzones: off; rear, after each block; both, also before it; page, blocks end at an unmapped page, so that the
    /// device faults at once; if not set, rear in mode check and off in mode record.
    guard: Option<Guard> = None, "rear";
    /// Bytes of redzone after each block, up to 4096, rounded up to a multiple of 32.
    guard_bytes: GuardBytes = GuardBytes(64), "64";
    /// Guard blocks that fill their pages of 2 MiB or 1 GiB, too: the redzone takes another such page. The segments of
    /// PyTorch's caching allocator are such blocks.
    guard_grow: bool = false, "0";
    /// Smallest block, in bytes, that `guard=page` puts before an unmapped page; other blocks get rear redzones.
    page_min: u32 = 1, "1";
    /// Largest block, in bytes, that `guard=page` puts before an unmapped page.
    page_max: u32 = u32::MAX, "4294967295";
    /// Memory that blocks before an unmapped page may take at once, in MiB; each takes whole pages of 2 MiB.
    page_mb: u32 = 1024, "1024";
    /// Guard only one block in N of each size class (a power of two), and the first.
    guard_sample: Sample = Sample(1), "1/1";
    /// Record one block of device or pinned memory per this many bytes allocated, on average; of the others only failures.
    /// A block of size s is recorded with probability 1 - exp(-s/N), and reports estimate the rest. 0: all blocks.
    block_sample: u32 = 0, "0";
    /// Selects which blocks `guard_sample` guards and `block_sample` records: the same ones for the same seed, if requests
    /// come in the same order.
    seed: u32 = 0, "0";
    /// Fill new blocks of device and pinned memory, so that copies to the host show bytes that nobody wrote; mode check
    /// only.
    fill: bool = false, "off";
    /// Keep up to this many MiB of freed blocks in quarantine and check them for late writes before they are released;
    /// mode check only.
    quarantine_mb: u32 = 0, "0";
    /// Ask the runtime how much device memory is free: after the first allocation, at epochs and snapshots, when it refuses
    /// one, before a device is reset. `aclsan account` needs it.
    account: bool = true, "1";
    /// Before each operator that takes indices, wait for its stream, copy the indices to the host and report the first that
    /// is out of range; mode check only. Slow: for programs that end in 507015.
    check_indices: bool = false, "0";
    /// trap: protect pinned and registered host memory from the CPU while queued copies use it, and report accesses;
    /// mode check only. `aclsan run` preloads libaclsan_free.so for it.
    host_access: HostAccess = HostAccess::Off, "off";
    /// Memory that pinned blocks of less than a page may take for pages of their own with `host_access=trap`, in MiB.
    host_access_mb: u32 = 64, "64";
    /// paused: record nothing until the program or `aclsan ctl` starts recording; blocks allocated before are of unknown
    /// origin.
    start: Start = Start::Now, "now";
    /// Listen for `aclsan ctl` at a socket beside the log, which only its owner may use; takes a thread.
    control: bool = false, "0";
    /// Signal that makes the next call check all redzones and record all live blocks; none, USR1, USR2, HUP or a
    /// number.
    snapshot_signal: Signal = Signal(0), "none";
    /// Recorded frames of a stack, innermost first, up to 256.
    stack_depth: Depth = Depth(64), "64";
    /// Record the whole stack of only one call in N, chosen at random; the others are recorded with their caller only.
    stack_sample: Sample = Sample(1), "1/1";
    /// Distinct stacks that are kept; further calls are recorded without one. A thousand stacks of 64 frames take half
    /// a MiB.
    stack_most: u32 = 1 << 20, "1048576";
    /// Show Python functions in stacks: auto or off.
    python: Python = Python::Auto, "auto";
    /// End the program at the first error: exit, with status `exitcode`; abort, by SIGABRT, which may leave a core dump;
    /// trap, by SIGTRAP, at which a debugger stops. What is live then is no leak.
    halt_on_error: HaltOnError = HaltOnError::No, "0";
    /// Signals that end the program (SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP) are recorded with the stack: 0, none; 1,
    /// those that the program does not handle when it first calls AscendCL; 2, also those that it handles then, and its
    /// handler runs afterwards.
    handle_signals: HandleSignals = HandleSignals::Unhandled, "1";
    /// Exit code at an error that ends the program.
    exitcode: ExitCode = ExitCode(1), "1";
    /// SoC whose rules apply; auto asks the runtime.
    soc: String = "auto".into(), "auto";
    /// Leave RTLD_DEEPBIND to dlopen; a library opened with it may bypass aclsan.
    keep_deepbind: bool = false, "0";
    /// Report blocks that are passed to `free`; `aclsan run` preloads libaclsan_free.so for it.
    libc_free: bool = false, "0";
    /// At exit, scan the program's memory for pointers to live blocks: a leak is then lost or still reachable. `aclsan
    /// run` preloads libaclsan_free.so for it.
    leak_scan: bool = false, "0";
    /// Time limit of the leak scan in milliseconds; blocks not decided by then stay unknown.
    leak_scan_ms: u32 = 10_000, "10000";
    /// Check the order of streams at each call; if off, only from the log: `aclsan findings` reports the same.
    order: bool = true, "1";
    /// Name functions and lines in findings as they are printed.
    symbols: bool = true, "1";
    /// Leave out of the stacks of findings what says nothing about the program: start-up code, internals of the C++ and
    /// Rust libraries, the Python interpreter; if off, all frames are printed.
    stack_trim: bool = true, "1";
    /// Print the source lines around the first frame of a finding, if the file is not newer than the program.
    source_lines: bool = true, "1";
    /// Your own allocation wrappers: functions that match one of these patterns, separated by commas, are skipped at the
    /// inner end of stacks, so that findings, leaks and budgets go by their caller. As in suppressions, a pattern matches
    /// anywhere in the function's name, * matches anything, ^ and $ anchor.
    skip_frames: String = String::new(), "";
    /// Print whole stacks, without what `stack_trim` leaves out, addresses, memory dumps and neighboring blocks with each
    /// finding, and a line at the start; if off, findings are printed in short.
    verbose: bool = false, "0";
    /// Print the summary at the end; `aclsan run` has its own.
    summary: bool = true, "1";
    /// Print nothing; the log is still written.
    quiet: bool = false, "0";
    /// Color findings: auto, always or never.
    color: Color = Color::Auto, "auto";
    /// Language of what is printed: zh, en, or auto, the locale's; severities, names of rules and the summary stay.
    lang: Lang = Lang::Auto, "auto";
    /// A mark in the log, by which a run's logs are found again.
    run_id: String = String::new(), "";
    /// A file to which each process appends its log's path; it tells `aclsan run` about a log that is gone.
    run_logs: String = String::new(), "";
    /// List the options.
    help: bool = false, "0";
}

impl Options {
    /// Every option with its default and meaning.
    pub fn help() -> String {
        let mut out = String::from("options of aclsan, in ACLSAN_OPTIONS=key=value:key=value\n");
        for key in KEYS {
            let _ = writeln!(out, "  {}={}", key.name, key.default);
            let _ = writeln!(out, "      {}", key.meaning);
        }
        out
    }

    /// Whether new blocks are filled, in this mode.
    pub fn fill(&self) -> bool {
        self.fill && self.mode == Mode::Check
    }

    /// Maximum size of the quarantine in bytes, in this mode.
    pub fn quarantine(&self) -> u64 {
        match self.mode {
            Mode::Check => u64::from(self.quarantine_mb) << 20,
            Mode::Record => 0,
        }
    }

    /// Whether accesses of the CPU to host memory in use trap, in this mode.
    #[inline]
    pub fn traps_host_access(&self) -> bool {
        self.host_access == HostAccess::Trap && self.mode == Mode::Check && self.judges_order()
    }

    /// Whether indices are checked before operators run.
    #[inline]
    pub fn checks_indices(&self) -> bool {
        self.check_indices && self.mode == Mode::Check
    }

    /// Whether the order of streams is checked. Not if blocks are missing: memory that work still uses may belong to another block.
    #[inline]
    pub fn judges_order(&self) -> bool {
        self.order && self.block_sample == 0
    }

    /// Recorded frames of a stack.
    pub fn depth(&self) -> usize {
        self.stack_depth.0 as usize
    }

    /// Whether stacks show Python functions.
    pub fn python(&self) -> bool {
        self.python != Python::Off
    }

    /// Whether memory is accessed: redzones, fills or quarantine.
    pub fn touches_memory(&self) -> bool {
        self.guard() != Guard::Off || self.fill() || self.quarantine() > 0
    }

    /// Which redzones are written, in this mode.
    pub fn guard(&self) -> Guard {
        self.guard.unwrap_or(if self.mode == Mode::Check {
            Guard::Rear
        } else {
            Guard::Off
        })
    }
}
