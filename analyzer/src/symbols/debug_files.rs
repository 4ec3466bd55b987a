//! Finds the file of a module, and its debug information.
//!
//! The order is GDB's ("Debugging Information in Separate Files"): build-id trees first, then `.gnu_debuglink` beside the file, in
//! `.debug/`, and under the global folder. A file whose build-id differs from the recorded one is never used: wrong lines are worse than
//! none.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use super::elf::{DebugLink, Elf};
use super::error::ElfError;
use super::module::Module;

/// The folders that the user named, and the system's own.
#[derive(Clone, Debug)]
pub struct SearchPaths {
    /// The recorded machine's root folder on this machine (`--sysroot`).
    pub sysroot: Option<PathBuf>,
    /// Folders with binaries, debug files or a `.build-id` tree (`--debug-dir`).
    pub debug_dirs: Vec<PathBuf>,
    /// The global debug folder, searched under the sysroot too.
    pub system_debug_dir: PathBuf,
}

impl Default for SearchPaths {
    fn default() -> Self {
        Self {
            sysroot: None,
            debug_dirs: Vec::new(),
            system_debug_dir: PathBuf::from("/usr/lib/debug"),
        }
    }
}

/// One search for a file with a known build-id.
pub struct Search<'a> {
    paths: &'a SearchPaths,
    /// Empty if neither the log nor the binary has one.
    build_id: Vec<u8>,
    /// The first file with the right name that could not be used, and why.
    pub rejected: Option<String>,
}

impl<'a> Search<'a> {
    /// A search for the files of `module`.
    pub fn new(paths: &'a SearchPaths, module: &Module) -> Self {
        Self {
            paths,
            build_id: module.build_id.clone(),
            rejected: None,
        }
    }

    /// The loaded file, stripped or not.
    pub fn binary(&mut self, module: &Module) -> Option<Elf> {
        let path = Path::new(&module.path);
        let mut candidates = Vec::new();
        candidates.extend(self.paths.sysroot.iter().map(|root| under(root, path)));
        // With a sysroot, this machine's own file is used only if a build-id identifies it.
        if self.paths.sysroot.is_none() || !self.build_id.is_empty() {
            candidates.push(path.to_owned());
        }
        for dir in &self.paths.debug_dirs {
            candidates.push(under(dir, path));
            candidates.extend(path.file_name().map(|name| dir.join(name)));
        }
        candidates.iter().find_map(|candidate| self.open(candidate))
    }

    /// A file with debug information for `module`. `binary` is the loaded file, if it was found; without it only a build-id can identify
    /// one.
    pub fn debug_file(&mut self, module: &Module, binary: Option<&Elf>) -> Option<Elf> {
        if let Some(binary) = binary
            && self.build_id.is_empty()
        {
            self.build_id.clone_from(&binary.build_id);
        }
        let path = Path::new(&module.path);
        let mut candidates = self.in_build_id_trees(&self.build_id);
        let link = binary.and_then(Elf::debug_link);
        for dir in &self.paths.debug_dirs {
            candidates.push(under(dir, path));
            candidates.extend(path.file_name().map(|name| dir.join(name)));
        }
        if let Some(binary) = binary
            && let Some(link) = &link
        {
            candidates.extend(self.linked(path, &binary.path, link));
        }
        candidates.iter().find_map(|candidate| {
            let elf = self.open(candidate)?;
            let is_useful = elf.has(".debug_info") || elf.has(".symtab");
            (is_useful && self.is_the_one(&elf, link.as_ref())).then_some(elf)
        })
    }

    /// The file that `dwz` moved shared debug information to.
    pub fn alternative(&mut self, debug: &Elf) -> Option<Elf> {
        let link = debug.alternative_link()?;
        let mut candidates = self.in_build_id_trees(&link.check);
        candidates.push(debug.path.parent()?.join(&link.file));
        self.build_id = link.check;
        candidates.iter().find_map(|candidate| self.open(candidate))
    }

    fn in_build_id_trees(&self, build_id: &[u8]) -> Vec<PathBuf> {
        let [first, rest @ ..] = build_id else {
            return Vec::new();
        };
        let name = format!("{first:02x}/{}.debug", hex(rest));
        let mut found = Vec::new();
        for dir in self.debug_roots() {
            found.push(dir.join(".build-id").join(&name));
            found.push(dir.join(&name)); // `--debug-dir` may name the tree itself
        }
        found
    }

    fn linked(&self, path: &Path, binary: &Path, link: &DebugLink) -> Vec<PathBuf> {
        // The section holds a bare name; a path could escape the folders.
        let Some(name) = Path::new(&link.file).file_name() else {
            return Vec::new();
        };
        let beside = binary.parent().unwrap_or(Path::new(""));
        let mut found = vec![beside.join(name), beside.join(".debug").join(name)];
        for dir in self.debug_roots() {
            found.extend(
                path.parent()
                    .map(|parent| under(dir.as_path(), parent).join(name)),
            );
            found.push(dir.join(name));
        }
        found
    }

    fn debug_roots(&self) -> Vec<PathBuf> {
        let system = &self.paths.system_debug_dir;
        let mut roots = self.paths.debug_dirs.clone();
        roots.extend(self.paths.sysroot.iter().map(|root| under(root, system)));
        roots.push(system.clone());
        roots
    }

    fn open(&mut self, path: &Path) -> Option<Elf> {
        let reason = match Elf::open(path) {
            Ok(elf) if self.build_id.is_empty() || elf.build_id == self.build_id => {
                tracing::debug!("names come from `{}`", path.display());
                return Some(elf);
            }
            Ok(elf) if elf.build_id.is_empty() => {
                format!(
                    "has no build-id, the recorded file had {}",
                    hex(&self.build_id)
                )
            }
            Ok(elf) => format!(
                "has build-id {}, the recorded file had {}",
                hex(&elf.build_id),
                hex(&self.build_id)
            ),
            Err(ElfError::Io(error)) if is_absent(&error) => return None,
            Err(error) => format!("could not be read: {error}"),
        };
        tracing::debug!("no names from `{}`: it {reason}", path.display());
        self.rejected
            .get_or_insert_with(|| format!("`{}` {reason}", path.display()));
        None
    }

    /// Without a build-id, only the debug link's checksum connects two files.
    fn is_the_one(&mut self, elf: &Elf, link: Option<&DebugLink>) -> bool {
        if !self.build_id.is_empty() {
            return true; // compared in `open`
        }
        let Some(link) = link else {
            return false;
        };
        let why = match elf.crc() {
            Ok(crc) if crc == link.check => return true,
            Ok(_) => "is not the debug file of this build: its checksum differs".to_owned(),
            Err(error) => format!("could not be read: {error}"),
        };
        self.rejected
            .get_or_insert_with(|| format!("`{}` {why}", elf.path.display()));
        false
    }
}

/// `path` under `root`.
pub fn under(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
