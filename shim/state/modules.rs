//! Writes the process's modules into the log as they are loaded and unloaded, so that symbols can be looked up much
//! later.
//!
//! The loader is never asked while a lock of ours is held: a thread in `dlopen` holds the loader's lock and may call a
//! hook from a constructor.

use crate::process::Process;
use crate::thread::Inside;
use aclsan_log::Definition;
use aclsan_unwind::CodeMap;
use aclsan_unwind::modules::{self, Change, LoadCounts, Module, ModuleList};
use std::sync::Arc;

/// Stacks can be recorded as deep as the option allows.
const _: () = assert!(crate::options::Depth::MAX as usize == aclsan_unwind::DEEPEST);

/// The modules of this process.
pub struct ProcessModules;

impl CodeMap for ProcessModules {
    fn module_at(address: u64) -> Option<Arc<Module>> {
        at(address)
    }
}

/// The module that contains `address`.
pub fn at(address: u64) -> Option<Arc<Module>> {
    let process = Process::current();
    refresh(process);
    process.modules.at(address)
}

/// Reads the list again if the loader's counts have changed, writes the difference to the log, and returns the counts.
pub fn refresh(process: &Process) -> LoadCounts {
    process.modules.refresh(|change| write(process, change))
}

fn write(process: &Process, Change { unloaded, loaded }: &Change) {
    if !unloaded.is_empty() && process.sites.have_frames_in(unloaded) {
        modules::move_salt();
    }
    for &(start, _) in unloaded {
        process.sink.define(&Definition::Unloaded { start });
    }
    for module in loaded {
        process.sink.define(&Definition::Module {
            start: module.range.0,
            end: module.range.1,
            bias: module.bias,
            build_id: module.build_id.clone(),
            path: module.path.clone(),
        });
    }
}

/// The current list, for a child that is about to be forked.
pub fn snapshot() -> ModuleList {
    let process = Process::current();
    refresh(process);
    process.modules.known()
}

/// Formats an address as `module+0xoffset`.
pub fn describe(address: u64) -> String {
    at(address).map_or_else(
        || "no module".into(),
        |module| format!("{}+{:#x}", module.path, address - module.bias),
    )
}

/// Call when the program may have unloaded something: other code may be at those addresses before the next stack is
/// recorded.
pub fn closed() {
    modules::forget();
    // Inside a hook the runtime did it.
    if let (Some(process), Some(_inside)) = (Process::if_begun(), Inside::enter()) {
        refresh(process);
    }
}

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::snapshot as known_now;
