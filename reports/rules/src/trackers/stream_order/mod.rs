//! What happens before what, between the host and its streams.
//!
//! The definition, of which there is this one. A *timeline* is the host or a stream. An operation is before another if
//! * both are the host's, or both are queued on one stream, in the order of their calls;
//! * the first is the host's and the second is queued by a later call;
//! * the first is on a stream, the second after a wait (`aclrtStreamWaitEvent`, `aclrtWaitAndResetNotify`) for something that was recorded
//!   behind the first; a wait for an event takes its latest record at the call, and a later record does not change it;
//! * the first is on a stream, and the host has learnt that it is done before it does or queues the second: by a wait for the stream, its
//!   event or its device that ended with success, by a query that found it complete, by the stream's end or the device's last reset;
//! * something in between is after the one and before the other.
//!
//! Two operations that are in neither order may run at once. A blocking copy is the host's: it waits for no stream. So is
//! a fill of host memory, whatever stream it is given.
//!
//! What it takes for an order though it may be none, so that a rule stays silent rather than wrong:
//! * All host threads are one timeline, in the order of the log: how threads wait for each other is not seen.
//! * A callback tells the host, from its launch on, that the work before it is done: the program may wait for what the callback does.
//! * A copy that has an end of unknown origin waits for its stream: that end may be pageable, and then the runtime waits. On a stream that
//!   keeps what it is given it is done at the call.
//! * A wait that ended with an error other than a time-out ends the stream's work.
//! * What follows a notify or event without a record of this process may be after anything, and so may what follows a wait for a value in
//!   memory or for a counting notify, unless it is plain which one call has brought it about (`semaphores.rs`), and so may a graph that waits
//!   for any of these: it is not judged before the host has waited for that stream.
//!
//! Operators do not tell which tensors they have: see `tensors.rs` for what is inferred. An operator's tensor counts as its result only if
//! nothing else is known to have written there.
//!
//! What it does not see at all: what the host reads and writes through pointers; the memory of kernels that the program launches itself;
//! the data of shared buffers (`aclrtAllocBuf`); streams that were made before aclsan was there, by `aclrtCreateStreamV2`, or by calls that
//! it does not know; the default stream in programs that make contexts of their own. None of these is judged.
//!
//! Each kind of edge has events that are found without it and silent with it (in `tests/`), and a program of each kind: that of the name
//! given, in `tests/programs/order`, and its `_silent` look-alike.
//!
//! | edge | silent with | found with | events | program |
//! |---|---|---|---|---|
//! | one stream, launches in order | the same stream | another | `tests.rs`, 30,000 random programs | `unordered_access` |
//! | wait for a stream, an event, a device | any end, errors and codes that count as success too | a time-out; another stream | `edges.rs`: `waits_of_the_host_are_edges`, `a_time_out_is_no_edge_…` | `time_outs`, `free_in_flight` |
//! | `…WithDevSync`, `aclFinalize` | the call | none | `tests.rs`, `waits_of_the_host_are_edges` | `free_in_flight` |
//! | reset | the last one; forced | another reference is left | `ends.rs`: `a_reset_that_leaves_a_reference_…` | `ends` |
//! | `aclFinalizeReference` | none left, or not asked how many | others are left | `ends.rs`: `what_is_finalized_for_others_…` | `ends` |
//! | `aclrtDestroyContext` | of that device, or of an unknown one | another device's; failed | `ends.rs`: `a_context_takes_no_more_…` | `ends` |
//! | event: record, wait, synchronize, query | latest record; complete | recorded again elsewhere; not complete | `edges.rs`: `an_event_recorded_again_…`, `queries_are_edges_…` | `free_in_flight` |
//! | query of a stream | complete | not ready; failed | `queries_are_edges_…` | `free_in_flight` |
//! | stream aborted or destroyed | its work is over | another stream | `the_end_of_a_stream_…` | `free_in_flight` |
//! | notify | record and wait; reset: after anything | another stream's record | `semaphores.rs`: `a_notify_that_was_reset_…`, random programs | `semaphores` |
//! | value in memory | set once and waited for | another stream's | `a_value_that_was_written_once_…`, random programs | `semaphores` |
//! | the same by a bit, before its write, by a fill or a kernel, shared | after anything | never: who has set it is not known | `a_wait_for_a_value_is_after_anything_…` | `signals_silent` only |
//! | counting notify | recorded once and waited for | another stream's | `a_counting_notify_that_was_recorded_once_…`, random programs | `semaphores` |
//! | the same by several records | after anything | never: which records a wait takes is not known | `a_wait_for_a_count_is_after_anything_…` | `signals_silent` only |
//! | callback, host function | from its launch | on another stream | `a_callback_counts_as_a_wait` | `free_in_flight` |
//! | blocking copy | behind a wait | it waits for nothing | `moves.rs`: `a_blocking_copy_…` | `copies` |
//! | fill of host memory | done at the call | behind a queued copy, on its stream too | `moves.rs`: `a_fill_of_host_memory_…` | `host_buffer_reused_in_flight` |
//! | pageable copy | waits for its stream | another stream; pinned | `a_copy_of_pageable_memory_…` | `copies` |
//! | `HOST_TO_BUF_TO_DEVICE` | source read at once | its target; a source of another kind | `what_is_copied_through_a_buffer_…` | `copies` |
//! | memory that a pool hands on | by internal dependencies, or opportunistically | without such an attribute | `pools.rs`: `an_allocation_is_after_the_release_…` | `pool_reuse` |
//! | memory that a model was given | waited for; unloaded | queued | `models.rs` | `model_memory` |
//! | captured graph | captured, not run; waited for | when it runs, on its stream | `graphs.rs`: `what_is_captured_runs_with_its_graph_…` | `captures` |
//! | the same by `aclmdlRIExecute` | behind the default stream, and waited for | beside another stream | `a_graph_that_the_host_runs_…` | `built_models` |
//! | graph, model that waits for what it does not bring about | after anything | never: when that is recorded is not known | `a_graph_that_waits_for_others_…` | `fed_models_silent` only |
//! | stream of a model built by hand, persistent stream | bound, not run; waited for | when the model is executed | `kept.rs`: `what_is_given_to_a_bound_stream_…` | `built_models` |
//! | the same behind a label or a switch, or on a branch | is not sure to run | before it | `kept.rs`: `what_is_behind_a_label_…` | `labels_silent` only |
//! | stream outside a running capture | waited for; joined by a wait | as ever | `a_stream_outside_a_running_capture_…` | `captures` |
//! | allocation in stream order inside a capture | it is the graph's | allocated before the capture | `pools.rs`: `a_graph_owns_what_was_allocated_in_it_…` | `captures` |
//! | managed memory, mappings, pictures | a wait for the stream | none | `managed_memory_…` | `free_in_flight` |
//! | channels of media units | sent to a channel | never: when a channel is done is not on record | `managed_memory_…` | `tests/programs/media/vdec_silent.c` only |
//!
//! The same engine runs in the process, where it is told what is put on record as it happens, and in replay.
//!
//! Memory goes with live blocks and streams: what the host knows is done is forgotten, and a stream's number is used again.

mod access_check;
mod access_history;
mod block_lifetimes;
mod copies;
mod copy_end;
mod detector;
mod epoch;
mod few;
mod graph_runs;
mod graphs;
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

pub use state::RaceDetector;
