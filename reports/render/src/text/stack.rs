//! A stack, in the style of sanitizers, and the source lines around one of its frames.

use std::io;

use aclsan_frames::source::{excerpt, single};
use aclsan_frames::{Hidden, Line, Step, chain, layout};

use super::writer::{Detail, TextWriter};
use crate::model::{Frame, Language, SourceLines, Trace};

impl TextWriter<'_> {
    /// Writes what is said about a call, and its stack: on the same line in short, else below.
    pub fn call(&mut self, label: &str, trace: &Trace) -> io::Result<()> {
        if self.style().detail > Detail::Brief {
            self.line(&format!("  {label}:"))?;
            return self.stack(trace);
        }
        let label = self.translate(&format!("{label}:"));
        self.chain(&format!("  {label} "), trace)
    }

    /// Writes a stack: in short its innermost frames on one line, else one frame per line, and in both cases the source lines of its first.
    pub fn stack(&mut self, trace: &Trace) -> io::Result<()> {
        match self.style().detail {
            Detail::Brief => self.chain("    in ", trace),
            _ => self.frames(trace),
        }
    }

    /// Writes where a finding is, in short.
    pub fn here(&mut self, trace: &Trace) -> io::Result<()> {
        self.chain("  in ", trace)
    }

    fn chain(&mut self, before: &str, trace: &Trace) -> io::Result<()> {
        let own = trace.frames.iter().filter(|frame| frame.trimmed.is_none());
        let mut own: Vec<&Frame> = own.collect();
        if own.is_empty() {
            own.extend(trace.frames.first());
        }
        let Some(first) = own.first() else {
            let none = self.translate("(no stack was recorded)");
            return self.raw(&format!("{before}{none}"));
        };
        let places: Vec<String> = own
            .iter()
            .map(|frame| match &frame.file {
                Some(file) => file.to_string(),
                None => format!("{}+{:#x}", frame.module_name(), frame.offset),
            })
            .collect();
        let steps = own.iter().zip(&places).map(|(frame, place)| Step {
            function: frame.label.as_deref().or(frame.function.as_deref()),
            line: frame.file.as_deref().zip(frame.line),
            place,
        });
        let [function, place, rest] = chain(&steps.collect::<Vec<_>>());
        let link = first.file.as_deref().zip(first.line);
        let link = link.and_then(|(file, line)| link_to(file, line));
        let before = format!("{before}{function}");
        match link.filter(|_| self.style().has_links) {
            Some(link) => self.linked([&before, &place, &rest], &link)?,
            None => self.raw(&format!("{before}{place}{rest}"))?,
        }
        let Some(source) = &trace.source else {
            return Ok(());
        };
        let at = source.line.checked_sub(source.first);
        match at.and_then(|at| source.lines.get(at as usize)) {
            Some(text) => self.raw(&format!("    {}", single(text, source.line))),
            None => Ok(()),
        }
    }

    fn frames(&mut self, trace: &Trace) -> io::Result<()> {
        if trace.frames.is_empty() {
            return self.line("    (no stack was recorded)");
        }
        let is_full = self.style().detail == Detail::Full;
        let marks: Vec<Option<Hidden>> = trace
            .frames
            .iter()
            .map(|frame| frame.trimmed.filter(|_| !is_full))
            .collect();
        let lines = layout(&marks);
        for (at, line) in lines.iter().enumerate() {
            match line {
                Line::Frame(number) => {
                    let note = match lines.get(at + 1) {
                        Some(Line::Gap(gap)) if gap.is_start_up() => {
                            format!(" {}", self.translate(&gap.to_string()))
                        }
                        _ => String::new(),
                    };
                    self.frame(*number, &trace.frames[*number], &note)?;
                    let source = trace.source.as_ref();
                    if let Some(source) = source.filter(|source| source.frame == *number) {
                        self.source(source)?;
                    }
                }
                Line::Gap(gap) if at > 0 && gap.is_start_up() => {}
                Line::Gap(gap) => self.line(&format!("    {gap}"))?,
            }
        }
        Ok(())
    }

    fn frame(&mut self, number: usize, frame: &Frame, note: &str) -> io::Result<()> {
        let function = match frame.shown_function() {
            Some(function) => format!("in {function} "),
            None => String::new(),
        };
        let address = match frame.language {
            Language::Native => format!("{:#x} ", frame.address),
            Language::Python => String::new(),
        };
        let before = format!("    #{number} {address}{function}");
        let (place, link) = match (&frame.file, frame.line) {
            (Some(file), Some(line)) => (format!("{file}:{line}"), link_to(file, line)),
            (Some(file), None) => (file.to_string(), None),
            (None, _) => (format!("({}+{:#x})", frame.module, frame.offset), None),
        };
        match link.filter(|_| self.style().has_links) {
            Some(link) => self.linked([&before, &place, note], &link),
            None => self.raw(&format!("{before}{place}{note}")),
        }
    }

    fn source(&mut self, source: &SourceLines) -> io::Result<()> {
        let SourceLines {
            first,
            line,
            column,
            ..
        } = *source;
        excerpt(&source.lines, first, line, column)
            .iter()
            .try_for_each(|line| self.raw(&format!("        {line}")))
    }
}

/// The URI of a line of a file, with the line as a fragment, which iTerm2 and kitty pass on to the editor. Only for absolute paths.
fn link_to(file: &str, line: u32) -> Option<String> {
    if !file.starts_with('/') {
        return None;
    }
    let mut path = String::new();
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                path.push(char::from(byte));
            }
            _ => path.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(format!("file://{path}#{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Locale, Style};

    fn frame(function: &str, line: u32, trimmed: Option<Hidden>) -> Frame {
        Frame {
            address: 0x10,
            function: Some(function.into()),
            file: Some("/src/a b.cpp".into()),
            line: Some(line),
            module: "/bin/app".into(),
            trimmed,
            ..Frame::default()
        }
    }

    fn trace() -> Trace {
        Trace {
            frames: vec![
                frame("grab", 1, None),
                frame("std::__invoke", 2, Some(Hidden::Cpp)),
                frame("pybind11::f", 3, Some(Hidden::Bindings)),
                frame("main", 4, None),
                frame("_start", 5, Some(Hidden::StartUp)),
            ]
            .into(),
            ..Trace::default()
        }
    }

    fn rendered(trace: &Trace, style: Style) -> String {
        let style = Style {
            has_prefix: true,
            detail: style.detail.max(Detail::Long),
            ..style
        };
        let mut text = Vec::new();
        let mut writer = TextWriter::new(&mut text, style, 7);
        writer.stack(trace).expect("into memory");
        String::from_utf8(text).expect("UTF-8")
    }

    #[test]
    fn what_is_left_out_is_counted_in_place() {
        assert_eq!(
            rendered(&trace(), Style::default()),
            "==7==     #0 0x10 in grab /src/a b.cpp:1\n\
             ==7==     … 2 frames of the C++ library, Python bindings\n\
             ==7==     #3 0x10 in main /src/a b.cpp:4 … 1 frame of start-up code\n"
        );
        let style = Style {
            tongue: Locale::Chinese,
            ..Style::default()
        };
        let chinese = rendered(&trace(), style);
        assert!(
            chinese.contains("    … C++ 库、Python 绑定的 2 帧\n"),
            "{chinese}"
        );
        assert!(chinese.ends_with(" … 启动代码的 1 帧\n"), "{chinese}");
        let style = Style {
            detail: Detail::Full,
            ..Style::default()
        };
        assert_eq!(rendered(&trace(), style).lines().count(), 5);
    }

    #[test]
    fn files_are_links_where_a_terminal_has_them() {
        let style = Style {
            has_links: true,
            ..Style::default()
        };
        let text = rendered(&trace(), style);
        let first = text.lines().next();
        assert_eq!(
            first,
            Some(
                "==7==     #0 0x10 in grab \x1b]8;;file:///src/a%20b.cpp#1\x1b\\/src/a b.cpp:1\x1b]8;;\x1b\\"
            )
        );
        // A name with escapes of its own opens nothing.
        let mut evil = trace();
        evil.frames[0].file = Some("/a\x1b]8;;http://x\x1b\\b".into());
        let text = rendered(&evil, style);
        assert!(!text.contains("\x1b]8;;http"), "{text:?}");
        assert_eq!(text.matches('\x1b').count(), 8, "{text:?}");
    }

    #[test]
    fn source_lines_follow_their_frame() {
        let source = SourceLines {
            line: 1,
            first: 1,
            lines: vec!["grab(p);".into()],
            ..SourceLines::default()
        };
        let trace = Trace {
            source: Some(Box::new(source)),
            ..trace()
        };
        let text = rendered(&trace, Style::default());
        assert!(
            text.starts_with("==7==     #0 0x10 in grab /src/a b.cpp:1\n==7==         > 1 | grab(p);\n==7==             | ^\n"),
            "{text}"
        );
    }

    #[test]
    fn in_short_a_stack_is_one_line_and_its_source_another() {
        let source = SourceLines {
            line: 1,
            first: 1,
            lines: vec!["  grab(p);".into()],
            ..SourceLines::default()
        };
        let trace = Trace {
            source: Some(Box::new(source)),
            ..trace()
        };
        let write = |trace: &Trace| {
            let mut text = Vec::new();
            let mut writer = TextWriter::new(&mut text, Style::default(), 7);
            writer.call("allocated by", trace).expect("into memory");
            String::from_utf8(text).expect("UTF-8")
        };
        assert_eq!(
            write(&trace),
            "  allocated by: grab /src/a b.cpp:1 ← main a b.cpp:4\n    1 | grab(p);\n"
        );
        assert_eq!(
            write(&Trace::default()),
            "  allocated by: (no stack was recorded)\n"
        );
    }
}
