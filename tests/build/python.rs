//! pyACL: one module for every library layout of the runtime and every CPython from 3.8 on.

use std::path::Path;

use aclsan_glibc::{compiler, flags};

use super::{FLAGS, LINK_FLAGS, LINKED, finish, linked, source_files, strict};

/// Compiles it in `folder`. The loading interpreter provides CPython's functions, so no Python is needed here.
pub fn build(folder: &Path) {
    let brought_later = |flag: &&&str| **flag != "-Wl,--no-undefined";
    let mut command = compiler();
    command.arg("-std=gnu11");
    command
        .args(FLAGS)
        .args(LINK_FLAGS.iter().filter(brought_later))
        .args(strict());
    command.args(flags()).args(LINKED.get_or_init(linked));
    command.arg("-I../shim/abi/include");
    command.arg("-o").arg(folder.join("acl.abi3.so"));
    command.args(source_files(Path::new("simulator/python")));
    command.arg("-ldl");
    finish(command, "pyACL");
}
