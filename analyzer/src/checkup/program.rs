//! The shim, the program and the machine.

use std::env;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit};

use super::Checkup;
use crate::environment::Loading;
use crate::plain_path::is_plain;
use crate::preload;
use crate::program::{Program, elf::Elf};
use crate::simulator::Simulator;

impl Checkup {
    pub(super) fn look_at_shim(&mut self, loading: &Loading) -> Option<Elf> {
        let path = match preload::find(loading.preload.as_deref()) {
            Ok(path) => path,
            Err(error) => {
                self.problems.push(error.to_string());
                return None;
            }
        };
        let elf = Elf::read(&path).ok().flatten();
        match &elf {
            Some(elf) => self.fact("shim", format!("{} ({})", path.display(), elf.kind())),
            None => self
                .problems
                .push(format!("`{}` is not a shared library", path.display())),
        }
        if !path.to_str().is_some_and(is_plain) {
            self.fact(
                "shim",
                "its path has a character at which the loader splits; `run` makes a link to it",
            );
        }
        elf
    }

    pub(super) fn look_at_simulator(&mut self) {
        let fact = match Simulator::find() {
            Ok(simulator) => simulator.folder.display().to_string(),
            Err(_) => "not found; only `--simulate` and `demo` need it".to_owned(),
        };
        self.fact("simulator", fact);
    }

    /// The loader and the file to ask it about.
    pub(super) fn look_at_program(
        &mut self,
        program: &Program,
        shim: Option<&Elf>,
    ) -> Option<(String, PathBuf)> {
        self.fact("program", program.path.display().to_string());
        if program.loaded != program.path {
            let interpreter = program.loaded.display();
            self.fact("program", format!("a script, run by {interpreter}"));
        }
        let Some(elf) = &program.elf else {
            self.fact("program", "no ELF file, or not readable");
            return None;
        };
        self.fact("program", elf.kind());
        if let Some(asan) = program.asan() {
            let fact = format!("needs {asan}, which is then preloaded before the shim");
            self.fact("program", fact);
        }
        // Without a shim, compare with what this command is built for.
        let own = Elf::read(Path::new("/proc/self/exe")).ok().flatten();
        if let Some(reference) = shim.or(own.as_ref()) {
            let obstacles = program.obstacles(reference);
            let sentences = obstacles
                .iter()
                .map(|obstacle| format!("nothing of the program will be seen: {obstacle}"));
            self.problems.extend(sentences);
        }
        if elf.is_musl() {
            return None;
        }
        Some((elf.interpreter.clone()?, program.loaded.clone()))
    }

    pub(super) fn look_at_machine(&mut self) {
        for (what, resource) in [
            ("stack", Resource::Stack),
            ("locked memory", Resource::Memlock),
            ("file size", Resource::Fsize),
        ] {
            let limit = getrlimit(resource).current;
            let limit = limit.map_or("unlimited".to_owned(), |bytes| {
                format!("{} KiB", bytes / 1024)
            });
            self.fact("limits", format!("{what} {limit}"));
        }
        for name in [
            "LD_PRELOAD",
            "LD_LIBRARY_PATH",
            "ACLSAN_OPTIONS",
            "ASCEND_HOME_PATH",
        ] {
            if let Some(value) = env::var_os(name) {
                self.fact("variables", format!("{name}={}", value.display()));
            }
        }
    }
}
