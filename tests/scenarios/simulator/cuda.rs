//! The simulator of CUDA's driver: C programs that assert documented facts, and its headers and names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::building::{compile, has_cpp, scratch, simulator, strict_compiler, succeed};

fn folder() -> PathBuf {
    simulator().join("cuda")
}

fn compiler() -> Command {
    strict_compiler(&folder().join("include"))
}

fn holds(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = compiler();
    command
        .arg(root.join(format!("programs/simulator_cuda/{name}.c")))
        .arg("-L")
        .arg(folder().join("lib"))
        .args(["-lcuda", "-ldl"]);
    let program = compile(scratch(&format!("cuda-{name}")), &mut command);
    let mut run = Command::new(program);
    run.env("LD_LIBRARY_PATH", folder().join("lib"));
    for variable in ["LD_PRELOAD", "CUSIM_DEVICES", "CUSIM_MEMORY_MB"] {
        run.env_remove(variable);
    }
    succeed(&mut run);
}

/// Claims of CUDA's documents, and the programs that assert them.
macro_rules! hold {
    ($($claim:ident: $program:literal,)*) => {
        $(
            #[test]
            fn $claim() {
                holds($program);
            }
        )*
        const PROGRAMS: &[&str] = &[$($program),*];
    };
}

hold! {
    cuda_streams_have_the_order_of_the_legacy_stream: "streams",
    cuda_copies_are_done_when_documents_say: "copies",
    cuda_memory_has_families_and_faults_on_the_host: "memory",
    cuda_pools_reuse_trim_and_hold_thresholds: "pools",
    cuda_kernels_run_in_order_and_faults_stay: "kernels",
    cuda_threads_share_a_context: "threads",
    cuda_functions_are_looked_up_by_version_and_stream: "names",
}

#[test]
fn every_program_of_cuda_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = fs::read_dir(root.join("programs/simulator_cuda")).unwrap();
    let names = files.filter_map(|entry| {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        Some(name.strip_suffix(".c")?.to_owned())
    });
    let wanted = PROGRAMS.iter().map(|&name| name.to_owned());
    assert_eq!(names.collect::<BTreeSet<_>>(), wanted.collect());
}

#[test]
fn each_header_of_cuda_compiles_alone() {
    let mut languages = vec![("c", "-std=c11")];
    languages.extend(has_cpp().then_some(("c++", "-std=c++11")));
    let probe = scratch("cuda-probe.c");
    for header in [
        "cuda.h",
        "cusim.h",
        "cusim/codes.h",
        "cusim/enums.h",
        "cusim/structs.h",
    ] {
        fs::write(&probe, format!("#include <{header}>\nint probe;\n")).unwrap();
        for &(language, standard) in &languages {
            for define in ["-DPLAIN", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"] {
                let mut command = compiler();
                command.args(["-x", language, standard]);
                succeed(
                    command
                        .args([define, "-Wpedantic", "-fsyntax-only"])
                        .arg(&probe),
                );
            }
        }
    }
}

#[test]
fn the_table_of_cuda_has_every_exported_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(root.join("simulator_cuda/driver/exports.h")).unwrap();
    let listed: BTreeSet<String> = table
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("X(")?.split(", ").nth(1))
        .map(str::to_owned)
        .collect();
    let mut nm = Command::new("nm");
    nm.args(["-D", "--defined-only"])
        .arg(folder().join("lib/libcuda.so.1"));
    let output = String::from_utf8(succeed(&mut nm).stdout).unwrap();
    let exported: BTreeSet<String> = output
        .lines()
        .filter_map(|line| line.rsplit(' ').next())
        .filter(|name| !name.starts_with("cusim"))
        .map(str::to_owned)
        .collect();
    assert_eq!(exported, listed);
}

#[test]
fn the_command_says_where_cuda_s_library_and_headers_are() {
    let asked = |what| {
        let mut command = Command::new(aclsan_tests::artifacts::command());
        let output = command.args(["simulator", "--for", "cuda", what]).output();
        let text = String::from_utf8(output.expect("aclsan runs").stdout).expect("UTF-8");
        PathBuf::from(text.trim_end())
    };
    assert!(asked("--libdir").join("libcuda.so.1").is_file());
    assert!(asked("--includedir").join("cuda.h").is_file());
}
