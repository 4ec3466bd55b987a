//! Checks the shim and the program.

use std::path::{Path, PathBuf};

use aclsan_rules::api::functions::FUNCTIONS;

use super::Doctor;
use crate::run::environment::Loading;
use crate::run::loader_path::is_loader_safe;
use crate::run::preload;
use crate::run::program::Program;
use crate::run::program::elf::{Elf, exports};
use crate::run::simulator::Simulator;

impl Doctor {
    pub(super) fn check_shim(&mut self, loading: &Loading) -> Option<Elf> {
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
        let companion = path.with_file_name(preload::FREE_FILE);
        let is_there = if companion.is_file() { "is" } else { "is not" };
        self.fact(
            "shim",
            format!(
                "{}, for `libc_free=1`, {is_there} beside it",
                preload::FREE_FILE
            ),
        );
        if !path.to_str().is_some_and(is_loader_safe) {
            self.fact(
                "shim",
                "its path has a character at which the loader splits; `run` makes a link to it",
            );
        }
        elf
    }

    pub(super) fn check_simulator(&mut self) {
        let fact = match Simulator::find() {
            Ok(simulator) => simulator.folder.display().to_string(),
            Err(_) => "not found; only `--simulate` and `demo` need it".to_owned(),
        };
        self.fact("simulator", fact);
    }

    /// Returns the loader, and the file to ask it about.
    pub(super) fn check_program(
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
        if let Some(paths) = elf.rpath.as_ref().filter(|_| elf.runpath.is_none()) {
            let fact = format!("looks for its libraries in `{paths}` before LD_LIBRARY_PATH");
            self.fact("program", fact);
        }
        self.check_own_definitions(&program.loaded);
        // Without a shim, compare with this command's own target.
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

    /// Calls that the program defines itself take precedence over the hooks.
    fn check_own_definitions(&mut self, path: &Path) {
        let own = exports(path).unwrap_or_default();
        let known = |name: &str| {
            let name = name.strip_suffix("Impl").unwrap_or(name);
            let mut known = FUNCTIONS.iter().filter(|function| !function.is_of_libc());
            known.any(|function| function.name == name)
        };
        let own: Vec<_> = own.iter().filter(|name| known(name)).collect();
        if let [first, others @ ..] = own.as_slice() {
            let more = match others.len() {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            self.problems.push(format!(
                "the program defines `{first}`{more} itself, so calls of it do not reach aclsan; take the definition out, or out of its dynamic symbols"
            ));
        }
    }
}
