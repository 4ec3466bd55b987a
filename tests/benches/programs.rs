//! The programs and libraries of the cost bench.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program, the number of its live blocks, and how else it is compiled. `mixed` ones are those whose stacks differ in functions.
pub struct Program {
    pub name: &'static str,
    pub blocks: u64,
    flags: &'static [&'static str],
}

const fn program(name: &'static str, blocks: u64, flags: &'static [&'static str]) -> Program {
    Program {
        name,
        blocks,
        flags,
    }
}

const fn mixed(name: &'static str, blocks: u64) -> Program {
    program(name, blocks, &["-DMIXED", "-DWAYS=1000"])
}

pub const PLAIN: Program = program("plain", 100_000, &[]);
pub const MIXED: [Program; 2] = [mixed("mixed-1k", 1_000), mixed("mixed-100k", 100_000)];
pub const SHAPES: [Program; 4] = [
    mixed("mixed-1m", 1_000_000),
    program(
        "10 frames",
        100_000,
        &["-DMIXED", "-DWAYS=1000", "-DFRAMES=7"],
    ),
    program(
        "40 frames",
        100_000,
        &["-DMIXED", "-DWAYS=1000", "-DFRAMES=37"],
    ),
    program(
        "8 in a row",
        100_000,
        &["-DMIXED", "-DWAYS=1000", "-DREPEAT=8"],
    ),
];

pub const FLAT: [Program; 5] = [
    mixed("mixed-1k", 1_000),
    mixed("mixed-10k", 10_000),
    mixed("mixed-100k", 100_000),
    mixed("mixed-1m", 1_000_000),
    mixed("mixed-10m", 10_000_000),
];

/// Builds the runtime, and the workloads on it and on malloc.
pub fn build(scratch: &Path, programs: impl Iterator<Item = &'static Program>) {
    let cc = |out: &str, source: &str, flags: &[&str]| compile(&scratch.join(out), source, flags);
    let folder = format!("-L{}", scratch.display());
    cc("libascendcl.so", "runtime.c", &["-shared", "-fPIC"]);
    let mut built = Vec::new();
    for Program {
        name,
        blocks,
        flags,
    } in programs
    {
        if built.contains(name) {
            continue;
        }
        built.push(*name);
        let blocks = format!("-DBLOCKS={blocks}");
        let flags = [flags, &[blocks.as_str()][..]].concat();
        let linked = [&flags[..], &[&folder, "-lascendcl"]].concat();
        cc(&format!("acl-{name}"), "workload.c", &linked);
        cc(
            &format!("host-{name}"),
            "workload.c",
            &[&flags[..], &["-DHOST"]].concat(),
        );
    }
}

fn compile(out: &Path, source: &str, flags: &[&str]) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    cc.args([
        "-O2",
        "-fomit-frame-pointer",
        "-pthread",
        "-Wall",
        "-Werror",
        "-o",
    ]);
    cc.arg(out).arg(sources.join(source)).args(flags);
    let status = cc.status().expect("a C compiler");
    assert!(status.success(), "{source} compiles");
}

/// A library that executes `count` instructions in each call of a pair. Unless `blocks` is 0, it also reads the clock and has a table of them.
pub fn floor(scratch: &Path, count: u32, blocks: u64) -> PathBuf {
    let library = scratch.join(format!("floor-{count}-{blocks}.so"));
    if !library.exists() {
        let numbers = [
            format!("-DINSTRUCTIONS={count}"),
            format!("-DBLOCKS={blocks}"),
        ];
        let flags = ["-shared", "-fPIC", &numbers[0], &numbers[1]];
        compile(&library, "floor.c", &flags);
    }
    library
}

/// heaptrack's library, located from its command.
pub fn heaptrack() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let command = std::env::split_paths(&path).map(|folder| folder.join("heaptrack"));
    let prefix = command
        .filter(|command| command.is_file())
        .find_map(|command| Some(command.canonicalize().ok()?.parent()?.parent()?.to_owned()))?;
    let libraries = ["lib", "lib64"].map(|name| prefix.join(name));
    let nested = libraries
        .iter()
        .flat_map(std::fs::read_dir)
        .flatten()
        .flatten();
    let folders: Vec<_> = nested
        .map(|entry| entry.path())
        .chain(libraries.clone())
        .collect();
    let named = folders
        .iter()
        .map(|folder| folder.join("heaptrack/libheaptrack_preload.so"));
    named
        .chain(
            folders
                .iter()
                .map(|folder| folder.join("libheaptrack_preload.so")),
        )
        .find(|file| file.is_file())
}
