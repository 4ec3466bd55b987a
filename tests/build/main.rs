//! Builds the simulator's libraries and installs them under `<profile>/simulator`; `aclsan.h` and `aclsan.py` go to `<profile>/include`, what CMake
//! and pkg-config read to `<profile>/share`. CUDA's driver is beside it, in `<profile>/simulator/cuda`.
//!
//! Four topologies are built from the same sources: `lib` has the layout of CANN up to 8.3, where `libascendcl.so` has everything, `old/lib`
//! the same without the functions that 8.1 lacks, `split/lib` the layout of 8.5 to 9.1, where the public names forward to `…Impl` and those call
//! `libruntime.so`, `merged/lib` that after 9.1, where `…Impl` are in `libruntime.so` itself.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};
use std::sync::OnceLock;
use std::thread;

use aclsan_glibc::{compiler, flags};
use libraries::{Library, SHAPES, Shape};
use objects::Objects;

mod cuda; // the driver of CUDA
mod demo; // the program of `aclsan demo`
mod headers; // those of operators
mod libraries; // the libraries of each topology
mod objects; // what they are linked from
mod python; // pyACL
mod share; // files for CMake and pkg-config

const FLAGS: &[&str] = &[
    "-Wall",
    "-Wextra",
    "-O2",
    "-g",
    "-fPIC",
    "-pthread",
    "-fvisibility=hidden",
];

const LINK_FLAGS: &[&str] = &[
    "-shared",
    // As in the real libraries: hooks do not see calls inside one library.
    "-Wl,-Bsymbolic",
    // Some libraries are needed for what their users look up in them.
    "-Wl,--no-as-needed",
    "-Wl,--no-undefined",
    "-Wl,--build-id",
    "-Wl,-rpath,$ORIGIN",
];

/// Common link arguments: the interface of an old glibc.
static LINKED: OnceLock<Vec<String>> = OnceLock::new();

/// One map is for several libraries, none of which has all of its symbols. LLD refuses that since version 16, unless it is asked not to; older
/// linkers do not know the option.
const UNDEFINED_VERSION: &str = "-Wl,--undefined-version";

fn linked() -> Vec<String> {
    let folder = aclsan_glibc::folder();
    let mut arguments = folder.map_or_else(Vec::new, |folder| {
        vec![
            format!("-L{}", folder.display()),
            "-Wl,--allow-shlib-undefined".to_owned(),
        ]
    });
    if links_with(UNDEFINED_VERSION) {
        arguments.push(UNDEFINED_VERSION.to_owned());
    }
    arguments
}

/// Whether the linker knows an option.
fn links_with(option: &str) -> bool {
    let mut command = compiler();
    command.args(["-shared", "-nostdlib", "-x", "c", "/dev/null", option]);
    command
        .arg("-o")
        .arg(Path::new(&variable("OUT_DIR")).join("probe.so"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=simulator");
    println!("cargo::rerun-if-changed=simulator_cuda");
    println!("cargo::rerun-if-changed=../shim/abi/include");
    println!("cargo::rerun-if-changed=../shim/include");
    println!("cargo::rerun-if-changed=../packaging/share");
    aclsan_glibc::is_compiler_variable();
    LINKED.get_or_init(linked);
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        println!("cargo::warning=the simulator is built on Linux only");
        return;
    }
    let built = PathBuf::from(variable("OUT_DIR")).join("simulator");
    // OUT_DIR is <profile>/build/<package>-<hash>/out, with or without a --target folder above.
    let profile = built
        .ancestors()
        .nth(4)
        .expect("OUT_DIR is in a profile folder");
    let installed = profile.join("simulator");
    let wanted = SHAPES.iter().flat_map(wanted);
    let shared = profile.parent().unwrap_or(profile);
    let objects = Objects::compile(wanted, &shared.join("simulator-objects"));
    thread::scope(|scope| {
        for shape in &SHAPES {
            let folder = built.join(shape.folder);
            let objects = &objects;
            scope.spawn(move || build(shape, objects, &folder));
        }
        scope.spawn(|| {
            let folder = built.join("python");
            make_folder(&folder);
            python::build(&folder);
        });
        scope.spawn(|| {
            let folder = built.join("cuda/lib");
            make_folder(&folder);
            cuda::build(&folder);
        });
    });
    let installing = || -> io::Result<()> {
        for Shape { folder, .. } in SHAPES {
            install(&built.join(folder), &installed.join(folder))?;
        }
        install(&built.join("python"), &installed.join("python"))?;
        install(&built.join("cuda"), &installed.join("cuda"))?;
        install(
            Path::new("simulator_cuda/include"),
            &installed.join("cuda/include"),
        )?;
        install(Path::new("../shim/abi/include"), &installed.join("include"))?;
        install(Path::new("simulator/include"), &installed.join("include"))?;
        headers::write(&installed.join("include/aclnnop"))?;
        install(Path::new("../shim/include"), &profile.join("include"))?;
        share::install(Path::new("../packaging/share"), &profile.join("share"))
    };
    if let Err(error) = installing() {
        fail(&format!(
            "cannot install the simulator and the headers in {}: {error}",
            profile.display()
        ));
    }
    cuda::name_for_linking(&installed.join("cuda/lib"));
    demo::build(&built, &installed);
}

/// Warnings are errors in CI only: a newer compiler than ours has warnings that must not keep anybody from building.
fn strict() -> Option<&'static str> {
    println!("cargo::rerun-if-env-changed=CI");
    env::var_os("CI").map(|_| "-Werror")
}

fn make_folder(folder: &Path) {
    if let Err(error) = fs::create_dir_all(folder) {
        fail(&format!("cannot create {}: {error}", folder.display()));
    }
}

/// The sources of a topology, each with its macros.
fn wanted(shape: &'static Shape) -> impl Iterator<Item = (PathBuf, Vec<&'static str>)> {
    let libraries = shape.stages.iter().copied().flatten();
    let sources = libraries.flat_map(sources);
    sources.map(|source| (source, shape.macros.to_vec()))
}

fn build(shape: &Shape, objects: &Objects, folder: &Path) {
    make_folder(folder);
    for stage in shape.stages {
        thread::scope(|scope| {
            for library in *stage {
                scope.spawn(move || link(library, shape, objects, folder));
            }
        });
    }
}

/// The files of a library, of one language: some have a C file for machines without C++.
fn sources(library: &Library) -> Vec<PathBuf> {
    let mut sources: Vec<PathBuf> = (library.sources.iter())
        .flat_map(|source| source_files(&Path::new("simulator").join(source)))
        .collect();
    if sources.iter().any(|source| is_cpp(source)) {
        let compiles_cpp = compiles_cpp();
        sources.retain(|source| is_cpp(source) == compiles_cpp);
    }
    sources
}

fn is_cpp(source: &Path) -> bool {
    has_extension(source, &["cpp"])
}

fn link(library: &Library, shape: &Shape, objects: &Objects, folder: &Path) {
    let sources = sources(library);
    if sources.is_empty() {
        println!(
            "cargo::warning={} is left out: it needs a C++ compiler",
            library.file
        );
        return;
    }
    let mut command = compiler();
    command
        .args(FLAGS)
        .args(LINK_FLAGS)
        .args(flags())
        .args(LINKED.get_or_init(linked))
        .args(shape.link)
        .arg(format!("-Wl,-soname,{}", library.file))
        .arg("-o")
        .arg(folder.join(library.file))
        .args(
            sources
                .iter()
                .map(|source| objects.of(source, shape.macros)),
        )
        .args(library.needs.iter().map(|file| folder.join(file)));
    if sources.iter().any(|source| is_cpp(source)) {
        // The C driver does not link it.
        command.arg("-lstdc++");
    }
    command.args(["-lm", "-ldl"]);
    finish(command, library.file);
}

/// Runs the compiler to its end.
fn finish(mut command: Command, file: &str) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("the C compiler could not build {file}: {status}")),
        Err(error) => fail(&format!(
            "cannot run the C compiler `{}`: {error}; install gcc, or name a compiler in CC",
            command.get_program().display(),
        )),
    }
}

/// Whether the compiler supports C++ and has its library; many machines have only C.
fn compiles_cpp() -> bool {
    static DOES: OnceLock<bool> = OnceLock::new();
    *DOES.get_or_init(try_cpp)
}

fn try_cpp() -> bool {
    let mut command = compiler();
    command.args([
        "-x",
        "c++",
        "-std=c++17",
        "-fsyntax-only",
        "-include",
        "map",
        "/dev/null",
    ]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The file itself, or every C or C++ file of a folder, in a fixed order.
fn source_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let mut files: Vec<PathBuf> = match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(error) => fail(&format!("cannot read {}: {error}", path.display())),
    };
    files.retain(|file| has_extension(file, &["c", "cpp"]));
    files.sort();
    files
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    extensions
        .iter()
        .any(|&extension| file.extension().is_some_and(|own| own == extension))
}

/// Copies a tree file by file, each renamed into place: a running test may have the old one mapped.
fn install(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            install(&entry.path(), &target)?;
            continue;
        }
        let fresh = target.with_extension("installing");
        fs::copy(entry.path(), &fresh)?;
        fs::rename(&fresh, &target)?;
    }
    Ok(())
}

/// A variable that Cargo sets for build scripts.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("{name} is not set; run me through Cargo")))
}

fn fail(message: &str) -> ! {
    eprintln!("error: {message}");
    exit(1)
}
