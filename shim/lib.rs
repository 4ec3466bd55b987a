//! libaclsan.so: everything that runs inside the program under test.
//!
//! **A hook may** forward the call, record facts, and ask the rules about one call. **It must not** change what the program sees of the
//! runtime's answer, hold a lock while the runtime works, let a panic out, print anything but findings and a line or two at the start and
//! at the end, or touch a device other than by the runtime's own copies.
//!
//! A room imports only rooms below it in this table. The lower six are crates under `shim/`; `tests/scenarios/tidy` checks the others.
//!
//! | room | what it does |
//! |---|---|
//! | [`calls`] | A table per family: which functions are hooked, and what each of them records. All that is exported is exported here (and in `state/companion.rs`). |
//! | [`lifecycle`] | Start, fork, snapshot, exit, and the leak scan at the end. |
//! | [`heap`] | What every allocation, release, launch and range use does, whatever its family: record, check redzones, quarantine. |
//! | [`judge`] | Asks the shared rules about one call; prints and counts what they find. |
//! | [`record`] | One hooked call: reentrancy, its call site, its events. |
//! | [`runtime`] | The next definitions of hooked functions, and the few that the shim calls itself (copies, queries, virtual memory). |
//! | [`state`] | What the shim keeps for this process and this thread, and which child of a fork gets a new one. |
//! | `guards` | Redzones, poison, quarantine, guard pages: where they go, what they contain, what differs. |
//! | `sink` | Writes the event log; what is written survives the process. |
//! | `tables` | The structures that threads share without a lock of std's: live blocks, call sites, free segments. |
//! | `unwind` | The return addresses of the calling thread, native and Python, and the module of each. |
//! | `options` | `ACLSAN_OPTIONS`: every option, declared once. |
//! | `os` | Queries to the kernel, libc and the loader, in a form that is safe inside someone else's process. |
//!
//! [`abi`] has the declarations of AscendCL, for `calls` and `runtime` alone. `shim/companion` is `libaclsan_free.so`, which sees libc's
//! `free`.
#![doc = include_str!("hazards/begin.md")]
#![doc = include_str!("hazards/deaths.md")]
#![doc = include_str!("hazards/surroundings.md")]
#![doc = include_str!("hazards/runtime.md")]
#![doc = include_str!("hazards/storms.md")]
#![doc = include_str!("hazards/limits.md")]
// Unit tests export no hooks, or they would interpose themselves; code that only hooks use is then unused.
#![cfg_attr(test, allow(dead_code, unused_imports))]

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
compile_error!(
    "libaclsan.so is for Linux with glibc on x86-64 and aarch64: the CANN runtime exists nowhere else"
);

use aclsan_rules::api::ascend::VENDOR;

mod abi;
mod calls;
mod heap;
mod judge;
mod lifecycle;
mod record;
mod runtime;
mod state;

// Memory of the shim's own. Unit tests have their program's.
#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: aclsan_os::arena::Arena = aclsan_os::arena::Arena;
