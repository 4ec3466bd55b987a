//! Compares two moments of one run: what was live at each.

use serde::Serialize;

use super::difference::{LeakChange, OldNew, changes};
use super::history::{ChangeKind, History};
use super::stack::Trace;

/// A moment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Moment {
    /// The user's name for it: an epoch, a snapshot, a time.
    pub name: String,
    /// From the process's start.
    pub ns: u64,
}

/// What changed between two moments.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Moments {
    /// The process.
    pub pid: u32,
    /// The first.
    pub from: Moment,
    /// The second.
    pub to: Moment,
    /// Live blocks.
    pub blocks: OldNew,
    /// Their bytes.
    pub bytes: OldNew,
    /// Allocation sites whose live blocks changed, largest growth first.
    pub places: Vec<LeakChange>,
}

/// The blocks live at `ns`: stack and bytes of each. Changes at that very time are included.
pub fn live_at(history: &History, ns: u64) -> Vec<(Trace, u64)> {
    let mut live = std::collections::BTreeMap::new();
    let until = history.changes.iter().take_while(|change| change.ns <= ns);
    for change in until {
        match change.what {
            ChangeKind::Allocated => drop(live.insert(change.block, (change.trace, change.size))),
            ChangeKind::Ended | ChangeKind::Dropped => drop(live.remove(&change.block)),
        }
    }
    let live = live.into_values();
    live.filter_map(|(trace, size)| Some((history.traces.get(trace)?.clone(), size)))
        .collect()
}

impl Moments {
    /// From one moment of `history` to another.
    pub fn between(history: &History, from: Moment, to: Moment) -> Self {
        let (old, new) = (live_at(history, from.ns), live_at(history, to.ns));
        let sum = |of: &[(Trace, u64)]| of.iter().fold(0, |sum: u64, it| sum.saturating_add(it.1));
        let count = |of: &[(Trace, u64)]| of.len() as u64;
        let blocks = OldNew {
            old: count(&old),
            new: count(&new),
        };
        let bytes = OldNew {
            old: sum(&old),
            new: sum(&new),
        };
        let one = |is_new| move |(trace, size)| (trace, 1, size, is_new);
        let entries = old.into_iter().map(one(false));
        let entries = entries.chain(new.into_iter().map(one(true))).collect();
        Self {
            pid: history.pid,
            from,
            to,
            blocks,
            bytes,
            places: changes(entries),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Change, Frame};

    fn change(ns: u64, what: ChangeKind, block: usize, size: u64, trace: usize) -> Change {
        Change {
            ns,
            thread: 1,
            what,
            block,
            address: 0x1000 * (block as u64 + 1),
            size,
            family: "device",
            is_host: false,
            is_of_device: true,
            device: 0,
            page: "4K",
            trace,
            is_ignored: false,
        }
    }

    fn trace(function: &str) -> Trace {
        let frame = Frame {
            function: Some(function.into()),
            ..Frame::default()
        };
        Trace {
            what: "allocated",
            function: "aclrtMalloc".to_owned(),
            frames: vec![frame].into(),
            source: None,
        }
    }

    #[test]
    fn what_came_and_went_in_between_is_summed_by_place() {
        use ChangeKind::{Allocated, Dropped, Ended};
        // At 20: blocks 0 (100, load) and 1 (30, load) and 2 (5, step). At 40: 1, and 3 and 4 (7 each, step); 2 was released, 0 dropped.
        let history = History {
            pid: 9,
            traces: vec![trace("load"), trace("step")],
            changes: vec![
                change(10, Allocated, 0, 100, 0),
                change(15, Allocated, 1, 30, 0),
                change(20, Allocated, 2, 5, 1),
                change(25, Dropped, 0, 100, 0),
                change(26, Ended, 2, 5, 1),
                change(30, Allocated, 3, 7, 1),
                change(40, Allocated, 4, 7, 1),
                change(41, Allocated, 5, 1000, 1),
            ],
            ..History::default()
        };
        let moment = |name: &str, ns| Moment {
            name: name.to_owned(),
            ns,
        };
        let moments = Moments::between(&history, moment("a", 20), moment("b", 40));
        assert_eq!(moments.bytes, OldNew { old: 135, new: 44 });
        assert_eq!(moments.blocks, OldNew { old: 3, new: 3 });
        let places = moments.places.iter().map(|place| {
            let function = place.allocated.frames[0].function.clone();
            (function.unwrap(), place.bytes.growth(), place.blocks)
        });
        assert_eq!(
            places.collect::<Vec<_>>(),
            [
                ("step".into(), 9, OldNew { old: 1, new: 2 }),
                ("load".into(), -100, OldNew { old: 2, new: 1 }),
            ]
        );
    }
}
