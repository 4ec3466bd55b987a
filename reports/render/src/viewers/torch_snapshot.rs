//! PyTorch's memory snapshot, as a pickle: for `_memory_viz.py`, the viewer at pytorch.org, MindStudio Insight.
//!
//! Each block is a segment with one block in it. The pickle uses protocol 2 and only opcodes that the browser's own reader supports. Stacks
//! are memoized: written once and referenced afterwards. `serde-pickle` has no memo, so each stack would be written as often as it is used.

use std::collections::{BTreeMap, HashMap};

use crate::model::{Change, ChangeKind, History, Name, Trace};

/// The document.
pub fn document(history: &History) -> Vec<u8> {
    let mut pickle = Pickle::new(&history.traces);
    let mut live: BTreeMap<usize, &Change> = BTreeMap::new();
    for change in &history.changes {
        match change.what {
            ChangeKind::Allocated => live.insert(change.block, change),
            ChangeKind::Ended | ChangeKind::Dropped => live.remove(&change.block),
        };
    }
    let mut devices: Vec<Vec<&Change>> = Vec::new();
    for change in &history.changes {
        let at = row(change);
        devices.resize(devices.len().max(at + 1), Vec::new());
        if !change.is_host {
            devices[at].push(change);
        }
    }
    pickle.dict(|pickle| {
        pickle.key("segments");
        pickle.list(
            live.into_values().filter(|change| !change.is_host),
            Pickle::segment,
        );
        pickle.key("device_traces");
        pickle.list(devices.into_iter(), |pickle, changes| {
            pickle.list(changes.into_iter(), |pickle, change| {
                pickle.entry(change, history)
            });
        });
    });
    pickle.finish()
}

/// The device row of a change. There is one for each number up to the largest, which may be bogus in a damaged log: from [`MAX_DEVICES`]
/// on, all share the last row.
fn row(change: &Change) -> usize {
    usize::try_from(change.device).map_or(0, |device| device.min(MAX_DEVICES - 1))
}

/// Maximum number of devices with a row of their own.
const MAX_DEVICES: usize = 1024;

/// A pickle under construction.
struct Pickle<'a> {
    bytes: Vec<u8>,
    traces: &'a [Trace],
    /// Memo index of each stack or text.
    stacks: HashMap<usize, u32>,
    texts: HashMap<String, u32>,
    remembered: u32,
}

impl<'a> Pickle<'a> {
    fn new(traces: &'a [Trace]) -> Self {
        Self {
            bytes: vec![0x80, 2],
            traces,
            stacks: HashMap::new(),
            texts: HashMap::new(),
            remembered: 0,
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes.push(b'.');
        self.bytes
    }

    fn dict(&mut self, items: impl FnOnce(&mut Self)) {
        self.bytes.extend([b'}', b'(']);
        items(self);
        self.bytes.push(b'u');
    }

    fn list<T>(&mut self, items: impl Iterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        self.bytes.extend([b']', b'(']);
        items.for_each(|item| each(self, item));
        self.bytes.push(b'e');
    }

    /// Writes a text once and refers to it afterwards.
    fn key(&mut self, text: &str) {
        if let Some(&place) = self.texts.get(text) {
            return self.get(place);
        }
        self.bytes.push(b'X');
        self.bytes.extend((text.len() as u32).to_le_bytes());
        self.bytes.extend(text.bytes());
        let place = self.put();
        self.texts.insert(text.to_owned(), place);
    }

    fn put(&mut self) -> u32 {
        let place = self.remembered;
        self.bytes.push(b'r');
        self.bytes.extend(place.to_le_bytes());
        self.remembered += 1;
        place
    }

    fn get(&mut self, place: u32) {
        self.bytes.push(b'j');
        self.bytes.extend(place.to_le_bytes());
    }

    /// A number as BININT if it fits 31 bits, else as LONG1.
    fn number(&mut self, value: u64) {
        match i32::try_from(value) {
            Ok(small) => {
                self.bytes.push(b'J');
                self.bytes.extend(small.to_le_bytes());
            }
            Err(_) => {
                // LONG1 is signed: a leading zero byte keeps it positive.
                self.bytes.extend([0x8a, 9]);
                self.bytes.extend(value.to_le_bytes());
                self.bytes.push(0);
            }
        }
    }

    fn numbers(&mut self, items: &[(&str, u64)]) {
        for (key, value) in items {
            self.key(key);
            self.number(*value);
        }
    }

    fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        self.key(value);
    }

    fn frames(&mut self, trace: usize) {
        self.key("frames");
        if let Some(&place) = self.stacks.get(&trace) {
            return self.get(place);
        }
        let known = &self.traces[trace];
        let call = [(known.function.clone(), Name::default(), 0)];
        let callers = known.frames.iter().map(|frame| {
            let file = frame.file.clone().unwrap_or_else(|| frame.module.clone());
            (frame.identity(), file, frame.line.unwrap_or(0))
        });
        let frames: Vec<_> = call.into_iter().chain(callers).collect();
        self.list(frames.into_iter(), |pickle, (name, file, line)| {
            pickle.dict(|pickle| {
                pickle.text("name", &name);
                pickle.text("filename", &file);
                pickle.numbers(&[("line", line.into())]);
            });
        });
        let place = self.put();
        self.stacks.insert(trace, place);
    }

    fn segment(&mut self, change: &Change) {
        let size = change.size;
        self.dict(|pickle| {
            pickle.numbers(&[
                ("device", row(change) as u64),
                ("address", change.address),
                ("total_size", size),
                ("allocated_size", size),
                ("active_size", size),
                ("requested_size", size),
                ("stream", 0),
            ]);
            pickle.text("segment_type", "large");
            pickle.frames(change.trace);
            pickle.key("blocks");
            pickle.list(std::iter::once(change), |pickle, change| {
                pickle.dict(|pickle| {
                    pickle.numbers(&[
                        ("address", change.address),
                        ("size", size),
                        ("requested_size", size),
                    ]);
                    pickle.text("state", "active_allocated");
                    pickle.frames(change.trace);
                });
            });
        });
    }

    fn entry(&mut self, change: &Change, history: &History) {
        // A segment is allocated before the block in it and freed after it.
        let actions = match change.what {
            ChangeKind::Allocated => ["segment_alloc", "alloc"],
            ChangeKind::Ended | ChangeKind::Dropped => ["free_completed", "segment_free"],
        };
        for action in actions {
            self.dict(|pickle| {
                pickle.text("action", action);
                pickle.numbers(&[
                    ("addr", change.address),
                    ("size", change.size),
                    ("stream", 0),
                    (
                        "time_us",
                        history.started_realtime_ns.saturating_add(change.ns) / 1000,
                    ),
                ]);
                pickle.frames(change.trace);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::history;

    #[test]
    fn a_device_that_no_machine_has_makes_no_row_for_each_number_before_it() {
        let mut history = history();
        for change in &mut history.changes {
            change.device = i32::MAX;
        }
        history.started_realtime_ns = u64::MAX;
        assert!(document(&history).len() < 10_000);
    }

    #[test]
    fn a_stack_is_written_once_and_only_device_memory_is_reported() {
        let bytes = document(&history());
        let count = |word: &[u8]| {
            bytes
                .windows(word.len())
                .filter(|window| *window == word)
                .count()
        };
        assert_eq!(count(b"train.cpp"), 1, "one file name, remembered");
        assert_eq!(count(b"aclrtMallocHost"), 0);
        assert_eq!(
            (bytes[0], bytes[1], bytes[bytes.len() - 1]),
            (0x80, 2, b'.')
        );
    }
}
