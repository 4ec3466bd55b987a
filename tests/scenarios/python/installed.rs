//! The CPythons of this machine: `python3`, others on the PATH, those of `ACLSAN_TEST_PYTHONS` (paths, separated by colons), and pyenv's.

use aclsan_left_out::left_out;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// An interpreter.
pub struct Installed {
    /// `sys.executable`.
    pub path: PathBuf,
    /// `3.11.7`.
    pub version: String,
}

/// Runs `test` on each; prints a note if there is none.
pub fn each(test: impl Fn(&Installed)) {
    static FOUND: OnceLock<Vec<Installed>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let found = find();
        let versions: Vec<_> = found.iter().map(|python| python.version.as_str()).collect();
        match versions.is_empty() {
            true => left_out("there is no python3 of 3.8 or later"),
            false => eprintln!("tried with Python {}", versions.join(", ")),
        }
        found
    });
    found.iter().for_each(test);
}

fn find() -> Vec<Installed> {
    let listed = std::env::var_os("ACLSAN_TEST_PYTHONS").unwrap_or_default();
    let mut candidates: Vec<PathBuf> = vec!["python3".into(), "/usr/bin/python3".into()];
    candidates.extend(std::env::split_paths(&listed));
    candidates.extend((8..=14).map(|minor| format!("python3.{minor}").into()));
    let home = std::env::var_os("HOME").unwrap_or_default();
    let versions = std::fs::read_dir(Path::new(&home).join(".pyenv/versions"));
    let versions = versions.into_iter().flatten().flatten();
    candidates.extend(versions.map(|version| version.path().join("bin/python")));
    let mut found: Vec<Installed> = candidates.iter().filter_map(|path| ask(path)).collect();
    found.sort_by_key(|python| (python.minor(), python.version.clone()));
    // One interpreter per version is enough: the first one named.
    found.dedup_by_key(|python| python.version.clone());
    found
}

/// Queries an interpreter; `None` if it is absent or its frames are not supported.
fn ask(path: &Path) -> Option<Installed> {
    let says = "import sys, sysconfig; assert sys.implementation.name == 'cpython' and not sysconfig.get_config_var('Py_GIL_DISABLED'); \
                print(sys.executable, '.'.join(map(str, sys.version_info[:3])))";
    let output = Command::new(path).args(["-c", says]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (path, version) = text.trim().rsplit_once(' ')?;
    let python = Installed {
        path: path.into(),
        version: version.into(),
    };
    (output.status.success() && (8..=14).contains(&python.minor())).then_some(python)
}

impl Installed {
    /// Its shared library and its home, if it has one.
    pub fn library(&self) -> Option<(PathBuf, PathBuf)> {
        let says = "import os, sys, sysconfig; get = sysconfig.get_config_var; \
                    print(os.path.join(get('LIBDIR'), get('INSTSONAME')), sys.base_prefix)";
        let output = Command::new(&self.path).args(["-c", says]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let (library, home) = text.trim().split_once(' ')?;
        let is_shared = library.contains(".so") && Path::new(library).is_file();
        is_shared.then(|| (library.into(), home.into()))
    }

    fn minor(&self) -> u32 {
        let minor = self.version.strip_prefix("3.").unwrap_or_default();
        minor
            .split('.')
            .next()
            .unwrap_or_default()
            .parse()
            .unwrap_or(0)
    }
}
