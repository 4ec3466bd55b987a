//! Manuals and rules' pages are written in Markdown; this reads them into blocks, which [`terminal`] lays out in columns.
//!
//! Only what such pages use: headings, paragraphs, code, lists, tables; emphasis, names in backticks, links (their text). HTML is left out.

pub mod terminal;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::fold::joins;

/// How a piece of text is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Plain,
    /// A name in backticks.
    Code,
    Strong,
    Emphasis,
}

/// A piece of text in one style.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    pub style: Style,
    pub text: String,
}

/// A line or a paragraph, without line breaks.
pub type Text = Vec<Span>;

/// A part of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    /// 1 for the title.
    Heading(usize, Text),
    Paragraph(Text),
    /// Lines as they are.
    Code(String),
    /// Items with their marks.
    List(Vec<(String, Text)>),
    /// The first row has the headings.
    Table(Vec<Vec<Text>>),
}

/// What an event ends up in.
#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    text: Text,
    styles: Vec<Style>,
    code: Option<String>,
    items: Vec<(String, Text)>,
    number: Option<u64>,
    rows: Vec<Vec<Text>>,
}

/// Reads a page.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        reader.read(event);
    }
    reader.blocks
}

impl Reader {
    fn read(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.push(&text, self.styles.last().copied().unwrap_or(Style::Plain)),
            },
            Event::Code(text) => self.push(&text, Style::Code),
            Event::SoftBreak | Event::HardBreak => self.join(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.code = Some(String::new());
            }
            Tag::Strong => self.styles.push(Style::Strong),
            Tag::Emphasis => self.styles.push(Style::Emphasis),
            Tag::List(first) => self.number = first,
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => {
                let text = std::mem::take(&mut self.text);
                self.blocks.push(Block::Heading(level as usize, text));
            }
            // In a list the item takes it.
            TagEnd::Paragraph if !self.text.is_empty() => {
                let text = std::mem::take(&mut self.text);
                self.blocks.push(Block::Paragraph(text));
            }
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                self.blocks.push(Block::Code(code));
            }
            TagEnd::Strong | TagEnd::Emphasis => {
                self.styles.pop();
            }
            TagEnd::Item => {
                let mark = match &mut self.number {
                    Some(number) => {
                        *number += 1;
                        format!("{}.", *number - 1)
                    }
                    None => "*".to_owned(),
                };
                self.items.push((mark, std::mem::take(&mut self.text)));
            }
            TagEnd::List(_) => {
                let items = std::mem::take(&mut self.items);
                self.blocks.push(Block::List(items));
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.text);
                self.rows.last_mut().expect("a row has begun").push(cell);
            }
            TagEnd::Table => {
                let rows = std::mem::take(&mut self.rows);
                self.blocks.push(Block::Table(rows));
            }
            _ => {}
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        match self.text.last_mut() {
            Some(last) if last.style == style && style != Style::Code => last.text.push_str(text),
            _ => self.text.push(Span {
                style,
                text: text.to_owned(),
            }),
        }
        self.close_gap();
    }

    /// A line's end is a blank, which [`Self::close_gap`] takes away again between Chinese characters.
    fn join(&mut self) {
        let style = self.styles.last().copied().unwrap_or(Style::Plain);
        self.push(LINE_END, style);
    }

    fn close_gap(&mut self) {
        let whole: String = self.text.iter().map(|span| span.text.as_str()).collect();
        let Some((before, after)) = whole.split_once(LINE_END) else {
            return;
        };
        let Some(next) = after.chars().next() else {
            return;
        };
        let last = before.chars().next_back().unwrap_or(' ');
        let between = if joins(last, next) { "" } else { " " };
        for span in &mut self.text {
            span.text = span.text.replace(LINE_END, between);
        }
    }
}

/// Marks the end of a line until the character after it is known.
const LINE_END: &str = "\n";

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &Text) -> String {
        text.iter().map(|span| span.text.as_str()).collect()
    }

    #[test]
    fn a_page_is_read_into_blocks() {
        let page = "`a`: one\ntwo **three**.\n\n## Why\n```c\nint x;\n```\n* first\n  item\n* second\n\n| a | b |\n|---|---|\n| `x` | y |\n\n<!-- none -->\n";
        let read = blocks(page);
        let Block::Paragraph(text) = &read[0] else {
            panic!("{read:?}");
        };
        assert_eq!(plain(text), "a: one two three.");
        assert_eq!(text[0].style, Style::Code);
        assert_eq!(text[2].style, Style::Strong);
        assert!(matches!(&read[1], Block::Heading(2, text) if plain(text) == "Why"));
        assert_eq!(read[2], Block::Code("int x;\n".to_owned()));
        assert!(
            matches!(&read[3], Block::List(items) if plain(&items[0].1) == "first item" && items.len() == 2)
        );
        assert!(matches!(&read[4], Block::Table(rows) if plain(&rows[1][1]) == "y"));
        assert_eq!(read.len(), 5);
    }

    #[test]
    fn lines_of_chinese_are_joined_without_a_blank() {
        let joined = |page: &str| match &blocks(page)[..] {
            [Block::Paragraph(text)] => plain(text),
            other => panic!("{other:?}"),
        };
        assert_eq!(joined("内存\n块"), "内存块");
        assert_eq!(joined("内存，\n`free` 释放"), "内存，free 释放");
        assert_eq!(joined("由 aclsan\n释放"), "由 aclsan 释放");
        assert_eq!(joined("one\ntwo"), "one two");
    }
}
