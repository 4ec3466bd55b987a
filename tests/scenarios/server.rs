//! A server of `tests/programs` that runs while it is watched.

use crate::program::Program;
use aclsan_tests::artifacts::{self, Topology};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A server under the shim that does what its standard input says.
pub struct Server {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    /// Starts it; its log goes into `folder`.
    pub fn start(folder: &Path, log: &str) -> Self {
        Self::with(folder, log, "")
    }

    /// As [`Server::start`], with more options.
    pub fn with(folder: &Path, log: &str, more: &str) -> Self {
        let program = Program::new("watch/server.c");
        let binary = folder.join("program");
        if !binary.exists() {
            program.build(folder);
        }
        let options = format!(
            "summary=0:color=never:log_path='{}':{more}",
            folder.join(log).display()
        );
        let mut command = program.command(&binary, Topology::One);
        command
            .env("LD_PRELOAD", artifacts::preload(&options))
            .env("ACLSAN_OPTIONS", options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let (to, from) = (child.stdin.take(), child.stdout.take());
        Self {
            child,
            to: to.expect("a pipe"),
            from: BufReader::new(from.expect("a pipe")),
        }
    }

    /// Sends a line and waits until it is done.
    pub fn order(&mut self, line: &str) {
        writeln!(self.to, "{line}").expect("it reads");
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("it answers");
        assert!(answer.starts_with("served "), "{answer}");
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a last line and waits for the end.
    pub fn end(mut self, line: &str) {
        writeln!(self.to, "{line}").expect("it reads");
        self.child.wait().expect("it ends");
    }
}
