use super::in_every_order;
use aclsan_tables::spin_lock::SpinLock;
use aclsan_tables::sync::rank;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use loom::thread;

#[test]
fn one_thread_at_a_time_sees_what_the_last_one_wrote() {
    in_every_order(None, || {
        // Relaxed: only the lock orders the two.
        let lock = Arc::new(SpinLock::<rank::Objects, _>::new(AtomicUsize::new(0)));
        let add = |lock: &SpinLock<rank::Objects, AtomicUsize>| {
            let value = lock.lock();
            value.store(value.load(Relaxed) + 1, Relaxed);
        };
        let other = {
            let lock = lock.clone();
            thread::spawn(move || add(&lock))
        };
        add(&lock);
        other.join().unwrap();
        assert_eq!(lock.lock().load(Relaxed), 2);
    });
}
