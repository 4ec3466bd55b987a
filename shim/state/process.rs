//! Everything that the shim keeps for this process, behind one pointer: after a fork the child starts with a fresh one, and the parent's,
//! with whatever locks its other threads held, is left alone.

use super::start::{log_properties, options, print_banner};
use super::video_blocks::VideoBlocks;
use super::{
    Callers, devices::Devices, finding_counts::FindingCounts, graph_captures::GraphCaptures,
    ignored_blocks::IgnoredBlocks, ipc_keys::IpcKeys, strings::StringTable,
};
use aclsan_guards::guard_page::GuardPages;
use aclsan_guards::poison::PoisonedBlocks;
use aclsan_guards::quarantine::Quarantine;
use aclsan_options::Options;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::per_process::PerProcess;
use aclsan_rules::api::functions::FUNCTIONS;
use aclsan_rules::evidence::operation::Copy;
use aclsan_rules::evidence::recent_writers::RecentWriters;
use aclsan_rules::trackers::guard_page_faults::GuardPageFaults;
use aclsan_rules::trackers::hiai_auto_free::AutoFree;
use aclsan_rules::trackers::objects::ObjectTracker;
use aclsan_rules::trackers::stream_order::RaceDetector;
use aclsan_sink::Sink;
use aclsan_tables::call_sites::CallSiteInterner;
use aclsan_tables::live::Live;
use aclsan_unwind::modules;
use aclsan_unwind::modules::Modules;
use aclsan_unwind::python::{CodeObjects, Detection};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

/// The shim's state, grouped by the room that uses it.
pub struct Process {
    /// What the user asked for.
    pub options: &'static Options,
    /// What is on record.
    pub log: Log,
    /// The code that is loaded.
    pub code: Code,
    /// Blocks, and the devices that they are on.
    pub heap: Heap,
    /// What guards know of blocks.
    pub guards: Guards,
    /// What judging keeps between calls.
    pub judge: Judging,
    /// Handles and keys that calls name things by.
    pub calls: Handles,
}

/// What is on record.
pub struct Log {
    /// The event log.
    pub sink: Sink,
    /// Calls with their stacks.
    pub call_sites: CallSiteInterner,
    /// Known calls whose names are on record.
    pub named_functions: [AtomicBool; FUNCTIONS.len()],
    /// Return codes whose names are on record.
    pub named_statuses: Mutex<Vec<i32>>,
    /// What the program calls things.
    pub strings: StringTable,
}

/// The code that is loaded.
pub struct Code {
    /// Libraries and the program.
    pub modules: Modules,
    /// Python functions seen.
    pub python: CodeObjects,
    /// Whether there is a Python.
    pub detection: Detection,
    /// Addresses of the shim's own code, whose frames no stack shows.
    pub own_range: (u64, u64),
}

/// Blocks, and the devices that they are on.
#[derive(Default)]
pub struct Heap {
    /// Blocks.
    pub live: Live,
    /// Devices in use, and what is known of them.
    pub devices: Devices,
    /// Blocks that the program does not want to hear of.
    pub ignored: IgnoredBlocks,
    /// Who named which guarded block of late.
    pub recent_writers: Mutex<RecentWriters>,
}

/// What guards know of blocks.
#[derive(Default)]
pub struct Guards {
    /// Blocks that were filled when they were allocated.
    pub poisoned: PoisonedBlocks,
    /// Released blocks that are held back.
    pub quarantine: Quarantine,
    /// Blocks that end at an unmapped page.
    pub pages: GuardPages,
}

/// What judging keeps between calls.
#[derive(Default)]
pub struct Judging {
    /// What lasts between calls and is no block.
    pub ledger: Mutex<ObjectTracker>,
    /// Whether the ledger wants to hear of blocks.
    pub ledger_follows_blocks: AtomicBool,
    /// What is queued on which stream, and what orders it.
    pub order: Mutex<RaceDetector>,
    /// Whether it wants to hear of releases of memory.
    pub order_follows_blocks: AtomicBool,
    /// What rules keep of guard pages, and of the work that may have touched them.
    pub page_faults: Mutex<GuardPageFaults>,
    /// Findings so far.
    pub finding_counts: FindingCounts,
}

/// Handles and keys that calls name things by.
#[derive(Default)]
pub struct Handles {
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
    pub graph_captures: GraphCaptures,
    /// The pool of each block that a pool gave out, by the block's start.
    pub pools: Mutex<HashMap<u64, u64>>,
    /// What each descriptor of a copy says, by its address.
    pub descriptors: Mutex<HashMap<u64, Copy>>,
    /// Keys of shared blocks, this process's and others'.
    pub ipc_keys: Mutex<IpcKeys>,
    /// Whether the program has finalized AscendCL.
    pub is_finalized: AtomicBool,
}

impl Log {
    fn new(options: &'static Options) -> Self {
        let path = options.log_path.clone();
        Self {
            sink: Sink::new(path, options.log_mb, &options.run_logs, log_properties),
            call_sites: CallSiteInterner::new(options.stack_most),
            named_functions: [const { AtomicBool::new(false) }; FUNCTIONS.len()],
            named_statuses: Mutex::default(),
            strings: StringTable::default(),
        }
    }
}

impl Code {
    fn new() -> Self {
        Self {
            modules: Modules::default(),
            python: CodeObjects::default(),
            detection: Detection::default(),
            own_range: modules::own_code(),
        }
    }
}

/// Empty in a child, however it is forked: one that went on with its parent's state would write into its parent's log.
static CURRENT: PerProcess<Process> = PerProcess::new();
/// The process that [`CURRENT`] was last made in, 0 in a child that our handlers were called in.
static INITIALIZED_IN: AtomicU32 = AtomicU32::new(0);
/// The process that this one was forked from, 0 if it wasn't while the shim was loaded.
static FORKED_FROM: AtomicU32 = AtomicU32::new(0);

impl Process {
    /// This process's state, made when first asked for.
    #[inline(always)]
    pub fn current() -> &'static Self {
        let process = CURRENT.load(Acquire);
        let process = if process.is_null() {
            Self::init()
        } else {
            process
        };
        // SAFETY: made by `init` and never freed.
        unsafe { &*process }
    }

    /// This process's state, if a hook has been called.
    pub fn if_initialized() -> Option<&'static Self> {
        // SAFETY: as above.
        unsafe { CURRENT.load(Acquire).as_ref() }
    }

    #[cold]
    fn init() -> *mut Self {
        let _uncancelled = CancelGuard::enter();
        let options = options();
        CURRENT.wipe_on_fork();
        record_parent();
        let fresh = Box::into_raw(Box::new(Self {
            options,
            log: Log::new(options),
            code: Code::new(),
            heap: Heap::default(),
            guards: Guards::default(),
            judge: Judging::default(),
            calls: Handles::default(),
        }));
        match CURRENT.compare_exchange(std::ptr::null_mut(), fresh, AcqRel, Acquire) {
            Ok(_) => {
                // SAFETY: published a line above, never freed.
                print_banner(unsafe { &*fresh });
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
        INITIALIZED_IN.store(0, Relaxed);
        CURRENT.store(std::ptr::null_mut(), Release);
    }
}

/// Notes the process that this one was forked from, if no handler of ours has.
fn record_parent() {
    let own = std::process::id();
    let last = INITIALIZED_IN.swap(own, Relaxed);
    if last != 0 && last != own {
        FORKED_FROM.store(last, Relaxed);
    }
}

/// The process that this one was forked from, 0 if it wasn't while the shim was loaded.
pub(super) fn forked_from() -> u32 {
    FORKED_FROM.load(Relaxed)
}
