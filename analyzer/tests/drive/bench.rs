//! A private folder for each test, and the command.
//!
//! Output is compared by each test itself, in `outcome`'s terms; `assert_cmd` would replace these twenty lines, not the comparisons.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed with the test.
pub struct Bench {
    /// Its path.
    pub folder: PathBuf,
}

impl Bench {
    /// An empty folder.
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("drive-{}-{number}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A path as text.
    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a file, and the folders above it.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes an executable script.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Compiles C, with `flags`; whether the compiler could.
    pub fn compile(&self, name: &str, code: &str, flags: &[&str]) -> bool {
        let source = self.write(&format!("{name}.c"), code);
        let mut cc = Command::new("cc");
        cc.arg(source).arg("-o").arg(self.path(name)).args(flags);
        cc.output().unwrap().status.success()
    }

    /// An empty library in place of the shim.
    pub fn shim(&self) -> PathBuf {
        assert!(self.compile(
            "libaclsan.so",
            "int aclsan_stand_in;",
            &["-shared", "-fPIC"]
        ));
        self.path("libaclsan.so")
    }

    /// The command, in this folder and with a clean environment.
    pub fn aclsan(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aclsan"));
        command.current_dir(&self.folder).args(arguments);
        for name in [
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "ACLSAN_OPTIONS",
            "ACLSAN_LIB",
            "ACLSAN_SIMULATOR",
            "ASCEND_HOME_PATH",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// `aclsan run` with a stand-in for the shim.
    pub fn run(&self, arguments: &[&str]) -> Command {
        let mut command = self.aclsan(&["run"]);
        command.arg("--preload").arg(self.shim()).args(arguments);
        command
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Exit code, standard output and standard error.
pub fn outcome(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code().unwrap(), text(stdout), text(stderr))
}
