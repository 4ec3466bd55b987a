//! What events refer to by number.

use super::ids::CallSiteId;

/// What events refer to by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Definition {
    /// Function number `id` is `name`.
    Function { id: u16, name: String },
    /// A call site. `argument` is the call's policy, kind or flag; `device` is −1 if unknown; `frames` are return addresses and
    /// [`PythonFrame`](crate::PythonFrame)s, innermost first.
    Site {
        id: CallSiteId,
        function: u16,
        argument: u32,
        device: i32,
        frames: Vec<u64>,
    },
    /// Code was loaded at addresses `start..end`, `bias` above its addresses in the file.
    Module {
        start: u64,
        end: u64,
        bias: u64,
        build_id: Vec<u8>,
        path: String,
    },
    /// The module that started at `start` was unloaded.
    Unloaded { start: u64 },
    /// A Python function, to which [`PythonFrame`](crate::PythonFrame)s of sites refer. Numbers count from 0.
    PythonCode {
        id: u32,
        function: String,
        file: String,
    },
    /// The name of a return code.
    Status { code: i32, name: String },
    /// A fact about the process: program, arguments, host, parent, options, SoC, version; the name of a thread
    /// ([`THREAD_NAME`]).
    Property { key: String, value: String },
    /// Text number `id`, to which events refer: see [`Log::texts`](crate::Log::texts).
    Text { id: u32, text: String },
}

/// Prefix of the properties with the names of threads, before the thread's number. A number that was used twice has the last name.
pub const THREAD_NAME: &str = "thread_name ";

/// The property with the settings of the frameworks' allocator, if the environment has any.
pub const ALLOCATOR_SETTINGS: &str = "allocator_settings";

/// The property with the mean number of bytes per recorded block, in a log that has a sample of the blocks only.
pub const BLOCK_SAMPLE: &str = "block_sample";

/// The property of a log that began in a running process (`aclsan attach`): what happened before is unknown.
pub const ATTACHED: &str = "attached";

/// For this long after an attach, released blocks are forgotten: a call that began before may return their memory, and is not recorded.
pub const ATTACH_SETTLES_NS: u64 = 30_000_000_000;

/// Prefix of properties about blocks that cannot have a left redzone, one sentence each.
pub const NO_FRONT: &str = "no_front: ";
