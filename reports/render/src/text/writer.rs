//! Writes lines with a prefix, with color if wanted, and tables that fit the terminal.

use std::io::{self, Write};

use aclsan_rules::evidence::estimate;
use aclsan_rules::evidence::rule::Severity;
use anstyle::{AnsiColor, Style as AnsiStyle};
use comfy_table::{Cell, CellAlignment, Table, presets};

use super::chinese::{Locale, translate};
use super::fit_width;
use super::fold::{Piece, fold};
use crate::model::{Finding, Process};
use crate::units::{counted, printable};

/// Appearance of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether to use colors.
    pub is_coloured: bool,
    /// Width of the terminal; `None` for no limit.
    pub width: Option<u16>,
    /// Maximum number of findings, and of leaking sites; 0 for no limit.
    pub most: usize,
    /// The language.
    pub tongue: Locale,
    /// How much of a finding is shown.
    pub detail: Detail,
    /// Whether every line begins with the process number. Lines of several processes do in any case.
    pub has_prefix: bool,
    /// Whether files are links that a terminal opens.
    pub has_links: bool,
}

/// How much of a finding is shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Detail {
    /// Each stack on one line, without memory dumps.
    #[default]
    Brief,
    /// Stacks without what says nothing about the program, and all evidence.
    Long,
    /// All frames of stacks.
    Full,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            is_coloured: false,
            width: None,
            most: 100,
            tongue: Locale::English,
            detail: Detail::default(),
            has_prefix: false,
            has_links: false,
        }
    }
}

/// Writes the lines of a report.
pub struct TextWriter<'a> {
    out: &'a mut dyn Write,
    style: Style,
    pid: u32,
    names: Vec<String>,
    is_begun: bool,
    /// Whether sums over blocks are estimates.
    is_estimate: bool,
}

fn color(severity: Severity) -> AnsiColor {
    match severity {
        Severity::Error => AnsiColor::BrightRed,
        Severity::Warning => AnsiColor::BrightYellow,
        Severity::Note => AnsiColor::BrightCyan,
    }
}

/// Columns of a line at least, however narrow the terminal.
const MIN_WIDTH: usize = 40;
/// With more processes than this, tables do not have a row for each.
const MAX_PROCESSES_WITH_ROWS: usize = 16;
/// Rows of a table in that case.
const MAX_ROWS_OF_MANY: usize = 32;
/// Maximum number of process names on a line.
const MAX_NAMES: usize = 8;

impl<'a> TextWriter<'a> {
    /// Starts with lines about process `pid`.
    pub fn new(out: &'a mut dyn Write, style: Style, pid: u32) -> Self {
        Self {
            out,
            style,
            pid,
            names: Vec::new(),
            is_begun: false,
            is_estimate: false,
        }
    }

    /// Sets the names of the report's processes.
    pub fn set_names(&mut self, names: Vec<String>) {
        self.names = names;
    }

    /// Says that sums over blocks are estimates, from a sample.
    pub fn set_estimate(&mut self, is_estimate: bool) {
        self.is_estimate = is_estimate;
    }

    /// A text about sums over blocks, in which their numbers are marked if they are estimates.
    pub fn sums(&self, text: &str) -> String {
        match self.is_estimate {
            true => estimate::marked(text),
            false => text.to_owned(),
        }
    }

    /// A number of blocks or calls that is such a sum.
    pub fn count(&self, count: u64) -> String {
        match self.is_estimate && count > 0 {
            true => format!("~{count}"),
            false => count.to_string(),
        }
    }

    /// The name of a process by index in the report.
    pub fn name(&self, process: usize) -> &str {
        self.names.get(process).map_or("?", String::as_str)
    }

    /// Whether a process number does not identify this process.
    pub fn needs_name(&self, process: usize) -> bool {
        let name = self.names.get(process);
        name.is_some_and(|name| Process::is_apart(name))
    }

    /// Says which process the lines are about, if its number does not.
    pub fn identify(&mut self, process: usize) -> io::Result<()> {
        match self.needs_name(process) {
            true => self.line(&format!("  In {}", self.process_list(&[process]))),
            false => Ok(()),
        }
    }

    /// These processes in words.
    pub fn process_list(&self, processes: &[usize]) -> String {
        let named: Vec<&str> = processes
            .iter()
            .take(MAX_NAMES)
            .map(|&at| self.name(at))
            .collect();
        let named = named.join(", ");
        match processes.len() {
            1 => format!("process {named}"),
            few if few <= MAX_NAMES => format!("processes {named}"),
            many => format!("{many} of {} processes: {named}, …", self.names.len()),
        }
    }

    /// The following lines are about process `pid`.
    pub fn turn_to(&mut self, pid: u32) {
        self.pid = pid;
    }

    /// Appearance of the text.
    pub fn style(&self) -> Style {
        self.style
    }

    /// How many of `count` to show.
    pub fn shown(&self, count: usize) -> usize {
        match self.style.most {
            0 => count,
            most => count.min(most),
        }
    }

    /// Writes a line. Terminal control characters are escaped.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        self.raw(&self.translate(text))
    }

    /// Translates `text`, keeping its indentation.
    pub(super) fn translate(&self, text: &str) -> String {
        if self.style.tongue == Locale::English {
            return text.to_owned();
        }
        let words = text.trim_start();
        let indent = &text[..text.len() - words.len()];
        match translate(words) {
            Some(translated) => format!("{indent}{translated}"),
            None => text.to_owned(),
        }
    }

    pub(super) fn raw(&mut self, text: &str) -> io::Result<()> {
        self.pieces(&[Piece::plain(text)])
    }

    /// Writes a line, `link` of which is shown as `text` and opens a file. The rest is escaped as usual.
    pub(super) fn linked(
        &mut self,
        [before, text, after]: [&str; 3],
        link: &str,
    ) -> io::Result<()> {
        let linked = Piece::between(
            text,
            format!("\x1b]8;;{link}\x1b\\"),
            "\x1b]8;;\x1b\\".to_owned(),
        );
        self.pieces(&[Piece::plain(before), linked, Piece::plain(after)])
    }

    /// Writes a line, folded at the terminal's width.
    fn pieces(&mut self, pieces: &[Piece]) -> io::Result<()> {
        self.is_begun = true;
        let prefix = self.prefix();
        let width = self.width();
        for line in fold(pieces, width) {
            writeln!(self.out, "{prefix}{line}")?;
        }
        Ok(())
    }

    /// What each line begins with.
    fn prefix(&self) -> String {
        match self.style.has_prefix {
            true => format!("=={}== ", self.pid),
            false => String::new(),
        }
    }

    /// Columns of a line after its prefix, if the terminal limits them.
    pub(super) fn width(&self) -> Option<usize> {
        let prefix = self.prefix().len();
        let width = self.style.width.map(usize::from);
        width.map(|width| width.saturating_sub(prefix).max(MIN_WIDTH))
    }

    /// Other text precedes: the first line is no beginning.
    pub fn follow(&mut self) {
        self.is_begun = true;
    }

    /// Writes an empty line, unless it would be the first line.
    pub fn gap(&mut self) -> io::Result<()> {
        match (self.is_begun, self.style.has_prefix) {
            (true, true) => writeln!(self.out, "=={}==", self.pid),
            (true, false) => writeln!(self.out),
            (false, _) => Ok(()),
        }
    }

    /// Writes the title of a section.
    pub fn title(&mut self, text: &str) -> io::Result<()> {
        self.gap()?;
        let text = self.translate(text);
        self.styled(AnsiStyle::new().bold(), &text, "")
    }

    /// Writes a row of which the first word, a severity, has its color.
    pub(super) fn marked(&mut self, severity: Severity, row: &str) -> io::Result<()> {
        let words = row.trim_start();
        let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
        let style = color(severity).on_default();
        let marked = match self.style.is_coloured {
            true => Piece::between(word, style.to_string(), format!("{style:#}")),
            false => Piece::plain(word),
        };
        let indent = &row[..row.len() - words.len()];
        self.pieces(&[
            Piece::plain(indent),
            marked,
            Piece::plain(&format!(" {rest}")),
        ])
    }

    /// Writes the first line of a finding; `times` it occurred.
    pub fn headline(&mut self, severity: Severity, text: &str, times: u64) -> io::Result<()> {
        let word = severity.name().to_uppercase();
        let times = match times {
            0 | 1 => String::new(),
            many => match self.style.tongue {
                Locale::English => format!(" ({many} times)"),
                Locale::Chinese => format!("（{many} 次）"),
            },
        };
        // The severity and the rule are not translated: scripts read them.
        let text = match text.split_once(": ") {
            Some((rule, message)) if !rule.contains(' ') => {
                format!("{rule}: {}", self.translate(message))
            }
            _ => self.translate(text),
        };
        self.styled(
            color(severity).on_default().bold(),
            &word,
            &format!(": aclsan: {text}{times}"),
        )
    }

    /// Writes a finding that follows from another, in one line below it.
    pub fn consequence(&mut self, other: &Finding) -> io::Result<()> {
        // Each half by itself: a sentence of a rule could be taken for the whole line.
        let head = self.translate(&other.consequence_head());
        let colon = match self.style.tongue {
            Locale::English => ": ",
            Locale::Chinese => "：",
        };
        self.raw(&format!(
            "  {head}{colon}{}",
            self.translate(&other.message)
        ))
    }

    fn styled(&mut self, style: AnsiStyle, marked: &str, rest: &str) -> io::Result<()> {
        let marked = match self.style.is_coloured {
            true => Piece::between(marked, style.to_string(), format!("{style:#}")),
            false => Piece::plain(marked),
        };
        self.pieces(&[marked, Piece::plain(rest)])
    }

    /// Writes a table. The first `words` columns hold words, the others numbers.
    pub fn table(&mut self, head: &[&str], words: usize, rows: Vec<Vec<String>>) -> io::Result<()> {
        let heading = |text: &&str| match self.translate(&format!("| {text}")) {
            translated if translated.starts_with("| ") => (*text).to_owned(),
            translated => translated,
        };
        let head: Vec<String> = head.iter().map(heading).collect();
        let all = rows.len();
        let shown = match self.names.len() > MAX_PROCESSES_WITH_ROWS && self.style.most > 0 {
            true => all.min(MAX_ROWS_OF_MANY),
            false => all,
        };
        let cells = |row: Vec<String>| row.iter().map(|text| self.translate(text)).collect();
        let rows: Vec<Vec<String>> = rows.into_iter().take(shown).map(cells).collect();
        self.arranged(&head, words, &rows)?;
        match all - shown {
            0 => Ok(()),
            rest => self.line(&format!(
                "  {} more: `--limit 0` shows all",
                counted(rest as u64, "row")
            )),
        }
    }

    /// Rows below each other, or if the terminal is too narrow, each by itself with the names of its columns.
    fn arranged(&mut self, head: &[String], words: usize, rows: &[Vec<String>]) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let aligned = |(column, text): (usize, &String)| {
            let alignment = match column < words {
                true => CellAlignment::Left,
                false => CellAlignment::Right,
            };
            Cell::new(printable(text)).set_alignment(alignment)
        };
        table.set_header(head.iter().enumerate().map(aligned));
        for row in rows {
            table.add_row(row.iter().enumerate().map(aligned));
        }
        // The line starts with one more blank; the trailing one is trimmed.
        let fits =
            |width: usize| fit_width::fit(&mut table, u16::try_from(width).unwrap_or(u16::MAX));
        if self.width().is_none_or(fits) {
            return table
                .lines()
                .try_for_each(|line| self.raw(&format!(" {line}")));
        }
        for row in rows {
            let named = head.iter().zip(row).filter(|(_, text)| !text.is_empty());
            let cells: Vec<String> = named
                .map(|(name, text)| format!("{name} {text}").trim().to_owned())
                .collect();
            let (first, rest) = cells.split_at(words.min(cells.len()));
            self.raw(&format!("  {}", first.join(", ")))?;
            if !rest.is_empty() {
                self.raw(&format!("    {}", rest.join("; ")))?;
            }
        }
        Ok(())
    }
}
