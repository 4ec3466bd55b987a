//! Stacks as numbers: which are alike is told without a look at their words.
//!
//! Of many processes most stacks are met again, and what a number stands for was looked at when it was met first.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use super::finding::Stacks;
use super::stack::{Frame, Language};

/// A stack as numbers that nobody can foresee, of one [`StackKeyBuilder`]. Addresses are no part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackKey {
    /// One of identities and lines.
    alike: u64,
    /// One of names and lines alone: without the files of Python's functions.
    place: u64,
    /// The printer's factor, once for each frame.
    scale: u64,
}

impl Default for StackKey {
    /// Of no frames.
    fn default() -> Self {
        Self {
            alike: 0,
            place: 0,
            scale: 1,
        }
    }
}

impl StackKey {
    /// Puts frames behind these: a polynomial, so that it does not matter which frames were added together.
    #[inline]
    pub fn add(&mut self, behind: &Self) {
        let add = |sum: &mut u64, more: u64| {
            *sum = sum.wrapping_mul(behind.scale).wrapping_add(more);
        };
        add(&mut self.alike, behind.alike);
        add(&mut self.place, behind.place);
        self.scale = self.scale.wrapping_mul(behind.scale);
    }
}

/// What makes prints.
pub struct StackKeyBuilder {
    state: RandomState,
    factor: u64,
}

impl Default for StackKeyBuilder {
    fn default() -> Self {
        let state = RandomState::default();
        Self {
            factor: state.hash_one("factor") | 1,
            state,
        }
    }
}

impl StackKeyBuilder {
    /// Of some frames.
    pub fn frames(&self, frames: &[Frame]) -> StackKey {
        let mut print = StackKey::default();
        for frame in frames {
            print.add(&self.frame(frame));
        }
        print
    }

    fn frame(&self, frame: &Frame) -> StackKey {
        let mut hasher = self.state.build_hasher();
        frame.hash_identity(&mut hasher);
        frame.line.hash(&mut hasher);
        let alike = hasher.finish();
        let place = match (frame.language, &frame.function) {
            (Language::Python, Some(function)) => {
                self.state.hash_one((function, frame.line, "python"))
            }
            _ => alike,
        };
        StackKey {
            alike,
            place,
            scale: self.factor,
        }
    }

    /// Of the calls that a finding is about: what each did, its function and its stack.
    pub fn calls<'a>(&self, calls: impl Iterator<Item = (&'a str, &'a str, StackKey)>) -> u64 {
        let mut hasher = self.state.build_hasher();
        for (what, function, print) in calls {
            (what, function, print.scale, print.alike).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The same of stacks that are at hand.
    pub fn stacks(&self, stacks: &Stacks) -> u64 {
        let traces = std::iter::once(&stacks.here).chain(&stacks.earlier);
        self.calls(traces.map(|trace| {
            let print = self.frames(&trace.frames);
            (trace.what, trace.function.as_str(), print)
        }))
    }

    /// Of a place that allocates.
    pub fn place(&self, family: &str, function: &str, print: &StackKey) -> u64 {
        self.state
            .hash_one((family, function, print.scale, print.place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(language: Language, function: Option<&str>, offset: u64, line: u32) -> Frame {
        Frame {
            language,
            address: offset + 0x1000,
            function: function.map(Into::into),
            line: Some(line),
            module: "/app/train".into(),
            offset,
            ..Frame::default()
        }
    }

    #[test]
    fn a_stack_has_one_print_however_it_was_put_together() {
        let printer = StackKeyBuilder::default();
        let frames = [1, 2, 3].map(|line| frame(Language::Native, Some("f"), 0, line));
        let whole = printer.frames(&frames);
        for at in 0..=3 {
            let (first, second) = frames.split_at(at);
            let mut print = printer.frames(first);
            print.add(&printer.frames(second));
            assert_eq!(print, whole);
        }
        let [a, b, c] = frames;
        assert_ne!(printer.frames(&[b.clone(), a.clone(), c.clone()]), whole);
        assert_ne!(printer.frames(&[a, b]), whole);
    }

    #[test]
    fn names_lines_and_nameless_places_count_and_addresses_do_not() {
        let printer = StackKeyBuilder::default();
        let of = |frame: Frame| printer.frames(&[frame]);
        let native = |function, offset, line| of(frame(Language::Native, function, offset, line));
        assert_eq!(native(Some("f"), 1, 7), native(Some("f"), 2, 7));
        assert_ne!(native(Some("f"), 1, 7), native(Some("f"), 1, 8));
        assert_ne!(native(Some("f"), 1, 7), native(Some("g"), 1, 7));
        assert_ne!(native(None, 1, 7), native(None, 2, 7));
    }

    #[test]
    fn places_of_two_files_are_one_and_findings_are_not() {
        let printer = StackKeyBuilder::default();
        let [one, other] = ["/a/one.py", "/b/other.py"].map(|file| {
            printer.frames(&[Frame {
                module: file.into(),
                ..frame(Language::Python, Some("step"), 0, 7)
            }])
        });
        let place = |print: &StackKey| printer.place("device", "aclrtMalloc", print);
        assert_eq!(place(&one), place(&other));
        let calls = |print| printer.calls([("here", "aclrtMalloc", print)].into_iter());
        assert_ne!(calls(one), calls(other));
        assert_ne!(place(&one), place(&StackKey::default()));
    }
}
