//! How far a long read has come. Only for people who wait: on a terminal, and after a second.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use aclsan_log::Log;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error, while it lives.
pub struct Progress {
    since: Instant,
    bytes: u64,
    name: String,
    is_wanted: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For reading `log`.
    pub fn new(log: &Log) -> Self {
        Self {
            since: Instant::now(),
            bytes: log.event_bytes(),
            name: log.path.display().to_string(),
            is_wanted: std::io::stderr().is_terminal(),
            bar: None,
        }
    }

    /// So many bytes have been read.
    pub fn at(&mut self, bytes: u64) {
        if !self.is_wanted || self.since.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{msg} [{wide_bar}] {percent} % {eta}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::new(self.bytes).with_style(style);
            bar.with_message(self.name.clone())
        });
        bar.set_position(bytes);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
