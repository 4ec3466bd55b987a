//! Writes a manual page. The macros are those of man(7), which groff, mandoc and others read.

use std::fmt::Write;

use crate::io::markdown::{Block, Style, Text, blocks};

/// A page that is being written.
pub struct Page(String);

impl Page {
    pub fn new(name: &str, section: u8, title: &str, about: &str) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let mut text = String::new();
        let _ = writeln!(
            text,
            ".TH {} {section} \"\" \"aclsan {version}\" aclsan",
            escaped(name)
        );
        let _ = writeln!(
            text,
            ".SH {title}\n{} \\- {}",
            escaped(name),
            escaped(about)
        );
        Self(text)
    }

    pub fn section(&mut self, title: &str) {
        let _ = writeln!(self.0, ".SH {}", escaped(title));
    }

    /// Lines with macros.
    pub fn raw(&mut self, lines: &str) {
        self.0.push_str(lines);
    }

    pub fn item(&mut self, head: &str, text: &str) {
        let _ = writeln!(self.0, ".TP\n\\fB{}\\fR", escaped(head));
        for block in blocks(text) {
            if let Block::Paragraph(text) = block {
                self.line(&text);
            }
        }
    }

    /// Blocks of a page; a heading of level `sections` + 1 is a section, others are below one.
    pub fn markdown(&mut self, page: &[Block], sections: usize) {
        for block in page {
            match block {
                Block::Heading(level, text) if *level <= sections && sections == 1 => {
                    self.section(&plain(text).to_uppercase())
                }
                Block::Heading(_, text) => {
                    let _ = writeln!(self.0, ".SS {}", escaped(&plain(text)));
                }
                Block::Paragraph(text) => {
                    self.raw(".PP\n");
                    self.line(text);
                }
                Block::Code(code) => {
                    self.raw(".PP\n.RS 4\n.EX\n");
                    for line in code.lines() {
                        self.raw(&format!("{}\n", escaped(line)));
                    }
                    self.raw(".EE\n.RE\n");
                }
                Block::List(items) => {
                    for (mark, text) in items {
                        let mark = if mark == "*" { "\\(bu" } else { mark };
                        self.raw(&format!(".IP {mark} 4\n"));
                        self.line(text);
                    }
                }
                Block::Table(rows) => self.table(rows),
            }
        }
    }

    /// A row is an item: its first cell the head, its last the text, those between them with their column's name.
    fn table(&mut self, rows: &[Vec<Text>]) {
        let Some((heads, rows)) = rows.split_first() else {
            return;
        };
        for row in rows {
            self.raw(".TP\n");
            self.line(row.first().unwrap_or(&Vec::new()));
            let mut line = String::new();
            for (head, cell) in heads.iter().zip(row).skip(1) {
                let is_last = line.is_empty() && row.len() == 2;
                let cell = formatted(cell);
                match is_last
                    || cell.is_empty()
                    || ["meaning", "含义"].contains(&plain(head).as_str())
                {
                    true => line.push_str(&cell),
                    false => {
                        let _ = write!(line, "{}: {cell}. ", escaped(&plain(head)));
                    }
                }
            }
            self.raw(&format!("{}\n", guarded(&line)));
        }
    }

    fn line(&mut self, text: &Text) {
        let line = formatted(text);
        let _ = writeln!(self.0, "{}", guarded(&line));
    }

    pub fn finish(self) -> String {
        self.0
    }
}

fn plain(text: &Text) -> String {
    text.iter().map(|span| span.text.as_str()).collect()
}

fn formatted(text: &Text) -> String {
    let spans = text.iter().map(|span| {
        let text = inline(&span.text);
        match span.style {
            Style::Plain => text,
            Style::Code | Style::Strong => format!("\\fB{text}\\fR"),
            Style::Emphasis => format!("\\fI{text}\\fR"),
        }
    });
    spans.collect()
}

fn inline(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// A line that begins with a dot or a quote would be a macro.
fn guarded(line: &str) -> String {
    match line.starts_with(['.', '\'']) {
        true => format!("\\&{line}"),
        false => line.to_owned(),
    }
}

/// Text as it is.
pub fn escaped(text: &str) -> String {
    guarded(&inline(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_macro() {
        assert_eq!(escaped(".SH x\\n"), "\\&.SH x\\en");
        let mut page = Page::new("a-b", 7, "NAME", "does it");
        page.markdown(&blocks("## Why\n`--x`: **yes**\n\n```c\n'y'\n```\n* one\n\n| a | b |\n|---|---|\n| `k` | v |\n"), 2);
        let text = page.finish();
        for line in [
            ".SS Why",
            "\\fB\\-\\-x\\fR: \\fByes\\fR",
            "\\&'y'",
            ".IP \\(bu 4",
            "\\fBk\\fR",
            "v",
        ] {
            assert!(
                text.lines().any(|written| written == line),
                "{line}\n{text}"
            );
        }
    }
}
