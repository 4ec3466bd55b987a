//! A folder in the shape of a CANN installation over the simulator's libraries, and the variables of its `set_env.sh`.
//!
//! Frameworks look for files below `ASCEND_HOME_PATH` before they load a library: torch_npu 2.7.1 refuses to start without `runtime/`,
//! `compiler/version.info` and the folder that `ASCEND_OPP_PATH` names; MindSpore 2.10 looks for `cann` or `latest` in the path of
//! the loaded library, and opens `lib64/…` below it. The folder is in the temporary folder, one for each user and place
//! of the simulator, and is used again by the next run.

use std::env;
use std::fs::{self, DirBuilder};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::run::simulator::{Simulator, Topology};

/// What `set_env.sh` of a toolkit sets, below its folder.
const VARIABLES: [(&str, &str); 5] = [
    ("ASCEND_HOME_PATH", ""),
    ("ASCEND_TOOLKIT_HOME", ""),
    ("TOOLCHAIN_HOME", "toolkit"),
    ("ASCEND_OPP_PATH", "opp"),
    ("ASCEND_AICPU_PATH", ""),
];

/// An installation that looks like CANN's.
#[derive(Debug)]
pub struct Toolkit {
    folder: PathBuf,
}

impl Toolkit {
    /// Creates it, or what is missing of it.
    ///
    /// # Errors
    /// If it cannot be written, or its place belongs to somebody else.
    pub fn create(simulator: &Simulator, topology: Topology) -> anyhow::Result<Self> {
        let libraries = simulator.libraries(topology);
        let mut hasher = DefaultHasher::new();
        libraries.hash(&mut hasher);
        let user = fs::metadata("/proc/self").map_or(0, |process| process.uid());
        let name = format!("aclsan-cann-{user}-{:016x}", hasher.finish());
        Self::create_in(&env::temp_dir().join(name), &libraries, topology, user)
    }

    fn create_in(
        folder: &Path,
        libraries: &Path,
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
        for inside in ["runtime", "compiler", "opp", "toolkit"] {
            fs::create_dir_all(folder.join(inside)).with_context(why)?;
        }
        let version = format!("Version={}\n", version(topology));
        for inside in ["compiler", "runtime", "toolkit"] {
            write(&folder.join(inside).join("version.info"), &version).with_context(why)?;
        }
        if let Err(error) = symlink(libraries, folder.join("lib64"))
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(error).with_context(why);
        }
        let toolkit = Self { folder };
        let script: String = toolkit
            .variables()
            .map(|(name, value)| format!("export {name}='{value}'\n"))
            .collect();
        write(&toolkit.folder.join("set_env.sh"), &script).with_context(why)?;
        Ok(toolkit)
    }

    /// The simulator's libraries, by the path that an installation has.
    pub fn libraries(&self) -> PathBuf {
        self.folder.join("lib64")
    }

    /// The variables that point to it.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        VARIABLES.into_iter().map(|(name, inside)| {
            let path = match inside {
                "" => self.folder.clone(),
                _ => self.folder.join(inside),
            };
            (name, path.display().to_string())
        })
    }
}

/// Another run may read the file meanwhile: it is replaced only if it differs.
fn write(path: &Path, text: &str) -> io::Result<()> {
    match fs::read_to_string(path) {
        Ok(present) if present == text => Ok(()),
        _ => fs::write(path, text),
    }
}

fn version(topology: Topology) -> &'static str {
    match topology {
        Topology::One => "8.3.RC1",
        Topology::Old => "8.1.RC1",
        Topology::Split => "9.1.0",
        Topology::Merged => "9.2.0",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_what_frameworks_look_for_and_is_made_again() {
        let folder = env::temp_dir().join(format!("aclsan-toolkit-test-{}", std::process::id()));
        let user = fs::metadata("/proc/self").unwrap().uid();
        let create = || Toolkit::create_in(&folder, Path::new("/sim/lib"), Topology::One, user);
        let toolkit = create().unwrap();
        create().unwrap();
        let home = folder.join("cann");
        let info = fs::read_to_string(home.join("compiler/version.info")).unwrap();
        assert_eq!(info, "Version=8.3.RC1\n");
        assert!(home.join("runtime").is_dir() && home.join("opp").is_dir());
        assert_eq!(toolkit.libraries(), home.join("lib64"));
        assert_eq!(
            fs::read_link(toolkit.libraries()).unwrap(),
            Path::new("/sim/lib")
        );
        let script = fs::read_to_string(home.join("set_env.sh")).unwrap();
        assert_eq!(script.lines().count(), toolkit.variables().count());
        let stranger = Toolkit::create_in(&folder, Path::new("/sim/lib"), Topology::One, user + 1);
        assert!(stranger.unwrap_err().to_string().contains("another user"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
