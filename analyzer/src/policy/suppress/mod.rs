//! Suppressions: findings that a team has reviewed and accepts.
//!
//! A line is `rule:pattern`, as in LeakSanitizer: `leak:TrainStep::cache_`, `*:libvendor.so`. The pattern is matched against function,
//! source file and module of every frame of every stack of a finding. It matches anywhere in the name; `*` matches anything, `\*` a star,
//! `^` and `$` anchor it. `# until=2027-01-31` after it sets its last day; any other word with a `=` there is an error, any other comment
//! is free. Empty lines and lines that begin with `#` are ignored.
//!
//! `rule caller:pattern` is matched against one frame only, the caller: the innermost Python function, or without Python the innermost
//! frame. There the pattern may also say where the function is: `leak caller:^main (train.c)$`, `leak caller:^<module> (train.py)$`; or
//! `leak caller:^train+0x11a9$` if it has no name.
//!
//! A finding takes its consequences with it. A line for the rule of a consequence removes that alone.
//!
//! Suppressed findings are counted, never lost: reports say how often each line was used, and which lines were not. A finding that several
//! lines cover counts for each of them.

mod builtin;
mod caller;
mod generate;
mod line;

use std::cmp::Reverse;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use aclsan_render::Report;
use aclsan_render::model::{Finding, Stacks, Suppressed, Suppression};

use crate::io::text_file;
pub use generate::generate;
use line::Line;

/// A suppression file that cannot be used.
#[derive(Debug)]
pub enum Error {
    /// It cannot be read.
    Unreadable(PathBuf, std::io::Error),
    /// A line makes no sense; the text says what to write instead.
    Line(PathBuf, usize, String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, error) => {
                write!(f, "cannot read suppressions `{}`: {error}", path.display())
            }
            Self::Line(path, number, why) => write!(f, "`{}` line {number}: {why}", path.display()),
        }
    }
}

impl std::error::Error for Error {}

/// What every command that judges logs takes, so that all of them come to the same verdict.
#[derive(clap::Args, Default)]
pub struct Choice {
    /// Omit findings that a line of this file covers; may be given several times
    #[arg(long, value_name = "FILE")]
    pub suppressions: Vec<PathBuf>,
    /// Also report what CANN's own libraries keep until the process ends
    #[arg(long)]
    no_builtin_suppressions: bool,
}

impl Choice {
    /// The lines.
    ///
    /// # Errors
    /// As [`Suppressions::read`].
    pub fn read(&self) -> Result<Suppressions, Error> {
        Suppressions::read(&self.suppressions, !self.no_builtin_suppressions)
    }
}

/// All suppression lines.
pub struct Suppressions {
    lines: Vec<Line>,
}

impl Suppressions {
    /// Reads `files`, after the built-in lines if `with_builtin`.
    ///
    /// # Errors
    /// If a file cannot be read, or a line makes no sense: a suppression that silently does nothing, or too much, would be worse.
    pub fn read(files: &[PathBuf], with_builtin: bool) -> Result<Self, Error> {
        let mut lines = match with_builtin {
            true => builtin::lines(),
            false => Vec::new(),
        };
        for file in files {
            let text =
                text_file::read(file).map_err(|error| Error::Unreadable(file.clone(), error))?;
            lines.extend(parse(&text, file)?);
        }
        Ok(Self { lines })
    }

    /// Removes suppressed findings from `report`, and records which lines suppressed them.
    pub fn apply(&self, report: &mut Report) {
        let mut used = vec![(0_u64, 0_u64); self.lines.len()];
        let mut gone = Vec::new();
        let today = today();
        let covering = |finding: &Finding| -> Vec<usize> {
            let lines = self.lines.iter().enumerate();
            let covering =
                lines.filter(|(_, line)| covers(line, today, finding.rule, &finding.stacks));
            covering.map(|(at, _)| at).collect()
        };
        report.findings.retain_mut(|finding| {
            let by = covering(finding);
            if !by.is_empty() {
                // A root takes its consequences with it.
                gone.push(Gone {
                    fingerprints: finding.each().map(|one| one.fingerprint.clone()).collect(),
                    is_root: true,
                    by,
                });
                return false;
            }
            finding.consequences.retain(|other| {
                let by = covering(other);
                let is_kept = by.is_empty();
                if !is_kept {
                    gone.push(Gone {
                        fingerprints: vec![other.fingerprint.clone()],
                        is_root: false,
                        by,
                    });
                }
                is_kept
            });
            finding.raise();
            true
        });
        report
            .findings
            .sort_by_key(|finding| Reverse(finding.severity));
        let findings = gone.len() as u64;
        let mut all_bytes = 0_u64;
        for gone in gone {
            let mut bytes = 0_u64;
            for (nth, fingerprint) in gone.fingerprints.iter().enumerate() {
                bytes = bytes.saturating_add(report.leaks.forget(fingerprint));
                (report.ranks).forget(fingerprint, gone.is_root && nth == 0);
            }
            all_bytes = all_bytes.saturating_add(bytes);
            for at in gone.by {
                used[at].0 += 1;
                used[at].1 = used[at].1.saturating_add(bytes);
            }
        }
        if !report.ranks.processes.is_empty() {
            report.ranks.compare();
        }
        report.summarize();
        report.suppressed = Suppressed {
            findings,
            bytes: all_bytes,
            lines: self.usage(&used, today),
        };
    }

    /// Whether some line covers a finding of `rule` with these stacks.
    pub fn omits(&self, rule: &str, stacks: &Stacks) -> bool {
        let (mut lines, today) = (self.lines.iter(), today());
        lines.any(|line| covers(line, today, rule, stacks))
    }

    /// The use of each line; built-in ones only if used.
    fn usage(&self, used: &[(u64, u64)], today: u64) -> Vec<Suppression> {
        let lines = self.lines.iter().zip(used);
        let reported = lines.filter(|(line, (findings, _))| *findings > 0 || !line.is_builtin());
        reported
            .map(|(line, &(findings, bytes))| Suppression {
                text: line.text.clone(),
                place: line.place.clone(),
                findings,
                bytes,
                has_ended: line.until.is_some_and(|until| today > until),
            })
            .collect()
    }
}

fn covers(line: &Line, today: u64, rule: &str, stacks: &Stacks) -> bool {
    line.until.is_none_or(|until| today <= until) && line.covers(rule, stacks)
}

/// A suppressed finding.
struct Gone {
    /// Its fingerprint, then those of its consequences.
    fingerprints: Vec<String>,
    /// Whether it was counted.
    is_root: bool,
    /// The lines that cover it.
    by: Vec<usize>,
}

/// Parses the lines of a file.
fn parse(text: &str, file: &Path) -> Result<Vec<Line>, Error> {
    let numbered = text.lines().zip(1..);
    let written = numbered.filter(|(line, _)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    written
        .map(|(line, number)| {
            let place = format!("{}:{number}", file.display());
            Line::parse(line, place).map_err(|why| Error::Line(file.to_owned(), number, why))
        })
        .collect()
}

/// Days since 1970.
fn today() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs() / 86_400)
}
