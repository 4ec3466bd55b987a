//! What events refer to by number.

use super::ids::CallSiteId;

/// What events refer to by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Definition {
    /// Function number `id` is `name`.
    Function { id: u16, name: String },
    /// A site. `argument` is the call's policy, kind or flag; `device` is −1 when not known; `frames` are return addresses and
    /// [`PythonFrame`](crate::PythonFrame)s, innermost first.
    Site {
        id: CallSiteId,
        function: u16,
        argument: u32,
        device: i32,
        frames: Vec<u64>,
    },
    /// Code was loaded: addresses `start..end`, `bias` above those in the file.
    Module {
        start: u64,
        end: u64,
        bias: u64,
        build_id: Vec<u8>,
        path: String,
    },
    /// The module that began at `start` was unloaded.
    Unloaded { start: u64 },
    /// A Python function: sites have its number in [`PythonFrame`](crate::PythonFrame)s. Numbers count from 0.
    PythonCode {
        id: u32,
        function: String,
        file: String,
    },
    /// The name of a return code.
    Status { code: i32, name: String },
    /// A fact about the process: program, arguments, host, parent, options, SoC, version.
    Property { key: String, value: String },
    /// Text number `id`, which events name: see [`Log::texts`](crate::Log::texts).
    Text { id: u32, text: String },
}

/// Keys of properties that begin so tell of blocks that can't have a guard before them, a sentence each.
pub const NO_FRONT: &str = "no_front: ";
