//! Maps items on one thread per CPU and yields the results in order, with bounded look-ahead.
//!
//! Few results wait at a time, however uneven the work: a process's replay is dropped before those of later logs pile up. The worker
//! threads do the dropping, too: libc keeps what a thread frees for that thread's next allocations, wherever it is. If the caller freed
//! results, the data that it keeps would be placed among theirs and pin many times its own size.
//!
//! Ours, because `rayon` has no ordered iteration that bounds how many results wait, and neither it nor `pariter` drops results on the
//! worker that produced them.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, mpsc};
use std::thread;

/// Number of worker threads.
fn workers() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// A worker's task.
enum Task<T> {
    Begin(usize),
    Drop(T),
}

/// Calls `work` for 0, 1, 2… below `count`, and passes the results to `take` in that order, on the caller's thread. At most twice as many
/// results as CPUs are started and not yet taken. If no thread can be started, the caller's does everything.
pub fn map_ordered<T: Send>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    mut take: impl FnMut(usize, &T),
) {
    let most = workers().min(count);
    if most < 2 {
        return alone(count, work, take);
    }
    let (give, tasks) = mpsc::channel();
    let (done, results) = mpsc::channel();
    let tasks = Mutex::new(tasks);
    thread::scope(|scope| {
        // Moved in: workers end when this scope does, however it ends.
        let give = give;
        let mut workers = 0;
        for _ in 0..most {
            let (done, tasks, work) = (done.clone(), &tasks, &work);
            let worker = thread::Builder::new().spawn_scoped(scope, move || {
                let next = || tasks.lock().ok()?.recv().ok();
                while let Some(task) = next() {
                    let at = match task {
                        Task::Begin(at) => at,
                        Task::Drop(result) => {
                            drop(result);
                            continue;
                        }
                    };
                    let result = catch_unwind(AssertUnwindSafe(|| work(at)));
                    if done.send((at, result)).is_err() {
                        return;
                    }
                }
            });
            // The system may be unable to start all of them.
            workers += usize::from(worker.is_ok());
        }
        if workers == 0 {
            return alone(count, &work, take);
        }
        drop(done);
        let mut begun = 0;
        let mut begin_next = || {
            if begun < count {
                // Fails only if all workers are gone, which also ends `results`.
                let _ = give.send(Task::Begin(begun));
                begun += 1;
            }
        };
        (0..2 * workers).for_each(|_| begin_next());
        let mut early = BTreeMap::new();
        for at in 0..count {
            while !early.contains_key(&at) {
                match results.recv() {
                    Ok((done, Ok(result))) => drop(early.insert(done, result)),
                    Ok((_, Err(panic))) => {
                        drop(give);
                        resume_unwind(panic);
                    }
                    Err(_) => return,
                }
            }
            if let Some(result) = early.remove(&at) {
                take(at, &result);
                let _ = give.send(Task::Drop(result));
            }
            begin_next();
        }
    });
}

fn alone<T>(count: usize, work: impl Fn(usize) -> T, mut take: impl FnMut(usize, &T)) {
    (0..count).for_each(|at| take(at, &work(at)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_come_in_order_and_few_are_ahead() {
        let begun = AtomicUsize::new(0);
        let mut taken = Vec::new();
        map_ordered(
            1000,
            |at| {
                begun.fetch_add(1, Ordering::SeqCst);
                at * 3
            },
            |at, &result| {
                assert_eq!(result, at * 3);
                assert!(begun.load(Ordering::SeqCst) <= taken.len() + 2 * workers());
                taken.push(at);
            },
        );
        assert!(taken.into_iter().eq(0..1000));
    }

    #[test]
    fn nothing_to_do_is_done() {
        map_ordered(0, |_| (), |_, &()| panic!("there is nothing"));
    }

    #[test]
    fn a_panic_is_passed_on_and_nobody_waits() {
        let outcome = catch_unwind(|| {
            map_ordered(100, |at| assert_ne!(at, 50), |_, &()| {});
        });
        assert!(outcome.is_err());
    }
}
