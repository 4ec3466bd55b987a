//! Call sites and their numbers.

use aclsan_log::CallSiteId;
use aclsan_rules::api::functions::FUNCTIONS;
use aclsan_tables::call_sites::{CallSiteKey, CallSite, CallSiteInterner};
use aclsan_tables::sync::atomic::{AtomicU32, Ordering};
use loom::sync::Arc;
use loom::thread;

use crate::in_every_order;

/// Hashes that search from neighboring slots, and differ in the bits that a slot keeps.
fn hash(number: u64) -> u64 {
    number << 32 | number
}

fn known() -> CallSite {
    CallSite {
        key: CallSiteKey {
            function: &FUNCTIONS[0],
            number: 0,
            argument: 0,
            device: 0,
        },
        frames: Box::default(),
    }
}

#[test]
fn two_threads_that_intern_one_site_get_one_number_and_it_is_written_once() {
    in_every_order(None, || {
        let (sites, written) = (Arc::new(CallSiteInterner::default()), Arc::new(AtomicU32::new(0)));
        let meet = |sites: &CallSiteInterner, written: &AtomicU32| {
            let id = sites.find(hash(9)).unwrap_or_else(|| {
                sites.intern(hash(9), known(), |_, _| {
                    written.fetch_add(1, Ordering::Relaxed);
                })
            });
            // A thread gets the number only after the site was written.
            assert_eq!((id, written.load(Ordering::Relaxed)), (CallSiteId(1), 1));
        };
        let (other, others) = (sites.clone(), written.clone());
        let other = thread::spawn(move || meet(&other, &others));
        meet(&sites, &written);
        other.join().unwrap();
        assert_eq!(sites.find(hash(9)), Some(CallSiteId(1)));
    });
}

#[test]
fn while_the_table_grows_a_number_is_right_or_not_there_yet() {
    in_every_order(Some(2), || {
        let sites = Arc::new(CallSiteInterner::default());
        sites.intern(hash(9), known(), |_, _| {});
        let other = sites.clone();
        let other = thread::spawn(move || {
            other.intern(hash(11), known(), |_, _| {});
            other.intern(hash(13), known(), |_, _| {});
        });
        assert_eq!(sites.find(hash(9)), Some(CallSiteId(1)));
        assert!(matches!(sites.find(hash(11)), None | Some(CallSiteId(2))));
        assert!(matches!(sites.find(hash(13)), None | Some(CallSiteId(3))));
        assert_eq!(sites.find(hash(15)), None);
        other.join().unwrap();
        assert_eq!(
            [9, 11, 13].map(|number| sites.find(hash(number))),
            [1, 2, 3].map(|id| Some(CallSiteId(id)))
        );
    });
}

#[test]
fn two_threads_that_intern_two_sites_get_two_numbers() {
    in_every_order(Some(2), || {
        let sites = Arc::new(CallSiteInterner::default());
        let other = sites.clone();
        let other = thread::spawn(move || other.intern(hash(11), known(), |_, _| {}));
        let mine = sites.intern(hash(9), known(), |_, _| {});
        let others = other.join().unwrap();
        assert!(mine != others && mine.0 + others.0 == 3);
        assert_eq!((sites.find(hash(9)), sites.find(hash(11))), (Some(mine), Some(others)));
    });
}
