//! Domains: the sources of annotations.
//!
//! A lock-free list that only grows: a forked child keeps using its parent's domains.

use super::{is_ours, new_handle};
use aclsan_rules::trackers::objects::sub_block_index::UNRELIABLE_DOMAINS;
use std::sync::atomic::{AtomicPtr, Ordering::*};

/// A domain of mstx.
pub struct Domain {
    /// Its name in the program; empty for the global domain, and for one whose creation was not seen.
    pub name: String,
    /// The handle that the program has.
    pub handle: u64,
    /// Whether every field of its descriptions can be trusted; see [`UNRELIABLE_DOMAINS`].
    pub is_careful: bool,
    before: *const Domain,
}

static NEWEST: AtomicPtr<Domain> = AtomicPtr::new(std::ptr::null_mut());

static GLOBAL: Known = Known(Domain {
    name: String::new(),
    handle: 0,
    is_careful: true,
    before: std::ptr::null(),
});
static UNKNOWN: Known = Known(Domain {
    name: String::new(),
    handle: 0,
    is_careful: false,
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

/// The domain `name`; `handle` is the one that another tool has returned, or 0. The same name always has the same handle of ours.
pub fn create(name: &str, handle: u64) -> &'static Domain {
    let is_same = |domain: &&Domain| {
        domain.name == name && (domain.handle == handle || handle == 0 && is_ours(domain.handle))
    };
    if let Some(domain) = all().find(is_same) {
        return domain;
    }
    let handle = if handle == 0 { new_handle() } else { handle };
    let fresh = Box::leak(Box::new(Domain {
        name: name.to_owned(),
        handle,
        is_careful: !UNRELIABLE_DOMAINS.contains(&name),
        before: std::ptr::null(),
    }));
    let mut newest = NEWEST.load(Acquire);
    loop {
        fresh.before = newest;
        match NEWEST.compare_exchange_weak(newest, fresh, AcqRel, Acquire) {
            Ok(_) => return fresh,
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
        let (a, b) = (create("atb", 0), create("ptaCaching", 0));
        assert_eq!(create("atb", 0).handle, a.handle);
        assert_ne!(a.handle, b.handle);
        let theirs = create("atb", 0x5000);
        assert_eq!((theirs.handle, find(0x5000).name.as_str()), (0x5000, "atb"));
        assert!(a.is_careful && !b.is_careful && find(0).is_careful);
        assert!(!find(0x6000).is_careful && find(0x6000).name.is_empty());
    }
}
