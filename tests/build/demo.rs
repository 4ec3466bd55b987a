//! The program of `aclsan demo`, installed beside the simulator that it runs on.

use std::fs;
use std::io;
use std::path::Path;

use aclsan_glibc::{compiler, flags};

use super::{LINKED, fail, finish, linked, strict};

const SOURCE: &str = "programs/demo/demo.c";

/// Compiles it in `built` and installs it and its source in `installed`, beside the simulator.
pub fn build(built: &Path, installed: &Path) {
    println!("cargo::rerun-if-changed={SOURCE}");
    let program = built.join("demo");
    let mut command = compiler();
    // Unoptimized and with line numbers, for readable stacks.
    command.args(["-std=gnu11", "-Wall", "-Wextra", "-O0", "-g"]);
    command
        .args(["-Wl,--build-id", "-fno-omit-frame-pointer"])
        .args(strict());
    command.args(flags()).args(LINKED.get_or_init(linked));
    command.arg(format!("-I{}", installed.join("include").display()));
    command.arg(SOURCE).arg("-o").arg(&program);
    command.arg(format!("-L{}", built.join("lib").display()));
    // No run path: `aclsan run --simulate` selects the runtime.
    command.args(["-lascendcl", "-lacl_dvpp"]);
    finish(command, SOURCE);
    let place = |from: &Path, name: &str| -> io::Result<()> {
        let fresh = installed.join(format!("{name}.installing"));
        fs::copy(from, &fresh)?;
        fs::rename(&fresh, installed.join(name))
    };
    let installing = place(&program, "demo").and_then(|()| place(Path::new(SOURCE), "demo.c"));
    if let Err(error) = installing {
        fail(&format!(
            "cannot install the demo in {}: {error}",
            installed.display()
        ));
    }
}
