//! Domains: the sources of annotations.
//!
//! A lock-free list that only grows: a forked child keeps using its parent's domains.

use super::{is_ours, new_handle};
use aclsan_rules::trackers::objects::sub_block_index::UNRELIABLE_DOMAINS;
use std::ffi::c_char;
use std::sync::atomic::{AtomicPtr, Ordering::*};

/// A domain of mstx. A line of the cache has all of it, since frameworks ask for theirs at each tensor.
#[repr(align(64))]
pub struct Domain {
    /// Its name in the program; empty for the global domain, and for one whose creation was not seen.
    pub name: String,
    /// The handle that the program has.
    pub handle: u64,
    /// Its index in [`UNRELIABLE_DOMAINS`], if it is one of them.
    pub careless: Option<usize>,
    is_known: bool,
    before: *const Domain,
}

impl Domain {
    /// Whether every field of its descriptions can be trusted.
    pub fn is_careful(&self) -> bool {
        self.is_known && self.careless.is_none()
    }

    /// Whether its handle is this one; `handle` as for [`create`].
    fn has_handle(&self, handle: u64) -> bool {
        self.handle == handle || handle == 0 && is_ours(self.handle)
    }

    /// Whether `text` is its name. Names are short: two calls of the C library would cost more.
    ///
    /// # Safety
    /// `text` ends with a NUL.
    unsafe fn is_named(&self, text: *const c_char) -> bool {
        let byte = |at: usize| {
            // SAFETY: the bytes before are the name's, which has no NUL, so the text does not end before this one.
            unsafe { text.wrapping_add(at).cast::<u8>().read() }
        };
        let name = self.name.as_bytes();
        name.iter().enumerate().all(|(at, own)| *own == byte(at)) && byte(name.len()) == 0
    }
}

static NEWEST: AtomicPtr<Domain> = AtomicPtr::new(std::ptr::null_mut());

static GLOBAL: Known = Known(Domain {
    name: String::new(),
    handle: 0,
    careless: None,
    is_known: true,
    before: std::ptr::null(),
});
static UNKNOWN: Known = Known(Domain {
    name: String::new(),
    handle: 0,
    careless: None,
    is_known: false,
    before: std::ptr::null(),
});

/// A domain that always exists.
struct Known(Domain);

// SAFETY: it is never modified, and its pointers are not dereferenced.
unsafe impl Sync for Known {}

/// The domain that the program means by `handle`.
pub fn find(handle: u64) -> &'static Domain {
    if handle == 0 {
        return &GLOBAL.0;
    }
    all()
        .find(|domain| domain.handle == handle)
        .unwrap_or(&UNKNOWN.0)
}

/// As [`find`], with its index in [`UNRELIABLE_DOMAINS`]; `None` if it is none of them.
#[inline(always)]
pub fn find_careless(handle: u64) -> Option<(&'static Domain, usize)> {
    let domain = all().find(|domain| domain.handle == handle)?;
    Some((domain, domain.careless?))
}

/// The domain with this name, if there is one; `handle` as for [`create`].
///
/// # Safety
/// `name` ends with a NUL.
#[inline(always)]
pub unsafe fn named(name: *const c_char, handle: u64) -> Option<&'static Domain> {
    all().find(|domain| {
        domain.has_handle(handle)
            // SAFETY: the caller's promise.
            && unsafe { domain.is_named(name) }
    })
}

/// The domain `name`, and whether it is new; `handle` is the one that another tool has returned, or 0. The same name always has the same
/// handle of ours.
pub fn create(name: &str, handle: u64) -> (&'static Domain, bool) {
    if let Some(domain) = all().find(|domain| domain.has_handle(handle) && domain.name == name) {
        return (domain, false);
    }
    let handle = if handle == 0 { new_handle() } else { handle };
    let fresh = Box::leak(Box::new(Domain {
        careless: UNRELIABLE_DOMAINS.iter().position(|known| *known == name),
        name: name.to_owned(),
        handle,
        is_known: true,
        before: std::ptr::null(),
    }));
    let mut newest = NEWEST.load(Acquire);
    loop {
        fresh.before = newest;
        match NEWEST.compare_exchange_weak(newest, fresh, AcqRel, Acquire) {
            Ok(_) => return (fresh, true),
            Err(other) => newest = other,
        }
    }
}

fn all() -> impl Iterator<Item = &'static Domain> {
    // SAFETY: null, or a domain that `create` has leaked.
    let newest = unsafe { NEWEST.load(Acquire).as_ref() };
    // SAFETY: as above.
    std::iter::successors(newest, |domain| unsafe { domain.before.as_ref() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_handle_of_ours_and_each_of_another_tool() {
        let [(a, is_new), (b, _)] = ["atb", "ptaCaching"].map(|name| create(name, 0));
        let (again, is_also) = create("atb", 0);
        assert_eq!(again.handle, a.handle);
        assert!(is_new && !is_also);
        assert_ne!(a.handle, b.handle);
        for (text, handle) in [
            (c"ptaCaching", Some(b.handle)),
            (c"at", None),
            (c"atbs", None),
        ] {
            // SAFETY: the text ends with a NUL by its type.
            let found = unsafe { named(text.as_ptr(), 0) };
            assert_eq!(found.map(|domain| domain.handle), handle, "{text:?}");
        }
        let (theirs, _) = create("atb", 0x5000);
        assert_eq!((theirs.handle, find(0x5000).name.as_str()), (0x5000, "atb"));
        assert!(a.is_careful() && !b.is_careful() && find(0).is_careful());
        assert!(!find(0x6000).is_careful() && find(0x6000).name.is_empty());
    }
}
