//! The state of the process, behind one pointer. A forked child starts with a new one and leaves the parent's alone, along with any locks
//! that other threads held.

use super::block_sampling;
use super::cached_plans::CachedPlans;
use super::careless_domain::CarelessDomain;
use super::host_blocks::HostBlocks;
use super::index_checks::IndexChecks;
use super::start::{log_properties, options, print_banner};
use super::video_blocks::VideoBlocks;
use super::{
    Callers, devices::Devices, finding_counts::FindingCounts, graph_captures::GraphCaptures,
    ignored_blocks::IgnoredBlocks, ipc_keys::IpcKeys, planners::Planners, strings::StringTable,
};
use aclsan_guards::guard_page::GuardPages;
use aclsan_guards::poison::PoisonedBlocks;
use aclsan_guards::quarantine::Quarantine;
use aclsan_log::branch::unlikely;
use aclsan_options::Options;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::control_socket::ControlSocket;
use aclsan_os::lock::{Mutex, rank};
use aclsan_os::per_process::PerProcess;
use aclsan_rules::api::functions::FUNCTIONS;
use aclsan_rules::evidence::operation::Copy;
use aclsan_rules::evidence::recent_writers::RecentWriters;
use aclsan_rules::trackers::guard_page_faults::GuardPageFaults;
use aclsan_rules::trackers::hiai_auto_free::AutoFree;
use aclsan_rules::trackers::objects::ObjectTracker;
use aclsan_rules::trackers::objects::sub_block_index::UNRELIABLE_DOMAINS;
use aclsan_rules::trackers::stream_order::RaceDetector;
use aclsan_sink::Sink;
use aclsan_tables::call_sites::CallSiteInterner;
use aclsan_tables::live::Live;
use aclsan_tables::spin_lock::SpinLock;
use aclsan_unwind::modules;
use aclsan_unwind::modules::Modules;
use aclsan_unwind::python::{CodeObjects, Detection};
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

/// The shim's state, grouped by the room that uses it.
#[repr(align(64))]
pub struct Process {
    /// The process's own number.
    pub pid: u32,
    /// The options.
    pub options: &'static Options,
    /// The event log, and what has been defined in it.
    pub log: Log,
    /// Loaded code.
    pub code: Code,
    /// Blocks and devices.
    pub heap: Heap,
    /// Guarded blocks.
    pub guards: Guards,
    /// Host memory that devices use.
    pub host: HostBlocks,
    /// State of the rules between calls.
    pub judge: Judging,
    /// Handles and keys that calls use.
    pub calls: Handles,
}

/// The event log, and what has been defined in it.
pub struct Log {
    /// The event log.
    pub sink: Sink,
    /// Call sites.
    pub call_sites: CallSiteInterner,
    /// Known calls whose names are recorded.
    pub named_functions: [AtomicBool; FUNCTIONS.len()],
    /// Return codes whose names are recorded.
    pub named_statuses: Mutex<rank::NamedStatuses, Vec<i32>>,
    /// Names that the program gives to things.
    pub strings: StringTable,
    /// Where `aclsan ctl` reaches this process.
    pub control: OnceLock<ControlSocket>,
    /// Held while recording is stopped or started.
    pub switching: Mutex<rank::Switching, ()>,
}

/// Loaded code.
pub struct Code {
    /// The program and its libraries.
    pub modules: Modules,
    /// Python functions seen so far.
    pub python: CodeObjects,
    /// After an attach: modules whose calls were redirected here, and how often each was seen.
    pub redirected: Mutex<rank::Redirected, Redirected>,
    /// Whether the process runs Python.
    pub detection: Detection,
    /// Address range of the shim's own code; its frames appear in no stack.
    pub own_range: (u64, u64),
}

/// Modules by what is added to their addresses, with the number of times that their references were looked through; and the loader's count
/// of unloads then.
pub type Redirected = (BTreeMap<u64, u8>, u64);

/// Blocks and devices.
#[derive(Default)]
pub struct Heap {
    /// Live and recently freed blocks.
    pub live: Live,
    /// Devices in use, and the SoC.
    pub devices: Devices,
    /// Blocks that the program wants ignored.
    pub ignored: IgnoredBlocks,
    /// After an attach: whether the memory that was in use then is on record.
    pub has_base_line: AtomicBool,
    /// Which calls recently named which guarded block.
    pub recent_writers: Mutex<rank::RecentWriters, RecentWriters>,
}

/// Guarded blocks.
#[derive(Default)]
pub struct Guards {
    /// Whether the options ask for any: one word that most calls read instead of all the others.
    pub may_touch: bool,
    /// Blocks filled with a pattern at allocation.
    pub poisoned: PoisonedBlocks,
    /// Released blocks in quarantine.
    pub quarantine: Quarantine,
    /// Blocks that end at an unmapped page.
    pub pages: GuardPages,
}

/// State of the rules between calls.
#[derive(Default)]
pub struct Judging {
    /// Objects other than blocks that last between calls.
    pub objects: SpinLock<rank::Objects, ObjectTracker>,
    /// Whether the object tracker follows blocks.
    pub objects_want_blocks: AtomicBool,
    /// Whether the program has reported a part of a pool of its own.
    pub knows_parts: AtomicBool,
    /// The order of work on streams.
    pub order: SpinLock<rank::StreamOrder, RaceDetector>,
    /// Whether stream order follows releases of memory.
    pub order_follows_blocks: AtomicBool,
    /// Whether stream order knows tensors that an operator may use.
    pub order_follows_tensors: AtomicBool,
    /// Whether a block may have been placed before a guard page.
    pub knows_guard_pages: AtomicBool,
    /// [`Options::judges_order`] and [`Options::traps_host_access`], beside what else most calls read.
    pub judges_order: bool,
    pub traps_host_access: bool,
    /// Guard pages, and work that may have touched them.
    pub page_faults: Mutex<rank::PageFaults, GuardPageFaults>,
    /// Counts of findings.
    pub finding_counts: FindingCounts,
}

/// Handles and keys that calls use.
#[derive(Default)]
pub struct Handles {
    /// Handles to physical memory that `aclrtMemRetainAllocationHandle` took and that were not given back yet, with their counts.
    pub retained: Mutex<rank::Retained, BTreeMap<u64, u32>>,
    /// Video blocks and their pools, by handle.
    pub video_blocks: Mutex<rank::VideoBlocks, VideoBlocks>,
    /// HiAI Matrix blocks that a send may take over.
    pub auto_free: Mutex<rank::AutoFree, AutoFree>,
    /// Which calls of HiAI functions are made by the Matrix itself.
    pub matrix_callers: Mutex<rank::MatrixCallers, Callers>,
    /// The parts of each live list of tensors or scalars.
    pub lists: Mutex<rank::Lists, HashMap<u64, Box<[u64]>>>,
    /// Who planned the operators that have not run yet.
    pub planners: Planners,
    /// What operators use whose plans come out of a cache.
    pub cached_plans: CachedPlans,
    /// Indices of planned operators.
    pub index_checks: IndexChecks,
    /// Graph captures in progress.
    pub graph_captures: GraphCaptures,
    /// The pool that each block came from, by the block's start.
    pub pools: Mutex<rank::Pools, HashMap<u64, u64>>,
    /// Copy descriptors, by address.
    pub descriptors: Mutex<rank::Descriptors, HashMap<u64, Copy>>,
    /// Keys of shared blocks, exported and imported.
    pub ipc_keys: Mutex<rank::IpcKeys, IpcKeys>,
    /// What mstx's careless domains have reported.
    pub careless: [CarelessDomain; UNRELIABLE_DOMAINS.len()],
    /// Whether the program has finalized AscendCL.
    pub is_finalized: AtomicBool,
}

impl Log {
    fn new(options: &'static Options) -> Self {
        let path = options.log_path.clone();
        Self {
            sink: Sink::new(
                path,
                options.log_mode.0,
                options.log_mb,
                &options.run_logs,
                || log_properties(forked_from()),
            ),
            call_sites: CallSiteInterner::new(options.stack_most),
            named_functions: [const { AtomicBool::new(false) }; FUNCTIONS.len()],
            named_statuses: Mutex::default(),
            strings: StringTable::default(),
            control: OnceLock::new(),
            switching: Mutex::default(),
        }
    }
}

impl Heap {
    /// With `is_partial`, devices may have been set before; with `is_sampled`, most blocks are not recorded.
    fn new(is_partial: bool, is_sampled: bool) -> Self {
        Self {
            devices: Devices::new(is_partial),
            live: match is_sampled {
                true => Live::sampled(),
                false => Live::default(),
            },
            ..Self::default()
        }
    }
}

impl Code {
    fn new() -> Self {
        Self {
            modules: Modules::default(),
            redirected: Mutex::default(),
            python: CodeObjects::default(),
            detection: Detection::default(),
            own_range: modules::own_code(),
        }
    }
}

/// Null in a child, however it is forked: a child that kept its parent's state would write into the parent's log.
static CURRENT: PerProcess<Process> = PerProcess::new();
/// The process that initialized [`CURRENT`]; 0 in a child in which our fork handlers ran.
static INITIALIZED_IN: AtomicU32 = AtomicU32::new(0);
/// The parent, if this process was forked while the shim was loaded; else 0.
static FORKED_FROM: AtomicU32 = AtomicU32::new(0);

impl Process {
    /// The state of this process, initialized on first use.
    #[inline(always)]
    pub fn current() -> &'static Self {
        let process = CURRENT.load(Acquire);
        let process = if unlikely(process.is_null()) {
            Self::init()
        } else {
            process
        };
        // SAFETY: made by `init` and never freed.
        unsafe { &*process }
    }

    /// The state of this process, if a hook has been called.
    pub fn if_initialized() -> Option<&'static Self> {
        // SAFETY: as above.
        unsafe { CURRENT.load(Acquire).as_ref() }
    }

    #[cold]
    fn init() -> *mut Self {
        let _uncancelled = CancelGuard::enter();
        let options = options();
        block_sampling::begin(options.block_sample);
        CURRENT.wipe_on_fork();
        record_parent();
        let fresh = Box::into_raw(Box::new(Self {
            pid: std::process::id(),
            options,
            log: Log::new(options),
            code: Code::new(),
            heap: Heap::new(super::start::is_partial(), options.block_sample > 0),
            guards: Guards {
                may_touch: options.touches_memory(),
                ..Guards::default()
            },
            host: HostBlocks::default(),
            judge: Judging {
                judges_order: options.judges_order(),
                traps_host_access: options.traps_host_access(),
                ..Judging::default()
            },
            calls: Handles::default(),
        }));
        match CURRENT.compare_exchange(std::ptr::null_mut(), fresh, AcqRel, Acquire) {
            Ok(_) => {
                print_banner(options);
                fresh
            }
            Err(other) => {
                // SAFETY: ours alone: another thread's was published instead.
                drop(unsafe { Box::from_raw(fresh) });
                other
            }
        }
    }

    /// Before an attach: the next call starts with a new state and a new log. The old state stays, as calls in flight may use it.
    pub fn abandon() {
        let old = CURRENT.swap(std::ptr::null_mut(), AcqRel);
        // SAFETY: null, or made by `init`, and never freed.
        if let Some(old) = unsafe { old.as_ref() } {
            old.log.sink.close();
        }
    }

    /// In a forked child: abandons the parent's state, whose locks may be held by threads that do not exist here.
    pub fn forked() {
        // SAFETY: asks the kernel for a number.
        FORKED_FROM.store(unsafe { libc::getppid() } as u32, Relaxed);
        INITIALIZED_IN.store(0, Relaxed);
        CURRENT.store(std::ptr::null_mut(), Release);
    }
}

/// Records the parent, if no fork handler of ours has.
fn record_parent() {
    let own = std::process::id();
    let last = INITIALIZED_IN.swap(own, Relaxed);
    if last != 0 && last != own {
        FORKED_FROM.store(last, Relaxed);
    }
}

/// The parent, if this process was forked while the shim was loaded; else 0.
fn forked_from() -> u32 {
    FORKED_FROM.load(Relaxed)
}
