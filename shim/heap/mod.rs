//! Allocations, releases, launches and range uses of every family: each is recorded and judged, and redzones, poison, quarantine and guard
//! pages are applied and checked.
//!
//! Order matters: record an allocation after the runtime returns, and a release before calling it. Otherwise another thread could be given
//! the address in between. No lock is held while the runtime works.

#![forbid(unsafe_code)]

mod allocate;
mod events;
mod final_check;
pub mod guard_page;
pub mod index_check;
mod launch;
pub mod poison;
pub mod quarantine;
pub mod redzone_check;
mod release;
mod soc;
pub mod stopped;
mod unguarded;
mod unrecorded;

pub use aclsan_guards::plan::{Request, added};
pub use allocate::{allocate, allocate_pinned, forward_or_flush};
pub use events::{finish_call, record_call, record_handle, record_object};
pub use launch::{launch, launch_as};
pub use release::{release, release_all, release_with};

use crate::runtime::RuntimeDevice;
use crate::state::process::Process;
use aclsan_guards::plan;
use aclsan_rules::api::functions::Function;

/// The runtime as the device that guards work on.
#[inline(always)]
fn device(process: &Process) -> RuntimeDevice<'_> {
    RuntimeDevice(&process.calls.graph_captures)
}

/// Whether the shim may copy to and from blocks of `function` now.
fn may_copy(process: &Process, function: &Function) -> bool {
    plan::is_supported(function) && !process.calls.graph_captures.forbids_copies()
}
