//! A stack on one line: `grab /src/pool.c:12 ← load model.c:40 ← main app.c:7`, innermost first, outer frames only counted.

use std::fmt::Write;

use crate::name::display_in;

/// Frames that a line names; the frame that calls the API, its caller, and theirs.
const MAX_STEPS: usize = 3;

/// Columns of a function's name: three fit into a wide terminal.
const MAX_COLUMNS: usize = 60;

/// A frame.
#[derive(Clone, Copy, Default, Debug)]
pub struct Step<'a> {
    /// The function, if it has a name.
    pub function: Option<&'a str>,
    /// Source file and line.
    pub line: Option<(&'a str, u32)>,
    /// Where it is otherwise: module and offset.
    pub place: &'a str,
}

/// The frames of a stack, innermost first, without those that a text leaves out. The first has the whole path of its file, to be opened.
/// As `[function, place, rest]`, for a text that makes the place a link; together they are the line.
///
/// Below a call from Python lie a dozen frames of a framework that nobody can open: if none of the callers nearby has a line, the first
/// is followed by those in Python.
pub fn chain(steps: &[Step]) -> [String; 3] {
    let Some(first) = steps.first() else {
        return Default::default();
    };
    let mut near = steps.iter().take(MAX_STEPS).skip(1);
    let is_closed = !is_python(first) && near.all(|step| step.line.is_none());
    let python = steps.iter().position(is_python).filter(|_| is_closed);
    let mut rest = String::new();
    // Writing to a string never fails.
    if let Some(skipped @ 1..) = python.map(|at| at - 1) {
        let _ = write!(rest, " ← … +{skipped}");
    }
    let next = python.unwrap_or(1);
    for step in steps.iter().skip(next).take(MAX_STEPS - 1) {
        let _ = write!(rest, " ← {}{}", name(step), place(step, true));
    }
    if let left @ 1.. = steps.len().saturating_sub(next + MAX_STEPS - 1) {
        let _ = write!(rest, " ← … +{left}");
    }
    [name(first), place(first, false), rest]
}

fn is_python(step: &Step) -> bool {
    step.line.is_some_and(|(file, _)| file.ends_with(".py"))
}

fn name(step: &Step) -> String {
    let function = step.function.map(|name| display_in(name, MAX_COLUMNS));
    function.map_or_else(String::new, |name| format!("{name} "))
}

fn place(step: &Step, is_short: bool) -> String {
    match step.line {
        Some((file, line)) => {
            let last = file.rsplit('/').next().filter(|_| is_short);
            format!("{}:{line}", last.unwrap_or(file))
        }
        None => format!("({})", step.place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(function: &str, line: u32) -> Step<'_> {
        Step {
            function: Some(function),
            line: Some(("/src/deep/app.c", line)),
            place: "",
        }
    }

    #[test]
    fn callers_follow_and_those_beyond_the_third_are_counted() {
        let all = [step("f", 1), step("g", 2), step("h", 3), step("main", 4)];
        assert_eq!(
            chain(&all[..3]).concat(),
            "f /src/deep/app.c:1 ← g app.c:2 ← h app.c:3"
        );
        let four = chain(&all).concat();
        assert!(four.ends_with(" ← h app.c:3 ← … +1"), "{four}");
        assert_eq!(chain(&[]).concat(), "");
    }

    #[test]
    fn frames_in_python_are_named_where_the_innermost_have_no_lines() {
        let bare = Step {
            place: "lib.so+0x1",
            ..Step::default()
        };
        let python = Step {
            function: Some("step"),
            line: Some(("/src/train.py", 22)),
            place: "",
        };
        let deep = [bare, bare, bare, bare, python, python, python];
        assert_eq!(
            chain(&deep).concat(),
            "(lib.so+0x1) ← … +3 ← step train.py:22 ← step train.py:22 ← … +1"
        );
        assert_eq!(
            chain(&[bare, bare, bare, step("g", 2)]).concat(),
            "(lib.so+0x1) ← (lib.so+0x1) ← (lib.so+0x1) ← … +1"
        );
        let custom = [step("f", 1), bare, bare, python];
        assert!(
            chain(&custom)
                .concat()
                .ends_with(" ← … +2 ← step train.py:22")
        );
        let near = [step("f", 1), step("g", 2), bare, bare, python];
        assert!(chain(&near).concat().ends_with(" ← … +2"));
    }

    #[test]
    fn a_frame_without_a_line_says_where_it_is_and_a_long_name_is_shortened() {
        let bare = Step {
            place: "app+0x12",
            ..Step::default()
        };
        assert_eq!(chain(&[bare]).concat(), "(app+0x12)");
        let long = format!("f<{}>", "x".repeat(500));
        assert_eq!(chain(&[step(&long, 1)]).concat(), "f<…> /src/deep/app.c:1");
    }
}
