#![forbid(unsafe_code)]
//! The event log, which the shim writes and every report is made from.
//!
//! This page specifies the format, version [`layout::VERSION`]. All numbers are little endian.
//!
//! ```text
//! file      = header (64 KiB, a hole except for its start), segment*   a segment is 64 KiB, including its header
//! header    = "ACLSANEV" version:u16 0:u16 header_bytes:u32 segment_bytes:u32 pid:u32 clock:u8 0:u8×7
//!             ticks:u64 monotonic_ns:u64 realtime_ns:u64               one instant on three clocks
//!             lost_events:u64 lost_stacks:u64                          what could not be written, so far
//!             0:u64×7 end                                              how the process ended: see [`end`]
//! segment   = "SEGM" kind:u8 0:u8×3 ticks:u64 monotonic_ns:u64 committed:u64 0×32, record*
//! record    = repeat | compact allocation | compact release | tagged record, distinguished by the two low bits of byte 0
//! tagged    = 3|type<<2 : u8, length:u16, elapsed:varint, fields
//! ```
//!
//! * A segment is written by one thread at a time and does not depend on earlier segments: `elapsed`, addresses and block numbers
//!   start from its own header. A thread that ends passes the rest of its segment on; an [`Event::Thread`] record names the new owner.
//! * `committed` counts the bytes of whole records after the segment header. It is stored after them, in one 8-byte write into shared
//!   memory, so everything recorded before a hook returned is in the file even if the process is killed immediately afterwards.
//! * `kind` 1 holds [`Event`]s, `kind` 2 [`Definition`]s: function names, call sites (a call with its arguments and stack, interned
//!   once), modules with build-ids, Python functions, texts that annotations refer to. An event names a site by number, so its function,
//!   device and stack take two bytes.
//! * The number of a block ([`BlockId`]) is the index of its segment in the file and its index among that segment's allocations.
//!   The allocation's record does not contain it; a release is matched by it, not by address or order.
//! * `elapsed` and `ticks` count a raw clock; the `(ticks, monotonic_ns)` pairs in the headers give its rate
//!   ([`Clock`](reader::Clock)).
//! * There is no footer. [`Event::Exit`] follows the exit handlers; a process that dies without them may leave an [`End`] in the header, which
//!   an [`Event::Exit`] after it voids: the process went on. A reader skips tagged records of unknown types and keeps everything before a damaged place.
//!
//! | version | change |
//! |---|---|
//! | 1 | first |
//! | 2 | repeats, and two tagged records: descriptors, releases of handles |
//!
//! Modules, each of which imports only earlier ones: [`branch`], `varint`, [`record`], [`compact`], `repeat`, [`layout`], [`end`], [`encode`] and [`batch`], [`decode`],
//! `fast_decode`, [`reader`], [`merge`], [`follow`], [`builder`].

pub mod batch;
pub mod branch;
pub mod builder;
pub mod compact;
pub mod decode;
pub mod encode;
pub mod end;
mod fast_decode;
pub mod follow;
pub mod layout;
pub mod merge;
mod python;
pub mod reader;
pub mod record;
mod repeat;
mod varint;

pub use end::{End, EndKind};
pub use python::PythonFrame;
pub use reader::{Log, LogError};
pub use record::{
    Access, BlockId, CallSiteId, Definition, Event, Mapping, ScanGap, ScanOutcome, Values,
};
