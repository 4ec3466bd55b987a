//! The simulator against the data sheet: C programs that assert facts, each run on both
//! library topologies, and a few claims about the libraries themselves.
//!
//! A program says in its first lines how it wants to be run:
//! `//@ run` or `//@ run: NAME=value …` for one run with these variables, `//@ link: a b`
//! for libraries beside libascendcl.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Folders of the topologies that have everything, below the installed simulator.
const TOPOLOGIES: [&str; 3] = ["lib", "split/lib", "merged/lib"];

fn simulator() -> PathBuf {
    let profile = Path::new(env!("OUT_DIR")).ancestors().nth(3).unwrap();
    profile.join("simulator")
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/simulator")
}

fn compiler() -> Command {
    let words = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command.args(words).args([
        "-std=gnu11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-g",
        "-pthread",
    ]);
    command.arg("-I").arg(simulator().join("include"));
    command
}

fn compiler_of_cpp() -> Command {
    let mut command = Command::new(std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned()));
    command.args([
        "-std=c++11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-g",
        "-pthread",
    ]);
    command.arg("-I").arg(simulator().join("include"));
    command
}

fn succeed(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    output
}

fn directives(source: &str, name: &str) -> Vec<String> {
    source
        .lines()
        .filter_map(|line| line.strip_prefix("//@ ")?.strip_prefix(name))
        .map(|rest| rest.trim_start_matches(':').trim().to_owned())
        .collect()
}

/// Compiles beside `target` and renames: another test may be running an older copy.
fn compile(target: PathBuf, command: &mut Command) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let fresh = target.with_extension(format!("{}-{number}", std::process::id()));
    succeed(command.arg("-o").arg(&fresh));
    fs::rename(&fresh, &target).unwrap();
    target
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("simulator-{name}"))
}

/// Builds a program against the single topology, as a user would.
fn build(name: &str) -> PathBuf {
    let source = programs().join(format!("{name}.c"));
    let text = fs::read_to_string(&source).unwrap();
    let mut command = compiler();
    command
        .arg(&source)
        .arg("-L")
        .arg(simulator().join("lib"))
        .arg("-lascendcl");
    for libraries in directives(&text, "link") {
        command.args(
            libraries
                .split_whitespace()
                .map(|library| format!("-l{library}")),
        );
    }
    compile(scratch(name), command.args(["-lm", "-ldl"]))
}

/// A run that sees none of the caller's own settings.
fn launch(executable: &Path, topology: &str, variables: &str) -> Command {
    let mut command = Command::new(executable);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ACLSIM_") {
            command.env_remove(name);
        }
    }
    command
        .env("LD_LIBRARY_PATH", simulator().join(topology))
        .env_remove("LD_PRELOAD");
    command.envs(
        variables
            .split_whitespace()
            .filter_map(|word| word.split_once('=')),
    );
    command
}

fn holds(name: &str) {
    let text = fs::read_to_string(programs().join(format!("{name}.c"))).unwrap();
    let runs = directives(&text, "run");
    assert!(!runs.is_empty(), "{name}.c has no `//@ run`");
    let executable = build(name);
    for variables in &runs {
        for topology in TOPOLOGIES {
            succeed(&mut launch(&executable, topology, variables));
        }
    }
}

#[test]
fn allocators_ask_for_the_sizes_of_the_data_sheet() {
    holds("sizes");
}

#[test]
fn bad_arguments_have_the_runtimes_codes() {
    holds("arguments");
}

#[test]
fn releases_are_checked_no_more_than_the_runtime_does() {
    holds("release");
}

#[test]
fn pages_alignment_and_capacity_follow_the_runtime() {
    holds("pages");
}

#[test]
fn released_memory_is_reused_or_unmapped() {
    holds("reuse");
}

#[test]
fn copies_trust_dest_max_and_hit_neighbours() {
    holds("copies");
}

#[test]
fn streams_are_asynchronous_and_ordered() {
    holds("streams");
}

#[test]
fn events_order_streams_and_the_host() {
    holds("events");
}

#[test]
fn host_functions_run_in_stream_order() {
    holds("callbacks");
}

#[test]
fn last_reset_drops_device_blocks_and_keeps_pinned_ones() {
    holds("lifecycle");
}

#[test]
fn host_code_cannot_touch_device_memory() {
    holds("protection");
}

#[test]
fn another_process_imports_a_block_by_its_key() {
    holds("ipc");
    holds("ipc_refused");
}

#[test]
fn registered_host_memory_is_for_device_code() {
    holds("registration");
}

#[test]
fn managed_memory_is_the_hosts_and_the_devices() {
    holds("managed");
}

#[test]
fn shared_memory_form_has_no_directions() {
    holds("shared_memory");
}

#[test]
fn misaligned_starts_on_request() {
    holds("misalign");
}

#[test]
fn failures_on_request() {
    holds("faults");
}

#[test]
fn data_buffers_do_not_own_and_types_have_sizes() {
    holds("data");
}

#[test]
fn threads_share_the_heap() {
    holds("threads");
}

#[test]
fn pools_follow_the_runtime() {
    holds("pools");
}

#[test]
fn batches_are_checked_as_the_runtime_checks_them() {
    holds("batches");
}

#[test]
fn described_copies_move_what_they_describe() {
    holds("described");
}

#[test]
fn values_are_reduced_written_and_awaited() {
    holds("values");
}

#[test]
fn shared_buffers_are_counted_and_chained() {
    holds("mbufs");
}

#[test]
fn notifies_order_streams() {
    holds("notifies");
}

#[test]
fn user_allocators_are_called_back() {
    holds("allocators");
}

#[test]
fn a_capture_keeps_tasks_and_forbids_copies() {
    holds("captures");
}

#[test]
fn virtual_memory_is_counted_refused_and_deferred() {
    holds("vmm");
}

#[test]
fn copies_go_as_far_as_memory_is_mapped() {
    holds("vmm_copies");
}

#[test]
fn physical_memory_is_shared_by_two_processes() {
    holds("vmm_share");
}

#[test]
fn linked_callers_run() {
    holds("linked");
}

#[test]
fn each_topology_exports_its_own_names() {
    holds("doors");
    let executable = build("doors");
    let expected = [
        "libascendcl.so: aclrtMalloc aclAppLog rtDvppMalloc\nlibacl_rt.so: absent\n\
         libacl_rt_impl.so: absent\nlibruntime.so: absent\nlibacl_dvpp.so:\n",
        "libascendcl.so: aclrtMalloc aclAppLog\nlibacl_rt.so: aclrtMalloc aclAppLog\n\
         libacl_rt_impl.so: aclrtMallocImpl\nlibruntime.so: rtMalloc rtDvppMalloc\nlibacl_dvpp.so:\n",
        "libascendcl.so: aclrtMalloc aclAppLog\nlibacl_rt.so: aclrtMalloc aclAppLog\n\
         libacl_rt_impl.so: aclrtMallocImpl\nlibruntime.so: aclrtMallocImpl rtMalloc rtDvppMalloc\nlibacl_dvpp.so:\n",
    ];
    for (topology, expected) in TOPOLOGIES.into_iter().zip(expected) {
        let output = succeed(&mut launch(&executable, topology, ""));
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            expected,
            "{topology}"
        );
    }
}

/// What a preloaded definition of `witnessed` sees of one program.
fn witnessed(program: &str, topology: &str, witnessed: &str) -> String {
    let mut command = compiler();
    command
        .args(["-shared", "-fPIC"])
        .arg(format!("-DWITNESSED={witnessed}"));
    command
        .arg(programs().join("preload/witness.c"))
        .arg("-ldl");
    let library = compile(scratch(&format!("{witnessed}.so")), &mut command);
    let executable = build(program);
    let output = succeed(launch(&executable, topology, "").env("LD_PRELOAD", &library));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Data sheet, 1.2: which hops cross a PLT.
#[test]
fn preloaded_definitions_see_what_they_see_on_the_real_libraries() {
    assert_eq!(witnessed("linked", "lib", "aclrtMalloc"), "aclrtMalloc 2\n");
    assert_eq!(
        witnessed("linked", "lib", "aclrtMallocImpl"),
        "aclrtMallocImpl 0\n"
    );
    assert_eq!(witnessed("linked", "lib", "rtMalloc"), "rtMalloc 0\n");
    assert_eq!(
        witnessed("linked", "split/lib", "aclrtMalloc"),
        "aclrtMalloc 2\n"
    );
    assert_eq!(
        witnessed("linked", "split/lib", "aclrtMallocImpl"),
        "aclrtMallocImpl 2\n"
    );
    assert_eq!(witnessed("linked", "split/lib", "rtMalloc"), "rtMalloc 2\n");
    assert_eq!(
        witnessed("linked", "merged/lib", "aclrtMallocImpl"),
        "aclrtMallocImpl 2\n"
    );
    assert_eq!(
        witnessed("linked", "merged/lib", "rtMalloc"),
        "rtMalloc 0\n"
    );
}

/// What CANN 8.1 lacks is not exported in its shape, and is in all others.
#[test]
fn the_old_topology_lacks_what_its_version_lacked() {
    holds("later");
    let executable = build("later");
    let count = |topology| {
        let output = succeed(&mut launch(&executable, topology, ""));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(count("old/lib"), "aclrtMalloc\n");
    for topology in TOPOLOGIES {
        assert_eq!(
            count(topology),
            "aclrtMalloc aclrtFreeWithDevSync aclFinalizeReference\n"
        );
    }
}

/// Data sheet, 1.2 and 6: `dlsym` on a handle passes the public name by.
#[test]
fn callers_by_handle_are_seen_below_the_public_name_only() {
    assert_eq!(witnessed("doors", "lib", "aclrtMalloc"), "aclrtMalloc 0\n");
    assert_eq!(
        witnessed("doors", "split/lib", "aclrtMalloc"),
        "aclrtMalloc 0\n"
    );
}

#[test]
fn values_that_are_not_understood_are_named() {
    let executable = build("linked");
    let cases = [
        (
            "ACLSIM_SOC=Ascend1",
            "ACLSIM_SOC: `Ascend1` is not one of Ascend910B3, ",
        ),
        (
            "ACLSIM_DEVICES=0",
            "ACLSIM_DEVICES: `0` is not a whole number from 1 to 16; ",
        ),
        (
            "ACLSIM_MEMORY_MB=12GB",
            "ACLSIM_MEMORY_MB: `12GB` is not a whole number ",
        ),
        (
            "ACLSIM_STREAM_DELAY_US=-5",
            "ACLSIM_STREAM_DELAY_US: `-5` is not a whole number ",
        ),
        (
            "ACLSIM_MISALIGN=48",
            "ACLSIM_MISALIGN: `48` is not a power of two; ",
        ),
        (
            "ACLSIM_FAIL=aclrtMaloc@1",
            "ACLSIM_FAIL: `aclrtMaloc@1` is not function@n ",
        ),
        (
            "ACLSIM_FAIL=aclrtFree",
            "ACLSIM_FAIL: `aclrtFree` is not function@n ",
        ),
        (
            "ACLSIM_MEMROY_MB=5",
            "ACLSIM_MEMROY_MB is not a variable of the simulator",
        ),
    ];
    for topology in TOPOLOGIES {
        for (variable, expected) in cases {
            let output = succeed(&mut launch(&executable, topology, variable));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                said.starts_with(&format!("aclsim: {expected}")),
                "{variable}: {said}"
            );
            assert_eq!(said.lines().count(), 1, "{variable}: {said}");
        }
        let output = succeed(&mut launch(
            &executable,
            topology,
            "ACLSIM_SOC=Ascend310P3 ACLSIM_DEVICES=2",
        ));
        assert!(output.stderr.is_empty());
    }
}

#[test]
fn operators_compute_in_stream_order() {
    holds("operators");
}

#[test]
fn models_load_describe_and_compute() {
    holds("models");
}

#[test]
fn media_units_move_the_right_samples() {
    holds("pictures");
}

#[test]
fn video_frames_are_decoded_in_order_and_told_to_the_channels_thread() {
    holds("video");
}

#[test]
fn frames_come_out_of_the_second_decoder_in_order() {
    holds("decoder");
}

#[test]
fn blocks_of_pools_are_counted() {
    holds("blocks");
}

/// It is C++, and left out where only C can be compiled.
fn has_matrix() -> bool {
    let has = simulator().join("lib/libmatrixdaemon.so").exists();
    if !has {
        eprintln!("no C++ compiler here: the simulator has no Matrix");
    }
    has
}

#[test]
fn matrix_memory_is_released_by_who_owns_it() {
    if has_matrix() {
        holds("matrix");
    }
}

/// Both manglings of the allocation, and both kinds of `std::string`.
#[test]
fn matrix_serves_callers_of_either_kit() {
    let source = programs().join("matrix_classes.cpp");
    if !has_matrix() {
        return;
    }
    for (name, flag) in [
        ("2018", "-DHIAI_TIMEOUT_BY_REFERENCE"),
        ("2022", "-DHIAI_TIMEOUT_BY_VALUE"),
        ("old-strings", "-D_GLIBCXX_USE_CXX11_ABI=0"),
    ] {
        let mut command = compiler_of_cpp();
        command
            .arg(flag)
            .arg(&source)
            .arg("-L")
            .arg(simulator().join("lib"));
        command.arg("-lmatrixdaemon");
        let executable = compile(scratch(&format!("matrix-classes-{name}")), &mut command);
        for topology in TOPOLOGIES {
            succeed(&mut launch(&executable, topology, ""));
        }
    }
}

#[test]
fn operators_in_two_phases_compute_and_end_their_executors() {
    holds("aclnn");
}

#[test]
fn kernels_run_in_stream_order() {
    holds("kernels");
}

#[test]
fn collectives_move_bytes_between_devices() {
    holds("collectives");
}

/// How the names of public functions begin.
const PREFIXES: [&str; 7] = ["acl", "Acl", "hi_mpi_", "Hccl", "PTA", "Nnopbase", "_Z"];

/// Words that stand before a parenthesis, public functions' names only.
fn called(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices('(')
        .map(|(at, _)| {
            text[..at]
                .rsplit(|c| !is_word(c))
                .next()
                .unwrap_or_default()
        })
        .filter(|word| PREFIXES.iter().any(|prefix| word.starts_with(prefix)))
        .map(str::to_owned)
        .collect()
}

fn headers(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            headers(&path, text);
        } else {
            let header = fs::read_to_string(&path).unwrap();
            let code = |line: &&str| !line.trim_start().starts_with(['/', '*', '#', '}']);
            header.lines().filter(code).for_each(|line| *text += line);
        }
    }
}

#[test]
fn every_declared_function_is_exported() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut declared = String::new();
    headers(&root.join("../shim/abi/include"), &mut declared);
    let table: String = [
        "exports.h",
        "compute/exports.h",
        "media/mpi.h",
        "aclnn/exports.h",
        "hccl/exports.h",
        "media/mpi_vpc.h",
        "media/picture/exports.h",
    ]
    .iter()
    .map(|file| fs::read_to_string(root.join("simulator").join(file)).unwrap())
    .collect();
    let exported: BTreeSet<String> = table
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("X(")?.split(')').next())
        // What torch_npu looks up by name, and no header declares.
        .filter(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
        .map(str::to_owned)
        .collect();
    assert_eq!(called(&declared), exported);
}

#[test]
fn headers_are_strict_c_and_cpp() {
    let source = scratch("headers.c");
    fs::write(
        &source,
        "#include <acl/acl.h>\n#include <acl/ops/acl_dvpp.h>\n#include <acl/dvpp/hi_dvpp.h>\n#include <aclnn/opdev.h>\n#include <hccl/hccl.h>\n#include <hiaiengine/c_graph.h>\n#include <aclsim.h>\n",
    )
    .unwrap();
    let check = |language: &str, standard: &str| {
        let mut command = compiler();
        command
            .args(["-x", language, standard, "-Wpedantic", "-fsyntax-only"])
            .arg(&source);
        command
    };
    succeed(&mut check("c", "-std=c11"));
    let probe = scratch("probe.c");
    fs::write(&probe, "int probe;\n").unwrap();
    let mut cpp = compiler();
    cpp.args(["-x", "c++", "-std=c++11", "-fsyntax-only"])
        .arg(&probe);
    if cpp.output().is_ok_and(|output| output.status.success()) {
        succeed(&mut check("c++", "-std=c++11"));
    } else {
        eprintln!("no C++ compiler here: the headers were checked as C only");
    }
}

#[test]
fn every_program_has_its_test() {
    let own =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/simulator.rs"))
            .unwrap();
    for entry in fs::read_dir(programs()).unwrap() {
        let file: OsString = entry.unwrap().file_name();
        if let Some(name) = file.to_string_lossy().strip_suffix(".c") {
            assert!(
                own.contains(&format!("holds(\"{name}\")")),
                "{name}.c is not run"
            );
        }
    }
}
