//! The simulator of CUDA's driver: one library, `libcuda.so.1`, and its link name.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use aclsan_glibc::{compiler, flags};

use super::{FLAGS, LINK_FLAGS, LINKED, fail, finish, linked, source_files, strict};

const LIBRARY: &str = "libcuda.so.1";
/// Shared with the simulator of AscendCL: two views of one memory file, and the live handles.
const SHARED: [&str; 2] = ["simulator/engine/window.c", "simulator/engine/handles.c"];

/// Builds the library in `folder`, which exists.
pub fn build(folder: &Path) {
    let mut command = compiler();
    command
        .args(FLAGS)
        .args(LINK_FLAGS)
        .args(strict())
        .args(flags())
        .args(LINKED.get_or_init(linked))
        .args(["-std=gnu11", "-Isimulator_cuda/include"])
        .arg(format!("-Wl,-soname,{LIBRARY}"))
        .arg("-o")
        .arg(folder.join(LIBRARY))
        .args(source_files(Path::new("simulator_cuda/driver")))
        .args(source_files(Path::new("simulator_cuda/engine")))
        .args(SHARED);
    finish(command, LIBRARY);
}

/// Puts the name that `-lcuda` looks for beside the installed library.
pub fn name_for_linking(folder: &Path) {
    let link = folder.join("libcuda.so");
    let _ = fs::remove_file(&link); // The first build has none.
    if let Err(error) = symlink(LIBRARY, &link) {
        fail(&format!("cannot create {}: {error}", link.display()));
    }
}
