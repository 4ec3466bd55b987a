//! Processes that take turns, and what they print.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A process of `workload.c` that takes turns.
pub struct Running {
    process: Child,
    turns: ChildStdin,
    figures: BufReader<ChildStdout>,
    log: PathBuf,
}

impl Running {
    /// Starts `command`, which writes its log to `log`.
    pub fn start(mut command: Command, log: PathBuf) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.stderr(Stdio::null()).spawn().expect("it starts");
        Self {
            turns: process.stdin.take().expect("it is piped"),
            figures: BufReader::new(process.stdout.take().expect("it is piped")),
            process,
            log,
        }
    }

    /// Nanoseconds of a step, and copies in one.
    pub fn turn(&mut self, name: &str) -> (f64, f64) {
        self.turns.write_all(b"\n").expect("it waits for its turn");
        let mut line = String::new();
        self.figures.read_line(&mut line).expect("it answers");
        let mut words = line.split_whitespace().map(|word| word.parse().ok());
        let figures = words.next().flatten().zip(words.next().flatten());
        figures.unwrap_or_else(|| {
            let status = self.process.try_wait();
            panic!("{} failed: {status:?} {line}", name)
        })
    }

    /// The length of its log.
    pub fn end(mut self) -> u64 {
        drop(self.turns);
        let status = self.process.wait().expect("it ends");
        assert!(status.success(), "it failed: {status}");
        let length = std::fs::metadata(&self.log).map_or(0, |meta| meta.len());
        let _ = std::fs::remove_file(&self.log);
        length
    }
}

/// Quartiles of some figures.
pub struct Quartiles {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

impl Quartiles {
    /// Of `figures`. There must be at least one.
    pub fn of(figures: impl Iterator<Item = f64>) -> Self {
        let mut figures: Vec<_> = figures.collect();
        figures.sort_by(f64::total_cmp);
        let at = |quarters: usize| figures[(figures.len() - 1) * quarters / 4];
        Self {
            low: at(1),
            median: at(2),
            high: at(3),
        }
    }
}
