//! Fork safety: what may happen to the program while our code runs, and the tests that make it happen.
//!
//! Each test is bounded. With `SOAK=1` before `cargo test`, repeated tests go on until 1,000 kills and 10,000 forks are done.
//!
//! | hazard | tests |
//! |---|---|
//! | SIGKILL at any moment | `every_call_that_returned_before_sigkill_is_on_record` |
//! | exit, `_exit`, `quick_exit`, abort, faults, signals, a stack that overflows, every `exec` | `every_call_that_returned_is_on_record_whatever_ends_the_process_amid_them`, `every_call_is_on_record_however_the_process_ends` |
//! | no memory is left, and the kernel ends the process | `every_call_that_returned_before_the_kernel_ran_out_of_memory_is_on_record` |
//! | a power cut: pages that were not written or are older than the rest, and truncated files | `a_log_with_torn_pages_gives_what_is_whole_and_says_what_is_not`, `one_torn_page_costs_the_rest_of_its_segment_and_nothing_else`, `a_segment_whose_first_page_is_older_says_how_much_more_there_was` |
//! | fork while other threads hold our locks or the loader's | `no_child_hangs_however_it_ends_when_its_parents_threads_were_in_hooks_of_all_kinds`, `no_child_hangs_when_its_parents_threads_were_naming_frames`, `no_child_hangs_when_its_parents_threads_were_judging_the_order` |
//! | children that no fork handler sees: spawned ones, daemons, forks from threads | `a_child_of_any_kind_has_a_log_of_its_own_and_leaves_its_parents_alone` |
//! | Python's `multiprocessing` and `os.fork` | `children_of_both_kinds_have_python_stacks_of_their_own`, `children_of_pools_and_servers_and_threads_have_logs_of_their_own` |
//! | threads that end: keys, `thread_local`, code after `main` | `late_releases_are_on_record`, `what_allocates_before_main_and_after_it_and_while_unwinding_is_on_record` |
//! | ten thousand threads, one after the other | `threads_that_end_leave_their_room_to_others` |
//! | small stacks | `deep_recursion_and_small_stacks_are_no_trouble`, `a_finding_on_a_small_stack_is_reported_with_names`, `hooks_take_so_much_stack_and_no_more` |
//! | coroutines and other foreign stacks | `coroutines_and_other_foreign_stacks_are_no_trouble` |
//! | signals whose handlers allocate | `a_handler_that_allocates_may_interrupt_hooks_anywhere`, `a_signal_handler_may_allocate_and_timers_may_interrupt_anything` |
//! | cancellation, exceptions through the runtime | `a_thread_may_be_cancelled_amid_hooks_and_is_when_they_have_ended`, `a_thread_may_be_cancelled_inside_the_runtime`, `a_callback_may_throw_through_the_runtime` |
//! | code that is unloaded | `a_library_may_be_unloaded_with_its_blocks_live_and_its_code_in_stacks` |
//!
//! Limits: a child that no handler sees inherits locks as they are, and so does a child that a signal handler forks during a hook; libc
//! itself allows such children only async-signal-safe calls. A function that a child is the first to call is looked up in the child, under
//! the loader's lock, which a thread of the parent may have held. `exit` blocks likewise in such a child, with or without this library.
//!
//! # Locks at a fork
//!
//! A child starts with its own state ([`crate::state::process::Process::forked`]), so locks in its parent's state are left alone:
//! *replaced*. Other locks are *held* by the forking thread, in the order of this table, *made first*, before there are threads, or
//! *reset*, or *only tried*. The order in which a thread may take them is that of [`aclsan_os::lock::rank`]. A lazy value is a [`RacyOnce`](aclsan_os::racy_once::RacyOnce), which has no lock.
//!
//! | lock | at a fork |
//! |---|---|
//! | `guards/left_redzone.rs: TABLE` | held |
//! | `unwind/symbolize.rs: SYMBOLIZER_LOCK` | held |
//! | `unwind/modules/mod.rs: LOADER_LIST_LOCK` | held |
//! | `os/stderr/waiting.rs: WAITING` | only tried |
//! | `os/files.rs: EXECUTABLE` | made first |
//! | `state/thread.rs: KEY` | made first |
//! | `os/arena.rs: is_locked` | reset |
//! | `os/host_pages/mod.rs: TABLE` | reset |
//! | `guards/guard_page/ranges.rs: store` | replaced |
//! | `guards/poison.rs: blocks` | replaced |
//! | `guards/quarantine.rs: held` | replaced |
//! | `sink/lib.rs: definitions` | replaced |
//! | `sink/lib.rs: file` | replaced |
//! | `sink/lib.rs: has_properties` | replaced |
//! | `state/cached_plans.rs: CachedPlans` | replaced |
//! | `state/devices.rs: in_use` | replaced |
//! | `state/devices.rs: profile` | replaced |
//! | `state/finding_counts.rs: FindingCounts` | replaced |
//! | `state/graph_captures.rs: all` | replaced |
//! | `state/host_blocks.rs: pages` | replaced |
//! | `state/host_blocks.rs: pending` | replaced |
//! | `state/host_blocks.rs: plain` | replaced |
//! | `state/ignored_blocks.rs: blocks` | replaced |
//! | `state/index_checks.rs: IndexChecks` | replaced |
//! | `state/planners.rs: Bucket` | replaced |
//! | `state/process.rs: auto_free` | replaced |
//! | `state/process.rs: control` | replaced |
//! | `state/process.rs: descriptors` | replaced |
//! | `state/process.rs: ipc_keys` | replaced |
//! | `state/process.rs: objects` | replaced |
//! | `state/process.rs: lists` | replaced |
//! | `state/process.rs: matrix_callers` | replaced |
//! | `state/process.rs: named_statuses` | replaced |
//! | `state/process.rs: order` | replaced |
//! | `state/process.rs: page_faults` | replaced |
//! | `state/process.rs: pools` | replaced |
//! | `state/process.rs: recent_writers` | replaced |
//! | `state/process.rs: redirected` | replaced |
//! | `state/process.rs: retained` | replaced |
//! | `state/process.rs: switching` | replaced |
//! | `state/process.rs: video_blocks` | replaced |
//! | `state/strings.rs: StringTable` | replaced |
//! | `tables/call_sites.rs: records` | replaced |
//! | `tables/live/hash_table.rs: slots` | replaced |
//! | `tables/segment_pool.rs: free_segments` | replaced |
//! | `unwind/modules/mod.rs: Modules` | replaced |
//! | `unwind/python/code_objects.rs: CodeObjects` | replaced |
//! | `unwind/python/mod.rs: Detection` | replaced |
