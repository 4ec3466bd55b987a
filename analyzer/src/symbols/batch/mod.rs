//! Frames of many addresses at once: of each unit only the line rows, functions and names at these addresses are read.
//!
//! Ours beside `addr2line`, which keeps every row, file name and function of a unit, and lists the units again for each thread: it takes twice
//! the processor time ("Readers of logs" in `tests/benches/README.md`). An answer is what `addr2line` 0.27 gives, or none: what is rare
//! (split debug information, supplements, damage, sequences that overlap) is left to that crate. Damage to what is not asked for goes
//! unnoticed here, where that crate gives up the function or the unit. `tests/batch.rs` compares both.

mod bounds;
mod functions;
mod lines;
mod names;
mod paths;
mod program;
mod unit;
mod units;

use std::iter;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use gimli::{EndianSlice, LittleEndian};

use super::frame::ResolvedFrame;
use super::interner::Interner;
use units::{Task, Units};

/// Reads borrowed sections. A shared section would count its users at every attribute, in both threads.
pub type Reader<'a> = EndianSlice<'a, LittleEndian>;

/// The frames at an address, innermost first; `None` if `addr2line` is to be asked.
pub type Answer = Option<Vec<ResolvedFrame>>;

/// The frames at each of the sorted addresses, looked up by two threads, which pass what they find to `seen`. `None` if the units cannot be listed.
pub fn frames_of(
    sections: &gimli::Dwarf<Reader>,
    addresses: &[u64],
    names: &mut Interner,
    seen: impl Fn(&[ResolvedFrame]) + Sync,
) -> Option<Vec<Answer>> {
    let units = Units::of(sections).ok()?;
    let tasks = units.tasks(addresses);
    let left = Mutex::new(tasks.iter());
    let front = || lock(&left).next();
    let back = || lock(&left).next_back();
    let answer = |task: &Task, names: &mut Interner| {
        let answers = unit::answers(&units, task, addresses, names);
        answers.iter().flatten().for_each(|found| seen(found));
        answers
    };
    let found = thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, || {
            let mut names = Interner::default();
            let tasks = iter::from_fn(back);
            let found = tasks.map(|task| (task, answer(task, &mut names)));
            found.collect::<Vec<_>>()
        });
        let tasks = iter::from_fn(front);
        let mut found: Vec<_> = tasks.map(|task| (task, answer(task, names))).collect();
        // Without a second thread nothing was taken from the back.
        match other.map(ScopedJoinHandle::join) {
            Ok(Ok(rest)) => found.extend(rest),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => {}
        }
        found
    });
    let mut all = vec![Some(Vec::new()); addresses.len()];
    for (task, answers) in found {
        for (&(at, _), answer) in task.asked.iter().zip(answers) {
            all[at] = answer;
        }
    }
    Some(all)
}

/// The remaining tasks are valid even if another thread has panicked.
fn lock<T>(left: &Mutex<T>) -> MutexGuard<'_, T> {
    left.lock().unwrap_or_else(PoisonError::into_inner)
}
