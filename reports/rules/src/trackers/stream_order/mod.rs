//! Happens-before between the host and its streams, and the races that follow from it.
//!
//! This is the one definition. A *timeline* is the host or a stream. Operation A happens before operation B if
//! * both are the host's, or both are queued on one stream, in the order of their calls;
//! * A is the host's and B is queued by a later call;
//! * A is on a stream, and B comes after a wait (`aclrtStreamWaitEvent`, `aclrtWaitAndResetNotify`) for something that was
//!   recorded after A. A wait for an event takes its latest record at the time of the call; later records do not change it;
//! * A is on a stream, and the host learned that A has completed before it does or queues B: by a successful wait for the
//!   stream, its event or its device, by a query that found it complete, by the end of the stream, or by the last reset of
//!   the device;
//! * there is an operation that A happens before and that happens before B.
//!
//! Two operations that are ordered neither way may run concurrently. A blocking copy is the host's: it waits for no stream.
//! So is a fill of host memory, whatever stream it is given.
//!
//! Where the order is uncertain, it is assumed, so that a rule stays silent rather than wrong:
//! * All host threads share one timeline, in the order of the log: synchronization between threads is not seen.
//! * A callback tells the host, from its launch on, that the work before it has completed: the program may wait for what the
//!   callback does.
//! * A copy with an end of unknown origin waits for its stream: that end may be pageable, and then the runtime waits. On a
//!   persistent stream such a copy is done at the call.
//! * A wait that ended with any error but a time-out ends the stream's work.
//! * Whatever follows a notify or event without a record by this process may be after anything. So may whatever follows a
//!   wait for a value in memory or for a counting notify, unless exactly one call can have satisfied it (`semaphores.rs`).
//!   So may a graph that waits for any of these: it is not judged before the host has waited for that stream.
//!
//! Operators do not tell which tensors they use: see `tensors.rs` for what is inferred, and for plans out of a cache. A
//! tensor counts as an operator's result only if nothing else is known to have written there.
//!
//! What the host reads and writes through pointers is seen with `host_access=trap` only (`host_access.rs`).
//!
//! Not seen at all, and therefore not judged: memory of kernels that the program launches itself; data of shared buffers (`aclrtAllocBuf`); streams created before aclsan was loaded, by
//! `aclrtCreateStreamV2`, or by unknown calls; the default stream in programs that create contexts of their own.
//!
//! Each kind of edge has events that race without it and are silent with it (in `tests/`), and a program of each kind: the
//! named one in `tests/programs/order`, and its `_silent` look-alike.
//!
//! | edge | silent with | found with | events | program |
//! |---|---|---|---|---|
//! | access of the CPU | after a wait; a read of a source | before it | `host_access.rs` in `tests/`, random programs | `host_access_in_flight` |
//! | one stream, launches in order | the same stream | another | `tests.rs`, 30,000 random programs | `unordered_access` |
//! | wait for a stream, an event, a device | any end, errors and codes that count as success too | a time-out; another stream | `edges.rs`: `waits_of_the_host_are_edges`, `a_time_out_is_no_edge_…` | `time_outs`, `free_in_flight` |
//! | `…WithDevSync`, `aclFinalize` | the call | none | `tests.rs`, `waits_of_the_host_are_edges` | `free_in_flight` |
//! | reset | the last one; forced | another reference is left | `ends.rs`: `a_reset_that_leaves_a_reference_…` | `ends` |
//! | `aclFinalizeReference` | none left, or not asked how many | others are left | `ends.rs`: `what_is_finalized_for_others_…` | `ends` |
//! | `aclrtDestroyContext` | of that device, or of an unknown one | another device's; failed | `ends.rs`: `a_context_takes_no_more_…` | `ends` |
//! | event: record, wait, synchronize, query | latest record; complete | recorded again elsewhere; not complete | `edges.rs`: `an_event_recorded_again_…`, `queries_are_edges_…` | `free_in_flight` |
//! | query of a stream | complete | not ready; failed | `queries_are_edges_…` | `free_in_flight` |
//! | stream aborted or destroyed | its work is over | another stream | `the_end_of_a_stream_…` | `free_in_flight` |
//! | notify | record and wait; after a reset: after anything | another stream's record | `semaphores.rs`: `a_notify_that_was_reset_…`, random programs | `semaphores` |
//! | value in memory | set once and waited for | another stream's | `a_value_that_was_written_once_…`, random programs | `semaphores` |
//! | the same by a bit, before its write, by a fill or a kernel, shared | after anything | never: the writer is unknown | `a_wait_for_a_value_is_after_anything_…` | `signals_silent` only |
//! | counting notify | recorded once and waited for | another stream's | `a_counting_notify_that_was_recorded_once_…`, random programs | `semaphores` |
//! | the same by several records | after anything | never: which records a wait takes is unknown | `a_wait_for_a_count_is_after_anything_…` | `signals_silent` only |
//! | callback, host function | from its launch | on another stream | `a_callback_counts_as_a_wait` | `free_in_flight` |
//! | blocking copy | after a wait | it waits for nothing | `copies.rs`: `a_blocking_copy_…` | `copies` |
//! | fill of host memory | done at the call | after a queued copy, on its stream too | `copies.rs`: `a_fill_of_host_memory_…` | `host_buffer_reused_in_flight` |
//! | pageable copy | waits for its stream | another stream; pinned | `a_copy_of_pageable_memory_…` | `copies` |
//! | `HOST_TO_BUF_TO_DEVICE` | source read at once | its target; a source of another kind | `what_is_copied_through_a_buffer_…` | `copies` |
//! | memory that a pool reuses | by internal dependencies, or opportunistically | without such an attribute | `pools.rs`: `an_allocation_is_after_the_release_…` | `pool_reuse` |
//! | memory given to a model | waited for; unloaded | queued | `models.rs` | `model_memory` |
//! | captured graph | captured, not run; waited for | when it runs, on its stream | `graphs.rs`: `what_is_captured_runs_with_its_graph_…` | `captures` |
//! | the same by `aclmdlRIExecute` | after the default stream, and waited for | concurrently with another stream | `a_graph_that_the_host_runs_…` | `built_models` |
//! | graph, model that waits for signals from outside | after anything | never: when that is recorded is unknown | `a_graph_that_waits_for_others_…` | `fed_models_silent` only |
//! | stream of a model built by hand, persistent stream | bound, not run; waited for | when the model is executed | `persistent_streams.rs`: `what_is_given_to_a_bound_stream_…` | `built_models` |
//! | the same after a label or a switch, or on a branch | may not run | before it | `persistent_streams.rs`: `what_is_behind_a_label_…` | `labels_silent` only |
//! | stream outside a running capture | waited for; joined by a wait | as ever | `a_stream_outside_a_running_capture_…` | `captures` |
//! | allocation in stream order inside a capture | it is the graph's | allocated before the capture | `pools.rs`: `a_graph_owns_what_was_allocated_in_it_…` | `captures` |
//! | managed memory, mappings, pictures | a wait for the stream | none | `managed_memory_…` | `free_in_flight` |
//! | channels of media units | sent to a channel | never: when a channel is done is not on record | `managed_memory_…` | `tests/programs/media/vdec_silent.c` only |
//!
//! The same engine runs in the process, which reports events as they are recorded, and in replay.
//!
//! Memory is bounded by live blocks and streams: what the host knows to have completed is dropped, and indices of destroyed
//! streams are reused.

mod access;
mod access_check;
mod access_history;
mod block_lifetimes;
mod copies;
mod copy_end;
mod detector;
mod device_errors;
mod epoch;
mod faults;
mod gaps;
mod graph_runs;
mod graphs;
mod host_access;
mod host_clock;
mod host_waits;
mod models;
mod operators;
mod per_thread;
mod persistent_streams;
mod pools;
mod semaphore_calls;
mod semaphores;
mod shared_clock;
mod slot_map;
mod state;
mod sync_var;
mod tensors;
#[cfg(test)]
mod tests;
mod timeline;
mod timelines;
mod vector_clock;

pub use host_access::HostUse;
pub use state::RaceDetector;
