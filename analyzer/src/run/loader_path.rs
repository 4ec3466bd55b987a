//! Paths that fit into the dynamic loader's lists.
//!
//! `LD_PRELOAD` is split at blanks and colons, `LD_LIBRARY_PATH` at colons and semicolons, and `$` begins a placeholder; none can be
//! quoted. A path with such a character gets a symbolic link in a private folder that only this user can write to: nobody else may choose a
//! library that is preloaded.

use std::env;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;

/// A path without characters that the loader splits at. Dropping it removes its link, if it needed one.
#[derive(Debug)]
pub struct LoaderSafePath {
    path: String,
    folder: Option<PathBuf>,
}

impl LoaderSafePath {
    /// `path` itself, or a link to it.
    ///
    /// # Errors
    /// If a link is needed and cannot be created.
    pub fn of(path: &Path) -> anyhow::Result<Self> {
        if let Some(text) = path.to_str().filter(|text| is_loader_safe(text)) {
            let path = text.to_owned();
            return Ok(Self { path, folder: None });
        }
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.filter(|name| is_loader_safe(name)).unwrap_or("link");
        let why = || {
            format!(
                "`{}` has a blank, `:`, `;` or `$` in it, where the dynamic loader splits its lists, and no link to it could be made",
                path.display()
            )
        };
        let folder = private_folder().with_context(why)?;
        let link = folder.join(name);
        symlink(path, &link).with_context(why)?;
        Ok(Self {
            path: link.display().to_string(),
            folder: Some(folder),
        })
    }

    /// The path.
    pub fn as_str(&self) -> &str {
        &self.path
    }

    /// Whether it is a temporary link.
    pub fn is_link(&self) -> bool {
        self.folder.is_some()
    }

    /// The path; its link stays.
    pub fn keep(mut self) -> String {
        self.folder = None;
        std::mem::take(&mut self.path)
    }
}

impl Drop for LoaderSafePath {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = fs::remove_file(&self.path);
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Whether the loader takes `text` as a single path.
pub fn is_loader_safe(text: &str) -> bool {
    !text.contains([' ', '\t', '\n', ':', ';', '$'])
}

fn private_folder() -> io::Result<PathBuf> {
    let temporary = env::temp_dir();
    let base = match temporary.to_str().is_some_and(is_loader_safe) {
        true => temporary,
        false => PathBuf::from("/tmp"),
    };
    let mut number = now_ns();
    loop {
        let folder = base.join(format!("aclsan-{:x}-{number:x}", std::process::id()));
        // `create` fails if the folder exists, so nobody can have prepared it.
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

fn now_ns() -> u128 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_path_stays_as_it_is() {
        let path = LoaderSafePath::of(Path::new("/opt/aclsan/lib/libaclsan.so")).unwrap();
        assert_eq!(path.as_str(), "/opt/aclsan/lib/libaclsan.so");
        assert!(!path.is_link());
    }

    #[test]
    fn a_path_that_would_be_split_gets_a_link_for_as_long_as_it_is_used() {
        let target = Path::new("/opt/my tools:2/libaclsan.so");
        let path = LoaderSafePath::of(target).unwrap();
        let link = PathBuf::from(path.as_str());
        assert!(is_loader_safe(path.as_str()));
        assert!(link.ends_with("libaclsan.so"));
        assert_eq!(fs::read_link(&link).unwrap(), target);
        drop(path);
        assert!(fs::symlink_metadata(&link).is_err());
        assert!(!link.parent().unwrap().exists());
    }
}
