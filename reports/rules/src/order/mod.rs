//! What happens before what, between the host and its streams.
//!
//! The definition, of which there is this one. A *line* is the host or a stream. An operation is before another if
//! * both are the host's, or both are queued on one stream, in the order of their calls;
//! * the first is the host's and the second is queued by a later call;
//! * the first is on a stream, the second after a wait (`aclrtStreamWaitEvent`, `aclrtWaitAndResetNotify`) for something that was recorded
//!   behind the first; a wait for an event takes its latest record at the call, and a later record does not change it;
//! * the first is on a stream, and the host has learnt that it is done before it does or queues the second: by a wait for the stream, its
//!   event or its device that ended with success, by a query that found it complete, by the stream's end or the device's reset;
//! * something in between is after the one and before the other.
//!
//! Two operations that are in neither order may run at once. A blocking copy is the host's: it waits for no stream.
//!
//! What it takes for an order though it may be none, so that a rule stays silent rather than wrong:
//! * All host threads are one line, in the order of the log: how threads wait for each other is not seen.
//! * A callback tells the host, from its launch on, that the work before it is done: the program may wait for what the callback does.
//! * A copy that has an end of unknown origin waits for its stream: that end may be pageable, and then the runtime waits.
//! * A wait that ended with an error other than a time-out ends the stream's work.
//! * What follows a wait for a value in memory, a counting notify, or a notify or event without a record of this process may be after anything:
//!   it is not judged before the host has waited for that stream.
//!
//! Operators do not tell which tensors they have: see `tensors.rs` for what is inferred. An operator's tensor counts as its result only if
//! nothing else is known to have written there.
//!
//! What it does not see at all: what the host reads and writes through pointers; the memory of kernels that the program launches itself;
//! streams that were made before aclsan was there, or by calls that it does not know; the default stream in programs
//! that make contexts of their own. None of these is judged.
//!
//! Each kind of edge has a program of events with it and one without, in `tests/edges.rs` unless said otherwise:
//!
//! | edge | order | none |
//! |---|---|---|
//! | one stream, launches in order | `tests.rs`, 30,000 random programs | the same |
//! | wait for a stream, with and without time-out | any end, errors too | a time-out; another stream |
//! | wait for a device, `…WithDevSync`, reset, `aclFinalize` | any end | a time-out |
//! | event: record, wait, synchronise, query | latest record | recorded again elsewhere; not complete |
//! | query of a stream | complete | not ready; failed |
//! | stream aborted or destroyed | its work is over | another stream |
//! | notify | record and wait | `tests.rs` |
//! | value waits, counting notifies | after anything | – |
//! | callback, host function | from its launch | on another stream |
//! | blocking copy; pageable copy; `HOST_TO_BUF_TO_DEVICE` | waits for nothing; its stream; source read at once | `tests/programs/order` |
//! | memory that a pool hands on | by internal dependencies, or opportunistically | without such an attribute: `tests/pools.rs` |
//! | captured graph | when it runs, on its stream | before, and after its end: `tests/graphs.rs` |
//! | managed memory, mappings, pictures | as other memory | channels of media units |
//!
//! The same engine runs in the process, where it is told what is put on record as it happens, and in replay.
//!
//! Memory goes with live blocks and streams: what the host knows is done is forgotten, and a stream's number is used again.

mod accesses;
mod clash;
mod clock;
mod follow;
mod graphs;
mod lines;
mod lives;
mod operators;
mod pools;
mod signals;
mod tensors;
#[cfg(test)]
mod tests;
mod touch;

pub use clash::{Clash, Lane, Side};
pub use follow::Order;
