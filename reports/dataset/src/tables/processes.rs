//! Processes: one row each, with its sums.

crate::table! {
    /// A process, which is one log.
    Process in "processes" {
        /// The process, in every table.
        process: String [Key],
        /// The run: `--run` of the export, else the id that `aclsan run` gave; empty if neither is known.
        run_id: String [Key],
        /// The machine; empty if unknown, as are the following texts.
        host_name: String [Key],
        /// Process number.
        process_number: u32 [Key],
        /// `--model` of the export.
        model: String [None],
        /// `--model-version` of the export.
        model_version: String [None],
        /// Path of the log where it was exported.
        log: String [None],
        /// Path of the program.
        program: String [None],
        /// Its command line.
        arguments: String [None],
        /// Process number of the parent.
        parent: String [None],
        /// The process it was forked from.
        forked_from: String [None],
        /// The id that `aclsan run` gave, whatever the export said.
        aclsan_run: Option<String> [Key],
        /// The shim's options.
        options: String [None],
        /// The shim's version.
        shim_version: String [None],
        /// The shim's build-id.
        shim_build_id: String [None],
        /// The SoC.
        soc: String [None],
        /// CANN's version.
        cann_version: String [None],
        /// The driver's version.
        driver_version: String [None],
        /// `device` or `host`.
        run_mode: String [None],
        /// When the log began.
        started_ns: u64 [UnixNanoseconds],
        /// From then to the last event.
        duration_ns: u64 [Nanoseconds],
        /// Whether the process ended by itself; otherwise it was killed, left by `_exit`, or still ran.
        is_complete: bool [None],
        /// Whether it still ran when the log was exported.
        is_running: bool [None],
        /// How it ended: `exit`, `signal`, `killed`, `halt`, or `unknown`.
        end_kind: String [None],
        /// The same in one sentence; empty for an end that needs none.
        end_message: String [None],
        /// The signal; 0 if there was none, null if nothing else is known either, like the following.
        end_signal: Option<i32> [None],
        /// Its name.
        end_signal_name: Option<String> [None],
        /// The thread that it came to.
        end_thread: Option<u32> [Key],
        /// The thread's name.
        end_thread_name: Option<String> [None],
        /// When.
        end_ns: Option<u64> [Nanoseconds],
        /// The thread's stack.
        end_stack: Option<u32> [Key],
        /// Blocks that were live then, which are no leak.
        end_live_blocks: Option<u64> [Count],
        /// Their bytes.
        end_live_bytes: Option<u64> [Bytes],
        /// The last calls, in lines: time, thread, return code, number in `sites`, name of the code.
        end_calls: String [None],
        /// Events read.
        events: u64 [Count],
        /// AscendCL calls among them.
        calls: u64 [Count],
        /// Peak of device memory, over all devices together.
        peak_bytes: u64 [Bytes],
        /// Device memory live at the end.
        live_bytes: u64 [Bytes],
        /// Memory of any kind that was never released.
        leaked_bytes: u64 [Bytes],
        /// Blocks that were never released.
        leaked_blocks: u64 [Count],
        /// Different findings that follow from no other.
        findings: u64 [Count],
        /// Findings among them that are errors.
        errors: u64 [Count],
        /// Events that could not be recorded.
        dropped_events: u64 [Count],
        /// Calls recorded without a stack.
        stackless_calls: u64 [Count],
        /// Only one in this many calls has a whole stack; 0 if all have one.
        stack_sample: u64 [Count],
        /// Device and pinned memory per recorded block; 0 if all blocks are recorded. Sums over blocks are estimates otherwise.
        block_sample: u64 [Bytes, since 2],
        /// Records of unknown types.
        unknown_records: u64 [Count],
        /// Calls of unknown functions.
        unknown_functions: u64 [Count],
        /// Releases of blocks that the log does not define.
        unmatched_releases: u64 [Count],
        /// Blocks whose release was not seen.
        unseen_releases: u64 [Count],
        /// Blocks with redzones.
        guarded_blocks: u64 [Count],
        /// Redzones.
        guard_bytes: u64 [Bytes],
        /// Blocks that redzones moved to larger pages.
        guards_changed_page: u64 [Count],
        /// Blocks whose redzone is only the runtime's rounding.
        guards_in_slack: u64 [Count],
        /// Pages that only redzones need.
        guard_page_bytes: u64 [Bytes],
        /// Blocks before guard pages.
        guard_page_blocks: u64 [Count],
        /// Families that cannot be guarded as requested, in lines.
        guard_notices: String [None],
        /// Symbols that were missing for its stacks, in lines; a sentence that an earlier process of the same export has is not repeated.
        symbol_warnings: String [None],
        /// Blocks that the program asked to ignore.
        ignored_blocks: u64 [Count],
        /// Their bytes.
        ignored_bytes: u64 [Bytes],
        /// Findings that it asked to ignore.
        ignored_findings: u64 [Count],
        /// Epochs that `epochs` lacks.
        epochs_left_out: u64 [Count],
        /// Outcome of the scan for pointers at the end; null if there was none.
        scan_outcome: Option<String> [None],
        /// Bytes that it read.
        scan_bytes: u64 [Bytes],
        /// How long it took.
        scan_ns: u64 [Nanoseconds],
        /// Other threads of the process.
        scan_threads: u32 [Count],
        /// What it could not look into, one a line: `threads` or an allocator, and their number or that of the blocks found only there.
        scan_gaps: String [None, since 2],
    }
}
