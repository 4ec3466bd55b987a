//! mstx domains, marks and ranges: the position in the program.

use super::domains::{self, Domain};
use super::{calls, is_ours, new_range};
use crate::abi::{mstxDomainHandle_t, mstxRangeId};
use crate::calls::annotations::{number, text};
use crate::heap::record_call;
use crate::record::Hook;
use std::ffi::{CStr, c_char, c_void};

calls! {
    /// Records a mark.
    fn mstxMarkA(message: *const c_char, stream: *mut c_void) = on_mark, MSTX_API_MODULE_CORE[1];
    /// Records the start of a range.
    fn mstxRangeStartA(message: *const c_char, stream: *mut c_void) -> mstxRangeId = on_start, MSTX_API_MODULE_CORE[2];
    /// Records the end of a range.
    fn mstxRangeEnd(range: mstxRangeId) = on_end, MSTX_API_MODULE_CORE[3];
    /// Returns the handle of the next tool, or one of ours.
    fn mstxDomainCreateA(name: *const c_char) -> mstxDomainHandle_t = on_create, MSTX_API_MODULE_CORE_DOMAIN[1], if known in created;
    /// Domains of ours are not passed to another tool.
    fn mstxDomainDestroy(domain: mstxDomainHandle_t) = on_destroy, MSTX_API_MODULE_CORE_DOMAIN[2];
    /// Records a mark in a domain.
    fn mstxDomainMarkA(domain: mstxDomainHandle_t, message: *const c_char, stream: *mut c_void)
        = on_domain_mark, MSTX_API_MODULE_CORE_DOMAIN[3];
    /// Records the start of a range in a domain.
    fn mstxDomainRangeStartA(domain: mstxDomainHandle_t, message: *const c_char, stream: *mut c_void) -> mstxRangeId
        = on_domain_start, MSTX_API_MODULE_CORE_DOMAIN[4];
    /// Records the end of a range in a domain.
    fn mstxDomainRangeEnd(domain: mstxDomainHandle_t, range: mstxRangeId) = on_domain_end, MSTX_API_MODULE_CORE_DOMAIN[5];
}

fn on_mark(
    hook: Option<&Hook>,
    next: Option<mstxMarkA::Fn>,
    message: *const c_char,
    stream: *mut c_void,
) {
    if let Some(next) = next {
        next(message, stream);
    }
    mark(hook, domains::find(0), message, stream);
}

fn on_domain_mark(
    hook: Option<&Hook>,
    next: Option<mstxDomainMarkA::Fn>,
    domain: mstxDomainHandle_t,
    message: *const c_char,
    stream: *mut c_void,
) {
    if let Some(next) = next.filter(|_| !is_ours(domain as u64)) {
        next(domain, message, stream);
    }
    mark(hook, domains::find(domain as u64), message, stream);
}

fn mark(hook: Option<&Hook>, domain: &Domain, message: *const c_char, stream: *mut c_void) {
    record(hook, domain, message, &[number(stream)]);
}

fn on_start(
    hook: Option<&Hook>,
    next: Option<mstxRangeStartA::Fn>,
    message: *const c_char,
    stream: *mut c_void,
) -> mstxRangeId {
    let range = next.map_or_else(new_range, |next| next(message, stream));
    record(hook, domains::find(0), message, &[number(stream), range]);
    range
}

fn on_domain_start(
    hook: Option<&Hook>,
    next: Option<mstxDomainRangeStartA::Fn>,
    domain: mstxDomainHandle_t,
    message: *const c_char,
    stream: *mut c_void,
) -> mstxRangeId {
    let range = match next.filter(|_| !is_ours(domain as u64)) {
        Some(next) => next(domain, message, stream),
        None => new_range(),
    };
    let domain = domains::find(domain as u64);
    record(hook, domain, message, &[number(stream), range]);
    range
}

fn on_end(hook: Option<&Hook>, next: Option<mstxRangeEnd::Fn>, range: mstxRangeId) {
    end(hook, domains::find(0), range);
    if let Some(next) = next {
        next(range);
    }
}

fn on_domain_end(
    hook: Option<&Hook>,
    next: Option<mstxDomainRangeEnd::Fn>,
    domain: mstxDomainHandle_t,
    range: mstxRangeId,
) {
    end(hook, domains::find(domain as u64), range);
    if let Some(next) = next.filter(|_| !is_ours(domain as u64)) {
        next(domain, range);
    }
}

fn end(hook: Option<&Hook>, domain: &Domain, range: mstxRangeId) {
    let Some(hook) = hook else { return };
    hook.record(|recorder| {
        let domain = super::name_of(recorder, domain);
        record_call(recorder, 0, &[domain, range], 0);
    });
}

/// Records a message.
fn record(hook: Option<&Hook>, domain: &Domain, message: *const c_char, rest: &[u64]) {
    let Some(hook) = hook else { return };
    hook.record(|recorder| {
        let values = [
            &[super::name_of(recorder, domain), text(recorder, message)][..],
            rest,
        ];
        record_call(recorder, 0, &values.concat(), 0);
    });
}

/// The handle of a domain that is there. torch_npu asks for its own at each allocation.
fn created(name: *const c_char) -> Option<mstxDomainHandle_t> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's own text, which ends with a NUL by the interface.
    let domain = unsafe { domains::named(name, 0) }?;
    Some(domain.handle as mstxDomainHandle_t)
}

fn on_create(
    hook: Option<&Hook>,
    next: Option<mstxDomainCreateA::Fn>,
    name: *const c_char,
) -> mstxDomainHandle_t {
    let theirs = next.map_or(std::ptr::null_mut(), |next| next(name));
    if name.is_null() {
        return theirs;
    }
    // SAFETY: the caller's own text, which ends with a NUL by the interface.
    let text = unsafe { CStr::from_ptr(name) };
    let (domain, is_new) = domains::create(&text.to_string_lossy(), theirs as u64);
    if let Some(hook) = hook.filter(|_| is_new) {
        hook.record(|recorder| {
            let name = super::name_of(recorder, domain);
            record_call(recorder, 0, &[name], 0);
        });
    }
    domain.handle as mstxDomainHandle_t
}

fn on_destroy(
    hook: Option<&Hook>,
    next: Option<mstxDomainDestroy::Fn>,
    domain: mstxDomainHandle_t,
) {
    if let Some(hook) = hook {
        hook.record(|recorder| {
            let name = super::name_of(recorder, domains::find(domain as u64));
            record_call(recorder, 0, &[name], 0);
        });
    }
    if let Some(next) = next.filter(|_| !is_ours(domain as u64)) {
        next(domain);
    }
}
