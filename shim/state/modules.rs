//! The process's loaded code, of which the log is told: what is loaded and unloaded is written down, so that symbols can be looked up long
//! after.
//!
//! The loader is never asked while a lock of ours is held: a thread in `dlopen` holds the loader's lock and may call a hook from a
//! constructor.

use crate::state::process::Process;
use crate::state::thread::ReentrancyGuard;
use aclsan_log::Definition;
use aclsan_unwind::CodeMap;
use aclsan_unwind::modules::{self, Change, LoadCounts, Module, ModuleList};
use std::sync::Arc;

/// Stacks are recorded as deep as the option may ask for.
const _: () = assert!(aclsan_options::Depth::MAX as usize == aclsan_unwind::MAX_DEPTH);

/// The modules of this process.
pub struct ProcessModules;

impl CodeMap for ProcessModules {
    fn module_at(address: u64) -> Option<Arc<Module>> {
        at(address)
    }
}

/// The module that `address` lies in.
pub fn at(address: u64) -> Option<Arc<Module>> {
    let process = Process::current();
    refresh(process);
    process.code.modules.at(address)
}

/// Reads the list again if the loader has loaded or unloaded anything, and writes the difference down. The loader's counts.
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

/// The list as it is now, for a child that is going to be forked.
pub fn snapshot() -> ModuleList {
    let process = Process::current();
    refresh(process);
    process.code.modules.known()
}

/// An address as `module+0xoffset`.
pub fn describe(address: u64) -> String {
    at(address).map_or_else(
        || "no module".into(),
        |module| format!("{}+{:#x}", module.path, address - module.bias),
    )
}

/// The program has unloaded something, maybe: other code may be loaded there before the next stack is recorded.
pub fn on_dlclose() {
    modules::forget();
    // Inside a hook it is the runtime's own doing.
    if let (Some(process), Some(_inside)) = (Process::if_initialized(), ReentrancyGuard::enter()) {
        refresh(process);
    }
}
