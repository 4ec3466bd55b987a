//! Symbolized stacks.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use aclsan_frames::Hidden;
use serde::{Serialize, Serializer};

use super::hex;
use super::source::SourceLines;

/// The language of a frame's function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Anything compiled to machine code.
    #[default]
    Native,
    /// Run by CPython's interpreter. The frame replaces the interpreter's own frame.
    Python,
}

/// A text shared by many frames.
pub type Name = Arc<str>;

/// One frame of a stack.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Frame {
    /// The function's language.
    pub language: Language,
    /// The recorded return address; 0 for Python.
    #[serde(serialize_with = "hex::address")]
    pub address: u64,
    /// Source name; `None` if no symbol covers the address.
    pub function: Option<Name>,
    /// Source file; `None` without debug information.
    pub file: Option<Name>,
    /// Source line from 1; `None` without debug information.
    pub line: Option<u32>,
    /// Path of the program or library; for Python, the source file.
    pub module: Name,
    /// Address in the module's file, as for `addr2line -e`.
    #[serde(serialize_with = "hex::address")]
    pub offset: u64,
    /// Whether the compiler inlined it into the next frame.
    pub inlined: bool,
    /// A better name for a person, where `function` says only that it is a call operator. Not part of its identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Name>,
    /// Column of the call, from 1, if the debug information has it.
    #[serde(skip)]
    pub column: Option<u32>,
    /// Why a text leaves it out by default; `None` if it does not.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "hidden")]
    pub trimmed: Option<Hidden>,
}

fn hidden<S: Serializer>(hidden: &Option<Hidden>, to: S) -> Result<S::Ok, S::Error> {
    hidden.map(Hidden::name).serialize(to)
}

impl Frame {
    /// The last component of the module's path.
    pub fn module_name(&self) -> &str {
        // Names are short, and generic string search is slower on them.
        let slash = self.module.bytes().rposition(|byte| byte == b'/');
        slash.map_or(&self.module, |at| &self.module[at + 1..])
    }

    /// Whether it belongs to CPython itself or to its bridge to C functions, which a person looking for a cause skips.
    pub fn is_interpreter(&self) -> bool {
        self.language == Language::Native && aclsan_frames::is_interpreter(&self.module)
    }

    /// Whether it belongs to the C or C++ library or the dynamic loader: glibc before 2.34 (`libc-2.31.so`) or later, or musl.
    pub fn is_runtime(&self) -> bool {
        self.language == Language::Native && aclsan_frames::is_runtime(&self.module)
    }

    /// Whether it is the program's own: not left out, and not the interpreter's.
    pub fn is_own(&self) -> bool {
        self.trimmed.is_none() && !self.is_interpreter()
    }

    /// The function as a text shows it, at most 200 columns wide.
    pub fn shown_function(&self) -> Option<Cow<'_, str>> {
        let name = self.label.as_deref().or(self.function.as_deref());
        name.map(aclsan_frames::display)
    }

    /// The function, else module and offset.
    pub fn name(&self) -> String {
        let mut name = String::new();
        let _ = self.write_name(&mut name); // writing to a string never fails
        name
    }

    fn write_name(&self, to: &mut impl fmt::Write) -> fmt::Result {
        match &self.function {
            Some(function) => to.write_str(function),
            None => write!(to, "{}+{:#x}", self.module_name(), self.offset),
        }
    }

    /// What stays the same across runs and machines: the function, else module and offset. The name of a Python function says little, so its
    /// file is included.
    pub fn identity(&self) -> String {
        let mut identity = String::new();
        let _ = self.write_identity(&mut identity);
        identity
    }

    /// Writes [`Frame::identity`].
    ///
    /// # Errors
    /// Those of `to`.
    pub fn write_identity(&self, to: &mut impl fmt::Write) -> fmt::Result {
        self.write_name(to)?;
        match self.language {
            Language::Python => write!(to, " ({})", self.module_name()),
            Language::Native => Ok(()),
        }
    }

    /// Hashes the parts of [`Frame::identity`].
    pub fn hash_identity(&self, to: &mut impl Hasher) {
        match &self.function {
            Some(function) => function.hash(to),
            None => (self.module_name(), self.offset).hash(to),
        }
        if self.language == Language::Python {
            self.module_name().hash(to);
        }
    }
}

/// Frames, innermost first. Copies share them, because reports refer to a stack in many places.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frames(Arc<Vec<Frame>>);

impl Deref for Frames {
    type Target = Vec<Frame>;

    fn deref(&self) -> &Vec<Frame> {
        &self.0
    }
}

impl DerefMut for Frames {
    fn deref_mut(&mut self) -> &mut Vec<Frame> {
        Arc::make_mut(&mut self.0)
    }
}

impl From<Vec<Frame>> for Frames {
    fn from(frames: Vec<Frame>) -> Self {
        Self(Arc::new(frames))
    }
}

impl FromIterator<Frame> for Frames {
    fn from_iter<I: IntoIterator<Item = Frame>>(frames: I) -> Self {
        Self(Arc::new(frames.into_iter().collect()))
    }
}

impl<'a> IntoIterator for &'a Frames {
    type Item = &'a Frame;
    type IntoIter = std::slice::Iter<'a, Frame>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Serialize for Frames {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.as_slice().serialize(to)
    }
}

/// A call and the stack that led to it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Trace {
    /// What the call did: `here`, `allocated`, `released`, `reset`, `exported`, `registered`, `sent`, `refused`.
    pub what: &'static str,
    /// The AscendCL function; empty if unknown.
    pub function: String,
    /// Innermost first; empty if no stack was recorded.
    pub frames: Frames,
    /// Source lines around its first frame that a text shows, if they could be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<SourceLines>>,
}

/// The source location to look at first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Site {
    /// Source file, if known.
    pub file: Option<Name>,
    /// Source line, if known.
    pub line: Option<u32>,
    /// Function, if known.
    pub function: Option<Name>,
    /// Path of the module, if known.
    pub module: Option<Name>,
}

impl Trace {
    /// The frames without the program's allocation wrappers.
    pub fn callers(&self) -> impl DoubleEndedIterator<Item = &Frame> {
        let frames = self.frames.iter();
        frames.filter(|frame| frame.trimmed != Some(Hidden::Wrapper))
    }

    /// The innermost frame with a line, else with a name, else the innermost. Frames that a text leaves out count only if there is no other.
    pub fn site(&self) -> Site {
        let frames = &self.frames;
        let best = frames
            .iter()
            .find(|frame| frame.line.is_some() && frame.is_own())
            .or_else(|| frames.iter().find(|frame| frame.line.is_some()))
            .or_else(|| frames.iter().find(|frame| frame.function.is_some()))
            .or(frames.first());
        let Some(frame) = best else {
            return Site::default();
        };
        Site {
            file: frame.file.clone(),
            line: frame.line,
            function: frame.label.clone().or_else(|| frame.function.clone()),
            module: Some(frame.module.clone()),
        }
    }

    /// The innermost frame with a name (those that a text leaves out only if there is no other), else the innermost. `None` if no stack was
    /// recorded.
    /// Unlike [`Trace::site`] it does not require a line: in a program without debug information, the function says more than the lines of
    /// the libc that called it. Python is the exception: what it called is a framework, and its own frames have lines.
    pub fn caller(&self) -> Option<&Frame> {
        let named = self.frames.iter().filter(|frame| frame.function.is_some());
        let first = named.clone().next();
        let own = named.clone().find(|frame| frame.is_own());
        let python = named
            .clone()
            .find(|frame| frame.is_own() && frame.language == Language::Python);
        let python = python.filter(|_| own.is_none_or(|frame| frame.line.is_none()));
        python.or(own).or(first).or(self.frames.first())
    }

    /// A short label of [`Trace::caller`]: function, file name and line.
    pub fn caller_label(&self) -> String {
        let Some(frame) = self.caller() else {
            return self.function.clone();
        };
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        match (frame.shown_function(), &frame.file, frame.line) {
            (Some(function), Some(file), Some(line)) => format!("{function} {}:{line}", last(file)),
            (Some(function), ..) => function.to_string(),
            (None, ..) => format!("{}+{:#x}", last(&frame.module), frame.offset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(function: &str, line: u32) -> Frame {
        Frame {
            language: Language::Python,
            function: Some(function.into()),
            file: Some("/app/train.py".into()),
            line: Some(line),
            module: "/app/train.py".into(),
            ..Frame::default()
        }
    }

    #[test]
    fn a_person_looks_past_the_interpreter() {
        let callproc = Frame {
            function: Some("_ctypes_callproc".into()),
            file: Some("callproc.c".into()),
            line: Some(1277),
            module: "/usr/lib/_ctypes.cpython-311.so".into(),
            ..Frame::default()
        };
        let trace = Trace {
            frames: vec![callproc.clone(), python("load", 12)].into(),
            ..Trace::default()
        };
        assert_eq!(trace.site().line, Some(12));
        assert_eq!(trace.caller().and_then(|frame| frame.line), Some(12));
        let trace = Trace {
            frames: vec![callproc].into(),
            ..Trace::default()
        };
        assert_eq!(trace.site().line, Some(1277));
        assert_eq!(trace.caller().and_then(|frame| frame.line), Some(1277));
    }

    #[test]
    fn a_python_function_is_reported_apart_by_its_file() {
        assert_eq!(python("load", 12).identity(), "load (train.py)");
    }
}
