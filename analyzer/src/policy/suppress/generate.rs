//! Generates suppression lines for all findings, to be pasted into a file and trimmed.

use aclsan_frames::Pattern;
use std::collections::{HashMap, HashSet};

use aclsan_render::Report;
use aclsan_render::model::Frame;
use aclsan_render::units::printable;

use super::caller;

/// Note on a line with a module offset, which the next build changes.
const NAMELESS: &str = "the function has no name, so the line is for this build alone";

/// Each line once, below the messages of its findings. A finding without a possible line becomes a comment.
pub fn generate(report: &Report) -> String {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut seen: HashSet<(usize, String)> = HashSet::new();
    for finding in &report.findings {
        let frames = &finding.stacks.here.frames;
        let line = match pattern(frames) {
            Ok(pattern) => format!("{} caller:{pattern}", finding.rule),
            Err(why) => format!("# There is no line for this `{}`: {why}", finding.rule),
        };
        let at = *places.entry(line).or_insert_with_key(|line| {
            lines.push((line.clone(), Vec::new()));
            lines.len() - 1
        });
        let nameless = caller::of(frames).filter(|frame| frame.function.is_none());
        let sentences = [Some(finding.message.as_str()), nameless.map(|_| NAMELESS)];
        for sentence in sentences.into_iter().flatten() {
            let sentence = format!("# {}", printable(sentence));
            if seen.insert((at, sentence.clone())) {
                lines[at].1.push(sentence);
            }
        }
    }
    let all = lines.into_iter().flat_map(|(line, mut sentences)| {
        sentences.push(line);
        sentences
    });
    all.map(|line| line + "\n").collect()
}

/// A pattern for the caller of a stack, as specific as possible.
///
/// # Errors
/// Why there is none.
fn pattern(frames: &[Frame]) -> Result<String, &'static str> {
    let frame = caller::of(frames).ok_or("no stack was recorded")?;
    let name = caller::name(frame).ok_or("its caller lies in no file")?;
    if name.contains(" #") || printable(&name) != name {
        return Err("the name of its caller cannot stand in such a line");
    }
    Ok(Pattern::exactly(&name))
}

#[cfg(test)]
mod tests {
    use aclsan_render::model::{Frames, Language};

    use super::super::line::Line;
    use super::*;

    fn frame(
        language: Language,
        function: Option<&str>,
        file: Option<&str>,
        module: &str,
    ) -> Frame {
        Frame {
            language,
            function: function.map(Into::into),
            file: file.map(Into::into),
            module: module.into(),
            offset: 0x11a9,
            ..Frame::default()
        }
    }

    #[test]
    fn a_generated_line_names_the_caller() {
        let native = |function, file| frame(Language::Native, function, file, "/opt/app/train");
        let python = |function| {
            let file = "/home/me/train.py";
            frame(Language::Python, Some(function), Some(file), file)
        };
        let ffi = || frame(Language::Native, Some("ffi_call"), None, "/lib/libffi.so.8");
        for (frames, expected) in [
            (
                vec![ffi(), python("Cache.fill"), python("step")],
                Ok("^Cache.fill (train.py)$"),
            ),
            (vec![ffi(), python("<module>")], Ok("^<module> (train.py)$")),
            (
                vec![native(Some("grab"), None), native(Some("main"), None)],
                Ok("^grab$"),
            ),
            (
                vec![native(Some("main"), Some("/src/train.c"))],
                Ok("^main (train.c)$"),
            ),
            (vec![native(Some("main"), None)], Ok("^main (train)$")),
            (
                vec![native(Some("operator()"), Some("a.cpp"))],
                Ok("^operator() (a.cpp)$"),
            ),
            (
                vec![native(Some("Box<int>::operator*()"), None)],
                Ok("^Box<int>::operator\\*()$"),
            ),
            // Outer frames are on other stacks as well.
            (
                vec![native(None, None), native(Some("main"), None)],
                Ok("^train+0x11a9$"),
            ),
            (vec![], Err("no stack was recorded")),
            (vec![Frame::default()], Err("its caller lies in no file")),
            (
                vec![python("f # until=2001-01-01")],
                Err("the name of its caller cannot stand in such a line"),
            ),
            (
                vec![python("f\nleak:main")],
                Err("the name of its caller cannot stand in such a line"),
            ),
        ] {
            let frames: Frames = frames.into();
            let made = pattern(&frames);
            assert_eq!(made.as_deref(), expected.as_deref(), "{frames:?}");
            if let Ok(made) = made {
                let line = Line::parse(&format!("leak caller:{made}"), String::new()).unwrap();
                assert!(line.covers_caller(&frames), "{made}");
            }
        }
    }
}
