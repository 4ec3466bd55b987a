//! The simulator against the data sheet: C programs that assert facts, each run on both
//! library topologies, and a few claims about the libraries themselves.
//!
//! A program says in its first lines how it wants to be run:
//! `//@ run` or `//@ run: NAME=value …` for one run with these variables, `//@ link: a b`
//! for libraries beside libascendcl.

mod building;
mod contracts;
mod cuda;
mod doors;
mod headers;
mod home;
mod matrix;
mod om;
mod operands;
mod settings;

use std::fs;
use std::path::Path;

/// Claims of the data sheet, and the programs that assert them.
macro_rules! hold {
    ($($claim:ident: $program:literal,)*) => {
        $(
            #[test]
            fn $claim() {
                building::holds($program);
            }
        )*
    };
}

hold! {
    allocators_ask_for_the_sizes_of_the_data_sheet: "sizes",
    bad_arguments_have_the_runtimes_codes: "arguments",
    releases_are_checked_no_more_than_the_runtime_does: "release",
    pages_alignment_and_capacity_follow_the_runtime: "pages",
    released_memory_is_reused_or_unmapped: "reuse",
    copies_trust_dest_max_and_hit_neighbours: "copies",
    streams_are_asynchronous_and_ordered: "streams",
    events_order_streams_and_the_host: "events",
    host_functions_run_in_stream_order: "callbacks",
    last_reset_drops_device_blocks_and_keeps_pinned_ones: "lifecycle",
    host_code_cannot_touch_device_memory: "protection",
    another_process_imports_a_block_by_its_key: "ipc",
    a_chip_that_is_its_own_host_shares_nothing: "ipc_refused",
    registered_host_memory_is_for_device_code: "registration",
    managed_memory_is_the_hosts_and_the_devices: "managed",
    shared_memory_form_has_no_directions: "shared_memory",
    misaligned_starts_on_request: "misalign",
    failures_on_request: "faults",
    data_buffers_do_not_own_and_types_have_sizes: "data",
    threads_share_the_heap: "threads",
    pools_follow_the_runtime: "pools",
    batches_are_checked_as_the_runtime_checks_them: "batches",
    described_copies_move_what_they_describe: "described",
    values_are_reduced_written_and_awaited: "values",
    shared_buffers_are_counted_and_chained: "mbufs",
    notifies_order_streams: "notifies",
    user_allocators_are_called_back: "allocators",
    a_capture_keeps_tasks_and_forbids_copies: "captures",
    a_model_built_by_hand_keeps_tasks_until_it_is_executed: "built_models",
    a_model_goes_on_at_a_label: "labels",
    virtual_memory_is_counted_refused_and_deferred: "vmm",
    copies_go_as_far_as_memory_is_mapped: "vmm_copies",
    physical_memory_is_shared_by_two_processes: "vmm_share",
    linked_callers_run: "linked",
    operators_compute_in_stream_order: "operators",
    models_load_describe_and_compute: "models",
    offline_models_describe_themselves_and_bad_ones_are_refused: "om_files",
    offline_models_touch_the_memory_that_the_chip_touches: "om_memory",
    offline_models_have_gears: "om_gears",
    offline_models_have_aipp: "om_aipp",
    offline_models_have_open_shapes: "om_shapes",
    offline_models_come_in_bundles: "om_bundles",
    offline_models_have_constants_in_files: "om_constants",
    offline_models_answer_a_function_of_their_inputs: "om_outputs",
    offline_models_are_for_one_chip: "om_chip",
    media_units_move_the_right_samples: "pictures",
    png_files_are_decoded_and_damaged_ones_fail: "pngs",
    video_frames_are_decoded_in_order_and_delivered_to_the_channels_thread: "video",
    frames_come_out_of_the_second_decoder_in_order: "decoder",
    blocks_of_pools_are_counted: "blocks",
    operators_in_two_phases_compute_and_end_their_executors: "aclnn",
    plans_are_kept_under_their_callers_keys: "kept_plans",
    operators_of_pytorch_compute_without_it: "engine",
    arguments_of_operators_are_checked_before_anything_is_queued: "refusals",
    families_that_tests_of_pytorch_ask_for_compute: "families",
    operators_of_transformers_compute_as_by_hand: "transformers",
    kernels_run_in_stream_order: "kernels",
    collectives_move_bytes_between_devices: "collectives",
    collectives_move_bytes_between_processes: "processes",
    a_rank_that_is_gone_ends_the_others_with_an_error: "lost_rank",
    odd_arguments_have_the_real_runtimes_answers: "answers",
    initialization_reads_its_file_and_errors_have_texts: "initialized",
    limits_ids_and_usage_are_answered: "limits",
    kernels_are_found_by_name_and_take_lists_of_arguments: "named_kernels",
    streams_of_a_model_activate_each_other: "switches",
    graphs_have_several_streams_tasks_and_conditions: "graphs",
    events_and_notifies_cross_processes: "shared_events",
    names_without_meaning_answer_as_absent_features: "unmodelled",
    libraries_without_meaning_are_there_and_answer_so: "absent",
}

#[test]
fn what_is_not_modelled_is_said_once() {
    let executable = building::build("unmodelled");
    for (variables, expected) in [
        (
            "",
            "aclsim: `aclrtGetHardwareSyncAddr` is not modelled: it answers 207000, as an absent feature does\n\
             aclsim: `aclrtCmoGetDescSize` is not modelled: it answers 207000, as an absent feature does\n",
        ),
        ("ACLSIM_QUIET=1", ""),
    ] {
        let output = building::succeed(&mut building::launch(&executable, "merged/lib", variables));
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    }
    let executable = building::build("absent");
    let output = building::succeed(&mut building::launch(&executable, "split/lib", ""));
    let said = String::from_utf8_lossy(&output.stderr);
    let enqueue =
        "aclsim: `acltdtEnqueue` is not modelled: it answers 207000, as an absent feature does";
    assert_eq!(said.matches(enqueue).count(), 1, "{said}");
    assert_eq!(said.lines().count(), 9, "{said}");
}

/// Programs for claims that need more than a run.
const ELSEWHERE: [&str; 3] = ["doors", "later", "matrix"];

#[test]
fn every_program_has_its_test() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/simulator/main.rs");
    let own = fs::read_to_string(own).unwrap();
    for entry in fs::read_dir(building::programs()).unwrap() {
        let file = entry.unwrap().file_name();
        if let Some(name) = file.to_string_lossy().strip_suffix(".c") {
            let is_run = own.contains(&format!(": \"{name}\",")) || ELSEWHERE.contains(&name);
            assert!(is_run, "{name}.c is not run");
        }
    }
}
