//! Builds the simulator's libraries and installs them under `<profile>/simulator`; `aclsan.h` and `aclsan.py` go to `<profile>/include`, what CMake
//! and pkg-config read to `<profile>/share`.
//!
//! Four topologies are built from the same sources: `lib` has the layout of CANN up to 8.3, where `libascendcl.so` has everything, `old/lib`
//! the same without the functions that 8.1 lacks, `split/lib` the layout of 8.5 to 9.1, where the public names forward to `…Impl` and those call
//! `libruntime.so`, `merged/lib` that after 9.1, where `…Impl` are in `libruntime.so` itself.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Stdio, exit};
use std::sync::OnceLock;
use std::thread;

use aclsan_glibc::{compiler, flags};
use libraries::{Library, SHAPES};

mod demo; // the program of `aclsan demo`
mod libraries; // the libraries of each topology
mod python; // pyACL
mod share; // files for CMake and pkg-config

const FLAGS: &[&str] = &[
    "-Wall",
    "-Wextra",
    "-O2",
    "-g",
    "-fPIC",
    "-pthread",
    "-shared",
    "-fvisibility=hidden",
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
    thread::scope(|scope| {
        for (folder, stages, define) in SHAPES {
            let folder = built.join(folder);
            scope.spawn(move || build(stages, define, &folder));
        }
        scope.spawn(|| {
            let folder = built.join("python");
            make_folder(&folder);
            python::build(&folder);
        });
    });
    let installing = || -> io::Result<()> {
        for (folder, ..) in SHAPES {
            install(&built.join(folder), &installed.join(folder))?;
        }
        install(&built.join("python"), &installed.join("python"))?;
        install(Path::new("../shim/abi/include"), &installed.join("include"))?;
        install(Path::new("simulator/include"), &installed.join("include"))?;
        install(Path::new("../shim/include"), &profile.join("include"))?;
        share::install(Path::new("../packaging/share"), &profile.join("share"))
    };
    if let Err(error) = installing() {
        fail(&format!(
            "cannot install the simulator and the headers in {}: {error}",
            profile.display()
        ));
    }
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

fn build(stages: &[&[Library]], define: &[&str], folder: &Path) {
    make_folder(folder);
    for stage in stages {
        thread::scope(|scope| {
            for library in *stage {
                scope.spawn(move || compile(library, define, folder));
            }
        });
    }
}

fn compile(library: &Library, define: &[&str], folder: &Path) {
    let mut command = compiler();
    let mut sources: Vec<PathBuf> = (library.sources.iter())
        .flat_map(|source| source_files(&Path::new("simulator").join(source)))
        .collect();
    // The C driver compiles C++ by file extension, but does not link the C++ library.
    let mut is_cpp = sources.iter().any(|source| has_extension(source, &["cpp"]));
    if is_cpp {
        // One language a library: some have a C file for machines without C++.
        is_cpp = compiles_cpp();
        sources.retain(|source| has_extension(source, &[if is_cpp { "cpp" } else { "c" }]));
    }
    if sources.is_empty() {
        println!(
            "cargo::warning={} is left out: it needs a C++ compiler",
            library.file
        );
        return;
    }
    command
        .arg(if is_cpp { "-std=c++17" } else { "-std=gnu11" })
        .args(FLAGS)
        .args(strict())
        .args(flags())
        .args(LINKED.get_or_init(linked))
        .args(define)
        .arg("-I../shim/abi/include");
    if is_cpp {
        // GCC 5's libstdc++ is the first that has sized ones.
        command.arg("-fno-sized-deallocation");
    }
    command.arg(format!("-Wl,-soname,{}", library.file));
    command.arg("-o").arg(folder.join(library.file));
    command.args(sources);
    command.args(library.needs.iter().map(|file| folder.join(file)));
    if is_cpp {
        command.arg("-lstdc++");
    }
    command.args(["-lm", "-ldl"]);
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!(
            "the C compiler could not build {}: {status}",
            library.file
        )),
        Err(error) => fail(&format!(
            "cannot run the C compiler `{}`: {error}; install gcc, or name a compiler in CC",
            command.get_program().display(),
        )),
    }
}

/// Whether the compiler supports C++ and has its library; many machines have only C.
fn compiles_cpp() -> bool {
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
