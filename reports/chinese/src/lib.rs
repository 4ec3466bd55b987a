#![forbid(unsafe_code)]
//! Translates text to Chinese with a table of sentences, whose holes stand for what varies.
//!
//! Sentences come from many places, rules among them, which write English and know no other language. They are looked up here, when they are
//! printed: `{1}` stands for words, which are looked up themselves, `{1#}` for a number with its unit, `{1!}` for names, which stay.
//! Backticks come in pairs, so a hole never ends inside a name. A sentence that is not in the table stays English, and so do names of rules
//! and families, and the summary, which scripts read. Table headings start with `| `.
//!
//! Not `fluent`: it looks messages up by a key, while here they are found by their English text, so the code that writes them need not know
//! about it.

use std::ops::Range;
use std::sync::OnceLock;

mod environment;
mod manuals;
mod pages;

pub use environment::of_environment;
pub use manuals::{help, manual};
pub use pages::page;

/// The language of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Locale {
    /// As written.
    #[default]
    English,
    /// Translated by the table.
    Chinese,
}

const TABLES: [&str; 11] = [
    include_str!("report.txt"),
    include_str!("nouns.txt"),
    include_str!("views.txt"),
    include_str!("findings.txt"),
    include_str!("segments.txt"),
    include_str!("runtime.txt"),
    include_str!("advice.txt"),
    include_str!("rules.txt"),
    include_str!("shim.txt"),
    include_str!("doctor.txt"),
    include_str!("messages.txt"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Words,
    Number,
    Name,
}

struct Sentence {
    /// The English text before the first hole, then each hole with the text after it.
    begins: &'static str,
    holes: Vec<(usize, Kind, &'static str)>,
    chinese: &'static str,
}

impl Sentence {
    fn parse(line: &'static str) -> Option<Self> {
        let (english, chinese) = line.split_once(" => ")?;
        let mut parts = english.split('{');
        let begins = parts.next()?;
        let mut holes = Vec::new();
        for part in parts {
            let (hole, after) = part.split_once('}')?;
            let kind = match hole.get(1..)? {
                "" => Kind::Words,
                "#" => Kind::Number,
                "!" => Kind::Name,
                _ => return None,
            };
            holes.push((hole.get(..1)?.parse().ok()?, kind, after));
        }
        Some(Self {
            begins,
            holes,
            chinese,
        })
    }

    fn literal(&self) -> usize {
        let after = self.holes.iter().map(|(.., after)| after.len());
        self.begins.len() + after.sum::<usize>()
    }

    fn read(&self, text: &str, table: &Table) -> Option<String> {
        let rest = text.strip_prefix(self.begins)?;
        let mut filled = Vec::new();
        if !fill(&self.holes, rest, &mut filled) {
            return None;
        }
        let mut translated = self.chinese.to_owned();
        // In reverse order, so that the contents of a hole are not mistaken for another hole.
        let mut spots: Vec<(usize, usize, &str, Kind)> = Vec::new();
        for ((number, kind, _), text) in self.holes.iter().zip(&filled) {
            let mark = format!("{{{number}}}");
            let places = self.chinese.match_indices(&mark);
            spots.extend(places.map(|(at, _)| (at, mark.len(), *text, *kind)));
        }
        spots.sort_by_key(|(at, ..)| std::cmp::Reverse(*at));
        for (at, length, text, kind) in spots {
            let words = match kind {
                Kind::Name => text.to_owned(),
                Kind::Words | Kind::Number => {
                    table.translate(text).unwrap_or_else(|| text.to_owned())
                }
            };
            let (start, end) = close_gaps(&translated, at..at + length, &words);
            translated.replace_range(start..end, &words);
        }
        Some(translated)
    }
}

/// The hole at `range`, extended by blanks that would separate two Chinese characters.
fn close_gaps(text: &str, range: Range<usize>, words: &str) -> (usize, usize) {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let is_left = words.starts_with(is_chinese)
        && before
            .strip_suffix(' ')
            .is_some_and(|text| text.ends_with(is_chinese));
    let is_right = words.ends_with(is_chinese)
        && after
            .strip_prefix(' ')
            .is_some_and(|text| text.starts_with(is_chinese));
    (
        range.start - usize::from(is_left),
        range.end + usize::from(is_right),
    )
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

/// Matches the holes, shortest match first.
fn fill<'t>(holes: &[(usize, Kind, &str)], rest: &'t str, filled: &mut Vec<&'t str>) -> bool {
    let Some(((_, kind, after), others)) = holes.split_first() else {
        return rest.is_empty();
    };
    let ends: Vec<usize> = match (after.is_empty(), others.is_empty()) {
        (true, true) => vec![rest.len()],
        (true, false) => return false,
        (false, _) => rest.match_indices(after).map(|(at, _)| at).collect(),
    };
    for end in ends {
        let held = &rest[..end];
        let fits = !held.is_empty()
            && held.matches('`').count().is_multiple_of(2)
            && (*kind != Kind::Number || is_number(held));
        if !fits {
            continue;
        }
        filled.push(held);
        if fill(others, &rest[end + after.len()..], filled) {
            return true;
        }
        filled.pop();
    }
    false
}

/// A single number with a unit: `4096`, `1.5 GiB`, `2 blocks`; not a list of them.
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('~').unwrap_or(text);
    text.starts_with(|c: char| c.is_ascii_digit())
        && !text.contains(',')
        && text.matches(' ').count() <= 1
}

/// The sentences, most specific first. The shim keeps one of its own, since a child of a fork must not wait for a lock.
pub struct Table(Vec<Sentence>);

impl Default for Table {
    fn default() -> Self {
        let lines = TABLES.iter().flat_map(|table| table.lines());
        let mut list: Vec<Sentence> = lines.filter_map(Sentence::parse).collect();
        list.sort_by_key(|sentence| std::cmp::Reverse(sentence.literal()));
        Self(list)
    }
}

impl Table {
    /// `text` in Chinese, if it is in the table.
    pub fn translate(&self, text: &str) -> Option<String> {
        if let Some(number) = text.strip_prefix('~').filter(|number| is_number(number)) {
            let number = self.translate(number);
            return number.map(|number| format!("约 {number}"));
        }
        let mut found = self.0.iter();
        let translated = found.find_map(|sentence| sentence.read(text, self));
        translated.or_else(|| self.translate_cells(text))
    }

    /// A line of a finding or a message: the indentation and what scripts read (severity, rule, `aclsan:`) stay as they are.
    pub fn translate_line(&self, line: &str) -> Option<String> {
        let words = line.trim_start();
        let (head, words) = match words.split_once("aclsan: ") {
            Some(("", message)) => ("aclsan: ".len(), message),
            Some((severity, rest)) if severity.ends_with(": ") => {
                let (rule, message) = rest.split_once(": ")?;
                (severity.len() + "aclsan: ".len() + rule.len() + 2, message)
            }
            _ => (0, words),
        };
        let kept = line.len() - line.trim_start().len() + head;
        Some(format!("{}{}", line.get(..kept)?, self.translate(words)?))
    }

    /// Translates a row of a diagram: cells separated by two or more blanks. Each keeps its column in Chinese.
    fn translate_cells(&self, text: &str) -> Option<String> {
        if !text.contains("  ") || is_hex(text) {
            return None;
        }
        let (mut translated, mut column, mut is_other) = (String::new(), 0, false);
        for (start, cell) in cells(text) {
            let gap = start.saturating_sub(column).max(usize::from(column > 0));
            translated.push_str(&" ".repeat(gap));
            let words = self.translate(cell);
            is_other |= words.is_some();
            let words = words.unwrap_or_else(|| cell.to_owned());
            column += gap + width(&words);
            translated.push_str(&words);
        }
        is_other.then_some(translated)
    }
}

/// `text` in Chinese, if it is in the table.
pub fn translate(text: &str) -> Option<String> {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(Table::default).translate(text)
}

/// The cells of a row with their start columns.
fn cells(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut column = 0;
    text.split("  ").filter_map(move |piece| {
        let cell = piece.trim();
        let start = column + piece.chars().take_while(|&c| c == ' ').count();
        column += piece.chars().count() + 2;
        (!cell.is_empty()).then_some((start, cell))
    })
}

/// A memory dump, which contains no words.
fn is_hex(text: &str) -> bool {
    text.starts_with("pattern ") || text.contains(" found  ")
}

/// Width in terminal columns.
fn width(text: &str) -> usize {
    text.chars().map(|c| 1 + usize::from(is_chinese(c))).sum()
}

#[cfg(test)]
mod tests;
