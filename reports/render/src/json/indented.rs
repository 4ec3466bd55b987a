//! The indentation of JSON documents.

use std::io::{self, Write};

use serde_json::ser::Formatter;

/// The layout of [`PrettyFormatter`](serde_json::ser::PrettyFormatter), which writes each level of an indentation on its own: a third of the
/// instructions of a document of many stacks.
#[derive(Default)]
pub struct Indented {
    depth: usize,
    has_values: bool,
    /// Whether others write the beginning of the outermost object, or its end.
    goes_on: bool,
    is_continued: bool,
}

/// A comma, a new line, and two spaces for each level.
const LINE: &[u8] = b",\n                                                                ";

impl Indented {
    /// Of a section: `goes_on` if there are members before it, `is_continued` if there are some after it.
    pub fn section(goes_on: bool, is_continued: bool) -> Self {
        Self {
            goes_on,
            is_continued,
            ..Self::default()
        }
    }

    fn line(&self, to: &mut (impl Write + ?Sized), is_first: bool) -> io::Result<()> {
        let spaces = 2 * self.depth;
        let in_one = spaces.min(LINE.len() - 2);
        to.write_all(&LINE[usize::from(is_first)..2 + in_one])?;
        (in_one..spaces).try_for_each(|_| to.write_all(b" "))
    }

    fn begin(&mut self, to: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_values = false;
        match self.depth == 1 && self.goes_on {
            true => Ok(()),
            false => to.write_all(bracket),
        }
    }

    fn end(&mut self, to: &mut (impl Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.depth == 0 && self.is_continued {
            return Ok(());
        }
        if self.has_values {
            self.line(to, true)?;
        }
        to.write_all(bracket)
    }
}

impl Formatter for Indented {
    fn begin_array<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.begin(to, b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.end(to, b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        to: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        self.line(to, is_first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_values = true;
        Ok(())
    }

    fn begin_object<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.begin(to, b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        self.end(to, b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        to: &mut W,
        is_first: bool,
    ) -> io::Result<()> {
        let goes_on = self.depth == 1 && self.goes_on;
        self.line(to, is_first && !goes_on)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_values = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_are_laid_out_as_by_serde_json_itself() {
        let mut deep = json!([{}, [], {"a": [1, "two", null], "b": {"c": {}}}]);
        for level in 0..50 {
            let mut out = Vec::new();
            let mut to = serde_json::Serializer::with_formatter(&mut out, Indented::default());
            deep.serialize(&mut to).expect("a vector has room");
            let expected = serde_json::to_vec_pretty(&deep).expect("a vector has room");
            assert_eq!(out, expected, "{level} levels more");
            deep = match level % 2 {
                0 => json!([deep, level]),
                _ => json!({"within": deep}),
            };
        }
    }
}
