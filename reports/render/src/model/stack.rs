//! Stacks with names.

use serde::Serialize;

use super::hex;

/// One line of a stack.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Frame {
    /// The return address that was recorded.
    #[serde(serialize_with = "hex::address")]
    pub address: u64,
    /// Source name; `None` when no symbol covers the address.
    pub function: Option<String>,
    /// Source file; `None` without debug information.
    pub file: Option<String>,
    /// Source line from 1; `None` without debug information.
    pub line: Option<u32>,
    /// Path of the program or library.
    pub module: String,
    /// Address in the module's file, as `addr2line -e` takes it.
    #[serde(serialize_with = "hex::address")]
    pub offset: u64,
    /// Whether the compiler inlined it into the next frame.
    pub inlined: bool,
}

impl Frame {
    /// The last part of the module's path.
    pub fn module_name(&self) -> &str {
        self.module.rsplit('/').next().unwrap_or(&self.module)
    }

    /// What stays the same from run to run and from machine to machine: the function, else the place in the module.
    pub fn identity(&self) -> String {
        match &self.function {
            Some(function) => function.clone(),
            None => format!("{}+{:#x}", self.module_name(), self.offset),
        }
    }
}

/// A call and the stack that led to it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Trace {
    /// What the call did: `here`, `allocated`, `released`, `reset`, `exported`, `registered`.
    pub what: &'static str,
    /// The AscendCL function; empty when not known.
    pub function: String,
    /// Innermost first; empty where no stack was recorded.
    pub frames: Vec<Frame>,
}

/// Where a person would look first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Site {
    /// Source file, if known.
    pub file: Option<String>,
    /// Source line, if known.
    pub line: Option<u32>,
    /// Function, if known.
    pub function: Option<String>,
    /// Path of the module, if known.
    pub module: Option<String>,
}

impl Trace {
    /// The innermost frame with a line, else with a name, else the innermost.
    pub fn site(&self) -> Site {
        let frames = &self.frames;
        let best = frames
            .iter()
            .find(|frame| frame.line.is_some())
            .or_else(|| frames.iter().find(|frame| frame.function.is_some()))
            .or(frames.first());
        let Some(frame) = best else {
            return Site::default();
        };
        Site {
            file: frame.file.clone(),
            line: frame.line,
            function: frame.function.clone(),
            module: Some(frame.module.clone()),
        }
    }
}
