//! Finds the shim, and builds the `LD_PRELOAD` that loads it.
//!
//! Searched in this order: `--preload PATH`, `ACLSAN_LIB`, beside the command, `../lib/aclsan/` and `../lib64/aclsan/` (packages and
//! wheels), `deps/` (a Cargo target folder). A place named by the user is the only one tried.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

/// The shim's file name.
pub const FILE: &str = "libaclsan.so";
/// The file name of its companion, which hooks libc's `free`; it is beside the shim.
pub const FREE_FILE: &str = "libaclsan_free.so";
/// The variable that names the shim.
pub const VARIABLE: &str = "ACLSAN_LIB";

/// The shim was not found.
#[derive(Debug)]
pub struct NotFound {
    looked_at: Vec<PathBuf>,
    named_by: Option<&'static str>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.named_by {
            Some(named_by) => write!(f, "{named_by} names no file: ")?,
            None => write!(f, "{FILE} was not found; looked at ")?,
        }
        for (index, path) in self.looked_at.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}`{}`", path.display())?;
        }
        match self.named_by {
            Some(_) => Ok(()),
            None => write!(
                f,
                "; `cargo install` installs the command alone: `pip install aclsan` or a package installs both, `cargo build --release` builds both; name another place with --preload or {VARIABLE}"
            ),
        }
    }
}

impl std::error::Error for NotFound {}

/// Finds the shim and makes its path absolute: the program may start in another folder.
///
/// # Errors
/// [`NotFound`], listing every place that was tried.
pub fn find(named: Option<&Path>) -> Result<PathBuf, NotFound> {
    let variable = env::var_os(VARIABLE).filter(|value| !value.is_empty());
    let (candidates, named_by) = match (named, variable) {
        (Some(path), _) => (vec![path.to_owned()], Some("--preload")),
        (None, Some(path)) => (vec![PathBuf::from(path)], Some(VARIABLE)),
        (None, None) => (beside(&command_folder()), None),
    };
    match candidates.iter().find(|path| path.is_file()) {
        Some(path) => Ok(std::path::absolute(path).unwrap_or_else(|_| path.clone())),
        None => Err(NotFound {
            looked_at: candidates,
            named_by,
        }),
    }
}

/// The folder of this command. Symbolic links are resolved, since packages link the command into `bin`.
pub fn command_folder() -> PathBuf {
    let command = env::current_exe().unwrap_or_default();
    let command = command.canonicalize().unwrap_or(command);
    command.parent().map(Path::to_owned).unwrap_or_default()
}

fn beside(folder: &Path) -> Vec<PathBuf> {
    let above = folder.parent().unwrap_or(folder);
    vec![
        folder.join(FILE),
        above.join("lib/aclsan").join(FILE),
        above.join("lib64/aclsan").join(FILE),
        folder.join("deps").join(FILE),
    ]
}

/// Adds the shim, and its companion if requested, to the libraries preloaded already: before all of them except AddressSanitizer's runtime,
/// which refuses to start after another library. `asan` is the runtime that the program itself needs, if any.
pub fn join(shims: &[&str], already: &str, asan: Option<&str>) -> String {
    // `ld.so` splits at both.
    let others = already
        .split([' ', ':'])
        .filter(|path| !path.is_empty() && !is_shim(path));
    let (mut first, rest): (Vec<&str>, Vec<&str>) = others.partition(|path| is_asan(path));
    if first.is_empty() {
        first.extend(asan);
    }
    [first, shims.to_vec(), rest].concat().join(":")
}

/// Whether a library, by path or name, is AddressSanitizer's runtime.
pub fn is_asan(library: &str) -> bool {
    let name = file_name(library);
    name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan")
}

// A shell that evaluated `aclsan env` has the shim preloaded already.
fn is_shim(library: &str) -> bool {
    [FILE, FREE_FILE].contains(&file_name(library))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shim_comes_first_and_the_rest_stays() {
        assert_eq!(join(&["/x/libaclsan.so"], "", None), "/x/libaclsan.so");
        assert_eq!(
            join(
                &["/x/libaclsan.so"],
                "/y/liba.so /y/libb.so:/y/libc.so",
                None
            ),
            "/x/libaclsan.so:/y/liba.so:/y/libb.so:/y/libc.so"
        );
    }

    #[test]
    fn a_shim_that_is_preloaded_already_is_replaced() {
        assert_eq!(
            join(&["/x/libaclsan.so"], "/old/libaclsan.so:/y/liba.so", None),
            "/x/libaclsan.so:/y/liba.so"
        );
        let both = ["/x/libaclsan.so", "/x/libaclsan_free.so"];
        assert_eq!(
            join(&both, "/old/libaclsan_free.so:/y/liba.so", None),
            "/x/libaclsan.so:/x/libaclsan_free.so:/y/liba.so"
        );
    }

    #[test]
    fn the_address_sanitizer_stays_first() {
        assert_eq!(
            join(&["/x/libaclsan.so"], "/y/liba.so:/y/libasan.so.8", None),
            "/y/libasan.so.8:/x/libaclsan.so:/y/liba.so"
        );
        assert_eq!(
            join(&["/x/libaclsan.so"], "", Some("libclang_rt.asan-x86_64.so")),
            "libclang_rt.asan-x86_64.so:/x/libaclsan.so"
        );
    }

    #[test]
    fn a_missing_shim_is_reported_with_every_place() {
        let missing = NotFound {
            looked_at: beside(Path::new("/opt/tool/bin")),
            named_by: None,
        };
        let text = missing.to_string();
        for place in [
            "/opt/tool/bin/libaclsan.so",
            "/opt/tool/lib/aclsan/libaclsan.so",
            "/opt/tool/lib64/aclsan/libaclsan.so",
            "/opt/tool/bin/deps/libaclsan.so",
        ] {
            assert!(text.contains(place), "{place} not in {text}");
        }
        let named = find(Some(Path::new("/no/such/shim.so"))).unwrap_err();
        assert_eq!(
            named.to_string(),
            "--preload names no file: `/no/such/shim.so`"
        );
    }
}
