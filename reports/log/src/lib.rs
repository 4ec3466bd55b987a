#![forbid(unsafe_code)]
//! The event log: what the shim writes and every report is made from.
//!
//! This page is the format's specification, version [`layout::VERSION`]. All numbers are little endian.
//!
//! ```text
//! file      = header (64 KiB, a hole but for its start), segment*     a segment is 64 KiB, its header included
//! header    = "ACLSANEV" version:u16 0:u16 header_bytes:u32 segment_bytes:u32 pid:u32 clock:u8 0:u8×7
//!             ticks:u64 monotonic_ns:u64 realtime_ns:u64               one instant on three clocks
//!             lost_events:u64 lost_stacks:u64                          what could not be written, so far
//! segment   = "SEGM" kind:u8 0:u8×3 ticks:u64 monotonic_ns:u64 committed:u64 0×32, record*
//! record    = packed allocation | packed release | tagged record, told apart by the two low bits of byte 0
//! tagged    = 3|type<<2 : u8, length:u16, elapsed:varint, fields
//! ```
//!
//! * A segment is written by one thread at a time and owes nothing to the segments before it: `elapsed`, addresses and block numbers
//!   start from its own header. A thread that ends passes the rest of its segment on; a [`Event::Thread`] record says whose turn it is.
//! * `committed` counts the bytes of whole records after the segment header. It is stored after them, in one 8-byte write into shared
//!   memory, so whatever a hook had returned from is in the file even when the process is killed the moment after.
//! * `kind` 1 holds [`Event`]s, `kind` 2 [`Definition`]s: function names, sites (a call with its arguments and stack, interned once),
//!   modules with build-ids, Python functions, texts that annotations name. An event names a site by number, so its function, device
//!   and stack cost two bytes.
//! * A block's number is its segment's index in the file and its place among that segment's allocations ([`BlockId`]): it is
//!   never written down by the allocation, and a release is matched by it, not by address or order.
//! * `elapsed` and `ticks` count a raw clock; `(ticks, monotonic_ns)` pairs in the headers give its rate ([`Clock`](reader::Clock)).
//! * There is no footer. A reader skips tagged records of a type that it doesn't know, and keeps what precedes a damaged place.
//!
//! | version | change |
//! |---|---|
//! | 1 | first |

pub mod batch;
pub mod builder;
pub mod compact;
pub mod decode;
pub mod encode;
mod fast_decode;
pub mod layout;
pub mod merge;
mod python;
pub mod reader;
pub mod record;
mod varint;

pub use python::PythonFrame;
pub use reader::{Log, LogError};
pub use record::{Access, BlockId, CallSiteId, Definition, Event, Mapping, ScanOutcome, Values};

// Old names, until their last use is gone.
pub use builder as synth;
pub use record::CallSiteId as SiteId;
pub use record::ScanOutcome as Outcome;
