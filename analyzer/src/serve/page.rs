//! The live page: the report's own page in a frame, which is loaded again when there is more.
//!
//! The report is made again at most for a tenth of the time, however long its logs are.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use aclsan_render::html::{self, csp};
use aclsan_render::units;

use super::Known;
use crate::io::language::explicit_locale;
use crate::report::pipeline::Logs;
use crate::watch::state::{Life, State};

const SHELL: &str = include_str!("live.html");
const STYLE: &str = include_str!("live.css");
const SCRIPT: &str = include_str!("live.js");

/// Most bytes of the report's page.
const BYTES: u64 = 8 << 20;
/// Least time between two reports, and how much longer than it takes to make one.
const LEAST: Duration = Duration::from_secs(5);
const TIMES: u32 = 10;

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
    format!(
        "{}, {} of them run; {} live on devices; {}, {}",
        units::counted(state.processes.len() as u64, "process"),
        runs.count(),
        units::bytes(live),
        units::counted(errors, "error"),
        units::counted(warnings, "warning"),
    )
}

/// Differs if the report would.
pub fn print(state: &State) -> (u64, usize) {
    let events = state.processes.iter().map(|process| process.events);
    (events.sum(), state.processes.len())
}

/// The report's page, as it was made last.
#[derive(Default)]
pub struct ReportPage(Mutex<Option<Made>>);

struct Made {
    page: String,
    print: (u64, usize),
    next: Instant,
}

impl ReportPage {
    /// Whether a new one may be made.
    pub fn is_due(&self) -> bool {
        // One that is being made is not due.
        let Ok(made) = self.0.try_lock() else {
            return false;
        };
        made.as_ref().is_none_or(|made| Instant::now() >= made.next)
    }

    /// The page; a new one, if there is more to report and it is time.
    pub fn of(&self, known: &Mutex<Known>) -> Result<String, String> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (files, print) = {
            let known = known.lock().unwrap_or_else(PoisonError::into_inner);
            (known.files.clone(), print(&known.state))
        };
        if let Some(made) = &*made
            && (made.print == print || Instant::now() < made.next)
        {
            return Ok(made.page.clone());
        }
        if files.is_empty() {
            return Err("no log has begun yet".to_owned());
        }
        let began = Instant::now();
        let reading = Logs::of(files).read_drawn(html::MOST_LIVES);
        let reading = reading.map_err(|error| format!("{error:#}"))?;
        let page = html::document(&reading.report, &reading.lives, BYTES, explicit_locale());
        *made = Some(Made {
            page: page.clone(),
            print,
            next: Instant::now() + LEAST.max(began.elapsed() * TIMES),
        });
        Ok(page)
    }
}
