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
pub fn chain(steps: &[Step]) -> [String; 3] {
    let Some((first, outer)) = steps.split_first() else {
        return Default::default();
    };
    let mut rest = String::new();
    for step in outer.iter().take(MAX_STEPS - 1) {
        let _ = write!(rest, " ← {}{}", name(step), place(step, true)); // writing to a string never fails
    }
    if let left @ 1.. = outer.len().saturating_sub(MAX_STEPS - 1) {
        let _ = write!(rest, " ← … +{left}");
    }
    [name(first), place(first, false), rest]
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
