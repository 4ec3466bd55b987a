//! Suppressions: findings that a team has looked at and lives with.
//!
//! A line is `rule:pattern`, as LeakSanitizer has them: `leak:TrainStep::cache_`, `*:libvendor.so`. The pattern is tried on function,
//! source file and module of every frame of every stack of a finding: it may stand anywhere in the name, `*` stands for anything, `^`
//! and `$` hold it to the name's beginning and end. `# until=2027-01-31` behind it ends it with that day; another word with a `=` there is
//! an error, any other comment none. Empty lines and lines that begin with `#` say nothing.
//!
//! What is suppressed is counted, never lost: reports tell how often each line was used, and which lines were not.

mod builtin;
mod line;
mod pattern;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use aclsan_render::Report;
use aclsan_render::model::{Finding, Frame, Language, Suppressed, Suppression};

use crate::written_text;
use line::Line;
pub use pattern::Pattern;

/// A file of suppressions that cannot be taken.
#[derive(Debug)]
pub enum Error {
    /// It cannot be read.
    Unreadable(PathBuf, std::io::Error),
    /// A line of it makes no sense, and what to write instead.
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

/// All lines that apply to a report.
pub struct Suppressions {
    lines: Vec<Line>,
    /// Days since 1970.
    today: u64,
}

impl Suppressions {
    /// Those of `files`, behind the built-in ones if `with_builtin`.
    ///
    /// # Errors
    /// When a file cannot be read, or a line of it makes no sense: a suppression that silently does nothing, or too much, is worse.
    pub fn read(files: &[PathBuf], with_builtin: bool) -> Result<Self, Error> {
        let mut lines = match with_builtin {
            true => builtin::lines(),
            false => Vec::new(),
        };
        for file in files {
            let text =
                written_text::read(file).map_err(|error| Error::Unreadable(file.clone(), error))?;
            lines.extend(parse(&text, file)?);
        }
        Ok(Self {
            lines,
            today: today(),
        })
    }

    /// Takes what is suppressed out of `report`, and puts on its record which lines did so.
    pub fn apply(&self, report: &mut Report) {
        let mut used = vec![(0_u64, 0_u64); self.lines.len()];
        let mut gone = Vec::new();
        report.findings.retain(|finding| {
            let by = self
                .lines
                .iter()
                .position(|line| self.covers(line, finding));
            if let Some(by) = by {
                used[by].0 += 1;
                gone.push((finding.fingerprint.clone(), by));
            }
            by.is_none()
        });
        for (fingerprint, by) in gone {
            used[by].1 += report.leaks.forget(&fingerprint);
            report.ranks.forget(&fingerprint);
        }
        if !report.ranks.processes.is_empty() {
            report.ranks.compare();
        }
        report.summarize();
        report.suppressed = Suppressed {
            findings: used.iter().map(|(findings, _)| findings).sum(),
            bytes: used.iter().map(|(_, bytes)| bytes).sum(),
            lines: self.told(&used),
        };
    }

    fn covers(&self, line: &Line, finding: &Finding) -> bool {
        line.until.is_none_or(|until| self.today <= until) && line.covers(finding)
    }

    /// The lines with what they were used for; built-in ones only if they were.
    fn told(&self, used: &[(u64, u64)]) -> Vec<Suppression> {
        let lines = self.lines.iter().zip(used);
        let told = lines.filter(|(line, (findings, _))| *findings > 0 || !line.is_builtin());
        told.map(|(line, &(findings, bytes))| Suppression {
            text: line.text.clone(),
            place: line.place.clone(),
            findings,
            bytes,
            has_ended: line.until.is_some_and(|until| self.today > until),
        })
        .collect()
    }
}

/// The lines of a file's text.
fn parse(text: &str, file: &Path) -> Result<Vec<Line>, Error> {
    let numbered = text.lines().zip(1..);
    let said = numbered.filter(|(line, _)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    said.map(|(line, number)| {
        let place = format!("{}:{number}", file.display());
        Line::parse(line, place).map_err(|why| Error::Line(file.to_owned(), number, why))
    })
    .collect()
}

/// Lines that would suppress what `report` has found, each under its sentence: to be pasted into a file and cut down.
pub fn generate(report: &Report) -> String {
    let mut lines = String::new();
    for finding in &report.findings {
        let Some(pattern) = pattern_of(&finding.stacks.here.frames) else {
            continue;
        };
        lines.push_str(&format!(
            "# {}\n{}:{pattern}\n",
            finding.message, finding.rule
        ));
    }
    lines
}

/// What would suppress a stack: the innermost Python function, for whatever native code lies between it and the call, `ffi_call` say, is on
/// the stacks of other Python functions as well; without Python the innermost function, else the innermost module.
fn pattern_of(frames: &[Frame]) -> Option<String> {
    let of_python = frames
        .iter()
        .find(|frame| frame.language == Language::Python);
    if let Some(frame) = of_python {
        // `<module>` and `<lambda>` are in every program: their file says more.
        let function = frame.function.as_deref();
        let own = function.filter(|name| !name.is_empty() && !name.starts_with('<'));
        let file = Some(frame.module_name()).filter(|name| !name.is_empty());
        return own
            .map(|name| format!("^{name}$"))
            .or_else(|| file.map(|name| format!("{name}$")));
    }
    let named = frames.iter().find_map(|frame| frame.function.as_deref());
    match (named, frames.first()) {
        (Some(function), _) => Some(format!("^{function}$")),
        (None, Some(frame)) => Some(format!("/{}$", frame.module_name())),
        (None, None) => None,
    }
}

/// Days since 1970.
fn today() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs() / 86_400)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(language: Language, function: Option<&str>, module: &str) -> Frame {
        Frame {
            language,
            function: function.map(Into::into),
            module: module.into(),
            ..Frame::default()
        }
    }

    #[test]
    fn a_generated_line_names_the_innermost_python_function() {
        let native = |function| frame(Language::Native, function, "/lib/libffi.so.8");
        let python = |function| frame(Language::Python, Some(function), "/home/me/train.py");
        for (frames, pattern) in [
            (
                vec![
                    native(Some("ffi_call")),
                    python("Cache.fill"),
                    python("step"),
                ],
                Some("^Cache.fill$"),
            ),
            (
                vec![native(Some("ffi_call")), python("<module>")],
                Some("train.py$"),
            ),
            (
                vec![native(None), native(Some("ffi_call"))],
                Some("^ffi_call$"),
            ),
            (vec![native(None)], Some("/libffi.so.8$")),
            (vec![], None),
        ] {
            assert_eq!(pattern_of(&frames).as_deref(), pattern, "{frames:?}");
        }
    }
}
