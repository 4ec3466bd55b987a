//! The checkout's files, without build outputs.

use std::fs;
use std::path::{Path, PathBuf};

/// A text file of the project.
pub struct File {
    /// Path below the root, with slashes.
    pub name: String,
    pub text: String,
}

impl File {
    pub fn is_rust(&self) -> bool {
        self.name.ends_with(".rs")
    }

    /// The file's own name.
    pub fn last(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

/// The workspace folder, or the checkout that `HOUSE` names, so that `.ci/house` can count other revisions.
pub fn root() -> PathBuf {
    if let Some(other) = std::env::var_os("HOUSE") {
        return other.into();
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("tests is in the root").to_owned()
}

/// Reads a required file.
pub fn read(name: &str) -> String {
    let path = root().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every text file, sorted by name.
pub fn files() -> Vec<File> {
    let mut files = Vec::new();
    walk(&root(), "", &mut files);
    files.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(files.len() > 100, "the checkout was found");
    files
}

/// Binary data that may happen to be valid text.
const SEEDS: &str = "tests/fuzz/seeds";

fn walk(folder: &Path, prefix: &str, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).expect("a folder of the checkout") {
        let path = entry.expect("entry").path();
        let last = path.file_name().unwrap_or_default().to_string_lossy();
        let is_hidden =
            last.starts_with('.') && ![".ci", ".github", ".gitignore"].contains(&&*last);
        if is_hidden || last == "target" || last == "__pycache__" {
            continue;
        }
        let name = format!("{prefix}{last}");
        if name == SEEDS {
            continue;
        }
        if path.is_dir() {
            walk(&path, &format!("{name}/"), files);
        } else if let Ok(text) = fs::read_to_string(&path) {
            files.push(File { name, text });
        }
    }
}
