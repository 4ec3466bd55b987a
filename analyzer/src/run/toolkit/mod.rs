//! A folder in the shape of a CANN installation over the simulator's headers and libraries, and the variables of its `set_env.sh`.
//!
//! Frameworks look for files below `ASCEND_HOME_PATH` before they load a library: torch_npu 2.7.1 refuses to start without `runtime/`,
//! `compiler/version.info` and the folder that `ASCEND_OPP_PATH` names; MindSpore 2.10 looks for `cann` or `latest` in the path of
//! the loaded library, and opens `lib64/…` below it. `aclsan run --simulate` and `aclsan simulator --env` make the folder in the temporary
//! folder, one for each user and place of the simulator, and use it again; `aclsan simulator --home` makes it in the folder that it names.

use std::env;
use std::fs::{self, DirBuilder};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use crate::run::loader_path::is_loader_safe;
use crate::run::simulator::{Simulator, Topology};

mod shape;

/// What `set_env.sh` of a toolkit sets, below its folder, and the two variables that samples ask their users to set.
const VARIABLES: [(&str, &str); 7] = [
    ("ASCEND_HOME_PATH", ""),
    ("ASCEND_TOOLKIT_HOME", ""),
    ("TOOLCHAIN_HOME", "toolkit"),
    ("ASCEND_OPP_PATH", "opp"),
    ("ASCEND_AICPU_PATH", ""),
    ("DDK_PATH", ""),
    ("NPU_HOST_LIB", "runtime/lib64/stub"),
];
/// What it puts before the rest of a search path.
const SEARCH_PATHS: [(&str, &str); 2] = [
    ("LD_LIBRARY_PATH", "lib64"),
    ("PYTHONPATH", "python/site-packages"),
];

/// An installation that looks like CANN's.
#[derive(Debug)]
pub struct Toolkit {
    folder: PathBuf,
}

impl Toolkit {
    /// Creates it in the temporary folder, or what is missing of it.
    ///
    /// # Errors
    /// If it cannot be written, or its place belongs to somebody else.
    pub fn temporary(simulator: &Simulator, topology: Topology) -> anyhow::Result<Self> {
        let mut hasher = DefaultHasher::new();
        simulator.libraries(topology).hash(&mut hasher);
        let user = fs::metadata("/proc/self").map_or(0, |process| process.uid());
        let name = format!("aclsan-cann-{user}-{:016x}", hasher.finish());
        Self::owned(&env::temp_dir().join(name), simulator, topology, user)
    }

    fn owned(
        folder: &Path,
        simulator: &Simulator,
        topology: Topology,
        user: u32,
    ) -> anyhow::Result<Self> {
        let why = || {
            format!(
                "cannot create `{}`, a folder in the shape of a CANN installation; set TMPDIR to a folder that can be written",
                folder.display()
            )
        };
        if let Err(error) = DirBuilder::new().mode(0o700).create(folder)
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(error).with_context(why);
        }
        let found = fs::symlink_metadata(folder).with_context(why)?;
        ensure!(
            found.is_dir() && found.uid() == user,
            "`{}` belongs to another user; set TMPDIR to a folder of your own",
            folder.display()
        );
        let folder = folder.join("cann");
        Self::make(folder, simulator, topology).with_context(why)
    }

    /// Creates it in a folder that is new, empty or was made by this function, whose links are refreshed then.
    ///
    /// # Errors
    /// If the folder has something else, cannot be written, or has a name that search paths cannot have.
    pub fn at(folder: &Path, simulator: &Simulator, topology: Topology) -> anyhow::Result<Self> {
        let folder = std::path::absolute(folder)?;
        ensure!(
            folder.to_str().is_some_and(is_loader_safe),
            "cannot make a home in `{}`: search paths cannot have this name; name a folder without spaces, colons and semicolons",
            folder.display()
        );
        let cannot = || format!("cannot make a home in `{}`", folder.display());
        match fs::read_dir(&folder) {
            Ok(entries) => {
                let mut names: Vec<_> = entries
                    .flatten()
                    .map(|entry| entry.file_name().to_string_lossy().into_owned())
                    .collect();
                names.sort();
                if let Some(first) = names.first()
                    && !names.iter().any(|name| name == shape::MARK)
                {
                    bail!(
                        "`{}` is not empty and no home of the simulator: it has `{first}`; name a new folder",
                        folder.display()
                    );
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(cannot),
        }
        Self::make(folder.clone(), simulator, topology).with_context(cannot)
    }

    fn make(folder: PathBuf, simulator: &Simulator, topology: Topology) -> io::Result<Self> {
        shape::make(&folder, simulator, topology)?;
        let toolkit = Self { folder };
        shape::write(&toolkit.folder.join("set_env.sh"), &toolkit.script())?;
        Ok(toolkit)
    }

    /// Its path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The simulator's libraries, by the path that an installation has.
    pub fn libraries(&self) -> PathBuf {
        self.folder.join("lib64")
    }

    /// The variables that point to it.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        VARIABLES
            .into_iter()
            .map(|(name, inside)| (name, self.path(inside)))
    }

    /// Its `set_env.sh`.
    pub fn script(&self) -> String {
        let searched = SEARCH_PATHS.iter().map(|(name, inside)| {
            let folder = quoted(&self.path(inside));
            format!("export {name}={folder}${{{name}:+:${name}}}\n")
        });
        let variables = self
            .variables()
            .map(|(name, value)| format!("export {name}={}\n", quoted(&value)));
        searched.chain(variables).collect()
    }

    fn path(&self, inside: &str) -> String {
        let path = match inside {
            "" => self.folder.clone(),
            _ => self.folder.join(inside),
        };
        path.display().to_string()
    }
}

/// A word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
