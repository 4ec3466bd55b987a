//! Memory snapshots of PyTorch and torch_npu: what `torch.cuda.memory._dump_snapshot`, `torch_npu.npu.memory._dump_snapshot` and
//! torch_npu's `OOM_SNAPSHOT_ENABLE` write (PyTorch 2.15, `torch/cuda/memory.py`; torch_npu has the same keys).
//!
//! A snapshot has the state of the caching allocator and, if `_record_memory_history` was called, the events that led to it, as far back
//! as `max_entries` allow.

mod parse;
mod snapshot;

use std::fmt;

use crate::logs::readers::pickle;

pub use snapshot::*;

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
