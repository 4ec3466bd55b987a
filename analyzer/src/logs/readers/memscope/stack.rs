//! Parses stacks that another tool has formatted as text.

use aclsan_log::PythonFrame;

use crate::logs::readers::recording::Frame;

/// Frames of a row, innermost first. Where Python was called from is unknown, so Python frames come last.
pub fn frames(python: &str, native: &str) -> Vec<Frame> {
    let native = native.lines().filter_map(native_frame);
    native
        .chain(python.lines().filter_map(python_frame))
        .collect()
}

/// Parses `path(function+0x12) [0x7f00]`, as `backtrace_symbols` writes it, or `function() file:7` and `function() module`, as aclsan does.
fn native_frame(line: &str) -> Option<Frame> {
    let line = line.trim().trim_matches('"');
    if line.is_empty() {
        return None;
    }
    let native = |file: &str| format!("{}{file}", PythonFrame::NATIVE);
    if let Some((function, place)) = line.split_once("() ") {
        let (file, number) = split_line(place);
        return Some(Frame {
            function: function.to_owned(),
            file: native(file),
            line: number,
        });
    }
    let (module, rest) = line.split_once('(').unwrap_or((line, ""));
    let inside = rest.split(')').next().unwrap_or("");
    let (symbol, offset) = inside.split_once('+').unwrap_or((inside, ""));
    let function = match symbol {
        "" => {
            let name = module.rsplit('/').next().unwrap_or(module);
            match offset {
                "" => name.to_owned(),
                offset => format!("{name}+{offset}"),
            }
        }
        symbol => aclsan_frames::demangle(symbol),
    };
    Some(Frame {
        function,
        file: native(module.trim()),
        line: 0,
    })
}

/// Parses `file(7): function`, as msMemScope writes it, or `function() file:7`, as aclsan does.
fn python_frame(line: &str) -> Option<Frame> {
    let line = line.trim().trim_matches('"');
    // `NA`: the tool could not query the interpreter.
    if line.is_empty() || line == "NA" {
        return None;
    }
    if let Some((function, place)) = line.split_once("() ") {
        let (file, number) = split_line(place);
        return Some(Frame {
            function: function.to_owned(),
            file: file.to_owned(),
            line: number,
        });
    }
    let reported = line.split_once("): ").and_then(|(place, function)| {
        let (file, number) = place.rsplit_once('(')?;
        Some((function, file, number.parse().ok()?))
    });
    let (function, file, number) = reported.unwrap_or((line, "", 0));
    Some(Frame {
        function: function.trim().to_owned(),
        file: file.to_owned(),
        line: number,
    })
}

fn split_line(place: &str) -> (&str, u32) {
    let reported = place.rsplit_once(':');
    reported
        .and_then(|(file, line)| Some((file, line.parse().ok()?)))
        .unwrap_or((place, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, file: &str, line: u32) -> Frame {
        Frame {
            function: function.to_owned(),
            file: file.to_owned(),
            line,
        }
    }

    #[test]
    fn frames_of_both_tools_by_hand() {
        let native = "/opt/lib/libop.so(_ZN2op3runEi+0x1c) [0x7f10]\n/opt/app/train(+0x42) [0x40]\nstep() model.cpp:12\nmain() /opt/app/train\n";
        let python = "/app/train.py(31): load\nfit() /app/fit.py:8";
        assert_eq!(
            frames(python, native),
            [
                frame("op::run(int)", "native:/opt/lib/libop.so", 0),
                frame("train+0x42", "native:/opt/app/train", 0),
                frame("step", "native:model.cpp", 12),
                frame("main", "native:/opt/app/train", 0),
                frame("load", "/app/train.py", 31),
                frame("fit", "/app/fit.py", 8),
            ]
        );
    }

    #[test]
    fn words_that_are_no_frame_are_a_name() {
        let reported = frames("???", "()(");
        assert_eq!(reported.len(), 2);
        assert_eq!(reported[1], frame("???", "", 0));
    }
}
