//! One program, run with and without the shim: it must behave the same.

use crate::program::{Program, Run, folder};
use crate::watchdog::{finish, finish_within};
use aclsan_tests::artifacts::{self, Topology};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The two library layouts that differ most.
pub const BOTH: [Topology; 2] = [Topology::One, Topology::Split];
/// Every library layout of the runtime.
pub const ALL: [Topology; 4] = [
    Topology::One,
    Topology::Old,
    Topology::Split,
    Topology::Merged,
];

/// A built program and its run settings.
pub struct Trial {
    program: Program,
    binary: PathBuf,
    /// A folder of its own.
    pub scratch: PathBuf,
    topology: Topology,
    options: String,
    environment: Vec<(OsString, OsString)>,
    arguments: Vec<OsString>,
    before: Vec<PathBuf>,
    behind: Vec<PathBuf>,
    cgroup: Option<PathBuf>,
}

impl Trial {
    /// Builds the program `name`; `test` distinguishes the tests that use it.
    pub fn new(name: &str, test: &str) -> Self {
        let scratch = artifacts::scratch(&format!("{}-{test}", name.replace('/', "-")));
        let program = Program::new(name);
        let binary = program.build(&scratch);
        Self {
            program,
            binary,
            scratch,
            topology: Topology::One,
            options: String::new(),
            environment: Vec::new(),
            arguments: Vec::new(),
            before: Vec::new(),
            behind: Vec::new(),
            cgroup: None,
        }
    }

    /// Selects this library layout of the runtime for later runs.
    pub fn on(&mut self, topology: Topology) -> &mut Self {
        self.topology = topology;
        self
    }

    /// Selects a malloc-based runtime for later runs. The simulator's locks do not support forks during calls, nor its memory
    /// file-size limits.
    pub fn on_small_runtime(&mut self) -> &mut Self {
        let path = small_runtime(&self.scratch);
        self.environment("LD_LIBRARY_PATH", path)
    }

    /// Selects a runtime built from one file of `tests/programs` for later runs.
    pub fn on_runtime(&mut self, source: &str) -> &mut Self {
        let path = runtime(source, &self.scratch);
        self.environment("LD_LIBRARY_PATH", path)
    }

    /// Adds to ACLSAN_OPTIONS.
    pub fn options(&mut self, options: &str) -> &mut Self {
        self.options = options.into();
        self
    }

    /// A variable, with the shim and without.
    pub fn environment(&mut self, name: &str, value: impl Into<OsString>) -> &mut Self {
        self.environment.retain(|(other, _)| other != name);
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The arguments.
    pub fn arguments<T: Into<OsString>>(&mut self, list: impl IntoIterator<Item = T>) -> &mut Self {
        self.arguments = list.into_iter().map(Into::into).collect();
        self
    }

    /// Another preloaded library, after ours; also used without the shim.
    pub fn behind(&mut self, library: PathBuf) -> &mut Self {
        self.behind.push(library);
        self
    }

    /// Another preloaded library, before ours.
    pub fn before(&mut self, library: PathBuf) -> &mut Self {
        self.before.push(library);
        self
    }

    /// Uses this cgroup for later runs.
    pub fn within(&mut self, cgroup: &Path) -> &mut Self {
        self.cgroup = Some(cgroup.to_owned());
        self
    }

    /// The bare command, for custom ways to start a run; `None` for a run without the shim.
    pub fn command(&self, place: &Path, shim: Option<PathBuf>) -> Command {
        let mut command = match &self.cgroup {
            None => self.program.command(&self.binary, self.topology),
            Some(cgroup) => self.command_within(cgroup),
        };
        let preloads = self.before.iter().chain(&shim).chain(&self.behind);
        let preloads: Vec<_> = preloads.collect();
        let preloads: Vec<_> = preloads.iter().map(|path| path.to_string_lossy()).collect();
        command.env("LD_PRELOAD", preloads.join(":"));
        let log = place.join("%p.aclsan");
        let options = format!(
            "symbols=0:verbose=1:log_path='{}':{}",
            log.display(),
            self.options
        );
        command.current_dir(place).env("ACLSAN_OPTIONS", options);
        command
            .args(&self.arguments)
            .envs(self.environment.iter().cloned());
        command
    }

    /// A shell changes to the folder and execs the program; preloaded libraries do nothing in the shell.
    fn command_within(&self, cgroup: &Path) -> Command {
        let mut command = self.program.command(Path::new("sh"), self.topology);
        let script = "echo $$ > \"$0\" && exec \"$@\"";
        command
            .args(["-c", script])
            .arg(cgroup.join("cgroup.procs"))
            .arg(&self.binary);
        command
    }

    /// A folder for one run, empty.
    pub fn place(&self, name: &str) -> PathBuf {
        let place = self.scratch.join(format!("{name}-{:?}", self.topology));
        let _ = std::fs::remove_dir_all(&place);
        std::fs::create_dir_all(&place).expect("scratch");
        place
    }

    /// Runs it without the shim.
    pub fn alone(&self) -> Run {
        let place = self.place("alone");
        finish(&mut self.command(&place, None), &place)
    }

    /// Runs it under the shim.
    pub fn watched(&self) -> Run {
        let place = self.place("watched");
        finish(&mut self.command(&place, Some(artifacts::shim())), &place)
    }

    /// Runs it under the shim; fails if that takes longer than `seconds`.
    pub fn watched_within(&self, seconds: u64) -> Run {
        let place = self.place("watched");
        let mut command = self.command(&place, Some(artifacts::shim()));
        finish_within(seconds, &mut command, &place)
    }

    /// Runs it with and without the shim and checks that both behave the same; returns the run under the shim.
    pub fn same(&self) -> Run {
        let (alone, watched) = (self.alone(), self.watched());
        same(
            &alone,
            &watched,
            &format!("{} ({:?})", self.program.name, self.topology),
        );
        watched
    }
}

/// Checks that two runs have the same exit code and output, ignoring the shim's own lines.
pub fn same(alone: &Run, watched: &Run, what: &str) {
    let own: String = program_lines(&watched.stderr);
    let seen = (watched.code, &watched.stdout, &own);
    let wanted = (alone.code, &alone.stdout, &alone.stderr);
    // The difference comes first, since long output may be truncated.
    assert!(
        seen == wanted,
        "{what}: under the shim {seen:?}, alone {wanted:?}\n{}",
        watched.stderr
    );
}

fn program_lines(stderr: &str) -> String {
    let own = stderr.lines().filter(|line| !line.starts_with("=="));
    own.map(|line| format!("{line}\n")).collect()
}

/// The `LD_LIBRARY_PATH` of a runtime without locks, usable in a child of a multithreaded parent.
pub fn small_runtime(scratch: &Path) -> String {
    runtime("doors/runtime.c", scratch)
}

/// Builds a runtime from one file; functions that it lacks come from the simulator.
fn runtime(source: &str, scratch: &Path) -> String {
    let folder = scratch.join("small");
    std::fs::create_dir_all(&folder).expect("scratch");
    let flags = ["-fexceptions", "-lpthread"];
    library(source, &folder.join("libascendcl.so"), &flags);
    let simulator = Topology::One.libraries();
    format!("{}:{}", folder.display(), simulator.display())
}

/// Compiles a library from one file of `tests/programs`.
pub fn library(source: &str, to: &Path, flags: &[&str]) -> PathBuf {
    let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    cc.current_dir(folder())
        .args(["-g", "-O1", "-fPIC", "-shared", "-Wall", "-Werror"])
        .arg("-I")
        .arg(artifacts::folder().join("simulator/include"));
    cc.arg("-I").arg(artifacts::folder().join("include"));
    cc.arg("-o").arg(to).arg(source).args(flags).arg("-ldl");
    let status = cc.status().expect("a C compiler");
    assert!(status.success(), "{source} compiles");
    to.to_owned()
}
