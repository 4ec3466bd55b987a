//! The command, called as a function on files in memory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, process};

use aclsan_fuzz_inputs::readers;

/// A folder private to this process.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let shared = Path::new("/dev/shm");
        let parent = match shared.is_dir() {
            true => shared.to_owned(),
            false => std::env::temp_dir(),
        };
        let folder = parent.join(format!("aclsan-fuzz-{}", process::id()));
        fs::create_dir_all(&folder).expect("a folder for the files that are fuzzed");
        folder
    })
}

/// A file in it.
pub fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    fs::write(&path, bytes).expect("a file in it");
    path
}

/// Runs `aclsan WORDS…`, where `@NAME` is a file of the folder. For any file contents, the command reports its findings or an
/// error message: a panic, a hang or excessive memory use is a bug.
pub fn run(words: &str) {
    let arguments = words.split(' ').map(|word| match word.strip_prefix('@') {
        Some(name) => folder().join(name).into_os_string(),
        None => OsString::from(word),
    });
    let _ = analyzer::run(std::iter::once("aclsan".into()).chain(arguments));
}

/// Reads `log` with the reader number `choice`.
pub fn read(log: &[u8], choice: u8) {
    if !folder().join("known.aclsan").exists() {
        file("known.aclsan", &aclsan_log::builder::LogBuilder::default().bytes());
    }
    file("a.aclsan", log);
    run(readers::of(choice));
}
