//! Which processes and names have series of their own, and the sums of the others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use aclsan_render::model::Held;
use aclsan_render::units::printable;

use super::labels::{LABEL, REST, escaped};
use crate::watch::state::{Finding, Life, Process, State};
use crate::watch::totals::Totals;

/// Processes with series of their own.
pub const PROCESSES: usize = 100;

/// Which processes have series of their own. One that has lost them does not get them back: it counts in the sums of all others from then
/// on, so neither these sums nor those over all series ever fall.
#[derive(Default)]
pub struct Series {
    own: BTreeSet<usize>,
    /// The first number that was never seen.
    next: usize,
}

impl Series {
    /// The processes that have, and the others.
    pub fn split<'a>(&mut self, state: &'a State) -> (Vec<&'a Process>, Vec<&'a Process>) {
        let all = || state.processes.iter();
        self.own.retain(|&number| state.index(number).is_some());
        let new = all().filter(|process| process.number >= self.next);
        self.own.extend(new.map(|process| process.number));
        self.next = all().last().map_or(self.next, |last| last.number + 1);
        if let Some(excess @ 1..) = self.own.len().checked_sub(PROCESSES) {
            let own = all().filter(|process| self.own.contains(&process.number));
            let is_over = |process: &&Process| matches!(process.life, Life::Exited | Life::Gone);
            let (ended, running): (Vec<&Process>, Vec<&Process>) = own.partition(is_over);
            let order = ended.into_iter().chain(running.into_iter().rev());
            for process in order.take(excess) {
                self.own.remove(&process.number);
            }
        }
        all().partition(|process| self.own.contains(&process.number))
    }
}

/// The sums of all that has no series of its own.
pub fn rest(state: &State, others: &[&Process]) -> Totals {
    let mut rest = state.forgotten.clone();
    let mut findings: HashMap<usize, Vec<&Finding>> = HashMap::new();
    for found in &state.findings {
        findings.entry(found.process).or_default().push(found);
    }
    for process in others {
        let of_process = findings.remove(&process.number).unwrap_or_default();
        process.sum_into(&mut rest, of_process);
    }
    rest
}

/// A sample of a sum, unless nothing was added.
pub fn sum(labels: &str, values: impl Iterator<Item = u64>) -> Option<(String, u64)> {
    let sum = values.reduce(u64::saturating_add)?;
    Some((labels.to_owned(), sum))
}

/// Live and most live bytes of what a process names, of the `most` that hold most; the rest has the name `other`, and no peak of its own.
pub fn held(
    most: usize,
    of: fn(&Process) -> &[Held],
    labels: &dyn Fn(&str, &str) -> String,
    (own, who, others): (&[&Process], &[String], &[&Process]),
) -> BTreeMap<String, (u64, Option<u64>)> {
    let mut sums: BTreeMap<String, (u64, Option<u64>)> = BTreeMap::new();
    let mut add = |labels: String, live: u64, peak: Option<u64>| {
        let sum = sums.entry(labels).or_insert((0, peak));
        sum.0 = sum.0.saturating_add(live);
        sum.1 = sum.1.zip(peak).map(|(one, other)| one.max(other));
    };
    let other = labels("other", "other");
    for (process, who) in own.iter().zip(who) {
        let mut list: Vec<&Held> = of(process).iter().collect();
        list.sort_by_key(|held| Reverse(held.live));
        for (at, held) in list.into_iter().enumerate() {
            if at >= most {
                add(format!("{who},{other}"), held.live, None);
                continue;
            }
            let name: String = printable(&held.name).chars().take(LABEL / 2).collect();
            let labels = labels(&held.device.to_string(), &escaped(&name));
            add(format!("{who},{labels}"), held.live, Some(held.peak));
        }
    }
    for held in others.iter().flat_map(|process| of(process)) {
        add(format!("{REST},{other}"), held.live, None);
    }
    sums
}
