//! Blocks that end at an unmapped page: `guard=page`. The device itself faults at whoever leaves one, or uses it after its release.
//!
//! ```text
//! base ─▶ unused │ address ─▶ the program's bytes │ slack │ guard │ unmapped page
//!                  a multiple of 512                  < 512 + 64    not backed by memory
//! ```
//! Chosen blocks of `aclrtMalloc` and `aclrtMallocAlign32` are placed so; all others are guarded as in `guard=rear`. A released block loses
//! its memory at once and keeps its addresses for a while. The lock is never held while the runtime works.

mod facts;
mod ranges;

use crate::guard::Plan;
use crate::heap::Request;
use crate::live::Entry;
use crate::options::Guard;
use crate::process::Process;
use crate::record::{Hook, Recorder};
use crate::runtime::virtual_memory::{self as fenced, Refusal};
use crate::{capture, heap};
use aclsan_log::{BlockId, Event};
use aclsan_rules::profile::{HUGE_ABOVE, HUGE_PAGE, NORMAL_PAGE};
use ranges::{Fence, unmap};
use std::ffi::c_void;
use std::sync::atomic::Ordering::Relaxed;

pub use facts::{before_refusal, before_report, called, damaged, kept, queued, refused, released};
pub use ranges::{Fences, dropped};

/// What memory is mapped in steps of: normal pages are served as huge ones.
const PAGE: u64 = HUGE_PAGE;
/// What starts are multiples of: the runtime asks the driver for 2^9 (source of runtime 681ef761).
const ALIGNMENT: u64 = 512;
/// Policies whose pages are like ours, as far as the program can tell: `HUGE_FIRST`, `HUGE_ONLY`.
const HUGE_POLICIES: [u32; 2] = [0, 1];

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
    let is_free = |start: u64| {
        fences.change(|store| {
            let mut before = store.live.range(..start.saturating_add(pages + PAGE));
            let last = before.next_back().map(|(_, fence)| fence);
            last.is_none_or(|fence| fence.placed.base + fence.pages < start)
        })
    };
    let placed = match fenced::place(number, pages, PAGE, is_free) {
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
        Refusal::Odd => fences.stop(
            6,
            "guard=page: the runtime reserved addresses that cannot be used; further blocks get rear guards",
        ),
        Refusal::Failed(_) | Refusal::Short => fences.say(
            3,
            "guard=page: less than an eighth of the device's memory would stay free; blocks get rear guards until there is more",
        ),
    }
}

/// What goes on record of a fresh block's patterns.
pub fn event(
    recorder: &Recorder,
    id: BlockId,
    address: u64,
    entry: &Entry,
    front: u32,
) -> Option<Event> {
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
    (slack > 0 || guard > 0 || front > 0).then_some(Event::Guard {
        block: id,
        slack,
        guard,
        front,
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
    let waits = matches!(name, "aclrtFreeWithDevSync" | "rtFreeWithDevSync");
    let is_plain = matches!(
        name,
        "aclrtFree" | "rtFree" | "rtsFree" | "acldvppFree" | "hi_mpi_dvpp_free"
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
