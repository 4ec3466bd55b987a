//! One thread for each processor works on many things, and the results are taken in order.
//!
//! Only few results wait at a time, however uneven the work is: what a process's log came to is dropped before the next one's piles up.
//! The workers drop it, too. libc keeps what a thread frees for that thread's next allocations, wherever it lies: what is kept of results
//! would come to lie between theirs, and hold on to many times its own memory.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, mpsc};
use std::thread;

/// Threads at most.
fn workers() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// What a worker is to do.
enum Task<T> {
    Begin(usize),
    Drop(T),
}

/// Does `work` for 0, 1, 2… below `count`, and shows the results to `take` in that order, on the caller's thread. No more than twice as
/// many results as there are processors are begun and not yet taken. Where no thread can be made, the caller's does it all.
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
        // Moved in, so that workers end when this ends, whatever ends it.
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
            // The system may have no room for so many.
            workers += usize::from(worker.is_ok());
        }
        if workers == 0 {
            return alone(count, &work, take);
        }
        drop(done);
        let mut begun = 0;
        let mut begin_next = || {
            if begun < count {
                // Fails only when every worker is gone, and then the results end too.
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
