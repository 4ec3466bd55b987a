//! The lines of a stack: its frames, and in the place of those that are left out, how many and of what.

use std::fmt;

use crate::trim::Hidden;

/// A line of a stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// The frame with this index.
    Frame(usize),
    /// Frames that are left out.
    Gap(Gap),
}

/// Neighboring frames that are left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    count: usize,
    /// Why, innermost first.
    kinds: Vec<Hidden>,
}

impl Gap {
    /// Whether it has start-up code, with which nearly every stack ends: it is appended to the line before, if there is one.
    pub fn is_start_up(&self) -> bool {
        self.kinds.contains(&Hidden::StartUp)
    }
}

impl fmt::Display for Gap {
    /// `… 4 frames of the Python interpreter`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = match self.count {
            1 => "frame",
            _ => "frames",
        };
        let labels: Vec<&str> = self.kinds.iter().map(|kind| kind.label()).collect();
        write!(f, "… {} {frames} of {}", self.count, labels.join(", "))
    }
}

/// The lines of a stack with these marks.
pub fn layout(marks: &[Option<Hidden>]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        match (mark, lines.last_mut()) {
            (None, _) => lines.push(Line::Frame(at)),
            (Some(kind), Some(Line::Gap(gap))) => {
                gap.count += 1;
                if !gap.kinds.contains(kind) {
                    gap.kinds.push(*kind);
                }
            }
            (Some(kind), _) => lines.push(Line::Gap(Gap {
                count: 1,
                kinds: vec![*kind],
            })),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_that_are_left_out_share_a_line() {
        let lines = layout(&[
            None,
            Some(Hidden::Bindings),
            Some(Hidden::Interpreter),
            Some(Hidden::Interpreter),
            None,
            Some(Hidden::StartUp),
        ]);
        let text = |line: &Line| match line {
            Line::Frame(at) => format!("#{at}"),
            Line::Gap(gap) => format!("{gap}, {}", gap.is_start_up()),
        };
        let lines: Vec<String> = lines.iter().map(text).collect();
        assert_eq!(
            lines,
            [
                "#0",
                "… 3 frames of Python bindings, the Python interpreter, false",
                "#4",
                "… 1 frame of start-up code, true"
            ]
        );
        assert_eq!(layout(&[]), []);
    }
}
