//! The lines of a stack in a finding that is printed at once.

use super::frame::{self, Frame};
use crate::state::process::Process;
use crate::state::{modules, settings};
use aclsan_frames::source::{self, Source};
use aclsan_frames::{Hidden, Line, Pattern, Step, chain, display, layout, mark, task_queue};
use aclsan_log::CallSiteId;
use aclsan_os::seccomp;
use aclsan_rules::evidence::finding::Finding;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

/// The frames of a call site, one per line, without those that [`mark`] leaves out. `has_source`: with the source lines around the first.
pub fn lines(process: &Process, site: CallSiteId, has_source: bool) -> Vec<String> {
    lines_of(process, frame::all(process, site), has_source)
}

/// As [`lines`], of a stack that no call site has.
pub fn lines_of(process: &Process, frames: Vec<Frame>, has_source: bool) -> Vec<String> {
    let marks = marks(process, &frames);
    let top = marks.iter().position(Option::is_none);
    let top = top.filter(|_| has_source && settings::current().source_lines);
    let shown = match settings::current().stack_trim {
        true => marks,
        false => vec![None; frames.len()],
    };
    let mut lines: Vec<String> = Vec::new();
    let all = layout(&shown);
    for (index, line) in all.iter().enumerate() {
        match line {
            Line::Frame(at) => {
                let note = match all.get(index + 1) {
                    Some(Line::Gap(gap)) if gap.is_start_up() => format!(" {gap}"),
                    _ => String::new(),
                };
                lines.push(format!("#{at} {}{note}", text(&frames[*at])));
                if top == Some(*at) {
                    lines.extend(source_lines(process, &frames[*at]));
                }
            }
            Line::Gap(gap) if index > 0 && gap.is_start_up() => {}
            Line::Gap(gap) => lines.push(gap.to_string()),
        }
    }
    lines
}

/// The innermost frames of a call site on one line, without those that [`mark`] leaves out. `has_source`: with the source line of the first.
pub fn brief(process: &Process, site: CallSiteId, has_source: bool) -> (String, Option<String>) {
    brief_of(process, frame::all(process, site), has_source)
}

/// As [`brief`], of a stack that no call site has.
pub fn brief_of(
    process: &Process,
    frames: Vec<Frame>,
    has_source: bool,
) -> (String, Option<String>) {
    let marks = marks(process, &frames);
    let own = frames.iter().zip(&marks);
    let mut own: Vec<&Frame> = own
        .filter(|(_, mark)| mark.is_none())
        .map(|(frame, _)| frame)
        .collect();
    if own.is_empty() {
        own.extend(frames.first());
    }
    let steps: Vec<Step> = own
        .iter()
        .map(|frame| Step {
            function: frame.function.as_deref(),
            line: frame
                .line
                .as_ref()
                .map(|(file, line)| (file.as_str(), *line)),
            place: &frame.place,
        })
        .collect();
    let top = own
        .first()
        .filter(|_| has_source && settings::current().source_lines);
    let source = top.and_then(|frame| {
        let (line, first, lines) = source_around(process, frame)?;
        let text = lines.get(line.checked_sub(first)? as usize)?;
        Some(source::single(text, line).replace(char::is_control, "?"))
    });
    (chain(&steps).concat(), source)
}

/// The function and the place of the first frame that [`mark`] shows.
pub fn top(process: &Process, site: CallSiteId) -> Option<String> {
    let frames = frame::all(process, site);
    let shown = marks(process, &frames).iter().position(Option::is_none);
    let frame = frames.get(shown.unwrap_or_default())?;
    Some(match &frame.function {
        Some(function) => format!("{} {}", display(function), place(frame)),
        None => place(frame),
    })
}

/// What to do about a stack of the finding that lacks those who asked for the call; once.
pub fn hint(process: &Process, finding: &Finding) -> Option<String> {
    static HAS_SAID: AtomicBool = AtomicBool::new(false);
    let earlier = finding.earlier.iter().map(|&(_, site)| site);
    let is_cut = [finding.here].into_iter().chain(earlier).any(|site| {
        let known = process.log.call_sites.get(site);
        let frames = known.map_or_else(Box::default, |known| known.frames);
        let modules: Vec<_> = frames.iter().map(|&frame| modules::at(frame)).collect();
        let paths = modules.iter().map(|module| match module {
            Some(module) => module.path.as_str(),
            None => "", // a function of Python
        });
        task_queue::is_of_task_queue(paths)
    });
    (is_cut && !HAS_SAID.swap(true, Relaxed)).then(|| format!("  {}", task_queue::HINT))
}

fn marks(process: &Process, frames: &[Frame]) -> Vec<Option<Hidden>> {
    let wrappers = Pattern::list(&process.options.skip_frames);
    let frames: Vec<_> = frames
        .iter()
        .map(|frame| aclsan_frames::Frame {
            function: frame.function.as_deref(),
            file: frame.line.as_ref().map(|(file, _)| file.as_str()),
            module: &frame.module,
            is_python: frame.address.is_none(),
        })
        .collect();
    mark(&frames, &wrappers)
}

fn text(frame: &Frame) -> String {
    let address = frame.address.map(|address| format!("{address:#x}"));
    let function = frame.function.as_ref();
    let function = function.map(|function| format!("in {}", display(function)));
    let parts = [address, function, Some(place(frame))];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn place(frame: &Frame) -> String {
    match &frame.line {
        Some((file, line)) => format!("{file}:{line}"),
        None => format!("({})", frame.place),
    }
}

/// The line of a frame, and the source lines around it with the number of the first. Not under a seccomp filter, which may forbid to ask
/// for a file's age.
fn source_around(process: &Process, frame: &Frame) -> Option<(u32, u32, Vec<String>)> {
    if seccomp::is_seccomp_active() {
        return None;
    }
    let (file, line) = frame.line.as_ref()?;
    let newest = match frame.address {
        Some(_) => source::modified(Path::new(&frame.module))?,
        None => {
            let started = process.log.sink.started_ns();
            SystemTime::UNIX_EPOCH + Duration::from_nanos(started)
        }
    };
    let (first, lines) = Source::read(Path::new(file), u64::MAX)?.around(*line, newest)?;
    Some((*line, first, lines))
}

/// The source lines around a frame, indented.
fn source_lines(process: &Process, frame: &Frame) -> Vec<String> {
    let around = source_around(process, frame);
    let excerpt =
        around.map(|(line, first, lines)| source::excerpt(&lines, first, line, frame.column));
    let lines = excerpt.into_iter().flatten();
    let printable = lines.map(|line| line.replace(char::is_control, "?"));
    printable.map(|line| format!("    {line}")).collect()
}
