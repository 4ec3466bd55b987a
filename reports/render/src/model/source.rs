//! The source lines around a frame.

use serde::Serialize;

use super::stack::Name;

/// A few lines of a source file, and which of them a frame is at.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SourceLines {
    /// Index of the frame in the stack.
    pub frame: usize,
    /// The file, as the frame names it.
    pub file: Name,
    /// The frame's line, from 1.
    pub line: u32,
    /// Its column in bytes, from 1; `None` if the debug information has none.
    pub column: Option<u32>,
    /// Number of the first of `lines`.
    pub first: u32,
    /// The lines, without their ends.
    pub lines: Vec<String>,
}

/// Width of a tab.
const TAB: &str = "    ";
/// Longest line that is shown, in characters.
const MAX_CHARS: usize = 160;

impl SourceLines {
    /// The lines as a text shows them, with a caret below the frame's line.
    pub fn text(&self) -> Vec<String> {
        let last = self.first as usize + self.lines.len().saturating_sub(1);
        let width = last.to_string().len();
        let mut out = Vec::new();
        for (line, number) in self.lines.iter().zip(self.first..) {
            let mark = match number == self.line {
                true => '>',
                false => ' ',
            };
            out.push(format!("{mark} {number:>width$} | {}", shown(line)));
            if number == self.line {
                let blank = " ".repeat(self.caret(line));
                out.push(format!("  {:width$} | {blank}^", ""));
            }
        }
        out
    }

    /// Where the caret is, in characters of the line as shown: at the column, else at the first word.
    fn caret(&self, line: &str) -> usize {
        let indent = line.len() - line.trim_start().len();
        let column = self.column.and_then(|column| column.checked_sub(1));
        let column = column.map_or(indent, |column| column as usize);
        let before = line.get(..column).unwrap_or(&line[..indent]);
        shown(before).chars().count()
    }
}

fn shown(line: &str) -> String {
    let line = line.replace('\t', TAB);
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(column: Option<u32>) -> SourceLines {
        SourceLines {
            line: 10,
            column,
            first: 9,
            lines: vec!["void f() {".into(), "\tx = grab(p);".into(), "}".into()],
            ..SourceLines::default()
        }
    }

    #[test]
    fn the_caret_is_below_the_column_or_the_first_word() {
        let with_column = [
            "   9 | void f() {",
            "> 10 |     x = grab(p);",
            "     |         ^",
            "  11 | }",
        ];
        assert_eq!(source(Some(6)).text(), with_column);
        assert_eq!(source(None).text()[2], "     |     ^");
        // Not the file that was compiled, or a column within a letter.
        assert_eq!(source(Some(400)).text()[2], "     |     ^");
        assert_eq!(source(Some(0)).text()[2], "     |     ^");
    }

    #[test]
    fn a_long_line_is_cut() {
        let lines = vec!["é".repeat(400)];
        let source = SourceLines {
            line: 1,
            first: 1,
            lines,
            ..SourceLines::default()
        };
        assert!(source.text()[0].chars().count() < 170);
    }
}
