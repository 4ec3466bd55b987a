//! Findings in the formats of continuous integration.

pub mod github;
pub mod gitlab;
pub mod junit;
pub mod sarif;

use std::path::{Component, Path, PathBuf};

use crate::model::{Finding, Frame, Leaks, Trace};
use crate::totals;

/// The sources under test. What is outside cannot be fixed in this repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    /// All names of the one root folder.
    roots: Vec<PathBuf>,
}

/// A line in the sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Path from the root, with `/`.
    pub file: String,
    /// From 1.
    pub line: u32,
}

impl Sources {
    /// The sources below `root`. Relative paths in debug information are taken as relative to it.
    pub fn below(root: PathBuf) -> Self {
        Self { roots: vec![root] }
    }

    /// Adds a second name for the root.
    pub fn or_below(mut self, root: PathBuf) -> Self {
        self.roots.push(root);
        self
    }

    /// The best location of a finding: the innermost frame inside the sources on its own stack, else on the earlier stacks.
    pub fn place(&self, finding: &Finding) -> Option<Place> {
        let stacks = &finding.stacks;
        std::iter::once(&stacks.here)
            .chain(&stacks.earlier)
            .find_map(|trace| self.innermost(trace))
    }

    /// The innermost frame of `trace` inside the sources.
    pub fn innermost(&self, trace: &Trace) -> Option<Place> {
        trace.frames.iter().find_map(|frame| self.line(frame))
    }

    fn line(&self, frame: &Frame) -> Option<Place> {
        let path = climbed(Path::new(frame.file.as_deref()?))?;
        let inside = match path.is_absolute() {
            true => (self.roots.iter()).find_map(|root| path.strip_prefix(root).ok())?,
            false => &path,
        };
        let file = inside.to_str()?.to_owned();
        let line = frame.line.filter(|line| *line > 0)?;
        Some(Place { file, line })
    }
}

/// Normalizes a path without touching the file system: builds beside their sources write `/repo/build/../src/a.c`. `None` for a path that
/// climbs above an unknown root, as those of libc do.
fn climbed(path: &Path) -> Option<PathBuf> {
    let mut at = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if path.is_absolute() => drop(at.pop()),
            Component::ParentDir => return None,
            part => at.push(part),
        }
    }
    Some(at)
}

/// A finding and its stacks in plain lines, for formats with a single text.
pub fn text(finding: &Finding, leaks: &Leaks) -> String {
    let mut lines = vec![totals::message_with_total(finding, leaks)];
    lines.extend(finding.details.iter().map(|detail| format!("  {detail}")));
    lines.extend(finding.consequences.iter().map(Finding::consequence_line));
    for trace in std::iter::once(&finding.stacks.here).chain(&finding.stacks.earlier) {
        lines.push(format!("{} `{}`:", label(trace), trace.function));
        lines.extend(trace.frames.iter().enumerate().map(frame));
    }
    for (word, said) in [
        ("the runtime", &finding.runtime),
        ("fix:", &finding.instead),
    ] {
        if !said.is_empty() {
            lines.push(format!("{word} {said}"));
        }
    }
    lines.push(format!("more: aclsan explain {}", finding.rule));
    lines.join("\n")
}

fn label(trace: &Trace) -> &'static str {
    match trace.what {
        "allocated" => "allocated by",
        "released" => "released by",
        "reset" => "dropped by the reset",
        "exported" => "its key made by",
        "registered" => "registered by",
        _ => "in",
    }
}

fn frame((number, frame): (usize, &Frame)) -> String {
    let place = match (&frame.file, frame.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => format!("({}+{:#x})", frame.module_name(), frame.offset),
    };
    format!(
        "  #{number} {} {place}",
        frame.function.as_deref().unwrap_or("??")
    )
}

#[cfg(test)]
fn sources() -> Sources {
    Sources::below("/src/app".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use aclsan_rules::evidence::rule::Severity;

    #[test]
    fn the_place_is_the_innermost_line_inside_the_sources() {
        let place = sources().place(&finding(Severity::Error)).unwrap();
        assert_eq!((place.file.as_str(), place.line), ("train.cpp", 42));
        assert_eq!(
            Sources::below("/elsewhere".into()).place(&finding(Severity::Error)),
            None
        );
    }

    #[test]
    fn a_path_without_a_beginning_is_inside_and_one_that_climbs_out_is_not() {
        let place = |file: &str| sources().line(&at("f", file, 1)).map(|place| place.file);
        assert_eq!(place("./lib/a.c").as_deref(), Some("lib/a.c"));
        assert_eq!(place("../a.c"), None);
        assert_eq!(place("./csu/../sysdeps/start.c"), None);
        let beside = "/src/app/build/../lib/./a.c";
        assert_eq!(place(beside).as_deref(), Some("lib/a.c"));
        assert_eq!(place("/src/app/../other/a.c"), None);
    }

    #[test]
    fn sources_may_have_two_names() {
        let sources = sources().or_below("/mnt/real".into());
        for file in ["/src/app/lib/a.c", "/mnt/real/lib/a.c"] {
            let place = sources.line(&at("f", file, 1)).map(|place| place.file);
            assert_eq!(place.as_deref(), Some("lib/a.c"));
        }
    }
}
