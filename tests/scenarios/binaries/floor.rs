//! Shipped files need nothing newer than glibc 2.17 (manylinux2014, openEuler 20.03, Ubuntu 16.04).

use crate::elf::{dynamic, readelf, symbols};
use aclsan_tests::artifacts::folder;
use std::fs;
use std::path::{Path, PathBuf};

/// The newest allowed version of each kind: glibc 2.17, libgcc of GCC 4.8, and libstdc++ of GCC 7, which the simulator's
/// two C++ libraries need.
const NEWEST: [(&str, &[u32]); 4] = [
    ("GLIBC_", &[2, 17]),
    ("GCC_", &[4, 8]),
    ("GLIBCXX_", &[3, 4, 24]),
    ("CXXABI_", &[1, 3, 11]),
];

/// Old-ABI strings share one empty string: a private libstdc++ would have a different one than its callers.
const CPP: [&str; 3] = ["libgraph.so", "libmatrixdaemon.so", "libfmk_onnx_parser.so"];

/// Libraries that every such system has.
const EVERYWHERE: [&str; 8] = [
    "libc.so.6",
    "libpthread.so.0",
    "libdl.so.2",
    "libm.so.6",
    "librt.so.1",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
];

/// Why a version is too new, if it is.
fn newer(version: &str) -> bool {
    let Some((kind, newest)) = NEWEST.iter().find(|(kind, _)| version.starts_with(kind)) else {
        return true;
    };
    let parts = version[kind.len()..].split('.');
    let numbers: Vec<u32> = parts.map(|part| part.parse().unwrap_or(u32::MAX)).collect();
    numbers.as_slice() > newest
}

/// The shim and its companion.
fn shims() -> [PathBuf; 2] {
    ["libaclsan.so", "libaclsan_free.so"].map(|file| folder().join(file))
}

/// Libraries that every process with a libc has or can have: the shim is loaded into all of them.
const OF_LIBC: [&str; 6] = [
    "libc.so.6",
    "libpthread.so.0",
    "libdl.so.2",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
];

/// Every program and library of the simulator.
fn simulator(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder)
        .expect("the simulator is built")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            simulator(&path, into);
        } else if fs::read(&path).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")) {
            into.push(path);
        }
    }
}

fn shipped() -> Vec<PathBuf> {
    let mut files = shims().to_vec();
    files.push(folder().join("aclsan"));
    simulator(&folder().join("simulator"), &mut files);
    assert!(files.len() > 30, "{files:?}");
    files
}

#[test]
fn versions_are_compared_as_numbers() {
    assert!(!newer("GLIBC_2.2.5") && !newer("GLIBC_2.17") && !newer("GCC_4.2.0"));
    assert!(newer("GLIBC_2.18") && newer("GLIBC_2.34") && newer("GCC_7.0.0"));
    assert!(newer("GLIBC_PRIVATE") && newer("GLIBCXX_3.4.25") && newer("CXXABI_1.3.12"));
}

#[test]
fn nothing_needs_a_newer_glibc_than_2_17() {
    let mut wrong = Vec::new();
    for file in shipped() {
        for symbol in symbols(&file) {
            // An unversioned symbol binds to any version; a weak one may be missing.
            if !symbol.is_defined && !symbol.version.is_empty() && newer(&symbol.version) {
                let name = file.strip_prefix(folder()).unwrap_or(&file).display();
                wrong.push(format!("{name}: {}@{}", symbol.name, symbol.version));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// Wheels have this one of the three: torch_npu links it. manylinux2014 allows so much of libstdc++.
#[test]
fn the_graph_engine_needs_the_libstdcxx_of_gcc_4_8() {
    let library = folder().join("simulator/lib/libgraph.so");
    let newest = [("GLIBCXX_3.4.", 19), ("CXXABI_1.3.", 7)];
    for symbol in symbols(&library) {
        for (kind, newest) in newest {
            let number = symbol.version.strip_prefix(kind);
            let is_old =
                number.is_none_or(|number| number.parse::<u32>().is_ok_and(|n| n <= newest));
            assert!(
                is_old || symbol.is_defined,
                "{}@{}",
                symbol.name,
                symbol.version
            );
        }
    }
}

/// An undefined symbol without a version comes from a newer system: `packaging/glibc` has no stub for it.
#[test]
fn what_the_shim_cannot_do_without_has_a_version() {
    for file in shims().into_iter().chain([folder().join("aclsan")]) {
        let unversioned = symbols(&file).into_iter().filter(|symbol| {
            !symbol.is_defined
                && !symbol.is_weak
                && !symbol.name.is_empty()
                && symbol.version.is_empty()
        });
        let names: Vec<_> = unversioned.map(|symbol| symbol.name).collect();
        assert!(names.is_empty(), "{}: {names:?}", file.display());
    }
}

/// Before glibc 2.34 threads and `dlsym` are libraries of their own. No libm: whoever needs a logarithm takes the crate.
#[test]
fn the_shim_needs_libc_and_libgcc_s_alone() {
    for file in shims() {
        let needed = dynamic(&file, "NEEDED");
        let others: Vec<_> = needed
            .iter()
            .filter(|library| !OF_LIBC.contains(&library.as_str()))
            .collect();
        assert!(others.is_empty(), "{}: {others:?}", file.display());
    }
}

/// libgcc_s stays shared: a second unwinder would not know the frames a JIT registers with the first, and could not unwind a canceled thread.
#[test]
fn only_libraries_that_every_system_has_are_needed() {
    for file in shipped() {
        let own: Vec<_> = [
            "simulator/lib",
            "simulator/split/lib",
            "simulator/merged/lib",
        ]
        .map(|libraries| folder().join(libraries))
        .to_vec();
        for library in dynamic(&file, "NEEDED") {
            let is_cpp = file
                .file_name()
                .is_some_and(|name| CPP.iter().any(|cpp| name == *cpp));
            let is_known = is_cpp && library == "libstdc++.so.6"
                || EVERYWHERE.contains(&library.as_str())
                || own.iter().any(|folder| folder.join(&library).is_file());
            assert!(is_known, "{} needs {library}", file.display());
        }
    }
    for shim in shims() {
        let needed = dynamic(&shim, "NEEDED");
        assert!(
            needed
                .iter()
                .all(|library| EVERYWHERE.contains(&library.as_str())),
            "{needed:?}"
        );
        // The real `dlsym` is there before 2.34.
        assert!(
            needed.iter().any(|library| library == "libdl.so.2"),
            "{needed:?}"
        );
    }
}

/// Static TLS is scarce: glibc leaves about 1,600 bytes for libraries loaded late.
#[test]
fn thread_locals_are_few_and_come_when_asked_for() {
    for (shim, most) in shims().iter().zip([512, 128]) {
        let headers = readelf(shim, &["-lW"]);
        let tls = headers
            .iter()
            .find(|line| line.trim_start().starts_with("TLS "));
        let fields: Vec<&str> = tls.map_or(vec![], |line| line.split_whitespace().collect());
        let bytes = fields
            .get(5)
            .and_then(|size| u64::from_str_radix(size.trim_start_matches("0x"), 16).ok());
        let bytes = bytes.unwrap_or_default();
        println!("{}: {bytes} bytes of thread-locals", shim.display());
        assert!(
            bytes <= most,
            "{}: {bytes} bytes, {most} at most",
            shim.display()
        );
        let flags = [dynamic(shim, "FLAGS"), dynamic(shim, "FLAGS_1")]
            .concat()
            .join(" ");
        assert!(!flags.contains("STATIC_TLS"), "{flags}");
        assert!(flags.contains("NODELETE"), "{flags}");
    }
}
