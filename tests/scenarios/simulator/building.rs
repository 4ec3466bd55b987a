//! Compiles and starts programs as a user would.

use aclsan_left_out::left_out;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Folders of the complete topologies, below the installed simulator.
pub const TOPOLOGIES: [&str; 3] = ["lib", "split/lib", "merged/lib"];

/// Where the simulator is installed.
pub fn simulator() -> PathBuf {
    let profile = Path::new(env!("OUT_DIR")).ancestors().nth(3).unwrap();
    profile.join("simulator")
}

/// Where the programs are.
pub fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/simulator")
}

/// The C compiler with the strictest flags that a user may have, and the simulator's headers.
pub fn compiler() -> Command {
    let mut command = strict_compiler(&simulator().join("include"));
    command.arg("-std=gnu11");
    command
}

/// The same with another folder of headers, for a language and a standard that the caller names.
pub fn strict_compiler(headers: &Path) -> Command {
    let words = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command
        .args(words)
        .args(["-Wall", "-Wextra", "-Werror", "-g", "-pthread"]);
    command.arg("-I").arg(headers);
    command
}

/// The C++ compiler likewise.
pub fn compiler_of_cpp() -> Command {
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

/// Runs a command that must succeed.
pub fn succeed(command: &mut Command) -> Output {
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

/// The text after `//@ name` in a program's first lines.
pub fn directives(source: &str, name: &str) -> Vec<String> {
    source
        .lines()
        .filter_map(|line| line.strip_prefix("//@ ")?.strip_prefix(name))
        .map(|rest| rest.trim_start_matches(':').trim().to_owned())
        .collect()
}

/// Compiles beside `target` and renames: another test may be running an older copy.
pub fn compile(target: PathBuf, command: &mut Command) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let fresh = target.with_extension(format!("{}-{number}", std::process::id()));
    succeed(command.arg("-o").arg(&fresh));
    fs::rename(&fresh, &target).unwrap();
    target
}

/// A folder for the files that tests make.
pub fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("simulator-{name}"))
}

/// Builds a program against the single topology, as a user would.
pub fn build(name: &str) -> PathBuf {
    let source = programs().join(format!("{name}.c"));
    let text = fs::read_to_string(&source).unwrap();
    let mut command = compiler();
    command
        .arg(&source)
        .arg("-L")
        .arg(simulator().join("lib"))
        .arg("-lascendcl");
    // A program may only look up what it links.
    command.arg("-Wl,--no-as-needed");
    for libraries in directives(&text, "link") {
        command.args(
            libraries
                .split_whitespace()
                .map(|library| format!("-l{library}")),
        );
    }
    compile(scratch(name), command.args(["-lm", "-ldl"]))
}

/// A run without the caller's own settings.
pub fn launch(executable: &Path, topology: &str, variables: &str) -> Command {
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

/// Builds a program and runs it on each topology, as its first lines specify.
pub fn holds(name: &str) {
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
fn another_process_imports_a_block_by_its_key() {
    holds("ipc");
    holds("ipc_refused");
}

/// Whether the C compiler has C++, too; says so if it has not.
pub fn has_cpp() -> bool {
    let probe = scratch("probe.cpp");
    fs::write(&probe, "int probe;\n").expect("a probe is written");
    let mut cpp = strict_compiler(&simulator().join("include"));
    cpp.args(["-x", "c++", "-std=c++11", "-fsyntax-only"])
        .arg(&probe);
    let has = cpp.output().is_ok_and(|output| output.status.success());
    if !has {
        left_out("there is no C++ compiler: the headers were checked as C only");
    }
    has
}
