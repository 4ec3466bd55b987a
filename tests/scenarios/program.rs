//! A C program of `tests/programs`: how to build and run it, and its results.
//!
//! Lines at its top that begin with `//@` say `options: key=value:…` (for ACLSAN_OPTIONS), `env: NAME=value …`, `flags: …` (for the
//! compiler; `{split}` is the folder of the split runtime), `exit: N`.

use crate::watchdog::finish;
use aclsan_tests::artifacts::{self, Topology};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

/// Compiled programs, by a hash of their source and their command.
static COMPILED: Mutex<BTreeMap<String, Arc<OnceLock<PathBuf>>>> = Mutex::new(BTreeMap::new());

/// A program and its build and run settings.
pub struct Program {
    /// Path below `tests/programs`, with slashes.
    pub name: String,
    root: PathBuf,
    source: PathBuf,
    wishes: Vec<(String, String)>,
    /// What debug information calls `root`, if not by its path.
    called: Option<String>,
}

/// The results of a run.
pub struct Run {
    /// Exit code; 128 + signal.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Event logs, by name.
    pub logs: Vec<PathBuf>,
}

impl Program {
    /// The program `name`, such as `releases/double_free.c`.
    pub fn new(name: &str) -> Self {
        Self::below(&folder(), name)
    }

    /// A program outside `tests/programs`.
    pub fn below(root: &Path, name: &str) -> Self {
        let source = root.join(name);
        let text = std::fs::read_to_string(&source)
            .unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        let lines = text.lines().map_while(|line| line.strip_prefix("//@ "));
        let wishes = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        Self {
            name: name.into(),
            root: root.to_owned(),
            source,
            wishes,
            called: None,
        }
    }

    /// Debug information calls the folder of the sources `folder`, whatever its path is.
    pub fn called(mut self, folder: &str) -> Self {
        self.called = Some(folder.into());
        self
    }

    fn wish(&self, key: &str) -> &str {
        self.wishes
            .iter()
            .find(|(wish, _)| wish == key)
            .map_or("", |(_, value)| value)
    }

    /// The expected exit code.
    pub fn exit(&self) -> i32 {
        self.wish("exit").parse().unwrap_or(0)
    }

    /// Compiles into `scratch`, linked against the simulator's single library. Most programs run in several ways: each is compiled once, and has a copy
    /// in each folder.
    pub fn build(&self, scratch: &Path) -> PathBuf {
        let command = self.compiler();
        let text = std::fs::read(&self.source).expect("the source");
        let name = format!(
            "built/{:016x}",
            hash(&(&self.root, format!("{command:?}"), text))
        );
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        let once = Arc::clone(compiled.entry(name.clone()).or_default());
        drop(compiled);
        let compiled = once.get_or_init(|| self.compile(command, &artifacts::scratch(&name)));
        let out = scratch.join("program");
        // By a process of its own: a file that this one has open for writing is inherited by what other threads start, and cannot be run meanwhile.
        let status = Command::new("cp")
            .arg("-f")
            .arg(compiled)
            .arg(&out)
            .status();
        assert!(status.expect("cp").success(), "{} is copied", self.name);
        out
    }

    fn compile(&self, mut command: Command, folder: &Path) -> PathBuf {
        let out = folder.join("program");
        let status = command.arg("-o").arg(&out).status();
        let source = self.source.display();
        assert!(status.expect("a C compiler").success(), "{source} compiles");
        out
    }

    /// The compiler's command, without an output.
    fn compiler(&self) -> Command {
        let libraries = Topology::One.libraries();
        let (variable, usual) = match self.name.ends_with(".cpp") {
            true => ("CXX", "c++"),
            false => ("CC", "cc"),
        };
        let mut cc = Command::new(std::env::var(variable).unwrap_or_else(|_| usual.into()));
        // A relative name, so that reports name it the same everywhere.
        cc.current_dir(&self.root).args([
            "-g",
            "-O1",
            "-fno-omit-frame-pointer",
            "-Wall",
            "-Werror",
        ]);
        cc.arg(&self.name)
            .arg("-I")
            .arg(artifacts::folder().join("simulator/include"))
            .arg("-I")
            .arg(artifacts::folder().join("include"));
        if let Some(called) = &self.called {
            let map = format!("-fdebug-prefix-map={}={called}", self.root.display());
            cc.arg(map);
        }
        let split = Topology::Split.libraries();
        let flags = self
            .wish("flags")
            .replace("{split}", &split.to_string_lossy());
        cc.args(flags.split_whitespace());
        cc.arg("-L").arg(&libraries).args([
            "-lascendcl",
            "-lacl_dvpp",
            "-lacl_dvpp_mpi",
            "-lpthread",
            "-ldl",
        ]);
        cc
    }

    /// A folder for this test's run: another test may run the same program at the same time.
    fn scratch(&self, way: &str) -> PathBuf {
        let thread = thread::current();
        let test = thread.name().unwrap_or_default().replace("::", "-");
        artifacts::scratch(&format!("{test}/{}-{way}", self.name.replace('/', "-")))
    }

    /// Builds and runs it under the shim; `options` come before its own.
    pub fn run(&self, topology: Topology, options: &str) -> Run {
        let scratch = self.scratch(&format!("{topology:?}-{}", options.len()));
        let program = self.build(&scratch);
        let mut command = self.command(&program, topology);
        let log = scratch.join("%p.aclsan");
        let options = format!(
            "symbols=1:source_lines=0:verbose=1:{options}:{}:log_path='{}'",
            self.wish("options"),
            log.display()
        );
        command
            .env("LD_PRELOAD", artifacts::preload(&options))
            .env("ACLSAN_OPTIONS", options);
        finish(&mut command, &scratch)
    }

    /// Builds and runs it without the shim, for comparison.
    pub fn run_alone(&self, topology: Topology) -> Run {
        let scratch = self.scratch(&format!("{topology:?}-alone"));
        let program = self.build(&scratch);
        finish(&mut self.command(&program, topology), &scratch)
    }

    /// How to start `program`, without the shim.
    pub fn command(&self, program: &Path, topology: Topology) -> Command {
        let mut command = Command::new(program);
        command
            .env_remove("LD_PRELOAD")
            .env("LD_LIBRARY_PATH", topology.libraries());
        command.envs(
            self.wish("env")
                .split_whitespace()
                .filter_map(|pair| pair.split_once('=')),
        );
        command
    }
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Collects the results of a run that has ended.
pub fn collected(output: Output, scratch: &Path) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    let mut logs: Vec<PathBuf> = std::fs::read_dir(scratch)
        .expect("scratch")
        .map(|entry| entry.expect("entry").path())
        .collect();
    logs.retain(|path| path.to_string_lossy().contains(".aclsan"));
    logs.sort();
    Run {
        code: status
            .code()
            .or(signal.map(|signal| 128 + signal))
            .expect("it ended"),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        logs,
    }
}

/// `tests/programs`.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}
