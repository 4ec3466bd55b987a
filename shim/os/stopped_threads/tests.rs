use super::*;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};

/// One test at a time: they all stop each other's threads.
static ALONE: Mutex<()> = Mutex::new(());

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

#[test]
fn a_running_thread_stops_and_goes_on_and_its_registers_are_known() {
    let _alone = ALONE.lock();
    let (count, is_over) = (
        Arc::new(AtomicU64::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let (counted, over) = (count.clone(), is_over.clone());
    let thread = std::thread::spawn(move || {
        while !over.load(SeqCst) {
            counted.fetch_add(1, SeqCst);
        }
    });
    while count.load(SeqCst) == 0 {}
    let stopped = StoppedThreads::stop(soon());
    assert!(stopped.stopped() >= 1);
    let at = count.load(SeqCst);
    let address = Arc::as_ptr(&count) as u64;
    let near = |value: &u64| value.abs_diff(address) <= 64;
    assert!(stopped.registers().iter().any(near) || cfg!(debug_assertions));
    for _ in 0..1000 {
        assert_eq!(count.load(SeqCst), at);
    }
    drop(stopped);
    while count.load(SeqCst) == at {}
    is_over.store(true, SeqCst);
    thread.join().unwrap();
}

#[test]
fn waits_with_a_time_out_are_made_again() {
    let _alone = ALONE.lock();
    let ready = Arc::new(Barrier::new(4));
    let pipe = std::io::pipe().unwrap();
    let end = Arc::new(Mutex::new(Some(pipe.1)));
    let descriptor = std::os::fd::AsRawFd::as_raw_fd(&pipe.0);
    let wait = |which: u32| {
        let ready = ready.clone();
        std::thread::spawn(move || {
            ready.wait();
            let mut list = libc::pollfd {
                fd: descriptor,
                events: libc::POLLIN,
                revents: 0,
            };
            let time = libc::timespec {
                tv_sec: 0,
                tv_nsec: 300_000_000,
            };
            let begun = Instant::now();
            let answer = match which {
                // SAFETY: one entry, on this stack.
                0 => unsafe { libc::poll(&mut list, 1, 60_000) },
                // SAFETY: a time and a place for what is left, on this stack.
                1 => unsafe { libc::nanosleep(&time, &mut { time }) },
                // SAFETY: as above, without that place.
                _ => unsafe { libc::nanosleep(&time, std::ptr::null_mut()) },
            };
            let error = std::io::Error::last_os_error();
            assert!(answer >= 0, "{which}: {error}");
            assert!(which == 0 || begun.elapsed() >= Duration::from_millis(300));
        })
    };
    let threads = [0, 1, 2].map(wait);
    ready.wait();
    for _ in 0..20 {
        let stopped = StoppedThreads::stop(soon());
        assert!(stopped.stopped() >= 1);
    }
    end.lock().unwrap().take();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_thread_that_blocks_all_signals_is_counted_and_not_waited_for() {
    let _alone = ALONE.lock();
    let (ready, done) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (is_ready, is_done) = (ready.clone(), done.clone());
    let thread = std::thread::spawn(move || {
        let mut all = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: our own set.
        unsafe { libc::sigfillset(all.as_mut_ptr()) };
        // SAFETY: filled above; this thread's own mask.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut()) };
        is_ready.wait();
        is_done.wait();
    });
    ready.wait();
    let stopped = StoppedThreads::stop(soon());
    assert!(stopped.unanswered() >= 1);
    drop(stopped);
    done.wait();
    thread.join().unwrap();
}

#[test]
fn threads_go_on_by_themselves_when_the_time_is_up() {
    let _alone = ALONE.lock();
    let (ready, go) = (Arc::new(Barrier::new(2)), Arc::new(AtomicBool::new(false)));
    let (is_ready, may_go) = (ready.clone(), go.clone());
    let thread = std::thread::spawn(move || {
        is_ready.wait();
        while !may_go.load(SeqCst) {}
    });
    ready.wait();
    let stopped = StoppedThreads::stop(Instant::now() + Duration::from_millis(50));
    go.store(true, SeqCst);
    thread.join().unwrap();
    drop(stopped);
}

#[test]
fn the_signal_has_no_handler_afterwards() {
    let _alone = ALONE.lock();
    let (ready, done) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (is_ready, is_done) = (ready.clone(), done.clone());
    let thread = std::thread::spawn(move || {
        is_ready.wait();
        is_done.wait();
    });
    ready.wait();
    let stopped = StoppedThreads::stop(soon());
    let signal = stopped.signal.expect("an unused signal");
    assert_ne!(handler_of(signal), Some(libc::SIG_DFL));
    drop(stopped);
    assert_eq!(handler_of(signal), Some(libc::SIG_DFL));
    done.wait();
    thread.join().unwrap();
}
