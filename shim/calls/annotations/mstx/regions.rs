//! mstx regions: the parts of heaps that a framework has handed out.
//!
//! In a careless domain (see [`domains`](super::domains)), only the ranges are read, and only through the pointer that must be there. Their
//! types, their heap and the out-parameter for results are uninitialized stack, and are neither trusted nor touched.

use super::domains::{self, Domain};
use super::{calls, is_ours, new_handle};
use crate::abi::*;
use crate::heap::{finish_call, record_call};
use crate::record::Hook;
use crate::state::limits::Limit;
use aclsan_log::Values;
use aclsan_log::branch::{cold_path, unlikely};

calls! {
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

fn on_regions(
    hook: Option<&Hook>,
    next: Option<mstxMemRegionsRegister::Fn>,
    domain: mstxDomainHandle_t,
    desc: *const mstxMemRegionsRegisterBatch_t,
) {
    let known = domains::find(domain as u64);
    // SAFETY: null, or the caller's own description; its fields need not all be initialized and are read as bits.
    let batch = (!desc.is_null()).then(|| unsafe { desc.read() });
    if unlikely(known.is_careful())
        && let Some(batch) = &batch
    {
        return on_careful_regions(hook, next, (domain, known), (desc, batch));
    }
    let heap = batch.map_or(0, |batch| batch.heap as u64);
    pass_on_regions(next, (domain, heap), desc);
    if let (Some(hook), Some(batch)) = (hook, &batch) {
        for range in ranges(batch) {
            record_region(hook, known, 0, &range, 0);
        }
    }
}

/// Of a domain whose descriptions can be trusted. Not inlined: frameworks report a region for each tensor, in domains that are not.
#[inline(never)]
fn on_careful_regions(
    hook: Option<&Hook>,
    next: Option<mstxMemRegionsRegister::Fn>,
    (domain, known): (mstxDomainHandle_t, &Domain),
    (desc, batch): (
        *const mstxMemRegionsRegisterBatch_t,
        &mstxMemRegionsRegisterBatch_t,
    ),
) {
    let heap = batch.heap as u64;
    let out = results(batch);
    pass_on_regions(next, (domain, heap), desc);
    let is_range = batch.regionType == MSTX_MEM_TYPE_VIRTUAL_ADDRESS;
    let mut ranges = ranges(batch).filter(|_| is_range);
    if batch.regionCount > MAX_REGIONS {
        Limit::Regions.leave_out((batch.regionCount - MAX_REGIONS) as u64);
    }
    for at in 0..batch.regionCount.min(MAX_REGIONS) {
        let region = out.map_or(0, |out| handle(out, at));
        if let (Some(range), Some(hook)) = (ranges.next(), hook) {
            record_region(hook, known, heap, &range, region);
        }
    }
}

/// Calls the next tool, unless the domain or the heap is one of ours.
fn pass_on_regions(
    next: Option<mstxMemRegionsRegister::Fn>,
    (domain, heap): (mstxDomainHandle_t, u64),
    desc: *const mstxMemRegionsRegisterBatch_t,
) {
    let is_theirs = !is_ours(domain as u64) && !is_ours(heap);
    if let Some(next) = next.filter(|_| is_theirs) {
        cold_path();
        next(domain, desc);
    }
}

/// The ranges of the regions.
fn ranges(
    batch: &mstxMemRegionsRegisterBatch_t,
) -> impl Iterator<Item = mstxMemVirtualRangeDesc_t> {
    let first = batch.regionDescArray.cast::<mstxMemVirtualRangeDesc_t>();
    let count = match first.is_null() {
        true => 0,
        false => batch.regionCount.min(MAX_REGIONS),
    };
    // SAFETY: the caller's own array of that many ranges.
    (0..count).map(move |at| unsafe { first.wrapping_add(at).read() })
}

// Not inlined, nor that of an end: in a loop, the compiler would look up beforehand what only a panic needs.
#[inline(never)]
fn record_region(
    hook: &Hook,
    domain: &Domain,
    heap: u64,
    range: &mstxMemVirtualRangeDesc_t,
    region: u64,
) {
    hook.record(|recorder| {
        let values = Values::of([
            super::name_of(recorder, domain),
            heap,
            range.ptr as u64,
            range.size,
            range.deviceId.into(),
            region,
        ]);
        recorder.prefetch_call(values.all());
        let call = recorder.call(0);
        finish_call(recorder, &call, &values, 0);
    });
}

/// The array for handles, cleared to show which of them another tool fills.
fn results(batch: &mstxMemRegionsRegisterBatch_t) -> Option<*mut mstxMemRegionHandle_t> {
    let out = batch.regionHandleArrayOut;
    if out.is_null() {
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
    // SAFETY: null, or the caller's own description.
    let batch = unsafe { desc.as_ref() };
    if let (Some(hook), Some(batch)) = (hook, batch) {
        let known = domains::find(domain as u64);
        for (is_handle, region) in references(batch) {
            record_region_end(hook, known, is_handle, region);
        }
    }
    if let Some(next) = next {
        pass_on_regions_end(next, domain, desc);
    }
}

/// Calls the next tool, unless the domain or one of the regions is one of ours.
#[cold]
fn pass_on_regions_end(
    next: mstxMemRegionsUnregister::Fn,
    domain: mstxDomainHandle_t,
    desc: *const mstxMemRegionsUnregisterBatch_t,
) {
    // SAFETY: null, or the caller's own description.
    let batch = unsafe { desc.as_ref() };
    let mut regions = batch.into_iter().flat_map(references);
    let has_ours = regions.any(|(is_handle, region)| is_handle && is_ours(region));
    if !has_ours && !is_ours(domain as u64) {
        next(domain, desc);
    }
}

/// Whether each reference of the batch is a handle, and its value.
fn references(batch: &mstxMemRegionsUnregisterBatch_t) -> impl Iterator<Item = (bool, u64)> {
    let first = batch.refArray;
    let count = match first.is_null() {
        true => 0,
        false => batch.refCount.min(MAX_REGIONS),
    };
    // SAFETY: the caller's own array of as many references.
    (0..count).map(move |at| reference(&unsafe { first.wrapping_add(at).read() }))
}

#[inline(never)]
fn record_region_end(hook: &Hook, domain: &Domain, is_handle: bool, region: u64) {
    hook.record(|recorder| {
        let values = Values::of([super::name_of(recorder, domain), is_handle.into(), region]);
        recorder.prefetch_call(values.all());
        // A pool takes back each tensor, and no report shows where: a stack would cost as much as that of the tensor's beginning.
        let call = recorder.call_without_frames(0);
        finish_call(recorder, &call, &values, 0);
    });
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
            let name = super::name_of(recorder, domains::find(domain as u64));
            let flags = permission.flags.into();
            record_call(recorder, 0, &[name, is_handle.into(), region, flags], 0);
        });
    }
    if let Some(next) = next.filter(|_| is_theirs) {
        next(domain, desc);
    }
}
