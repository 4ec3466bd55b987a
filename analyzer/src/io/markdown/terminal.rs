//! Lays a page out for a terminal: folded to its width, code indented, tables in columns; no marks but the backticks around names.

use super::{Block, Style, Text, blocks};
use crate::io::fold::{columns, fold};

/// Columns between two cells of a table.
const GAP: usize = 2;
/// Columns before code and lists.
const INDENT: usize = 4;

/// A page, folded to `width` columns. Text below a heading is indented by `indent`.
pub fn lay_out(page: &str, width: usize, indent: usize) -> String {
    let mut out = String::new();
    let mut inner = 0;
    let mut is_after_heading = true;
    for block in blocks(page) {
        if !is_after_heading {
            out.push('\n');
        }
        is_after_heading = matches!(block, Block::Heading(..));
        if is_after_heading {
            inner = 0;
        }
        for line in lines(&block, width - inner) {
            let indent = if line.is_empty() { 0 } else { inner };
            out.push_str(&" ".repeat(indent));
            out.push_str(&line);
            out.push('\n');
        }
        if is_after_heading {
            inner = indent;
        }
    }
    out
}

fn plain(text: &Text) -> String {
    let spans = text.iter().map(|span| match span.style {
        Style::Code => format!("`{}`", span.text),
        _ => span.text.clone(),
    });
    spans.collect()
}

fn lines(block: &Block, width: usize) -> Vec<String> {
    let split = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
    match block {
        Block::Heading(_, text) | Block::Paragraph(text) => split(fold(&plain(text), width, 0)),
        Block::Code(code) => {
            let width = width.saturating_sub(INDENT);
            let is_wide = code.lines().any(|line| columns(line) > width);
            let lines = code.lines().flat_map(|line| match is_wide {
                true => before_it(line),
                false => vec![line],
            });
            lines
                .map(|line| {
                    format!("{}{line}", " ".repeat(INDENT))
                        .trim_end()
                        .to_owned()
                })
                .collect()
        }
        Block::List(items) => {
            let items = items.iter().flat_map(|(mark, text)| {
                split(fold(&format!("  {mark} {}", plain(text)), width, INDENT))
            });
            items.collect()
        }
        Block::Table(rows) => table(rows, width),
    }
}

/// Code cannot be folded, but a comment at the end of a line can be before it.
fn before_it(line: &str) -> Vec<&str> {
    let marks = ["  # ", "  // "].iter();
    match marks.filter_map(|mark| line.find(mark)).min() {
        Some(at) => vec![line[at..].trim(), line[..at].trim_end()],
        None => vec![line],
    }
}

/// All columns but the last are as wide as their widest cell; the last takes the rest.
fn table(rows: &[Vec<Text>], width: usize) -> Vec<String> {
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(plain).collect())
        .collect();
    let count = cells.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count)
        .map(|column| {
            let cells = cells.iter().filter_map(|row| row.get(column));
            cells
                .map(|cell| columns(cell))
                .max()
                .unwrap_or(0)
                .min(width / 2)
        })
        .collect();
    let mut lines = Vec::new();
    for row in &cells {
        let mut line = String::new();
        let mut column = 0;
        for (at, cell) in row.iter().enumerate() {
            line.push_str(cell);
            column += widths[at] + GAP;
            if at + 1 < row.len() {
                // A cell that is wider than half the line has the next one below it.
                let pad = column.saturating_sub(columns(&line)).max(GAP);
                line.push_str(&" ".repeat(pad));
            }
        }
        let last = widths[..count.saturating_sub(1)]
            .iter()
            .map(|width| width + GAP)
            .sum();
        lines.extend(
            fold(line.trim_end(), width, last)
                .lines()
                .map(str::to_owned),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_fits_its_width_and_has_no_marks() {
        let page = "`aclsan x`: does **something** that takes more than a line of this width.\n\n## Why\nBecause a\nline ends.\n\n```text\naclsan x\naclsan x y     # a longer comment\n```\n\n* one\n* two, which is longer than the line\n\n| format | for |\n|---|---|\n| `json` | scripts, and whoever reads them |\n";
        let expected = "\
`aclsan x`: does something that
takes more than a line of this
width.

Why
  Because a line ends.

      aclsan x
      # a longer comment
      aclsan x y

    * one
    * two, which is longer than
      the line

  format  for
  `json`  scripts, and whoever
          reads them
";
        let text = lay_out(page, 32, 2);
        assert_eq!(text, expected);
        assert!(text.lines().all(|line| columns(line) <= 32));
    }
}
