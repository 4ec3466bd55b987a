//! Blocks that end at an unmapped page: `guard=page`. The device itself faults at whoever leaves one, or uses it after its release.
//!
//! ```text
//! base ─▶ unused │ address ─▶ the program's bytes │ slack │ guard │ unmapped page
//!                  a multiple of 512                  < 512 + 64    not backed by memory
//! ```
//! Chosen blocks of `aclrtMalloc` and `aclrtMallocAlign32` are placed so; all others are guarded as in `guard=rear`. A released block loses
//! its memory at once and keeps its addresses for a while. The lock is never held while the runtime works.

use crate::guard::{self, Plan};
use crate::heap::Request;
use crate::hook::{Hook, Recorder, is_told};
use crate::interpose::fenced::{self, Placed, Refusal};
use crate::live::{Entry, State};
use crate::options::Guard;
use crate::process::Process;
use crate::{capture, heap, inspection, say};
use aclsan_log::{BlockId, Event, SiteId, Values};
use aclsan_rules::fences::surfaces_in;
use aclsan_rules::profile::{HUGE_ABOVE, HUGE_PAGE, NORMAL_PAGE};
use aclsan_rules::rules::page_fault;
use aclsan_rules::{Call, Finding};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What memory is mapped in steps of: normal pages are served as huge ones.
const PAGE: u64 = HUGE_PAGE;
/// What starts are multiples of: the runtime asks the driver for 2^9 (source of runtime 681ef761).
const ALIGNMENT: u64 = 512;
/// Ranges of released blocks that stay reserved, and their bytes of addresses.
const RESTING_MOST: usize = 1024;
const RESTING_BYTES: u64 = 16 << 30;
/// Fenced blocks whose patterns are looked at when the device reports an error.
const LOOKED_AT_MOST: usize = 64;
/// Policies whose pages are like ours, as far as the program can tell: `HUGE_FIRST`, `HUGE_ONLY`.
const HUGE_POLICIES: [u32; 2] = [0, 1];

/// A block's range.
#[derive(Clone, Copy)]
struct Fence {
    placed: Placed,
    /// Bytes of memory, from the range's start on.
    pages: u64,
    device: i32,
    /// Bytes that the runtime would have set aside, and of which page size.
    told: (u64, u64),
    /// The stream that orders its release.
    stream: u64,
}

/// Ranges by the start of their block.
#[derive(Default)]
struct Store {
    live: BTreeMap<u64, Fence>,
    /// Of blocks released in the order of a stream, which may not have come to it.
    late: Vec<(u64, Fence)>,
    /// Of released blocks, unmapped.
    resting: VecDeque<(u64, Fence)>,
    /// Bytes of memory, also of blocks that are being placed.
    taken: u64,
}

/// The process's fenced blocks.
#[derive(Default)]
pub struct Fences {
    /// Live and late ones.
    count: AtomicUsize,
    /// Whether there ever was one: rules hear of calls then.
    any: AtomicBool,
    store: Mutex<Store>,
    rules: Mutex<aclsan_rules::Fences>,
    /// Whether no more are placed.
    is_off: AtomicBool,
    said: AtomicU32,
}

impl Fences {
    fn change<T>(&self, work: impl FnOnce(&mut Store) -> T) -> T {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let done = work(&mut store);
        self.count
            .store(store.live.len() + store.late.len(), Relaxed);
        done
    }

    fn rules(&self) -> MutexGuard<'_, aclsan_rules::Fences> {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says `sentence` once; `which` tells apart what is said.
    fn say(&self, which: u32, sentence: &str) {
        if self.said.fetch_or(1 << which, Relaxed) >> which & 1 == 0 {
            say::warning(sentence);
        }
    }

    /// Places no more of them.
    fn stop(&self, which: u32, sentence: &str) {
        self.is_off.store(true, Relaxed);
        self.say(which, sentence);
    }
}

/// Whether rules are to hear of calls.
#[inline(always)]
fn is_followed(process: &Process) -> bool {
    process.fences.any.load(Relaxed) && is_told(process)
}

/// Bytes of memory, and from their start to the block, for `rounded` bytes that end at the end of a page.
fn layout(rounded: u64) -> Option<(u64, u64)> {
    let span = rounded.checked_next_multiple_of(ALIGNMENT)?;
    let pages = span.checked_next_multiple_of(PAGE)?;
    Some((pages, pages - span))
}

/// Places a chosen block, and writes its address for the program; the plan for its patterns. `None` where the runtime is to allocate it.
pub fn place(hook: &Hook, request: &Request, plan: &Plan) -> Option<Plan> {
    let process = Process::current();
    let (options, fences) = (process.options, &process.fences);
    let is_fit = options.guard() == Guard::Page
        && matches!(hook.function.name, "aclrtMalloc" | "aclrtMallocAlign32")
        && HUGE_POLICIES.contains(&request.argument)
        && (u64::from(options.page_min)..=u64::from(options.page_max)).contains(&request.size);
    if !is_fit || request.out.is_null() || fences.is_off.load(Relaxed) || capture::is_under_way() {
        return None;
    }
    let device = hook.record(|recorder| recorder.thread.device)??;
    let number = u32::try_from(device).ok()?;
    let rounded = request.size + u64::from(plan.slack);
    let (pages, before) = layout(rounded)?;
    let most = u64::from(options.page_mb) << 20;
    let has_room = fences.change(|store| {
        let has_room = pages <= most.saturating_sub(store.taken);
        store.taken += if has_room { pages } else { 0 };
        has_room
    });
    if !has_room {
        fences.say(
            0,
            &format!(
                "guard=page: fenced blocks hold the {} MiB that `page_mb` allows, further ones get rear guards; raise `page_mb`, or choose fewer by `guard_sample`, `page_min` and `page_max`",
                options.page_mb
            ),
        );
        return None;
    }
    let placed = match fenced::place(number, pages, PAGE) {
        Ok(placed) => placed,
        Err(refusal) => {
            fences.change(|store| store.taken -= pages);
            told(fences, refusal);
            return None;
        }
    };
    let address = placed.base + before;
    let is_huge = request.argument == 1 || rounded > HUGE_ABOVE;
    let fence = Fence {
        placed,
        pages,
        device,
        told: (rounded, if is_huge { PAGE } else { NORMAL_PAGE }),
        stream: 0,
    };
    fences.any.store(true, Relaxed);
    fences.change(|store| store.live.insert(address, fence));
    // SAFETY: not null, and the program's own, through which the runtime would have written.
    unsafe { request.out.write(address as *mut c_void) };
    Some(Plan {
        guard: (pages - before - rounded) as u16, // below 512
        ..*plan
    })
}

fn told(fences: &Fences, refusal: Refusal) {
    match refusal {
        Refusal::Missing => fences.stop(
            1,
            "guard=page: this runtime has no virtual memory management; all blocks get rear guards",
        ),
        Refusal::Failed(status) if !heap::is_short(status) => fences.stop(
            2,
            &format!(
                "guard=page: the runtime refused to map memory with {status}; further blocks get rear guards"
            ),
        ),
        Refusal::Failed(_) | Refusal::Short => fences.say(
            3,
            "guard=page: less than an eighth of the device's memory would stay free; blocks get rear guards until there is more",
        ),
    }
}

/// What goes on record of a fresh block's patterns.
pub fn event(recorder: &Recorder, id: BlockId, address: u64, entry: &Entry) -> Option<Event> {
    let fences = &recorder.process.fences;
    let (slack, guard) = (u32::from(entry.slack), u32::from(entry.guard));
    if fences.count.load(Relaxed) > 0
        && let Some(fence) = fences.change(|store| store.live.get(&address).copied())
    {
        let end = fence.placed.base + fence.pages;
        fences.rules().fenced(&entry.block(address), end - address);
        return Some(Event::Fence {
            block: id,
            slack,
            guard,
            taken: fence.pages,
        });
    }
    (slack > 0 || guard > 0).then_some(Event::Guard {
        block: id,
        slack,
        guard,
    })
}

/// Whether a fenced block starts at `address`.
#[inline(always)]
pub fn has(process: &Process, address: u64) -> bool {
    let fences = &process.fences;
    fences.count.load(Relaxed) > 0 && fences.change(|store| store.live.contains_key(&address))
}

/// The release of the block that starts at `address` is ordered by a stream.
pub fn release_in_order(address: u64, stream: u64) {
    let fences = &Process::current().fences;
    if fences.count.load(Relaxed) > 0 {
        fences.change(|store| {
            if let Some(fence) = store.live.get_mut(&address) {
                fence.stream = stream;
            }
        });
    }
}

/// Releases a fenced block in place of the runtime; `None` if it is the runtime's, also for releases that refuse device memory.
#[inline(always)]
pub fn release(hook: &Hook, address: u64) -> Option<i32> {
    let process = Process::current();
    if process.fences.count.load(Relaxed) == 0 {
        return None;
    }
    release_fenced(hook, &process.fences, address)
}

#[cold]
fn release_fenced(hook: &Hook, fences: &Fences, address: u64) -> Option<i32> {
    let name = hook.function.name;
    let is_ordered = name == "aclrtMemPoolFreeAsync";
    let waits = name == "aclrtFreeWithDevSync";
    let is_plain = matches!(
        name,
        "aclrtFree" | "rtFree" | "acldvppFree" | "hi_mpi_dvpp_free"
    );
    if !(is_ordered || waits || is_plain) {
        return None;
    }
    if waits && fences.change(|store| store.live.contains_key(&address)) {
        let status = fenced::wait_for_device();
        if status != 0 {
            return Some(status);
        }
    }
    let fence = fences.change(|store| {
        let fence = store.live.remove(&address)?;
        if is_ordered {
            store.late.push((address, fence));
        }
        Some(fence)
    })?;
    if !is_ordered {
        unmap(fences, address, &fence);
    }
    Some(0)
}

/// Takes the memory away and lets the addresses rest; the oldest go when there are many.
fn unmap(fences: &Fences, address: u64, fence: &Fence) {
    if !fenced::unmap(&fence.placed) {
        fences.stop(
            4,
            "guard=page: the runtime would not unmap a released block; further blocks get rear guards",
        );
        return;
    }
    let surplus = fences.change(|store| {
        store.taken -= fence.pages;
        store.resting.push_back((address, *fence));
        let bytes = |store: &Store| -> u64 {
            let all = store.resting.iter();
            all.map(|(_, fence)| fence.pages + PAGE).sum()
        };
        let mut surplus = Vec::new();
        while store.resting.len() > RESTING_MOST || bytes(store) > RESTING_BYTES {
            surplus.extend(store.resting.pop_front());
        }
        surplus
    });
    for (address, fence) in surplus {
        fences.rules().forgotten(address);
        fenced::forget(fence.placed.base);
    }
}

/// The program has waited, with success, for a stream, or with `None` for the device: releases that it ordered are due.
fn settle(fences: &Fences, device: Option<i32>, stream: Option<u64>) {
    let due: Vec<(u64, Fence)> = fences.change(|store| {
        let is_due = |fence: &Fence| match stream {
            Some(stream) => fence.stream == stream,
            None => Some(fence.device) == device,
        };
        let (due, late) = store.late.drain(..).partition(|(_, fence)| is_due(fence));
        store.late = late;
        due
    });
    for (address, fence) in due {
        unmap(fences, address, &fence);
    }
}

/// Before a call that found an error of the device is put on record: looks at the patterns behind fenced blocks. Whoever ran over an end
/// wrote there, too.
pub fn before_report(recorder: &mut Recorder, status: i32) {
    let fences = &recorder.process.fences;
    if status == 0 || fences.count.load(Relaxed) == 0 || !page_fault::is_possible(status) {
        return;
    }
    let call = recorder.call(0);
    if !surfaces_in(call.function.name) {
        return;
    }
    let Some(device) = recorder.thread.device else {
        return;
    };
    let starts: Vec<u64> = fences.change(|store| {
        let ours = store.live.iter().filter(|(_, f)| f.device == device);
        ours.map(|(&start, _)| start).collect()
    });
    for &address in starts.iter().rev().take(LOOKED_AT_MOST) {
        let entry = recorder.process.live.get(address);
        let is_patterned =
            |entry: &Entry| entry.state == State::Live && (entry.guard > 0 || entry.slack > 0);
        let Some(entry) = entry.filter(is_patterned) else {
            continue;
        };
        match guard::compare(address, &entry) {
            Some(compared) if compared.damage.is_some() => {
                inspection::one(recorder, &call, address);
            }
            Some(_) => {}
            // The device answers nothing any more.
            None => return,
        }
    }
}

/// A look has found the bytes behind a block overwritten.
pub fn damaged(recorder: &Recorder, address: u64, site: SiteId) {
    if is_followed(recorder.process) {
        recorder.process.fences.rules().damaged(address, site);
    }
}

/// The block that starts at `address` is about to be released.
#[inline(always)]
pub fn released(recorder: &Recorder, address: u64, site: SiteId) {
    if is_followed(recorder.process) {
        recorder.process.fences.rules().released(address, site);
    }
}

/// The release was refused.
pub fn kept(recorder: &Recorder, address: u64) {
    if is_followed(recorder.process) {
        recorder.process.fences.rules().kept(address);
    }
}

/// A call queues work that is handed these addresses.
#[inline(always)]
pub fn queued(recorder: &Recorder, call: &Call, stream: u64, addresses: &[u64]) {
    if is_followed(recorder.process) {
        let mut rules = recorder.process.fences.rules();
        rules.queued(call, stream, addresses);
    }
}

/// A call was made, with these values.
#[inline(always)]
pub fn called(recorder: &Recorder, call: &Call, values: &Values, status: i32) -> Option<Finding> {
    let process = recorder.process;
    if !process.fences.any.load(Relaxed) {
        return None;
    }
    if status == 0 && process.fences.count.load(Relaxed) > 0 {
        match call.function.name {
            "aclrtSynchronizeStream" | "aclrtSynchronizeStreamWithTimeout" => {
                settle(&process.fences, None, Some(values.get(0)));
            }
            "aclrtSynchronizeDevice" | "aclrtSynchronizeDeviceWithTimeout" => {
                settle(&process.fences, recorder.thread.device, None);
            }
            _ => {}
        }
    }
    if !is_told(process) {
        return None;
    }
    process.fences.rules().called(call, values, status)
}

/// Fenced blocks that the arguments of a kernel name, `most` at most.
pub fn named_in(arguments: &[u64], most: usize) -> Vec<u64> {
    let fences = &Process::current().fences;
    if !fences.any.load(Relaxed) || fences.count.load(Relaxed) == 0 {
        return Vec::new();
    }
    fences.change(|store| {
        let is_in = |&&address: &&u64| {
            let fence = store.live.range(..=address).next_back();
            fence.is_some_and(|(_, fence)| address - fence.placed.base <= fence.pages)
        };
        let named = arguments.iter().filter(is_in);
        named.copied().take(most).collect()
    })
}

/// What the runtime would say of the block that `address` lies in, were it the runtime's: its start, its bytes, its pages' size.
pub fn told_of(address: u64) -> Option<(u64, u64, u64)> {
    let fences = &Process::current().fences;
    if fences.count.load(Relaxed) == 0 {
        return None;
    }
    fences.change(|store| {
        let (&start, fence) = store.live.range(..=address).next_back()?;
        let (bytes, page) = fence.told;
        (address - start < bytes).then_some((start, bytes, page))
    })
}

/// The program makes a key to a block: the runtime makes none to mapped memory, so this is the last one that meets a fence.
pub fn exports(address: u64) {
    let process = Process::current();
    if process.options.guard() != Guard::Page {
        return;
    }
    let is_fenced = told_of(address).is_some();
    let what = if is_fenced {
        "a block that ends at an unmapped page cannot be exported"
    } else {
        "the program exports blocks, which those that end at an unmapped page cannot be"
    };
    process.fences.stop(
        5,
        &format!(
            "guard=page: {what}; from here on blocks get rear guards: run this program with guard=rear"
        ),
    );
}

/// The device's last reset has dropped its memory: the addresses are given back.
pub fn dropped(process: &Process, device: i32) {
    let fences = &process.fences;
    if !fences.any.load(Relaxed) {
        return;
    }
    let gone: Vec<Fence> = fences.change(|store| {
        let of_device = |fence: &Fence| fence.device == device;
        let mut gone = Vec::new();
        store.live.retain(|_, fence| {
            if of_device(fence) {
                gone.push(*fence);
            }
            !of_device(fence)
        });
        gone.extend(
            store
                .late
                .extract_if(.., |(_, f)| of_device(f))
                .map(|(_, f)| f),
        );
        store.taken -= gone.iter().map(|fence| fence.pages).sum::<u64>();
        let resting = std::mem::take(&mut store.resting);
        let (ours, others): (Vec<_>, Vec<_>) = resting.into_iter().partition(|(_, f)| of_device(f));
        store.resting = others.into();
        gone.extend(ours.into_iter().map(|(_, fence)| fence));
        gone
    });
    for fence in gone {
        fenced::forget(fence.placed.base);
    }
    fences.rules().reset(device);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_at_the_end_of_a_page() {
        // 1056 is 2 * 512 + 32, so three steps of 512 stand at the end of 2 MiB.
        assert_eq!(layout(1056), Some((2 << 20, (2 << 20) - 1536)));
        assert_eq!(layout(1024), Some((2 << 20, (2 << 20) - 1024)));
        assert_eq!(layout(2 << 20), Some((2 << 20, 0)));
        assert_eq!(layout((2 << 20) + 1), Some((4 << 20, (2 << 20) - 512)));
        assert_eq!(layout(u64::MAX - 10), None);
    }
}
