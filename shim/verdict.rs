//! Findings as they happen: each is printed the first time and counted after that; one summary at the end.

use crate::options::Color;
use crate::process::Process;
use crate::sink::file::Name;
use crate::uncancelled::Uncancelled;
use crate::{plain, say};
use aclsan_log::{PythonFrame, SiteId};
use aclsan_rules::{Block, Finding, Rule, Severity, words};
use aclsan_unwind::symbolize;
use std::collections::{HashMap, HashSet};
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was found so far.
#[derive(Default)]
pub struct Verdict(Mutex<Found>);

/// What makes two findings one: the rule and the stacks.
type Likeness = (&'static str, SiteId, Vec<SiteId>);

#[derive(Default)]
struct Found {
    counts: HashMap<Likeness, u64>,
    by_severity: [u64; 3],
    unknown: HashSet<(SiteId, u64)>,
    /// Whether there were more than [`MOST`].
    is_full: bool,
}

/// Findings that are told apart.
const MOST: usize = 1 << 16;

impl Verdict {
    /// Counts a finding, and prints it if it is new. Does not return if it is the first error and the user wants the program to end there.
    pub fn report(&self, process: &Process, finding: &Finding) {
        let _uncancelled = Uncancelled::enter();
        let earlier = finding.earlier.iter().map(|&(_, site)| site).collect();
        let is_new = {
            let mut found = self.lock();
            let is_full = found.counts.len() >= MOST;
            let likeness = (finding.rule.name, finding.here, earlier);
            if is_full && !found.counts.contains_key(&likeness) {
                found.by_severity[finding.severity as usize] += 1; // Counted; the log has the facts.
                let is_first = !std::mem::replace(&mut found.is_full, true);
                drop(found);
                if is_first {
                    say::warning(
                        "there are more findings than are told apart: further ones are counted, and `aclsan findings` tells them",
                    );
                }
                return self.halt(process, finding);
            }
            let count = found.counts.entry(likeness).or_default();
            *count += 1;
            let is_new = *count == 1;
            found.by_severity[finding.severity as usize] += u64::from(is_new);
            is_new
        };
        if is_new {
            print(process, finding);
        }
        self.halt(process, finding);
    }

    /// Ends the program at an error, if the user wants that.
    fn halt(&self, process: &Process, finding: &Finding) {
        if finding.severity == Severity::Error && process.options.halt_on_error {
            self.summarize(process);
            // SAFETY: ends the process without running its handlers, as asked for.
            unsafe { libc::_exit(1) };
        }
    }

    /// Counts a pointer that nobody saw allocated.
    pub fn unknown(&self, site: SiteId, address: u64) {
        let mut found = self.lock();
        if found.unknown.len() < 1 << 16 {
            found.unknown.insert((site, address));
        }
    }

    /// Prints the last line.
    pub fn summarize(&self, process: &Process) {
        let _uncancelled = Uncancelled::enter();
        process.sink.tell_lost();
        let (mut blocks, mut bytes) = (0u64, 0u64);
        let mut count = |block: &Block| {
            if block.family().is_memory() && !process.ignored.has(block.id) {
                (blocks, bytes) = (blocks + 1, bytes.saturating_add(block.size));
            }
        };
        process
            .live
            .for_each_live(|key, entry| count(&entry.block(key)));
        process.devices.for_each_dropped(count);
        let found = self.lock();
        let [notes, warnings, errors] = found.by_severity;
        let (unknown, dropped) = (found.unknown.len(), process.sink.dropped());
        if let Some(file) = process.sink.file() {
            let path = file.path().display();
            say::lines(&match file.name() {
                Name::Stands => {
                    format!("aclsan: the event log is `{path}`: aclsan report shows it")
                }
                Name::Gone => format!(
                    "aclsan: the event log was `{path}`, and no such file is there any more: it was removed or moved, or this process has another root"
                ),
                Name::Taken => format!(
                    "aclsan: the event log was `{path}`, and another file has that name now: the log was removed or moved"
                ),
            });
        }
        say::lines(&format!(
            "SUMMARY: aclsan: {errors} errors, {warnings} warnings, {notes} notes; {bytes} bytes in {blocks} blocks leaked; \
             {unknown} unknown-origin pointers; {dropped} events dropped"
        ));
    }

    fn lock(&self) -> MutexGuard<'_, Found> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn print(process: &Process, finding: &Finding) {
    if say::is_quiet() {
        return;
    }
    let mut lines = words::lines(finding, 1, |site| stack(process, site));
    if is_coloured(process.options.color) {
        lines[0] = format!("\x1b[1;{}m{}\x1b[0m", color(finding.rule), lines[0]);
    }
    say::lines(&lines.join("\n"));
}

fn color(rule: &Rule) -> u8 {
    match rule.severity {
        Severity::Error => 31,
        Severity::Warning => 33,
        Severity::Note => 36,
    }
}

fn is_coloured(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            std::env::var_os("NO_COLOR").is_none()
                && !plain::is_filtered()
                && std::io::stderr().is_terminal()
        }
    }
}

/// A site's frames, as well as they can be named from inside the process.
fn stack(process: &Process, site: SiteId) -> Vec<String> {
    let frames = process
        .sites
        .get(site)
        .map_or_else(Box::default, |known| known.frames);
    let mut lines = Vec::new();
    for &frame in &frames {
        if let Some(python) = PythonFrame::of(frame) {
            let (function, file) = process.python.get(python.code).unwrap_or_default();
            lines.push(format!(
                "#{} in {function} {file}:{}",
                lines.len(),
                python.line
            ));
            continue;
        }
        let named = match process.options.symbols {
            true => symbolize::names(frame),
            false => Vec::new(),
        };
        let place = crate::modules::describe(frame);
        if named.is_empty() {
            lines.push(format!("#{} {frame:#x} ({place})", lines.len()));
        }
        for (name, line) in named {
            lines.push(format!(
                "#{} {frame:#x} in {name} {}",
                lines.len(),
                line.unwrap_or_else(|| format!("({place})"))
            ));
        }
    }
    lines
}
