//! The folders, links and files of an installation.
//!
//! Libraries are in `lib64`, a link each, and every other place that projects look in is a link to that folder: acllib (OpenCV, samples of
//! CANN 5), fwkacllib and atc (Paddle), compiler (OpenCV), runtime/lib64/stub (samples), devlib and `ARCH-linux` (Mooncake),
//! opp/built-in/op_proto (OpenCV).

use std::env::consts::ARCH;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::run::simulator::{Simulator, Topology};

/// The file that says whose folder it is.
pub const MARK: &str = "aclsan-simulator.txt";
const MARK_TEXT: &str = "Headers and libraries of aclsan's simulator in the shape of a CANN installation. `aclsan simulator --home` made it, and refreshes its links when it runs again.\n";

/// Parts of an installation with headers and libraries of their own.
const PARTS: [&str; 6] = [
    "acllib",
    "atc",
    "compiler",
    "fwkacllib",
    "runtime",
    "toolkit",
];

/// Creates what is missing of it, and refreshes the rest. Another process may do the same meanwhile.
pub fn make(folder: &Path, simulator: &Simulator, topology: Topology) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    write(&folder.join(MARK), MARK_TEXT)?;
    let version = version(topology);
    link(&folder.join("include"), &simulator.headers())?;
    libraries(&folder.join("lib64"), &simulator.libraries(topology))?;
    fs::create_dir_all(folder.join("python"))?;
    link(&folder.join("python/site-packages"), &simulator.python())?;
    link(&folder.join("devlib"), Path::new("lib64"))?;
    for itself in [&format!("{ARCH}-linux"), "latest"] {
        link(&folder.join(itself), Path::new("."))?;
    }
    for part in PARTS {
        let part = folder.join(part);
        fs::create_dir_all(&part)?;
        link(&part.join("include"), Path::new("../include"))?;
        link(&part.join("lib64"), Path::new("../lib64"))?;
        write(&part.join("version.info"), &format!("Version={version}\n"))?;
    }
    let operators = folder.join("opp");
    fs::create_dir_all(operators.join("built-in"))?;
    link(
        &operators.join("built-in/op_proto"),
        Path::new("../../lib64"),
    )?;
    write(
        &operators.join("version.info"),
        &format!("Version={version}\n"),
    )?;
    write(
        &folder.join("version.cfg"),
        &format!("version={version}\nruntime_running_version=[{version}]\n"),
    )?;
    let installed = format!(
        "package_name=Ascend-cann-toolkit\nversion={version}\narch={ARCH}\nos=linux\npath={}\n",
        folder.display()
    );
    write(&folder.join("ascend_toolkit_install.info"), &installed)
}

/// A link for each library, and `stub`, against which samples link.
fn libraries(folder: &Path, from: &Path) -> io::Result<()> {
    // Earlier versions made it a link to the simulator's own folder, into which nothing may be written.
    if folder.is_symlink() {
        fs::remove_file(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut wanted: Vec<OsString> = vec!["stub".into()];
    link(&folder.join("stub"), Path::new("."))?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        link(&folder.join(entry.file_name()), &entry.path())?;
        wanted.push(entry.file_name());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_old = entry.path().is_symlink() && !entry.path().exists();
        if is_old && !wanted.contains(&entry.file_name()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// A link that is there afterwards, at any time the old one or the new one.
fn link(path: &Path, target: &Path) -> io::Result<()> {
    match fs::read_link(path) {
        Ok(present) if present == target => return Ok(()),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(_) => {
            let text = format!("`{}` is in the way of a link: remove it", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
    }
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(format!(".{}", std::process::id()));
    symlink(target, &fresh)?;
    fs::rename(&fresh, path)
}

/// Another run may read the file meanwhile: it is replaced only if it differs.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
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
