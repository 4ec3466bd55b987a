//! Versions of CANN and of the driver, as their installations have them in files.
//!
//! The runtime is not asked: a query that fails sets its last error message, which programs read.

use super::next::Slot;
use super::slots::MALLOC;
use crate::state::modules;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::files;
use std::path::Path;

/// Files in which an installation of CANN keeps its version.
const FILES: [&str; 3] = ["ascend_toolkit_install.info", "version.info", "version.cfg"];
/// How many folders above a library they may be: `latest/aarch64-linux/lib64/libascendcl.so`.
const ABOVE: usize = 4;
/// Where the driver's libraries are.
const DRIVER_FOLDER: &str = "/usr/local/Ascend/driver";
/// Where the driver keeps its own.
const DRIVER: &str = "/usr/local/Ascend/driver/version.info";

/// The version of the CANN that the runtime belongs to; `the simulator` for ours.
pub fn cann_version() -> Option<String> {
    let _uncancelled = CancelGuard::enter();
    static SIMULATED: Slot = Slot::new(c"aclsimRead");
    if SIMULATED.next().is_some() {
        return Some("the simulator".into());
    }
    let library = modules::at(MALLOC.slot().next()? as u64)?;
    of_library(Path::new(&library.path))
}

/// Whether the code at an address belongs to the runtime or the driver: it is in a folder where their libraries are.
pub fn is_code_of_runtime(address: u64) -> bool {
    let folder = |address| {
        let module = modules::at(address)?;
        Path::new(&module.path).parent().map(Path::to_owned)
    };
    let Some(this) = folder(address) else {
        return false;
    };
    let runtime = MALLOC.slot().next().and_then(|at| folder(at as u64));
    runtime.is_some_and(|runtime| runtime == this) || this.starts_with(DRIVER_FOLDER)
}

/// The driver's version.
pub fn driver_version() -> Option<String> {
    let _uncancelled = CancelGuard::enter();
    in_file(Path::new(DRIVER))
}

fn of_library(library: &Path) -> Option<String> {
    let folders = library.ancestors().skip(1).take(ABOVE);
    let mut files = folders.flat_map(|folder| FILES.map(|file| folder.join(file)));
    files.find_map(|file| in_file(&file))
}

fn in_file(file: &Path) -> Option<String> {
    files::read(file.to_str()?)?.lines().find_map(value)
}

/// The value of a line such as `version=8.1.RC1`.
fn value(line: &str) -> Option<String> {
    let (key, value) = line.split_once('=')?;
    let value = value.trim().trim_matches(['"', '[', ']']);
    let is_version = key.trim().eq_ignore_ascii_case("version");
    (is_version && value.starts_with(|first: char| first.is_ascii_digit())).then(|| value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_above_the_library() {
        let root = std::env::temp_dir().join(format!("aclsan-installation-{}", std::process::id()));
        let folder = root.join("latest/aarch64-linux/lib64");
        std::fs::create_dir_all(&folder).unwrap();
        let library = folder.join("libascendcl.so");
        let before = of_library(&library);
        let text = "package_name=x\nversion_dir=8.1.RC1\nversion=8.1.RC1\n";
        std::fs::write(root.join("latest/version.info"), text).unwrap();
        let after = of_library(&library);
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!((before, after.as_deref()), (None, Some("8.1.RC1")));
    }

    #[test]
    fn only_a_number_is_a_version() {
        assert_eq!(value("Version=24.1.rc3"), Some("24.1.rc3".into()));
        assert_eq!(value("version=[unknown]"), None);
        assert_eq!(value("version_dir=8.1"), None);
    }
}
