//! Folds lines at the terminal's width, between words; a word that is wider than a line breaks where a path or a name allows it.

use aclsan_frames::width;

use crate::units::printable;

/// Columns by which a folded line is indented more than its beginning.
const INDENT: usize = 4;

/// A part of a line, and escape sequences around it, which have no width.
pub struct Piece {
    before: String,
    text: String,
    after: String,
}

impl Piece {
    /// Text as it is, with control characters escaped.
    pub fn plain(text: &str) -> Self {
        Self::between(text, String::new(), String::new())
    }

    /// Text between two escape sequences.
    pub fn between(text: &str, before: String, after: String) -> Self {
        let text = printable(text);
        Self {
            before,
            text,
            after,
        }
    }

    fn written(&self, text: &str) -> String {
        match text {
            "" => String::new(),
            _ => format!("{}{text}{}", self.before, self.after),
        }
    }
}

/// The lines of `pieces`, at most `columns` wide if there is a limit. Blanks at their ends are dropped.
pub fn fold(pieces: &[Piece], columns: Option<usize>) -> Vec<String> {
    let all: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let columns = columns.unwrap_or(usize::MAX);
    if width(all.trim_end()) <= columns {
        return vec![whole(pieces)];
    }
    let indent = all.len() - all.trim_start().len();
    let mut lines = Lines {
        done: Vec::new(),
        line: " ".repeat(indent),
        used: indent,
        is_fresh: true,
        gap: 0,
        indent: (indent + INDENT).min(columns / 2),
        columns,
    };
    for word in words(pieces) {
        lines.add(&word, pieces);
    }
    lines.done.push(lines.line);
    lines.done
}

fn whole(pieces: &[Piece]) -> String {
    let is_last = |at: usize| pieces[at + 1..].iter().all(|piece| piece.text.is_empty());
    let parts = pieces.iter().enumerate().map(|(at, piece)| {
        piece.written(match is_last(at) {
            true => piece.text.trim_end(),
            false => &piece.text,
        })
    });
    parts.collect()
}

/// A word: its parts, each with the index of its piece.
type Word<'a> = Vec<(usize, &'a str)>;

/// The words between blanks; an empty one for each further blank.
fn words(pieces: &[Piece]) -> Vec<Word<'_>> {
    let mut words: Vec<Word> = vec![Vec::new()];
    for (at, piece) in pieces.iter().enumerate() {
        for (nth, part) in piece.text.split(' ').enumerate() {
            if nth > 0 {
                words.push(Vec::new());
            }
            if let Some(word) = words.last_mut().filter(|_| !part.is_empty()) {
                word.push((at, part));
            }
        }
    }
    words
}

struct Lines {
    done: Vec<String>,
    line: String,
    used: usize,
    /// Whether the line has no word yet.
    is_fresh: bool,
    /// Blanks before the next word.
    gap: usize,
    indent: usize,
    columns: usize,
}

impl Lines {
    fn add(&mut self, word: &Word, pieces: &[Piece]) {
        if word.is_empty() {
            self.gap += usize::from(!self.is_fresh);
            return;
        }
        let wide: usize = word.iter().map(|(_, part)| width(part)).sum();
        if !self.is_fresh && self.used + self.gap + wide > self.columns {
            self.next();
        }
        if !self.is_fresh {
            self.line.push_str(&" ".repeat(self.gap));
            self.used += self.gap;
        }
        for &(at, part) in word {
            let mut rest = part;
            while self.used + width(rest) > self.columns {
                let (head, tail) = cut(rest, self.columns.saturating_sub(self.used));
                self.put(&pieces[at], head);
                self.next();
                rest = tail;
            }
            self.put(&pieces[at], rest);
        }
        self.gap = 1;
    }

    fn put(&mut self, piece: &Piece, text: &str) {
        self.line.push_str(&piece.written(text));
        self.used += width(text);
        self.is_fresh = false;
    }

    fn next(&mut self) {
        let next = " ".repeat(self.indent);
        self.done.push(std::mem::replace(&mut self.line, next));
        self.used = self.indent;
        self.is_fresh = true;
        self.gap = 0;
    }
}

/// The beginning of `text` that fits into `columns`, cut after a separator if its second half has one, and the rest. At least one character.
fn cut(text: &str, columns: usize) -> (&str, &str) {
    let mut used = 0;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        used += width(&text[at..next]);
        if used > columns && end > 0 {
            break;
        }
        end = next;
    }
    let fits = &text[..end];
    let single = fits.rfind(['/', '<', ',', '(', ' ']).map(|at| at + 1);
    let last = single.max(fits.rfind("::").map(|at| at + 2));
    match last.filter(|&at| at > end / 2) {
        Some(at) => text.split_at(at),
        None => text.split_at(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str, columns: usize) -> Vec<String> {
        fold(&[Piece::plain(text)], Some(columns))
    }

    #[test]
    fn lines_break_between_words_and_go_on_at_a_deeper_indent() {
        assert_eq!(
            folded("  release it where the block was made", 20),
            ["  release it where", "      the block was", "      made"]
        );
        assert_eq!(folded("  fits", 6), ["  fits"]);
        let wide = fold(&[Piece::plain("no limit at all  ")], None);
        assert_eq!(wide, ["no limit at all"]);
    }

    #[test]
    fn a_word_wider_than_the_line_breaks_after_a_separator() {
        assert_eq!(
            folded("in f /src/deep/folder/of/app.c:12", 20),
            ["in f", "    /src/deep/", "    folder/of/", "    app.c:12"]
        );
        for line in folded(&"x".repeat(100), 30) {
            assert!(width(&line) <= 30, "{line}");
        }
    }

    #[test]
    fn wide_characters_count_twice() {
        for line in folded("释放它 所属的 内存块 之后 不要 再使用", 16) {
            assert!(width(&line) <= 16, "{line}");
        }
    }

    #[test]
    fn escape_sequences_have_no_width_and_enclose_each_part() {
        let pieces = [
            Piece::plain("in f "),
            Piece::between("/a/b.c:1", "<".into(), ">".into()),
            Piece::plain(" and more"),
        ];
        assert_eq!(fold(&pieces, Some(40)), ["in f </a/b.c:1> and more"]);
        assert_eq!(
            fold(&pieces, Some(12)),
            ["in f", "    </a/b.c:1>", "    and more"]
        );
    }
}
