//! The loaded code of the process. Loads and unloads are recorded, so that symbols can be looked up long after.
//!
//! The loader is never queried while one of our locks is held: a thread in `dlopen` holds the loader's lock and may call a hook from a
//! constructor.

use crate::state::process::Process;
use aclsan_log::Definition;
use aclsan_unwind::CodeMap;
use aclsan_unwind::modules::{self, Change, LoadCounts, Module, ModuleList};
use std::sync::Arc;

/// The unwinder can go as deep as the option allows.
const _: () = assert!(aclsan_options::Depth::MAX as usize == aclsan_unwind::MAX_DEPTH);

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
    process.code.modules.at(address)
}

/// Re-reads the loader's list if it has changed, and records the difference. Returns the loader's counters.
pub fn refresh(process: &Process) -> LoadCounts {
    process
        .code
        .modules
        .refresh(|change| write(process, change))
}

fn write(process: &Process, Change { unloaded, loaded }: &Change) {
    if !unloaded.is_empty() && process.log.call_sites.have_frames_in(unloaded) {
        modules::advance_stack_epoch();
    }
    for &(start, _) in unloaded {
        process.log.sink.define(&Definition::Unloaded { start });
    }
    for module in loaded {
        process.log.sink.define(&Definition::Module {
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
    process.code.modules.known()
}

/// Formats an address as `module+0xoffset`.
pub fn describe(address: u64) -> String {
    at(address).map_or_else(
        || "no module".into(),
        |module| format!("{}+{:#x}", module.path, address - module.bias),
    )
}
