//! mstx heaps and regions: memory that a framework suballocates.
//!
//! In a careless domain (see [`domains`](super::domains)), only the range is read, and only through the pointers that must be there. Its
//! types, its heap and the out-parameter for results are uninitialized stack, and are neither trusted nor touched.

use super::domains::{self, Domain};
use super::{calls, is_ours, new_handle};
use crate::abi::*;
use crate::heap::RecordEvents;
use crate::record::Hook;
use crate::state::process::Process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

calls! {
    /// Records a heap. It always gets a handle: ATB stops annotating without one.
    fn mstxMemHeapRegister(domain: mstxDomainHandle_t, desc: *const mstxMemHeapDesc_t) -> mstxMemHeapHandle_t
        = on_heap, MSTX_API_MODULE_CORE_MEM[1], if known in unrecorded_heap;
    /// Records the end of a heap.
    fn mstxMemHeapUnregister(domain: mstxDomainHandle_t, heap: mstxMemHeapHandle_t) = on_heap_end, MSTX_API_MODULE_CORE_MEM[2];
    /// Records regions of a heap, and returns their handles.
    fn mstxMemRegionsRegister(domain: mstxDomainHandle_t, desc: *const mstxMemRegionsRegisterBatch_t)
        = on_regions, MSTX_API_MODULE_CORE_MEM[3];
    /// Records the end of regions, given by address or by handle.
    fn mstxMemRegionsUnregister(domain: mstxDomainHandle_t, desc: *const mstxMemRegionsUnregisterBatch_t)
        = on_regions_end, MSTX_API_MODULE_CORE_MEM[4];
    /// Records permissions on regions.
    fn mstxMemPermissionsAssign(domain: mstxDomainHandle_t, desc: *const mstxMemPermissionsAssignBatch_t)
        = on_permissions, MSTX_API_MODULE_CORE_MEM[5];
}

/// Maximum number of regions in a call.
const MAX_REGIONS: usize = 1 << 20;

fn on_heap(
    hook: Option<&Hook>,
    next: Option<mstxMemHeapRegister::Fn>,
    domain: mstxDomainHandle_t,
    desc: *const mstxMemHeapDesc_t,
) -> mstxMemHeapHandle_t {
    let theirs = match next.filter(|_| !is_ours(domain as u64)) {
        // SAFETY: the caller's own arguments.
        Some(next) => unsafe { next(domain, desc) },
        None => std::ptr::null_mut(),
    };
    let heap = match theirs.is_null() {
        true => new_handle(),
        false => theirs as u64,
    };
    let domain = domains::find(domain as u64);
    if let (Some(hook), Some(range)) = (hook, heap_range(domain, desc)) {
        hook.record(|recorder| {
            if let Some((largest, now)) = sum_of(domain, &range) {
                if !says_more(largest, now) {
                    return;
                }
                largest.store(now, Relaxed);
            }
            let values = [
                recorder.name_of(domain),
                heap,
                range.ptr as u64,
                range.size,
                range.deviceId.into(),
            ];
            recorder.record_call(0, &values, 0);
        });
    }
    heap as mstxMemHeapHandle_t
}

/// The handle of a heap that is not recorded.
fn unrecorded_heap(
    domain: mstxDomainHandle_t,
    desc: *const mstxMemHeapDesc_t,
) -> Option<mstxMemHeapHandle_t> {
    let domain = domains::find(domain as u64);
    let range = heap_range(domain, desc)?;
    let (largest, now) = sum_of(domain, &range)?;
    (!says_more(largest, now)).then(|| new_handle() as mstxMemHeapHandle_t)
}

/// The largest sum that a careless domain has reported, and the one that it reports now, each with its device. It registers a heap at each
/// allocation and release: only the largest sum says something.
fn sum_of(domain: &Domain, range: &mstxMemVirtualRangeDesc_t) -> Option<(&'static AtomicU64, u64)> {
    let at = domain.careless.filter(|_| range.size >> 48 == 0)?;
    let [device, size] = [u64::from(range.deviceId) + 1, range.size];
    let process = Process::if_initialized()?;
    Some((&process.calls.careless_heaps[at], device << 48 | size))
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
            let name = recorder.name_of(domains::find(domain as u64));
            recorder.record_call(0, &[name, heap as u64], 0);
        });
    }
    let is_theirs = !is_ours(domain as u64) && !is_ours(heap as u64);
    if let Some(next) = next.filter(|_| is_theirs) {
        // SAFETY: the caller's own arguments.
        unsafe { next(domain, heap) };
    }
}

fn on_regions(
    hook: Option<&Hook>,
    next: Option<mstxMemRegionsRegister::Fn>,
    domain: mstxDomainHandle_t,
    desc: *const mstxMemRegionsRegisterBatch_t,
) {
    let known = domains::find(domain as u64);
    // SAFETY: null, or the caller's own description; its fields need not all be initialized and are read as bits.
    let batch = (!desc.is_null()).then(|| unsafe { desc.read() });
    let out = batch.and_then(|batch| results(known, &batch));
    if let Some(next) = next {
        let heap = batch.map_or(0, |batch| batch.heap as u64);
        if !is_ours(domain as u64) && !is_ours(heap) {
            // SAFETY: the caller's own arguments.
            unsafe { next(domain, desc) };
        }
    }
    let Some(batch) = batch else { return };
    let is_range = !known.is_careful() || batch.regionType == MSTX_MEM_TYPE_VIRTUAL_ADDRESS;
    let ranges = batch.regionDescArray.cast::<mstxMemVirtualRangeDesc_t>();
    for at in 0..batch.regionCount.min(MAX_REGIONS) {
        let region = out.map_or(0, |out| handle(out, at));
        if ranges.is_null() || !is_range {
            continue;
        }
        // SAFETY: the caller's own array of that many ranges.
        let range = unsafe { ranges.wrapping_add(at).read() };
        let Some(hook) = hook else { continue };
        hook.record(|recorder| {
            let heap = if known.is_careful() {
                batch.heap as u64
            } else {
                0
            };
            let values = [
                recorder.name_of(known),
                heap,
                range.ptr as u64,
                range.size,
                range.deviceId.into(),
                region,
            ];
            recorder.prefetch_call(&values);
            recorder.record_call(0, &values, 0);
        });
    }
}

/// The array for handles, cleared to show which of them another tool fills.
fn results(
    domain: &Domain,
    batch: &mstxMemRegionsRegisterBatch_t,
) -> Option<*mut mstxMemRegionHandle_t> {
    let out = batch.regionHandleArrayOut;
    if !domain.is_careful() || out.is_null() {
        return None;
    }
    for at in 0..batch.regionCount.min(MAX_REGIONS) {
        // SAFETY: the caller's own array of that many handles, for a tool to write to.
        unsafe { out.wrapping_add(at).write(std::ptr::null_mut()) };
    }
    Some(out)
}

/// The handle of the region at index `at`: another tool's, or one of ours, stored there.
fn handle(out: *mut mstxMemRegionHandle_t, at: usize) -> u64 {
    let place = out.wrapping_add(at);
    // SAFETY: cleared in `results`.
    let theirs = unsafe { place.read() } as u64;
    if theirs != 0 {
        return theirs;
    }
    let ours = new_handle();
    // SAFETY: as in `results`.
    unsafe { place.write(ours as mstxMemRegionHandle_t) };
    ours
}

/// The content of a reference: whether it is a handle, and its value.
fn reference(region: &mstxMemRegionRef_t) -> (bool, u64) {
    // SAFETY: both members of the union are pointers, and any bits make one.
    let number = unsafe { region.__bindgen_anon_1.pointer } as u64;
    (region.refType == MSTX_MEM_REGION_REF_TYPE_HANDLE, number)
}

fn on_regions_end(
    hook: Option<&Hook>,
    next: Option<mstxMemRegionsUnregister::Fn>,
    domain: mstxDomainHandle_t,
    desc: *const mstxMemRegionsUnregisterBatch_t,
) {
    let mut is_theirs = !is_ours(domain as u64);
    // SAFETY: null, or the caller's own description.
    let batch = unsafe { desc.as_ref() }.filter(|batch| !batch.refArray.is_null());
    for at in 0..batch.map_or(0, |batch| batch.refCount.min(MAX_REGIONS)) {
        let Some(batch) = batch else { break };
        // SAFETY: the caller's own array of as many references.
        let (is_handle, region) = reference(&unsafe { batch.refArray.wrapping_add(at).read() });
        is_theirs &= !(is_handle && is_ours(region));
        let Some(hook) = hook else { continue };
        hook.record(|recorder| {
            let name = recorder.name_of(domains::find(domain as u64));
            let values = [name, is_handle.into(), region];
            recorder.prefetch_call(&values);
            // A pool takes back each tensor, and no report shows where: a stack would cost as much as that of the tensor's beginning.
            let call = recorder.call_without_frames(0);
            recorder.finish_call(&call, &values, 0);
        });
    }
    if let Some(next) = next.filter(|_| is_theirs) {
        // SAFETY: the caller's own arguments.
        unsafe { next(domain, desc) };
    }
}

fn on_permissions(
    hook: Option<&Hook>,
    next: Option<mstxMemPermissionsAssign::Fn>,
    domain: mstxDomainHandle_t,
    desc: *const mstxMemPermissionsAssignBatch_t,
) {
    let mut is_theirs = !is_ours(domain as u64);
    // SAFETY: null, or the caller's own description.
    let batch = unsafe { desc.as_ref() }.filter(|batch| !batch.regionDescArray.is_null());
    for at in 0..batch.map_or(0, |batch| batch.regionCount.min(MAX_REGIONS)) {
        let Some(batch) = batch else { break };
        // SAFETY: the caller's own array of as many permissions.
        let permission = unsafe { batch.regionDescArray.wrapping_add(at).read() };
        let (is_handle, region) = reference(&permission.region);
        is_theirs &= !(is_handle && is_ours(region));
        let Some(hook) = hook else { continue };
        hook.record(|recorder| {
            let name = recorder.name_of(domains::find(domain as u64));
            let flags = permission.flags.into();
            recorder.record_call(0, &[name, is_handle.into(), region, flags], 0);
        });
    }
    if let Some(next) = next.filter(|_| is_theirs) {
        // SAFETY: the caller's own arguments.
        unsafe { next(domain, desc) };
    }
}
