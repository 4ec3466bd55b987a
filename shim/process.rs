//! Everything that the shim keeps for this process, behind one pointer: after a fork the child starts with a fresh one, and the parent's,
//! with whatever locks its other threads held, is left alone.

use crate::annotations::{ignored::Ignored, texts::Texts};
use crate::capture::Captures;
use crate::foreign;
use crate::interpose::{Callers, VideoBlocks};
use crate::keys::Keys;
use crate::live::Live;
use crate::modules::{self, Modules};
use crate::options::Options;
use crate::python::{Codes, Searching};
use crate::sink::Sink;
use crate::sites::Sites;
use crate::uncancelled::Uncancelled;
use crate::verdict::Verdict;
use crate::{devices::Devices, own_memory, plain, say, sink};
use aclsan_guards::guard_page::GuardPages;
use aclsan_guards::poison::PoisonedBlocks;
use aclsan_guards::quarantine::Quarantine;
use aclsan_os::per_process::PerProcess;
use aclsan_os::signal;
use aclsan_rules::functions::FUNCTIONS;
use aclsan_rules::judge::Copy;
use aclsan_rules::matrix::AutoFree;
use aclsan_rules::suspects::Suspects;
use aclsan_rules::{Fences, Ledger, Order};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::{Mutex, OnceLock};

/// The shim's state.
pub struct Process {
    /// What the user asked for.
    pub options: &'static Options,
    /// Blocks.
    pub live: Live,
    /// Calls with their stacks.
    pub sites: Sites,
    /// The event log.
    pub sink: Sink,
    /// Python functions met.
    pub python: Codes,
    /// Whether there is a Python.
    pub searching: Searching,
    /// Loaded code.
    pub modules: Modules,
    /// Devices in use, and what is known of them.
    pub devices: Devices,
    /// What lasts between calls and is no block.
    pub ledger: Mutex<Ledger>,
    /// Whether the ledger wants to hear of blocks.
    pub ledger_follows_blocks: AtomicBool,
    /// What is queued on which stream, and what orders it.
    pub order: Mutex<Order>,
    /// Whether it wants to hear of releases of memory.
    pub order_follows_blocks: AtomicBool,
    /// References to physical memory that `aclrtMemRetainAllocationHandle` took and nobody gave back yet, by handle.
    pub retained: Mutex<BTreeMap<u64, u32>>,
    /// Handles of video blocks.
    pub video_blocks: Mutex<VideoBlocks>,
    /// Blocks of the HiAI Matrix that a send may take.
    pub auto_free: Mutex<AutoFree>,
    /// Which calls of its functions are its own.
    pub matrix_callers: Mutex<Callers>,
    /// The tensors of each list of tensors that exists.
    pub tensor_lists: Mutex<HashMap<u64, Box<[u64]>>>,
    /// Graph captures that are going on.
    pub captures: Captures,
    /// The pool of each block that a pool gave out, by the block's start.
    pub pools: Mutex<HashMap<u64, u64>>,
    /// What each descriptor of a copy says, by its address.
    pub descriptors: Mutex<HashMap<u64, Copy>>,
    /// Keys of shared blocks, this process's and others'.
    pub keys: Mutex<Keys>,
    /// What the program calls things.
    pub texts: Texts,
    /// Blocks that it does not want to hear of.
    pub ignored: Ignored,
    /// Blocks that were filled when they were fresh.
    pub fresh: PoisonedBlocks,
    /// Released blocks that are held back.
    pub quarantine: Quarantine,
    /// Blocks that end at an unmapped page.
    pub fences: GuardPages,
    /// What rules keep of those, and of the work that may have met them.
    pub page_faults: Mutex<Fences>,
    /// Who named which guarded block of late.
    pub suspects: Mutex<Suspects>,
    /// Whether the program has finalised AscendCL.
    pub is_finalized: AtomicBool,
    /// Findings so far.
    pub verdict: Verdict,
    /// Known calls whose names are on record.
    pub functions: [AtomicBool; FUNCTIONS.len()],
    /// Return codes whose names are on record.
    pub named: Mutex<Vec<i32>>,
    /// Addresses of the shim's own code, whose frames no stack shows.
    pub own: (u64, u64),
}

/// Empty in a child, however it is forked: one that went on with its parent's state would write into its parent's log.
static CURRENT: PerProcess<Process> = PerProcess::new();
/// The process that [`CURRENT`] was last made in, 0 in a child that our handlers were called in.
static BEGUN_IN: AtomicU32 = AtomicU32::new(0);
/// The process that this one was forked from, 0 if it wasn't while the shim was loaded.
static FORKED_FROM: AtomicU32 = AtomicU32::new(0);

impl Process {
    /// This process's state, made when first asked for.
    #[inline(always)]
    pub fn current() -> &'static Self {
        let process = CURRENT.load(Acquire);
        let process = if process.is_null() {
            Self::begin()
        } else {
            process
        };
        // SAFETY: made by `begin` and never freed.
        unsafe { &*process }
    }

    /// This process's state, if a hook has been called.
    pub fn if_begun() -> Option<&'static Self> {
        // SAFETY: as above.
        unsafe { CURRENT.load(Acquire).as_ref() }
    }

    #[cold]
    fn begin() -> *mut Self {
        let _uncancelled = Uncancelled::enter();
        let options = options();
        CURRENT.wipe_on_fork();
        note_parent();
        let fresh = Box::into_raw(Box::new(Self {
            options,
            live: Live::default(),
            sites: Sites::new(options.stack_most),
            sink: Sink::new(
                options.log_path.clone(),
                options.log_mb,
                &options.run_logs,
                properties,
            ),
            python: Codes::default(),
            searching: Searching::default(),
            modules: Modules::default(),
            devices: Devices::default(),
            ledger: Mutex::default(),
            video_blocks: Mutex::default(),
            auto_free: Mutex::default(),
            matrix_callers: Mutex::default(),
            ledger_follows_blocks: AtomicBool::new(false),
            order: Mutex::default(),
            order_follows_blocks: AtomicBool::new(false),
            retained: Mutex::default(),
            tensor_lists: Mutex::default(),
            captures: Captures::default(),
            pools: Mutex::default(),
            descriptors: Mutex::default(),
            keys: Mutex::default(),
            texts: Texts::default(),
            ignored: Ignored::default(),
            fresh: PoisonedBlocks::default(),
            quarantine: Quarantine::default(),
            fences: GuardPages::default(),
            page_faults: Mutex::default(),
            suspects: Mutex::default(),
            is_finalized: AtomicBool::new(false),
            verdict: Verdict::default(),
            functions: [const { AtomicBool::new(false) }; FUNCTIONS.len()],
            named: Mutex::default(),
            own: modules::own_code(),
        }));
        match CURRENT.compare_exchange(std::ptr::null_mut(), fresh, AcqRel, Acquire) {
            Ok(_) => {
                // SAFETY: published a line above, never freed.
                announce(unsafe { &*fresh });
                fresh
            }
            Err(other) => {
                // SAFETY: ours alone: another thread's was published instead.
                drop(unsafe { Box::from_raw(fresh) });
                other
            }
        }
    }

    /// In a forked child: forget the parent's state, whose locks may be held by threads that do not exist here.
    pub fn forked() {
        // SAFETY: asks the kernel for a number.
        FORKED_FROM.store(unsafe { libc::getppid() } as u32, Relaxed);
        BEGUN_IN.store(0, Relaxed);
        CURRENT.store(std::ptr::null_mut(), Release);
    }
}

/// Notes the process that this one was forked from, if no handler of ours has.
fn note_parent() {
    let own = std::process::id();
    let last = BEGUN_IN.swap(own, Relaxed);
    if last != 0 && last != own {
        FORKED_FROM.store(last, Relaxed);
    }
}

/// The options, read once.
pub fn options() -> &'static Options {
    &parsed().0
}

/// The options, and what was not understood of them.
fn parsed() -> &'static (Options, Vec<String>) {
    static PARSED: OnceLock<(Options, Vec<String>)> = OnceLock::new();
    PARSED.get_or_init(|| {
        let (options, wrong) = Options::parse(&option_text());
        if options.leak_scan {
            own_memory::open();
            foreign::sort_chunks();
        }
        say::be_quiet(options.quiet || !say::has_stderr());
        if options.help {
            say::lines(&Options::help());
        }
        (options, wrong)
    })
}

fn option_text() -> String {
    let text = std::env::var_os("ACLSAN_OPTIONS").unwrap_or_default();
    text.to_string_lossy().into_owned()
}

/// Says that the shim is there, and what it did not understand: only in a process that calls AscendCL, not in every shell above it.
fn announce(process: &Process) {
    let wrong = &parsed().1;
    wrong.iter().for_each(|sentence| say::warning(sentence));
    let options = process.options;
    let number = options.snapshot_signal.0;
    if !signal::listen(number) {
        say::warning(&format!(
            "option `snapshot_signal`: the program handles signal {number} itself or ignores it; no snapshots are taken, try another signal"
        ));
    }
    if options.leak_scan && !foreign::is_told() {
        say::warning(
            "option `leak_scan` needs libaclsan_free.so preloaded behind libaclsan.so, or what the runtime notes down of a block looks like a pointer to it; `aclsan run --set leak_scan=1` does that",
        );
    }
    if options.libc_free && !foreign::is_told() {
        say::warning(
            "option `libc_free` needs libaclsan_free.so preloaded behind libaclsan.so; `aclsan run --set libc_free=1` does that",
        );
    }
    let (mode, guard) = (options.mode, options.guard());
    say::warning(
        &format!(
            "{} watches AscendCL memory (mode={mode:?}, guard={guard:?})",
            env!("CARGO_PKG_VERSION")
        )
        .to_lowercase(),
    );
}

/// The facts about the process that its log begins with.
fn properties() -> Vec<(&'static str, String)> {
    let program = plain::program().to_string_lossy().into_owned();
    // Not from `argv`, which is the program's to change: it may point anywhere by now.
    let arguments = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let arguments = String::from_utf8_lossy(arguments.strip_suffix(b"\0").unwrap_or(&arguments));
    let parent = match plain::is_filtered() {
        true => String::new(),
        // SAFETY: asks the kernel for a number.
        false => unsafe { libc::getppid() }.to_string(),
    };
    let mut properties = vec![
        ("program", program),
        ("arguments", arguments.replace('\0', " ")),
        ("host", sink::path::host()),
        ("parent", parent),
        ("shim_version", env!("CARGO_PKG_VERSION").into()),
        ("shim_build_id", modules::own_build_id()),
        ("options", option_text()),
        ("slow_ns", aclsan_log::record::SLOW_NS.to_string()),
    ];
    if options().stack_sample.0 > 1 {
        properties.push(("stack_sample", options().stack_sample.0.to_string()));
    }
    if !options().run_id.is_empty() {
        properties.push(("run_id", options().run_id.clone()));
    }
    if FORKED_FROM.load(Relaxed) != 0 {
        properties.push(("forked_from", FORKED_FROM.load(Relaxed).to_string()));
    }
    properties
}
