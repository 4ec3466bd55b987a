//! What every allocation, release, launch and range use does, whatever its family: it is recorded, and redzones, quarantine and guard pages
//! are looked after.
//!
//! The order is what makes the log true: an allocation is recorded after the runtime has answered, a release before it is asked. The other
//! way round another thread could be given the address in between. No lock is held while the runtime works.

#![forbid(unsafe_code)]

mod allocate;
mod events;
mod final_check;
pub mod guard_page;
mod launch;
pub mod poison;
pub mod quarantine;
pub mod redzone_check;
mod release;
mod unguarded;

pub use crate::runtime::queries::is_out_of_memory;
pub use aclsan_guards::plan::{Request, added};
pub use allocate::{allocate, flush_quarantine_for_retry};
pub use events::RecordEvents;
pub use launch::launch;
pub use release::{release, release_all, release_with};

use crate::runtime::Ascend;
use crate::state::process::Process;
use aclsan_guards::plan;
use aclsan_rules::Function;

/// The runtime, for guards.
#[inline(always)]
fn device(process: &Process) -> Ascend<'_> {
    Ascend(&process.calls.captures)
}

/// Whether our copies may reach blocks of this call's now.
fn may_copy(process: &Process, function: &Function) -> bool {
    plan::is_supported(function) && !process.calls.captures.forbids_copies()
}
