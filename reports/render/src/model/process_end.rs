//! How a process ended.

use serde::Serialize;

use super::stack::Trace;

/// How a process ended.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct ProcessEnd {
    /// The way.
    pub kind: EndKind,
    /// In one sentence; empty for an end that needs none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Details, if it did not end by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub death: Option<Box<Death>>,
}

/// The way in which a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EndKind {
    /// Its exit handlers ran, or it finalized AscendCL.
    Exit,
    /// It went on as another program.
    Exec,
    /// A signal, at which the shim recorded the stack.
    Signal,
    /// A signal, which its parent saw.
    Killed,
    /// `halt_on_error`.
    Halt,
    /// It ran on: `aclsan detach` ended the watch.
    Detached,
    /// It left by `_exit`, was killed, or still runs.
    #[default]
    Unknown,
}

impl EndKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Exit,
        Self::Exec,
        Self::Signal,
        Self::Killed,
        Self::Halt,
        Self::Detached,
        Self::Unknown,
    ];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Exec => "exec",
            Self::Signal => "signal",
            Self::Killed => "killed",
            Self::Halt => "halt",
            Self::Detached => "detached",
            Self::Unknown => "unknown",
        }
    }
}

/// Details of an end by a signal or by `halt_on_error`.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Death {
    /// The signal; 0 if there was none.
    pub signal: i32,
    /// Its name; empty if it has none.
    pub name: String,
    /// The thread that it came to; 0 if unknown.
    pub thread: u32,
    /// The thread's name, if it had one of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_name: Option<String>,
    /// When, since the log began.
    pub ns: u64,
    /// The thread's stack.
    pub stack: Trace,
    /// The last calls of the process, in order of time.
    pub calls: Vec<LastCall>,
    /// Blocks that were live, which are no leak.
    pub live_blocks: u64,
    /// Their bytes.
    pub live_bytes: u64,
}

/// A call before the end.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct LastCall {
    /// When, since the log began.
    pub ns: u64,
    /// The thread.
    pub thread: u32,
    /// What the runtime returned if it refused the call; else 0.
    pub status: i32,
    /// The name of that, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_name: Option<String>,
    /// The call and its stack.
    pub called: Trace,
}
