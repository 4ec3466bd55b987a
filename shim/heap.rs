//! What every allocation and every release does, whatever its family.
//!
//! The order is what makes the log true: an allocation is recorded after the runtime has answered, a release before it is asked. The other
//! way round another thread could be given the address in between. No lock is held while the runtime works.

mod events;
mod final_check;

pub use events::RecordEvents;

use crate::clock;
use crate::devices::Soc;
use crate::fence;
use crate::foreign;
use crate::front;
use crate::guard::{self, Plan};
use crate::judge::{AskLedger, AskOrder, Judge};
use crate::live::{Entry, State};
use crate::options::Guard;
use crate::process::Process;
use crate::record::{Hook, Recorder};
use crate::runtime::queries;
use crate::{fill, inspection, mapping, quarantine, say};
use aclsan_log::record::SLOW_NS;
use aclsan_log::{BlockId, Definition, Event, Mapping, SiteId};
use aclsan_rules::functions::{self, Family};
use aclsan_rules::profile::{self, Profile};
use aclsan_rules::{Call, Place, judge};
pub use queries::is_short;
use std::ffi::c_void;

/// What the program asked for.
#[derive(Clone, Copy)]
pub struct Request {
    /// Where the address goes.
    pub out: *mut *mut c_void,
    /// Bytes.
    pub size: u64,
    /// Policy, 0 for calls without one.
    pub argument: u32,
}

/// Forwards an allocation and records its block. `forward` takes the size to ask for.
#[inline(always)]
pub fn allocate(hook: &Hook, request: Request, forward: impl Fn(u64) -> i32) -> i32 {
    let process = Process::current();
    if process.options.guard() != Guard::Off && !process.devices.is_soc_known() {
        hook.record(|recorder| recorder.thread.device.map(|_| ask_soc(recorder)));
    }
    let plan = guard::plan(hook, &request);
    let begun = clock::ticks(clock::source());
    let fenced = plan.and_then(|plan| fence::place(hook, &request, &plan));
    if fenced.is_some() {
        return completed(hook, request, fenced, begun, 0);
    }
    let asked = plan.map_or(request.size, |plan| plan.ask);
    let mut status = forward(asked);
    let mut plan = plan;
    if is_short(status) && make_room(hook) {
        status = forward(asked);
    }
    if is_short(status) && asked != request.size {
        // Perhaps only our bytes were too many.
        plan = None;
        status = forward(request.size);
    }
    completed(hook, request, plan, begun, status)
}

/// Records what an allocation that began at `begun` has come to.
#[inline(always)]
fn completed(hook: &Hook, request: Request, plan: Option<Plan>, begun: u64, status: i32) -> i32 {
    let ended = clock::ticks(clock::source());
    hook.record(|recorder| {
        if status != 0 {
            return refused_allocation(recorder, &request, status);
        }
        // SAFETY: null, or a pointer through which the runtime has written one on success.
        let address = unsafe { request.out.as_ref() }.filter(|address| !address.is_null());
        if let Some(&address) = address {
            recorder.prefetch_allocation(address as u64);
            recorder.learn_device(); // It has one: the runtime has just allocated on it.
            let call = recorder.call(request.argument);
            allocated(
                recorder,
                &call,
                address as u64,
                request,
                plan.filter(|_| mapping::may_exist(address as u64, request.size)),
                (begun, ended),
            );
        } else {
            recorder.called(request.argument, &[], 0); // A success without a block.
        }
    });
    status
}

/// Memory is short: lets go of what is held back; whether there was any.
#[cold]
pub fn make_room(hook: &Hook) -> bool {
    let is_empty = Process::current().quarantine.is_empty();
    !is_empty && hook.record(|recorder| quarantine::empty(recorder, -1)) == Some(true)
}

#[cold]
fn refused_allocation(recorder: &mut Recorder, request: &Request, status: i32) {
    let site = recorder.call(request.argument).site;
    let size = request.size;
    recorder.event(&Event::AllocationFailed { site, size, status });
    recorder.name_status(status);
}

#[inline(always)]
fn allocated(
    recorder: &mut Recorder,
    call: &Call,
    address: u64,
    request: Request,
    plan: Option<Plan>,
    (begun, ended): (u64, u64),
) {
    let (address, plan) = match plan.filter(|plan| plan.front > 0) {
        Some(plan) => behind_front(call, address, request, plan),
        None => (address, plan),
    };
    let id = recorder.allocation_at(ended, call.site, address, request.size);
    if ended.saturating_sub(begun) > clock::QUICK {
        slow(recorder, id, ended.saturating_sub(begun));
    }
    let mut entry = Entry {
        id,
        size: request.size,
        site: call.site,
        end: SiteId(0),
        guard: 0,
        slack: 0,
        function: recorder.number(),
        device: call.device as i8,
        state: State::Live,
        age: 0,
    };
    if let Some(plan) = plan {
        let family = call.function.family().unwrap_or(Family::Device);
        if guard::lay(family, address, request.size, &plan) {
            entry.guard = plan.guard;
            entry.slack = plan.slack;
        }
        if let Some(event) = fence::event(recorder, id, address, &entry, plan.front) {
            recorder.event(&event);
        }
    }
    recorder.process.live.insert(address, entry);
    let is_filled = recorder.process.options.fill() && guard::may_touch(call.function);
    if is_filled {
        fill::fresh(recorder.process, address, &entry);
    }
    recorder.ignore_if_asked(id);
    let is_host = call.function.family().is_some_and(Family::is_host);
    foreign::watch(recorder.process, is_host, address, request.size);
    if !recorder.process.devices.is_soc_known() {
        ask_soc(recorder);
    }
    recorder.judge(|profile| judge::allocation(&entry.block(address), profile));
    recorder.ledger_allocated(call, || entry.block(address));
    let out = request.out as u64;
    if !recorder.thread.trace.is_on_stack(out) {
        recorder.judge(|profile| judge::out_parameter(call, out, &recorder.reach(out), profile));
    }
}

/// Gives the program the address behind the guard that lies before its block; the block's real start if that could not be laid.
#[cold]
fn behind_front(call: &Call, real: u64, request: Request, plan: Plan) -> (u64, Option<Plan>) {
    let is_host = call.function.family().is_some_and(Family::is_host);
    let Some(address) = front::open(is_host, real, plan.front.into()) else {
        return (real, None);
    };
    // SAFETY: the runtime has just written there, and the program reads it after this call.
    unsafe { request.out.write(address as *mut c_void) };
    (address, Some(plan))
}

/// Tells of an allocation that took long, if it did: only here are ticks worth a conversion.
#[cold]
#[inline(never)] // `tests/benches/instructions.rs` asks for its name
fn slow(recorder: &mut Recorder, block: BlockId, ticks: u64) {
    let ns = clock::nanoseconds_of(ticks);
    if ns >= SLOW_NS && block != BlockId(u64::MAX) {
        recorder.event(&Event::Slow { block, ns });
    }
}

/// Asks the runtime what machine this is, the first time, and puts it on record. Only where the thread has a device: see
/// [`Recorder::learn_device`].
#[cold]
fn ask_soc(recorder: &Recorder) {
    if recorder.process.devices.is_soc_known() {
        return;
    }
    let told = recorder.process.options.soc.as_str();
    let name = match told {
        "auto" => queries::soc_name().unwrap_or_else(|| "unknown".into()),
        told => told.into(),
    };
    let profile = Profile {
        shared_memory: queries::is_on_device() == Some(true),
        ..Profile::of_soc(&name)
    };
    let Some(soc) = recorder.process.devices.set_soc(Soc { name, profile }) else {
        return; // Another thread has asked meanwhile.
    };
    if told != "auto" {
        warn_of_unknown(told);
    }
    if recorder.process.options.touches_memory() {
        final_check::watch_exit();
    }
    let mode = if soc.profile.shared_memory {
        "device"
    } else {
        "host"
    };
    for (key, value) in [("soc", soc.name.as_str()), ("run_mode", mode)] {
        let (key, value) = (key.into(), value.into());
        recorder
            .process
            .sink
            .define(&Definition::Property { key, value });
    }
}

fn warn_of_unknown(told: &str) {
    if profile::Soc::named(told).is_none() {
        let known: Vec<_> = profile::SOCS.iter().map(|soc| soc.prefix).collect();
        say::warning(&format!(
            "no SoC is known whose name begins as `{told}` does, of option `soc`; the widespread rules apply; known are {}",
            known.join(", ")
        ));
    }
}

/// What is known of a release before the runtime has it.
struct Releasing {
    call: Call,
    found: Found,
    is_reported: bool,
}

/// What a release names.
enum Found {
    /// A live block, as it was.
    Live(Entry),
    /// Something else.
    Other(Box<Place>),
}

/// Records a release, of a block or of a handle, and forwards it.
#[inline(always)]
pub fn release(hook: &Hook, address: u64, forward: impl FnOnce() -> i32) -> i32 {
    release_with(hook, 0, address, forward)
}

/// As [`release`], where `argument` says what is given back: see [`Call::family`].
#[inline(always)]
pub fn release_with(
    hook: &Hook,
    argument: u32,
    address: u64,
    forward: impl FnOnce() -> i32,
) -> i32 {
    // Written to its place once: as a result it would be moved from hand to hand.
    let mut releasing = None;
    let is_held = hook.record(|recorder| {
        recorder.prefetch_release(address);
        quarantine::give_up(recorder, address);
        let call = recorder.call(argument);
        let releasing = releasing.insert(self::releasing(recorder, call, address));
        recorder.process.options.quarantine() > 0 && hold(recorder, address, releasing)
    });
    if is_held == Some(true) {
        return 0;
    }
    let status = fence::release(hook, address).unwrap_or_else(forward);
    if status != 0
        && let Some(releasing) = releasing
    {
        hook.record(|recorder| refused(recorder, address, &releasing, status));
    }
    status
}

/// Holds the block back, if it is one that its own family releases and no rule minds.
fn hold(recorder: &mut Recorder, address: u64, releasing: &Releasing) -> bool {
    match &releasing.found {
        Found::Live(entry) if !releasing.is_reported && !fence::has(recorder.process, address) => {
            quarantine::hold(recorder, &releasing.call, address, entry)
        }
        _ => false,
    }
}

/// As [`release`], of a handle with which `further` things go: see [`functions::FURTHER`].
pub fn release_all(
    hook: &Hook,
    address: u64,
    further: &[u64],
    forward: impl FnOnce() -> i32,
) -> i32 {
    hook.record(|recorder| {
        let call = recorder.call(functions::FURTHER);
        for &handle in further {
            releasing(recorder, call, handle);
        }
    });
    release(hook, address, forward)
}

#[inline(always)]
fn releasing(recorder: &mut Recorder, call: Call, address: u64) -> Releasing {
    let process = recorder.process;
    let family = call.family().unwrap_or(Family::Device);
    let key = family.key(address);
    process.fresh.forget(key);
    let Some(entry) = process.live.release(key, call.site) else {
        return astray(recorder, call, family, address);
    };
    if process.options.guard() != Guard::Off && !family.is_handle() {
        inspection::known(recorder, &call, address, &entry); // as it was a moment ago
    }
    recorder.release(call.site, entry.id);
    fence::released(recorder, key, call.site);
    let mut is_reported = recorder.judge(|profile| {
        let block = entry.block(key);
        if judge::is_plain_release(&call, &block) {
            return None;
        }
        let place = Place::Live(block, 0);
        judge::release(&call, address, &place, Mapping::Unknown, profile)
    });
    is_reported |= recorder.ledger_releasing(&call, || entry.block(key));
    recorder.order_releasing(&call, || entry.block(key));
    Releasing {
        call,
        found: Found::Live(entry),
        is_reported,
    }
}

/// A release of what is no live block.
#[cold]
fn astray(recorder: &mut Recorder, call: Call, family: Family, address: u64) -> Releasing {
    let (place, mapping, is_told) = elsewhere(recorder, &call, family, address);
    let mut is_reported = is_told
        || recorder.judge(|profile| judge::release(&call, address, &place, mapping, profile));
    if let Place::Live(block, 0) = &place {
        is_reported |= recorder.ledger_releasing(&call, || *block);
        recorder.order_releasing(&call, || *block);
    } else if !is_reported && place != Place::Unknown {
        is_reported = recorder.ledger_astray(&call, address);
    }
    Releasing {
        call,
        found: Found::Other(Box::new(place)),
        is_reported,
    }
}

/// The release of an address where no live block starts; whether the ledger had something to say.
#[cold]
fn elsewhere(
    recorder: &mut Recorder,
    call: &Call,
    family: Family,
    address: u64,
) -> (Place, Mapping, bool) {
    let place = recorder.process.live.place(family.key(address));
    let is_unknown = place == Place::Unknown && address != 0 && !family.is_handle();
    let mapping = match is_unknown {
        true => mapping::at(address),
        false => Mapping::Unknown,
    };
    recorder.process.devices.released(&place);
    recorder.event(&Event::ReleaseAt {
        site: call.site,
        address,
        mapping,
    });
    let is_told = place == Place::Unknown && address != 0 && recorder.ledger_astray(call, address);
    if is_unknown && mapping == Mapping::Unknown && !is_told {
        recorder
            .process
            .verdict
            .count_unknown_pointer(call.site, address);
    }
    (place, mapping, is_told)
}

#[cold]
fn refused(recorder: &mut Recorder, address: u64, releasing: &Releasing, status: i32) {
    recorder.event(&Event::Refused {
        site: releasing.call.site,
        address,
        status,
    });
    recorder.name_status(status);
    recorder.order_refused(releasing.call.site);
    let family = releasing.call.family().unwrap_or(Family::Device);
    let key = family.key(address);
    let place = match &releasing.found {
        Found::Live(entry) => Place::Live(entry.block(key), 0),
        Found::Other(place) => **place,
    };
    if let Some((block, _)) = place.block()
        && recorder.process.devices.may_be_gone(block)
    {
        return;
    }
    if let Found::Live(entry) = &releasing.found {
        recorder.process.live.restore(key, entry);
        recorder.ledger_kept(&entry.block(key));
        fence::kept(recorder, key);
    }
    if !releasing.is_reported {
        recorder.judge(|_| judge::refused(&releasing.call, address, &place, status));
    }
}
