//! Finds the CPU-only simulator of AscendCL.
//!
//! A folder with `lib/`, `old/lib/`, `split/lib/`, `merged/lib/`, `python/` and `include/`, searched in this order: `ACLSAN_SIMULATOR`,
//! `simulator/` beside the command, `../lib/aclsan/simulator/`, `../lib64/aclsan/simulator/`.

use std::env;
use std::path::PathBuf;

use crate::run::preload::command_folder;

/// The variable that names the folder.
pub const VARIABLE: &str = "ACLSAN_SIMULATOR";

/// How the simulated runtime is split into libraries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Topology {
    /// `libascendcl.so` has everything, as up to CANN 8.3.
    One,
    /// The same without what came after CANN 8.1.
    Old,
    /// Public names forward to `…Impl` names in another library, as in CANN 8.5 to 9.1.
    Split,
    /// Those `…Impl` names are in `libruntime.so` itself, as after CANN 9.1.
    Merged,
}

/// The simulator's folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simulator {
    /// Its path.
    pub folder: PathBuf,
}

impl Simulator {
    /// Finds it.
    ///
    /// # Errors
    /// If it is in none of these places; the message lists them.
    pub fn find() -> anyhow::Result<Self> {
        let candidates = match env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(named) => vec![PathBuf::from(named)],
            None => places(),
        };
        let found = candidates.iter().find(|folder| folder.join("lib").is_dir());
        if let Some(folder) = found {
            let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
            return Ok(Self { folder });
        }
        let looked_at: Vec<_> = candidates
            .iter()
            .map(|folder| format!("`{}`", folder.join("lib").display()))
            .collect();
        anyhow::bail!(
            "the simulator was not found; looked at {}; `pip install aclsan` installs it, `cargo build --release` builds it; name another folder with {VARIABLE}",
            looked_at.join(", ")
        )
    }

    /// The folder of its libraries.
    pub fn libraries(&self, topology: Topology) -> PathBuf {
        match topology {
            Topology::One => self.folder.join("lib"),
            Topology::Old => self.folder.join("old/lib"),
            Topology::Split => self.folder.join("split/lib"),
            Topology::Merged => self.folder.join("merged/lib"),
        }
    }

    /// The empty library whose presence makes torch_npu report its memory pool.
    pub fn kernel_hook(&self, topology: Topology) -> PathBuf {
        self.libraries(topology).join("libascend_kernel_hook.so")
    }

    /// The folder of its Python modules: `acl`, which is pyACL.
    pub fn python(&self) -> PathBuf {
        self.folder.join("python")
    }

    /// The folder of CUDA's driver, with `lib` and `include`.
    pub fn cuda(&self) -> PathBuf {
        self.folder.join("cuda")
    }

    /// The folder of its headers.
    pub fn headers(&self) -> PathBuf {
        self.folder.join("include")
    }
}

fn places() -> Vec<PathBuf> {
    let folder = command_folder();
    let above = folder.parent().unwrap_or(&folder);
    vec![
        folder.join("simulator"),
        above.join("lib/aclsan/simulator"),
        above.join("lib64/aclsan/simulator"),
    ]
}
