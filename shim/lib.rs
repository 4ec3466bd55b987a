//! libaclsan.so: everything that runs inside the program under test.
//!
//! **What a hook may do**: forward the call, write facts down, ask the rules about one call. **What it may not**: change what the program
//! sees of the runtime's answer; hold a lock while the runtime works; let a panic out; print anything but findings, one line at the
//! start and one at the end; touch a device otherwise than by the runtime's own copies.
//!
//! | room | what lives there |
//! |---|---|
//! | [`interpose`] | a table per family: which calls are hooked, and what each records |
//! | [`annotations`] | what the program tells about itself, by `aclsan.h` and by mstx |
//! | [`hook`], [`switch`], [`heap`] | one call under way; whether calls are recorded; what all allocations and releases do |
//! | [`live`], [`verdict`] | blocks now; findings as they happen |
//! | [`guard`], [`inspection`], [`fill`], [`quarantine`] | patterns behind blocks and when they are looked at; patterns in blocks; blocks held back |
//! | [`fence`] | blocks that end at an unmapped page |
//! | [`stack`], [`sites`], [`modules`] | stacks, their numbers, the code they lie in |
//! | [`python`] | the Python functions in a stack |
//! | [`sink`], [`clock`] | the event log |
//! | [`process`], [`thread`], [`devices`], [`options`], [`start`] | state, and when it begins and ends |
//! | [`foreign`] | blocks that are given to libc, of which `shim/free` tells |
//! | [`scan`], [`own_memory`] | pointers to what is still live, at the end; what must not be taken for one |
//! | [`deaths`] | nothing: the list of what may happen to the program amid our code, and what each lock does at a fork |
//! | [`made`], [`inherited`], [`uncancelled`] | what a fork or a cancellation may come amid |
//! | [`next`], [`abi`] | the definitions behind ours |
//! | [`mapping`], [`own_copy`], [`plain`], [`limits`], [`say`] | `/proc/self/maps`; copies that cannot fault; system calls under a filter, limits; stderr |
#![doc = include_str!("hazards/begin.md")]
#![doc = include_str!("hazards/deaths.md")]
#![doc = include_str!("hazards/surroundings.md")]
#![doc = include_str!("hazards/runtime.md")]
#![doc = include_str!("hazards/storms.md")]
// Unit tests export no hook, lest they interpose themselves; what only hooks use is then unused.
#![cfg_attr(test, allow(dead_code, unused_imports))]

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
compile_error!(
    "libaclsan.so is for Linux with glibc on x86-64 and aarch64: the CANN runtime exists nowhere else"
);

mod abi;
mod annotations;
mod capture;
mod deaths;
mod devices;
mod fence;
mod fill;
mod foreign;
mod front;
mod guard;
mod heap;
mod hook;
mod inspection;
mod interpose;
mod keys;
mod launch;
mod next;
mod order;
mod process;
mod quarantine;
mod sampling;
mod scan;
mod snapshot;
mod start;
mod state;
mod thread;
mod verdict;

// Old names of what has moved into crates, until their last use is gone.
pub(crate) use aclsan_options as options;
pub(crate) use aclsan_os::loader::elf;
pub(crate) use aclsan_os::{
    arena as own_memory, cancel as uncancelled, clock, errno, maps as mapping, racy_once as made,
    safe_copy as own_copy, status as switch, stderr as say,
};
pub(crate) use aclsan_sink as sink;
pub(crate) use aclsan_tables::{call_sites as sites, live};
pub(crate) use aclsan_unwind::modules::at_fork as inherited;
pub(crate) use aclsan_unwind::python;
pub(crate) mod modules {
    pub use crate::state::modules::{at, closed, describe, known_now, refresh};
    pub use aclsan_unwind::modules::*;
}
pub(crate) mod stack {
    pub use aclsan_unwind::{big_stack as room, registers};
    pub type Trace = aclsan_unwind::Trace<crate::state::modules::ProcessModules>;
    pub mod rule {
        pub use aclsan_unwind::frame::Frame;
    }
    pub mod trace {
        pub use aclsan_unwind::Stack;
    }
}
pub(crate) mod plain {
    pub use aclsan_os::files::*;
    pub use aclsan_os::seccomp::is_filtered;
}

// Memory of the shim's own. Unit tests have their program's.
#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: aclsan_os::arena::Arena = aclsan_os::arena::Arena;
