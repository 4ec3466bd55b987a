//! mstx heaps: memory that a framework suballocates.
//!
//! In a careless domain (see [`domains`](super::domains)), only the range is read, and only through the pointer that must be there. The type is
//! uninitialized stack.

use super::domains::{self, Domain};
use super::{calls, is_ours, new_handle};
use crate::abi::*;
use crate::heap::record_call;
use crate::record::Hook;
use crate::state::process::Process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

calls! {
    /// Records a heap. It always gets a handle: ATB stops annotating without one.
    fn mstxMemHeapRegister(domain: mstxDomainHandle_t, desc: *const mstxMemHeapDesc_t) -> mstxMemHeapHandle_t
        = on_heap, MSTX_API_MODULE_CORE_MEM[1], if known in unrecorded_heap;
    /// Records the end of a heap.
    fn mstxMemHeapUnregister(domain: mstxDomainHandle_t, heap: mstxMemHeapHandle_t) = on_heap_end, MSTX_API_MODULE_CORE_MEM[2];
}

fn on_heap(
    hook: Option<&Hook>,
    next: Option<mstxMemHeapRegister::Fn>,
    domain: mstxDomainHandle_t,
    desc: *const mstxMemHeapDesc_t,
) -> mstxMemHeapHandle_t {
    let theirs = match next.filter(|_| !is_ours(domain as u64)) {
        Some(next) => next(domain, desc),
        None => std::ptr::null_mut(),
    };
    let heap = match theirs.is_null() {
        true => new_handle(),
        false => theirs as u64,
    };
    let domain = domains::find(domain as u64);
    if let (Some(hook), Some(range)) = (hook, heap_range(domain, desc)) {
        hook.record(|recorder| {
            if let (Some(at), Some(now)) = (domain.careless, sum(&range)) {
                let largest = &recorder.process.calls.careless[at].largest_heap;
                if !says_more(largest, now) {
                    return;
                }
                largest.store(now, Relaxed);
            }
            let values = [
                super::name_of(recorder, domain),
                heap,
                range.ptr as u64,
                range.size,
                range.deviceId.into(),
            ];
            record_call(recorder, 0, &values, 0);
        });
    }
    heap as mstxMemHeapHandle_t
}

/// The handle of a heap that says nothing new, and is not recorded: the domain's, since nothing is known by it.
fn unrecorded_heap(
    domain: mstxDomainHandle_t,
    desc: *const mstxMemHeapDesc_t,
) -> Option<mstxMemHeapHandle_t> {
    let (domain, at) = domains::find_careless(domain as u64)?;
    let range = heap_range(domain, desc)?;
    let careless = &Process::if_initialized()?.calls.careless[at];
    let is_known = !says_more(&careless.largest_heap, sum(&range)?);
    is_known.then_some(domain.handle as mstxMemHeapHandle_t)
}

/// The size of a careless domain's heap, with its device. It registers a heap at each allocation and release: only the largest says something.
fn sum(range: &mstxMemVirtualRangeDesc_t) -> Option<u64> {
    let is_size = range.size >> 48 == 0;
    is_size.then(|| (u64::from(range.deviceId) + 1) << 48 | range.size)
}

/// Whether a heap of this sum is to be recorded.
fn says_more(largest: &AtomicU64, now: u64) -> bool {
    let largest = largest.load(Relaxed);
    largest >> 48 != now >> 48 || now > largest
}

/// The range that the description of a heap points to.
fn heap_range(
    domain: &Domain,
    desc: *const mstxMemHeapDesc_t,
) -> Option<mstxMemVirtualRangeDesc_t> {
    if desc.is_null() {
        return None;
    }
    // SAFETY: the caller's own description; its fields need not all be initialized and are read as bits.
    let heap = unsafe { desc.read() };
    let is_range = !domain.is_careful() || heap.type_ == MSTX_MEM_TYPE_VIRTUAL_ADDRESS;
    let range = heap.typeSpecificDesc.cast::<mstxMemVirtualRangeDesc_t>();
    // SAFETY: the target of a description of this type; null is checked.
    unsafe { range.as_ref() }.filter(|_| is_range).copied()
}

fn on_heap_end(
    hook: Option<&Hook>,
    next: Option<mstxMemHeapUnregister::Fn>,
    domain: mstxDomainHandle_t,
    heap: mstxMemHeapHandle_t,
) {
    if let Some(hook) = hook {
        hook.record(|recorder| {
            let name = super::name_of(recorder, domains::find(domain as u64));
            record_call(recorder, 0, &[name, heap as u64], 0);
        });
    }
    let is_theirs = !is_ours(domain as u64) && !is_ours(heap as u64);
    if let Some(next) = next.filter(|_| is_theirs) {
        next(domain, heap);
    }
}
