//! Memory snapshots of PyTorch and torch_npu: what `torch.cuda.memory._dump_snapshot`, `torch_npu.npu.memory._dump_snapshot` and
//! torch_npu's `OOM_SNAPSHOT_ENABLE` write (PyTorch 2.15, `torch/cuda/memory.py`; torch_npu has the same keys).
//!
//! A snapshot has the state of the caching allocator and, if `_record_memory_history` was called, the events that led to it, as far back
//! as `max_entries` allow.

mod convert;
mod devices;
mod object;
mod parse;
mod prehistory;
mod ranges;
mod snapshot;

use std::time::UNIX_EPOCH;
use std::{fmt, fs};

use anyhow::Context;

use super::{Reader, Reading, Source, pickle};

pub use snapshot::*;

/// The reader.
pub struct TorchSnapshot;

impl Reader for TorchSnapshot {
    fn recognises(&self, head: &[u8]) -> bool {
        // Protocols 0 and 1 have no mark of their own, 6 and later do not exist.
        matches!(head, [0x80, 2..=9, ..])
    }

    fn limits(&self) -> &'static str {
        "a PyTorch snapshot has no copies and no order of streams, and only memory of PyTorch's own allocator: use after free and memory of other libraries cannot be found"
    }

    fn read(&self, source: &Source) -> anyhow::Result<Reading> {
        let name = source.name;
        let failure = || format!("cannot read `{name}`");
        let bytes = fs::read(source.path).with_context(failure)?;
        let snapshot = read(&bytes).with_context(failure)?;
        drop(bytes);
        let taken = fs::metadata(source.path).and_then(|meta| meta.modified());
        let taken = taken
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let taken_ns = taken.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0));
        let converted = convert::logs(&snapshot, name, taken_ns);
        let events: u64 = converted.iter().map(|one| one.log.events).sum();
        let early_blocks: usize = converted.iter().map(|one| one.early_blocks).sum();
        let ended_unseen: usize = converted.iter().map(|one| one.ended_unseen).sum();
        let mut notices = Vec::new();
        if !snapshot.unknown.is_empty() {
            let unknown = snapshot.unknown.join(", ");
            notices.push(format!("`{name}`: not read, as unknown: {unknown}"));
        }
        let has_history = snapshot.traces.iter().any(|trace| !trace.is_empty());
        if events == 0 {
            notices.push(format!(
                "`{name}` tells of no memory: its allocator held none"
            ));
        } else if !has_history {
            notices.push(format!(
                "`{name}` has no history, only what was allocated in the end: call `_record_memory_history()` before"
            ));
        } else if early_blocks > 0 {
            notices.push(format!(
                "`{name}`: blocks older than its history: {early_blocks}; they count as allocated when it begins, and a larger `max_entries` keeps more"
            ));
        }
        if ended_unseen > 0 {
            notices.push(format!(
                "`{name}`: blocks whose end its history lacks: {ended_unseen}; they count as freed when the snapshot was taken"
            ));
        }
        let logs = converted.into_iter().map(|one| one.log);
        let logs = logs.filter(|log| log.events > 0).collect();
        Ok(Reading { logs, notices })
    }
}

/// Reads a snapshot.
///
/// # Errors
/// If the bytes are no pickle of plain data, or it describes no snapshot.
pub fn read(bytes: &[u8]) -> Result<Snapshot, Error> {
    let pickle = pickle::load(bytes).map_err(Error::Pickle)?;
    parse::snapshot(&pickle, bytes.len())
}

/// Why bytes are no snapshot.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// They are no pickle, or one that would execute code.
    Pickle(pickle::Error),
    /// The pickle holds something else.
    NoSnapshot(&'static str),
    /// A part lacks a key.
    Missing { of: &'static str, key: &'static str },
    /// A part is no dictionary.
    NoObject { of: &'static str, value: String },
    /// A key has a value that makes no sense.
    Value {
        of: &'static str,
        key: &'static str,
        value: String,
        why: &'static str,
    },
    /// It has more parts than bytes.
    Repeats,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Pickle(error) => error.fmt(f),
            Error::NoSnapshot(kind) => write!(
                f,
                "its pickle is {kind}: a memory snapshot of PyTorch is a dictionary with `segments` and `device_traces`"
            ),
            Error::Missing { of, key } => {
                write!(
                    f,
                    "{of} has no `{key}`: is it a memory snapshot of PyTorch?"
                )
            }
            Error::NoObject { of, value } => {
                write!(
                    f,
                    "`{value}` is where {of} should be: is it a memory snapshot of PyTorch?"
                )
            }
            Error::Value {
                of,
                key,
                value,
                why,
            } => write!(f, "`{key}` of {of}: `{value}` {why}"),
            Error::Repeats => write!(
                f,
                "its pickle has more entries than bytes, as it refers to the same ones again and again: that is no snapshot"
            ),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests;
