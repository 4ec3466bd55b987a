//! Writes lines with a prefix, with color if wanted, and tables that fit the terminal.

use std::io::{self, Write};

use aclsan_rules::evidence::rule::Severity;
use anstyle::{AnsiColor, Style as AnsiStyle};
use comfy_table::{Cell, CellAlignment, Table, presets};

use super::chinese::{Locale, translate};
use super::fit_width;
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
    /// Whether stacks have all their frames.
    pub has_full_stacks: bool,
    /// Whether files are links that a terminal opens.
    pub has_links: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            is_coloured: false,
            width: None,
            most: 100,
            tongue: Locale::English,
            has_full_stacks: false,
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
}

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
        }
    }

    /// Sets the names of the report's processes.
    pub fn set_names(&mut self, names: Vec<String>) {
        self.names = names;
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
        let text = printable(text);
        self.is_begun = true;
        writeln!(self.out, "=={}== {}", self.pid, text.trim_end())
    }

    /// Writes a line, `link` of which is shown as `text` and opens a file. The rest is escaped as usual.
    pub(super) fn linked(
        &mut self,
        [before, text, after]: [&str; 3],
        link: &str,
    ) -> io::Result<()> {
        let [before, text, after] = [before, text, after].map(printable);
        self.is_begun = true;
        let pid = self.pid;
        writeln!(
            self.out,
            "=={pid}== {before}\x1b]8;;{link}\x1b\\{text}\x1b]8;;\x1b\\{after}"
        )
    }

    /// Writes an empty line, unless it would be the first line.
    pub fn gap(&mut self) -> io::Result<()> {
        match self.is_begun {
            true => writeln!(self.out, "=={}==", self.pid),
            false => Ok(()),
        }
    }

    /// Writes the title of a section.
    pub fn title(&mut self, text: &str) -> io::Result<()> {
        self.gap()?;
        let text = self.translate(text);
        self.styled(AnsiStyle::new().bold(), &text, "")
    }

    /// Writes the first line of a finding.
    pub fn headline(&mut self, severity: Severity, text: &str) -> io::Result<()> {
        let (word, color) = match severity {
            Severity::Error => ("ERROR", AnsiColor::BrightRed),
            Severity::Warning => ("WARNING", AnsiColor::BrightYellow),
            Severity::Note => ("NOTE", AnsiColor::BrightCyan),
        };
        // The severity and the rule are not translated: scripts read them.
        let text = match text.split_once(": ") {
            Some((rule, message)) if !rule.contains(' ') => {
                format!("{rule}: {}", self.translate(message))
            }
            _ => self.translate(text),
        };
        self.styled(
            color.on_default().bold(),
            word,
            &format!(": aclsan: {text}"),
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
        let (marked, rest) = (printable(marked), printable(rest));
        self.is_begun = true;
        match self.style.is_coloured {
            true => writeln!(self.out, "=={}== {style}{marked}{style:#}{rest}", self.pid),
            false => writeln!(self.out, "=={}== {marked}{rest}", self.pid),
        }
    }

    /// Writes a table. The first `words` columns hold words, the others numbers.
    pub fn table(&mut self, head: &[&str], words: usize, rows: Vec<Vec<String>>) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let aligned = |(column, text): (usize, String)| {
            let alignment = match column < words {
                true => CellAlignment::Left,
                false => CellAlignment::Right,
            };
            Cell::new(printable(&text)).set_alignment(alignment)
        };
        table.set_header(
            head.iter()
                .map(|text| match self.translate(&format!("| {text}")) {
                    translated if translated.starts_with("| ") => (*text).to_owned(),
                    translated => translated,
                })
                .enumerate()
                .map(aligned),
        );
        let all = rows.len();
        let shown = match self.names.len() > MAX_PROCESSES_WITH_ROWS && self.style.most > 0 {
            true => all.min(MAX_ROWS_OF_MANY),
            false => all,
        };
        for row in rows.into_iter().take(shown) {
            let cells = row.into_iter().map(|text| self.translate(&text));
            table.add_row(cells.enumerate().map(aligned));
        }
        if let Some(width) = self.style.width {
            // The line starts with one more blank; the trailing one is trimmed.
            let prefix = format!("=={}== ", self.pid).len() as u16;
            fit_width::fit(&mut table, width.saturating_sub(prefix).max(40));
        }
        for line in table.lines() {
            self.raw(&format!(" {line}"))?;
        }
        match all - shown {
            0 => Ok(()),
            rest => self.line(&format!(
                "  {} more: `--limit 0` shows all",
                counted(rest as u64, "row")
            )),
        }
    }
}
