//! The text of `--version`: this command, and the shim and simulator that it would load.

use std::path::Path;

use aclsan_log::layout;

use crate::run::preload;
use crate::run::program::elf::Elf;
use crate::run::simulator::{Simulator, Topology};

/// The whole text; its first line is what such tools usually print.
pub fn text() -> String {
    let command = std::env::current_exe().unwrap_or_default();
    let shim = preload::find(None);
    let simulator = Simulator::find();
    let library = |simulator: Simulator| simulator.libraries(Topology::One).join("libascendcl.so");
    let revision = option_env!("ACLSAN_REVISION").filter(|revision| !revision.is_empty());
    [
        format!("aclsan {}", env!("CARGO_PKG_VERSION")),
        format!("revision   {}", revision.unwrap_or("not known")),
        format!("target     {}", env!("ACLSAN_TARGET")),
        format!("event log  format {}", layout::VERSION),
        format!("command    {}", identity(&command)),
        match shim {
            Ok(path) => format!("shim       {}", identity(&path)),
            Err(why) => format!("shim       {why}"),
        },
        match simulator.map(library) {
            Ok(path) => format!("simulator  {}", identity(&path)),
            Err(why) => format!("simulator  {why}"),
        },
    ]
    .map(|line| line + "\n")
    .concat()
}

/// The build-id and path of a file.
fn identity(path: &Path) -> String {
    let id = match Elf::read(path) {
        Ok(Some(Elf {
            build_id: Some(id), ..
        })) => format!("build-id {id}"),
        Ok(_) => "no build-id".to_owned(),
        Err(why) => format!("{why:#}"),
    };
    format!("{id}  {}", path.display())
}
