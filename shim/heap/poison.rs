//! Reads of uninitialized memory: copies that bring poison to the host. See [`aclsan_guards::poison`].

use crate::judge::{ask_rules, objects};
use crate::record::Recorder;
use crate::state::process::Process;
use aclsan_guards::poison::MAX_POISONED;
use aclsan_log::Event;
use aclsan_os::safe_copy::{self, CopyOutcome};
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::operation::Copy;
use aclsan_rules::judge;
use aclsan_rules::rules::uninitialised_read;

/// Bytes of one copy that are examined at most.
const MAX_EXAMINED: usize = 1 << 20;

/// Whether there is anything that nobody may have written.
#[inline(always)]
pub fn has_any(process: &Process) -> bool {
    !process.guards.poisoned.is_empty()
}

/// After a successful blocking copy: checks whether it brought bytes to the host that nobody wrote.
#[cold]
pub fn check_copied_out(recorder: &mut Recorder, call: &Call, copy: &Copy) {
    let &Copy {
        to, from, count, ..
    } = copy;
    if count == 0 {
        return;
    }
    let (AddressInfo::Live(block, offset), target) = (
        objects::resolve(recorder, from),
        objects::resolve(recorder, to),
    ) else {
        return;
    };
    let is_host = |place: &AddressInfo| {
        place
            .block()
            .is_none_or(|(block, _)| block.family().is_host())
    };
    if block.family().is_host() || !is_host(&target) || offset >= MAX_POISONED {
        return;
    }
    if !recorder
        .process
        .guards
        .poisoned
        .contains(block.address, block.id)
    {
        return;
    }
    let reach = count.min(block.size - offset).min(MAX_POISONED - offset);
    let mut bytes = vec![0; (reach as usize).min(MAX_EXAMINED)];
    // An unknown address may be device memory.
    if safe_copy::read(to, &mut bytes) != CopyOutcome::Done {
        return;
    }
    let is_whole = bytes.len() as u64 == count;
    if let Some((offset, extent)) = uninitialised_read::run(&bytes, offset, is_whole) {
        recorder.event(&Event::Unwritten {
            block: block.id,
            site: call.site,
            offset,
            extent,
        });
        ask_rules(recorder, |_| judge::unwritten(call, &block, offset, extent));
    }
}
