//! Progress of a long read: shown on a terminal after a second, or wherever `--progress` asks for it.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::io::notice;

/// Delay before progress is shown.
const DELAY: Duration = Duration::from_secs(1);
/// Interval between lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(2);

/// A progress bar on standard error; without a terminal, a line now and then. All reading threads report to it.
pub struct Progress {
    since: Instant,
    bytes: u64,
    name: String,
    mode: Mode,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
    last_line: Mutex<Option<Instant>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Silent,
    Bar,
    Lines,
}

impl Progress {
    /// Progress of reading `files`, each `times` times; `is_wanted` shows it even without a terminal.
    pub fn new(files: &[PathBuf], times: u64, is_wanted: bool) -> Self {
        let sizes = files.iter().filter_map(|file| file.metadata().ok());
        Self {
            since: Instant::now(),
            bytes: sizes.map(|meta| meta.len() * times).sum(),
            name: match files {
                [file] => file.display().to_string(),
                files => format!("{} logs", files.len()),
            },
            mode: match (std::io::stderr().is_terminal(), is_wanted) {
                (true, _) => Mode::Bar,
                (false, true) => Mode::Lines,
                (false, false) => Mode::Silent,
            },
            done: AtomicU64::new(0),
            bar: OnceLock::new(),
            last_line: Mutex::new(None),
        }
    }

    /// Returns a callback for one log, to be called with the bytes read so far.
    pub fn of_log(&self) -> impl FnMut(u64) + '_ {
        let mut before = 0;
        move |bytes| {
            self.add(bytes.saturating_sub(before));
            before = bytes.max(before);
        }
    }

    /// Adds bytes read.
    fn add(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        match self.mode {
            Mode::Silent => {}
            Mode::Bar if self.since.elapsed() < DELAY => {}
            Mode::Bar => self
                .bar
                .get_or_init(|| bar(self.bytes, &self.name))
                .set_position(done),
            Mode::Lines => self.say(done),
        }
    }

    fn say(&self, done: u64) {
        let Ok(mut last_line) = self.last_line.lock() else {
            return;
        };
        if last_line.is_none_or(|at| at.elapsed() >= LINE_INTERVAL) {
            *last_line = Some(Instant::now());
            let percent = done.saturating_mul(100) / self.bytes.max(1);
            notice::say(&format!("{} % of {} read", percent.min(100), self.name));
        }
    }
}

fn bar(bytes: u64, name: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{wide_bar}] {percent} % {eta}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(bytes).with_style(style);
    bar.with_message(name.to_owned())
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
