//! Paths of the shim, the command and the simulator. Cargo itself builds them once, so they are never stale.

use aclsan_left_out::left_out;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// As the first command of the README builds them.
const RELEASE: &[&str] = &[
    "--release",
    "-p",
    "aclsan-shim",
    "-p",
    "aclsan-free",
    "-p",
    "aclsan",
    "-p",
    "aclsan-tests",
];
/// As `cargo test --workspace` builds them, with a test: without one, dependencies have fewer features, and most would be built once more.
const LIKE_TESTS: &[&str] = &["--workspace", "--lib", "--bins", "--test", "bindings"];

/// The folder with `libaclsan.so`, `aclsan` and `simulator/`: of the profile that the test has, or of release with `ACLSAN_ARTIFACTS=release`,
/// which saves building a benchmark in release, too.
pub fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let asked = std::env::var("ACLSAN_ARTIFACTS").is_ok_and(|profile| profile == "release");
        let is_release = asked || !cfg!(debug_assertions);
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--offline"]);
        build.args(match is_release {
            true => RELEASE,
            false => LIKE_TESTS,
        });
        assert!(
            build.status().expect("cargo runs").success(),
            "the artifacts build"
        );
        let test = std::env::current_exe().expect("this test has a path");
        let own = test.ancestors().nth(2);
        let own = own.expect("tests lie in target/<profile>/deps");
        match is_release {
            true => own.with_file_name("release"),
            false => own.to_owned(),
        }
    })
}

/// The library to preload: `ACLSAN_SHIM`, or the one just built.
pub fn shim() -> PathBuf {
    std::env::var_os("ACLSAN_SHIM").map_or_else(|| folder().join("libaclsan.so"), PathBuf::from)
}

/// The value of `LD_PRELOAD` for these options.
pub fn preload(options: &str) -> String {
    let shim = shim().display().to_string();
    match ["libc_free=1", "leak_scan=1", "host_access=trap"]
        .iter()
        .any(|option| options.contains(option))
    {
        true => format!("{shim}:{}", folder().join("libaclsan_free.so").display()),
        false => shim,
    }
}

/// The command.
pub fn command() -> PathBuf {
    folder().join("aclsan")
}

/// Whether the simulator has the legacy Matrix, which is C++.
pub fn has_matrix() -> bool {
    let has = Topology::One
        .libraries()
        .join("libmatrixdaemon.so")
        .exists();
    if !has {
        left_out("there was no C++ compiler: the simulator has no Matrix");
    }
    has
}

/// The layout of the runtime's libraries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// Everything public in libascendcl.so (CANN 8.3 and before).
    One,
    /// The same without later functions (CANN 8.1).
    Old,
    /// Public libraries that call `*Impl` in another (CANN 8.5 to 9.1).
    Split,
    /// Public libraries that call `*Impl` in libruntime.so (after CANN 9.1).
    Merged,
}

impl Topology {
    /// The folder of its libraries.
    pub fn libraries(self) -> PathBuf {
        folder().join(match self {
            Self::One => "simulator/lib",
            Self::Old => "simulator/old/lib",
            Self::Split => "simulator/split/lib",
            Self::Merged => "simulator/merged/lib",
        })
    }
}

/// An empty folder for one test.
pub fn scratch(name: &str) -> PathBuf {
    let path = folder().with_file_name("tmp").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the target folder can be written");
    path
}
