//! Everything that the shim keeps for this process, behind one pointer: after a fork the child starts with a fresh one, and the parent's,
//! with whatever locks its other threads held, is left alone.

use super::start::{announce, options, properties};
use super::video_blocks::VideoBlocks;
use super::{
    Callers, devices::Devices, finding_counts::FindingCounts, graph_captures::Captures,
    ignored_blocks::Ignored, ipc_keys::Keys, strings::Texts,
};
use crate::live::Live;
use crate::modules::{self, Modules};
use crate::options::Options;
use crate::python::{Codes, Searching};
use crate::sink::Sink;
use crate::sites::Sites;
use crate::uncancelled::Uncancelled;
use aclsan_guards::guard_page::GuardPages;
use aclsan_guards::poison::PoisonedBlocks;
use aclsan_guards::quarantine::Quarantine;
use aclsan_os::per_process::PerProcess;
use aclsan_rules::functions::FUNCTIONS;
use aclsan_rules::judge::Copy;
use aclsan_rules::matrix::AutoFree;
use aclsan_rules::suspects::Suspects;
use aclsan_rules::{Fences, Ledger, Order};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

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
    pub poisoned: PoisonedBlocks,
    /// Released blocks that are held back.
    pub quarantine: Quarantine,
    /// Blocks that end at an unmapped page.
    pub guard_pages: GuardPages,
    /// What rules keep of those, and of the work that may have met them.
    pub page_faults: Mutex<Fences>,
    /// Who named which guarded block of late.
    pub suspects: Mutex<Suspects>,
    /// Whether the program has finalised AscendCL.
    pub is_finalized: AtomicBool,
    /// Findings so far.
    pub verdict: FindingCounts,
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
            poisoned: PoisonedBlocks::default(),
            quarantine: Quarantine::default(),
            guard_pages: GuardPages::default(),
            page_faults: Mutex::default(),
            suspects: Mutex::default(),
            is_finalized: AtomicBool::new(false),
            verdict: FindingCounts::default(),
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

/// The process that this one was forked from, 0 if it wasn't while the shim was loaded.
pub(super) fn forked_from() -> u32 {
    FORKED_FROM.load(Relaxed)
}
