//! How far a long read has come. For people who wait: on a terminal and after a second, or where `--progress` asks for it.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::io::notice;

/// How long a read is not worth a word.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often a line is written where there is no terminal.
const PAUSE: Duration = Duration::from_secs(2);

/// A bar on standard error while it lives; where that is no terminal, a line now and then. All threads that read tell it.
pub struct Progress {
    since: Instant,
    bytes: u64,
    name: String,
    way: Way,
    done: AtomicU64,
    bar: OnceLock<ProgressBar>,
    said: Mutex<Option<Instant>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Silent,
    Bar,
    Lines,
}

impl Progress {
    /// For reading `files`, each as often as it says; `is_wanted` even where nobody watches.
    pub fn new(files: &[PathBuf], times: u64, is_wanted: bool) -> Self {
        let sizes = files.iter().filter_map(|file| file.metadata().ok());
        Self {
            since: Instant::now(),
            bytes: sizes.map(|meta| meta.len() * times).sum(),
            name: match files {
                [file] => file.display().to_string(),
                files => format!("{} logs", files.len()),
            },
            way: match (std::io::stderr().is_terminal(), is_wanted) {
                (true, _) => Way::Bar,
                (false, true) => Way::Lines,
                (false, false) => Way::Silent,
            },
            done: AtomicU64::new(0),
            bar: OnceLock::new(),
            said: Mutex::new(None),
        }
    }

    /// Is told how many bytes of one log have been read, again and again.
    pub fn of_log(&self) -> impl FnMut(u64) + '_ {
        let mut before = 0;
        move |bytes| {
            self.add(bytes.saturating_sub(before));
            before = bytes.max(before);
        }
    }

    /// So many bytes more have been read.
    fn add(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        match self.way {
            Way::Silent => {}
            Way::Bar if self.since.elapsed() < PATIENCE => {}
            Way::Bar => self
                .bar
                .get_or_init(|| bar(self.bytes, &self.name))
                .set_position(done),
            Way::Lines => self.say(done),
        }
    }

    fn say(&self, done: u64) {
        let Ok(mut said) = self.said.lock() else {
            return;
        };
        if said.is_none_or(|at| at.elapsed() >= PAUSE) {
            *said = Some(Instant::now());
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
