//! `SendData`: what happens to the blocks it takes.
//!
//! The thread stays inside the hook while the call is forwarded: what the Matrix allocates and releases in it is not the program's.

use super::auto_free;
use crate::calls::actions::given;
use crate::heap::record_call;
use crate::judge::{objects, stream_order};
use crate::record::Hook;
use aclsan_log::{CallSiteId, Event};
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::functions::Call;
use aclsan_tables::live::{Entry, State};
use std::ffi::c_void;

/// A block that is sent along with its message.
struct Taken {
    site: CallSiteId,
    address: u64,
    entry: Entry,
}

/// `message` is a C++ reference to a shared_ptr, whose first word is the pointer (libstdc++ and libc++).
pub fn sent(hook: &Hook, forward: impl FnOnce() -> u32, message: *const *mut c_void) -> u32 {
    let message = given(message).map_or(0, |pointer| pointer as u64);
    let taken = take(hook, message);
    let status = forward() as i32;
    hook.record(|recorder| {
        if let Some(taken) = taken.as_ref().filter(|_| status != 0) {
            let Taken {
                site,
                address,
                ref entry,
            } = *taken;
            recorder.event(&Event::Refused {
                site,
                address,
                status,
            });
            let live = &recorder.process.heap.live;
            live.restore(address, entry);
            objects::release_failed(recorder, &entry.block(address));
        }
        let is_taken = taken.is_some() && status == 0;
        record_call(recorder, 0, &[message, is_taken.into()], status);
        forget_doubtful(&recorder.process.heap.live, message, is_taken, status);
    });
    status as u32
}

/// Ends the message's block, if the send takes it over. Recorded before it happens, like any release.
fn take(hook: &Hook, message: u64) -> Option<Taken> {
    auto_free().take(message)?;
    hook.record(|recorder| {
        let call: Call = recorder.call(0);
        let live = &recorder.process.heap.live;
        let entry = live.release(message, call.site)?;
        live.update(message, |entry| entry.state = State::Sent);
        recorder.release(call.site, entry.id);
        objects::releasing(recorder, &call, || entry.block(message));
        stream_order::releasing(recorder, &call, || entry.block(message));
        Some(Taken {
            site: call.site,
            address: message,
            entry,
        })
    })?
}

/// Forgets the blocks that a message may have carried, as replay does.
fn forget_doubtful(live: &aclsan_tables::live::Live, message: u64, is_taken: bool, status: i32) {
    match live.place(message) {
        AddressInfo::Live(block, 0) if status != 0 => live.forget(block.address),
        AddressInfo::Unknown if !is_taken => {
            for (address, id) in auto_free().doubt() {
                if live.get(address).is_some_and(|entry| entry.id == id) {
                    live.forget(address);
                }
            }
        }
        _ => {}
    }
}
