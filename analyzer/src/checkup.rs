//! What `doctor` finds: facts, and problems with their cure.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit};
use serde_json::{Value, json};

use crate::environment::Loading;
use crate::plain_path::is_plain;
use crate::preload;
use crate::program::{Program, elf::Elf};
use crate::runtime::{self, Runtime, Topology};
use crate::simulator::Simulator;

/// Whose libraries are looked at.
pub enum Subject {
    /// A program.
    Program(Program),
    /// Any program that this loader loads in the current environment.
    Environment(String),
}

/// Facts by topic, in reading order, and problems.
#[derive(Default)]
pub struct Checkup {
    facts: Vec<(&'static str, Vec<String>)>,
    libraries: Vec<Value>,
    calls: Vec<Value>,
    /// What stands in the way, one sentence each.
    pub problems: Vec<String>,
}

impl Checkup {
    /// Looks at everything.
    ///
    /// # Errors
    /// When the loader cannot be asked.
    pub fn new(subject: &Subject, loading: &Loading) -> anyhow::Result<Self> {
        let mut checkup = Self::default();
        let shim = checkup.look_at_shim(loading);
        checkup.look_at_simulator();
        let asked = match subject {
            Subject::Program(program) => checkup.look_at_program(program, shim.as_ref()),
            Subject::Environment(loader) => Some((loader.clone(), "/proc/self/exe".into())),
        };
        if let Some((loader, program)) = asked {
            let simulated = match loading.simulate {
                Some(topology) => Some(Simulator::find()?.libraries(topology)),
                None => None,
            };
            let path = simulated.map(|folder| folder.display().to_string());
            let runtime = Runtime::of(Path::new(&loader), &program, path.as_deref())?;
            checkup.look_at_runtime(&runtime);
            checkup.look_at_libc(&runtime, shim.as_ref());
        }
        checkup.look_at_machine();
        Ok(checkup)
    }

    fn fact(&mut self, topic: &'static str, fact: impl Into<String>) {
        match self.facts.iter_mut().find(|(known, _)| *known == topic) {
            Some((_, facts)) => facts.push(fact.into()),
            None => self.facts.push((topic, vec![fact.into()])),
        }
    }

    fn look_at_shim(&mut self, loading: &Loading) -> Option<Elf> {
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

    fn look_at_simulator(&mut self) {
        let fact = match Simulator::find() {
            Ok(simulator) => simulator.folder.display().to_string(),
            Err(_) => "not found; only `--simulate` and `demo` need it".to_owned(),
        };
        self.fact("simulator", fact);
    }

    /// The loader and the file to ask it about.
    fn look_at_program(
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

    fn look_at_runtime(&mut self, runtime: &Runtime) {
        let topology = match runtime.topology() {
            Topology::None => "none: no library here exports aclrtMalloc",
            Topology::One => "one library: public names are the real code (up to CANN 8.3)",
            Topology::Split => "split: public names forward to Impl names (from CANN 8.5)",
        };
        self.fact("runtime", topology);
        for library in &runtime.libraries {
            let how = match library.is_linked {
                true => "linked",
                false => "there to be opened",
            };
            let path = library.path.display();
            self.fact("runtime", format!("{:18} {how:18} {path}", library.name));
            self.libraries.push(json!({
                "name": library.name, "path": library.path.display().to_string(), "linked": library.is_linked,
            }));
        }
        if runtime.topology() == Topology::None {
            self.problems.push(
                "no AscendCL runtime is found: source CANN's `set_env.sh`, or use `--simulate`; a program that opens it by its full path is still watched"
                    .to_owned(),
            );
        }
        for (name, by) in &runtime.missing {
            let hint = match name.as_str() {
                "libascend_hal.so" => {
                    "; it comes with the NPU driver, so this machine has none or its path is not set"
                }
                _ => "",
            };
            self.problems
                .push(format!("`{by}` needs `{name}`, which is not found{hint}"));
        }
        self.look_at_calls(runtime);
    }

    fn look_at_calls(&mut self, runtime: &Runtime) {
        let calls = runtime::calls(runtime);
        let present = calls
            .iter()
            .filter(|call| call.public.or(call.twin).is_some());
        let absent: Vec<&str> = calls
            .iter()
            .filter(|call| call.public.or(call.twin).is_none())
            .map(|call| call.name)
            .collect();
        let count = present.count();
        for call in &calls {
            self.calls
                .push(json!({ "name": call.name, "public": call.public, "impl": call.twin }));
        }
        if runtime.topology() == Topology::None {
            return;
        }
        self.fact(
            "calls",
            format!("{count} of the {} that aclsan knows are here", calls.len()),
        );
        if !absent.is_empty() {
            let fact = format!(
                "not in this runtime, so nothing to miss: {}",
                absent.join(", ")
            );
            self.fact("calls", fact);
        }
        let unwatched = runtime::unwatched(runtime);
        if !unwatched.is_empty() {
            self.names(
                "in this runtime and not watched, so their blocks are of unknown origin:",
                &unwatched,
            );
        }
    }

    /// Names in lines of a readable length.
    fn names(&mut self, what: &str, names: &[&str]) {
        self.fact("calls", what);
        let mut line = String::new();
        for name in names {
            if line.len() + name.len() > 84 {
                self.fact("calls", std::mem::take(&mut line));
            }
            line.push_str("  ");
            line.push_str(name);
        }
        self.fact("calls", line);
    }

    fn look_at_libc(&mut self, runtime: &Runtime, shim: Option<&Elf>) {
        let libc = runtime.libc.as_deref().map(Elf::read);
        let has = libc.and_then(|libc| libc.ok().flatten()?.defines_glibc);
        let Some(has) = has else { return };
        self.fact("glibc", version(has));
        if let Some(needs) = shim.and_then(|shim| shim.glibc) {
            self.fact(
                "glibc",
                format!("the shim needs {} or later", version(needs)),
            );
            if needs > has {
                self.problems.push(format!(
                    "the shim needs glibc {}, the program has {}; take a build of aclsan for older systems",
                    version(needs),
                    version(has)
                ));
            }
        }
    }

    fn look_at_machine(&mut self) {
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

    /// The same for scripts.
    pub fn to_json(&self) -> Value {
        let facts: serde_json::Map<_, _> = self
            .facts
            .iter()
            .map(|(topic, facts)| ((*topic).to_owned(), json!(facts)))
            .collect();
        json!({
            "schema_version": aclsan_render::SCHEMA_VERSION,
            "facts": facts,
            "libraries": self.libraries,
            "calls": self.calls,
            "problems": self.problems,
        })
    }
}

impl fmt::Display for Checkup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (topic, facts) in &self.facts {
            for (index, fact) in facts.iter().enumerate() {
                let topic = if index == 0 { topic } else { "" };
                writeln!(f, "{topic:10} {fact}")?;
            }
        }
        writeln!(f)?;
        match self.problems.len() {
            0 => writeln!(f, "Nothing stands in the way."),
            count => {
                writeln!(f, "{count} problem{}:", if count == 1 { "" } else { "s" })?;
                self.problems
                    .iter()
                    .try_for_each(|problem| writeln!(f, "  - {problem}"))
            }
        }
    }
}

fn version((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}
