//! Marks the frames that a text leaves out, and reads the source lines around the first of the others.

use aclsan_frames::{Pattern, mark};
use aclsan_log::Log;
use aclsan_options::Options;
use aclsan_render::model::{Frame, Language};

/// Marks `frames` in place.
pub fn trim(frames: &mut [Frame], wrappers: &[Pattern]) {
    let views: Vec<_> = frames
        .iter()
        .map(|frame| aclsan_frames::Frame {
            function: frame.label.as_deref().or(frame.function.as_deref()),
            file: frame.file.as_deref(),
            module: &frame.module,
            is_python: frame.language == Language::Python,
        })
        .collect();
    let marks = mark(&views, wrappers);
    for (frame, mark) in frames.iter_mut().zip(marks) {
        frame.trimmed = mark;
    }
}

/// The allocation wrappers that the log's own options name.
pub fn wrappers_of(log: &Log) -> Vec<Pattern> {
    let options = log.properties.get("options");
    let options = options.filter(|text| text.contains("skip_frames"));
    options.map_or_else(Vec::new, |text| {
        Pattern::list(&Options::parse(text).0.skip_frames)
    })
}

/// The frame whose source is worth showing: the innermost that a text shows.
pub fn top(frames: &[Frame]) -> Option<(usize, &Frame)> {
    let mut shown = frames.iter().enumerate();
    shown.find(|(_, frame)| frame.trimmed.is_none())
}
