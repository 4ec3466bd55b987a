//! The AscendCL runtime that a program would load: its libraries, how they are split, which calls each exports.
//!
//! The dynamic loader itself is asked (as `ldd` does), so `LD_LIBRARY_PATH`, run paths and the cache count as at a real start. Libraries
//! that a program only opens later, as Python does, are requested by name in the program's place. The program does not run.
//!
//! It cannot see a library that is opened by its full path, as MindSpore does.

mod calls;
mod loader_trace;
mod version;

use std::path::{Path, PathBuf};

use crate::run::program::elf::{Elf, exports};

pub use calls::{Call, calls, unhooked};
pub use version::version;

/// Libraries that export or implement relevant calls, public names first.
const NAMES: [&str; 10] = [
    "libascendcl.so",
    "libacl_rt.so",
    "libacl_rt_impl.so",
    "libruntime.so",
    "libacl_dvpp.so",
    "libacl_dvpp_mpi.so",
    "libnnopbase.so",
    "libmatrixdaemon.so",
    "libcudart.so",
    "libascend_hal.so",
];

/// A library of the runtime.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Library {
    /// Its name, as requested.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Whether the program is linked with it, directly or not; otherwise it can be opened.
    pub is_linked: bool,
    /// Its exports, sorted.
    pub exports: Vec<String>,
}

impl Library {
    /// Whether it defines `name`.
    pub fn has(&self, name: &str) -> bool {
        let position = self
            .exports
            .binary_search_by(|export| export.as_str().cmp(name));
        position.is_ok()
    }
}

/// How a runtime is split into libraries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topology {
    /// No library exports `aclrtMalloc`.
    None,
    /// Public names are the real code, as up to CANN 8.3.
    One,
    /// Public names forward to `…Impl` names, as in CANN 8.5 to 9.1.
    Split,
    /// The `…Impl` names are in `libruntime.so` itself, as after CANN 9.1.
    Merged,
}

/// What a program would load.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Runtime {
    /// Libraries found.
    pub libraries: Vec<Library>,
    /// Missing libraries, each with one that needs it.
    pub missing: Vec<(String, String)>,
    /// The program's libc.
    pub libc: Option<PathBuf>,
}

impl Runtime {
    /// The runtime that `program` would load by `loader`. `library_path` replaces `LD_LIBRARY_PATH`.
    ///
    /// # Errors
    /// If the loader cannot be asked.
    pub fn of(loader: &Path, program: &Path, library_path: Option<&str>) -> anyhow::Result<Self> {
        let linked = loader_trace::ask(loader, program, library_path, &[])?;
        let all = loader_trace::ask(loader, program, library_path, &NAMES)?;
        let libc = all.path_of("libc.so.6").map(Path::to_owned);
        let mut runtime = Self {
            libc,
            ..Self::default()
        };
        for name in NAMES {
            let Some(path) = all.path_of(name) else {
                continue;
            };
            runtime.libraries.push(Library {
                name: name.to_owned(),
                path: path.to_owned(),
                is_linked: linked.path_of(name).is_some(),
                exports: exports(path)?,
            });
        }
        let seekers: Vec<&Path> = std::iter::once(program).chain(all.paths()).collect();
        for name in all.missing() {
            let by = seekers.iter().find(|path| needs(path, name));
            let by = by.map_or("another library".to_owned(), |path| {
                path.display().to_string()
            });
            runtime.missing.push((name.to_owned(), by));
        }
        Ok(runtime)
    }

    /// How it is split.
    pub fn topology(&self) -> Topology {
        let has = |name| self.libraries.iter().any(|library| library.has(name));
        let is_inside = |name| {
            let mut libraries = self.libraries.iter();
            libraries.any(|library| library.name == "libruntime.so" && library.has(name))
        };
        match () {
            () if is_inside("aclrtMallocImpl") => Topology::Merged,
            () if has("aclrtMallocImpl") => Topology::Split,
            () if has("aclrtMalloc") => Topology::One,
            () => Topology::None,
        }
    }
}

fn needs(path: &Path, name: &str) -> bool {
    let elf = Elf::read(path).ok().flatten().unwrap_or_default();
    elf.needed.iter().any(|needed| needed == name)
}
