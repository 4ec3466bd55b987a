//! The live page: the report's own page in a frame, which is loaded again when there is more.
//!
//! The report is made again at most for a tenth of the time, however long its logs are.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use aclsan_render::html::{self, csp};
use aclsan_render::units;

use crate::io::language::explicit_locale;
use crate::policy::suppress::Suppressions;
use crate::report::pipeline::Logs;
use crate::watch::state::{Life, State};

const SHELL: &str = include_str!("live.html");
const STYLE: &str = include_str!("live.css");
const SCRIPT: &str = include_str!("live.js");

/// Most bytes of the report's page.
const BYTES: u64 = 8 << 20;
/// Least time between two reports, and how much longer than it takes to make one.
const MIN_PAUSE: Duration = Duration::from_secs(5);
const PAUSE_FACTOR: u32 = 10;

/// The page around the report.
pub fn document() -> String {
    SHELL.replace("STYLE", STYLE).replace("SCRIPT", SCRIPT)
}

/// Its content security policy: that of the report, and leave to receive events and to show the report.
pub fn policy() -> String {
    format!(
        "{}; connect-src 'self'; frame-src 'self'",
        csp::policy(SCRIPT, STYLE)
    )
}

/// One line about the state.
pub fn line(state: &State) -> String {
    let runs = state.processes.iter().filter(|one| one.life == Life::Runs);
    let devices = state.processes.iter().flat_map(|process| &process.devices);
    let live = devices.fold(0_u64, |sum, of| sum.saturating_add(of.live));
    let [errors, warnings, _] = state.tally();
    let forgotten = match state.forgotten.processes {
        0 => String::new(),
        some => format!("; {} forgotten", units::counted(some, "process")),
    };
    format!(
        "{}, {} of them run; {} live on devices; {}, {}{forgotten}",
        units::counted(state.processes.len() as u64, "process"),
        runs.count(),
        units::bytes(live),
        units::counted(errors, "error"),
        units::counted(warnings, "warning"),
    )
}

/// Differs if the report would.
pub fn fingerprint(state: &State) -> (u64, usize) {
    let events = state.processes.iter().map(|process| process.events);
    let numbers = state.processes.iter().map(|process| process.number + 1);
    (events.sum(), numbers.sum())
}

/// The report's page, as it was finished last.
#[derive(Default)]
pub struct ReportPage {
    made: Mutex<Made>,
    wanted: Condvar,
}

#[derive(Default)]
struct Made {
    /// The page, and when it was finished.
    page: Option<(Arc<str>, Instant)>,
    fingerprint: (u64, usize),
    /// Why the last one failed.
    failure: Option<String>,
    /// Before, no other one is made.
    next: Option<Instant>,
    is_wanted: bool,
}

impl ReportPage {
    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest page, and when it was finished. A newer one is made behind it.
    pub fn latest(&self) -> Option<(Arc<str>, Instant)> {
        let mut made = self.made();
        made.is_wanted = true;
        self.wanted.notify_one();
        made.page.clone()
    }

    /// Why there is none.
    pub fn failure(&self) -> String {
        let failure = self.made().failure.clone();
        failure.unwrap_or_else(|| "the first report is being made".to_owned())
    }

    /// Waits until a page is wanted. Returns how long to wait before it is made.
    pub fn wait(&self) -> Duration {
        let waited = self.wanted.wait_while(self.made(), |made| !made.is_wanted);
        let mut made = waited.unwrap_or_else(PoisonError::into_inner);
        made.is_wanted = false;
        let next = made.next.unwrap_or_else(Instant::now);
        next.saturating_duration_since(Instant::now())
    }

    /// Makes the page of `files`, unless there is nothing new; of no files there is none. A panic on the way is a failure of this page.
    pub fn make(
        &self,
        files: Vec<PathBuf>,
        fingerprint: (u64, usize),
        suppressions: &Suppressions,
    ) {
        let is_same = {
            let made = self.made();
            made.page.is_some() && made.fingerprint == fingerprint
        };
        if files.is_empty() {
            self.made().page = None;
            return;
        }
        if is_same {
            return;
        }
        let began = Instant::now();
        let page = catch_unwind(AssertUnwindSafe(|| read(files, suppressions)));
        let page = page.unwrap_or_else(|_| Err("the report could not be made".to_owned()));
        let mut made = self.made();
        made.next = Some(Instant::now() + MIN_PAUSE.max(began.elapsed() * PAUSE_FACTOR));
        match page {
            Ok(page) => {
                made.page = Some((page.into(), Instant::now()));
                (made.fingerprint, made.failure) = (fingerprint, None);
            }
            Err(why) => made.failure = Some(why),
        }
    }
}

fn read(files: Vec<PathBuf>, suppressions: &Suppressions) -> Result<String, String> {
    let reading = Logs::of(files).read_drawn(html::MAX_BLOCKS);
    let mut reading = reading.map_err(|error| format!("{error:#}"))?;
    suppressions.apply(&mut reading.report);
    let page = html::document(&reading.report, &reading.lives, BYTES, explicit_locale());
    Ok(page)
}

#[cfg(test)]
mod tests;
