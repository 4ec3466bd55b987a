//! Stacks as hash values, so that equal ones are found without comparing names.
//!
//! Most stacks of a process have been seen in another process before, and a name was hashed when it was first seen.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use super::finding::Stacks;
use super::stack::{Frame, Language};

/// Hashes of a stack, from one [`StackKeyBuilder`], with a random seed. Addresses are not included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackKey {
    /// Hash of identities and lines.
    alike: u64,
    /// Hash of names and lines only, without the files of Python functions.
    place: u64,
    /// The builder's factor to the power of the number of frames.
    scale: u64,
}

impl Default for StackKey {
    /// The key of no frames.
    fn default() -> Self {
        Self {
            alike: 0,
            place: 0,
            scale: 1,
        }
    }
}

impl StackKey {
    /// Appends frames. The hash is a polynomial, so any grouping of frames gives the same result.
    #[inline]
    pub fn add(&mut self, next: &Self) {
        let add = |sum: &mut u64, more: u64| {
            *sum = sum.wrapping_mul(next.scale).wrapping_add(more);
        };
        add(&mut self.alike, next.alike);
        add(&mut self.place, next.place);
        self.scale = self.scale.wrapping_mul(next.scale);
    }
}

/// Creates stack keys.
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
    /// The key of some frames.
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

    /// Hash of the calls of a finding: what each did, its function and its stack.
    pub fn calls<'a>(&self, calls: impl Iterator<Item = (&'a str, &'a str, StackKey)>) -> u64 {
        let mut hasher = self.state.build_hasher();
        for (what, function, print) in calls {
            (what, function, print.scale, print.alike).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The same for stacks given as frames.
    pub fn stacks(&self, stacks: &Stacks) -> u64 {
        let traces = std::iter::once(&stacks.here).chain(&stacks.earlier);
        self.calls(traces.map(|trace| {
            let print = self.frames(&trace.frames);
            (trace.what, trace.function.as_str(), print)
        }))
    }

    /// Hash of an allocation site.
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
