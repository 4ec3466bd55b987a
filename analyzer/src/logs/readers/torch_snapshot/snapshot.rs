//! What a snapshot says, as plain data.

use std::sync::Arc;

/// A memory snapshot of PyTorch or torch_npu.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Snapshot {
    /// What the allocator holds.
    pub segments: Vec<Segment>,
    /// The history of each device, oldest first; empty if none was recorded. The allocator keeps the last `max_entries` of a device.
    pub traces: Vec<Vec<Entry>>,
    /// Settings of the allocator, as it names them; nested ones as `outer.inner`.
    pub settings: Vec<(String, String)>,
    /// Ranges and marks of the program, in order of time.
    pub annotations: Vec<Annotation>,
    /// Distinct stacks, which the others refer to.
    pub stacks: Stacks,
    /// Contents of the file that were not read: `key `x` of a segment`, `action `y` of a trace`.
    pub unknown: Vec<String>,
}

/// Memory that the allocator got from the runtime.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    pub device: i32,
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// The stream that it was allocated for.
    pub stream: u64,
    /// Whether it serves small requests, up to 1 MiB.
    pub is_small: bool,
    /// The private pool; (0, 0) is the default one.
    pub pool: (u64, u64),
    /// Whether it is a mapped part of a larger range of addresses.
    pub is_expandable: bool,
    pub stack: StackId,
    /// Blocks without a gap, in order of addresses.
    pub blocks: Vec<Block>,
}

/// A part of a segment.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub address: u64,
    /// Bytes, rounded up.
    pub size: u64,
    /// Bytes that the program asked for; `size` if the file does not say.
    pub requested: u64,
    pub state: State,
    pub stack: StackId,
}

/// The state of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// A tensor has it.
    Allocated,
    /// It was freed, and another stream may still use it.
    AwaitingFree,
    /// It can be given out.
    Inactive,
}

/// An event of the allocator.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    pub action: Action,
    /// 0 for actions without an address.
    pub address: u64,
    /// Bytes; of blocks, what the program asked for.
    pub size: u64,
    pub stream: u64,
    /// Bytes that the device had left, if it is [`Action::OutOfMemory`] and the file says.
    pub device_free: Option<u64>,
    /// Since 1970; 0 if the file does not say.
    pub time_us: u64,
    pub pool: Option<(u64, u64)>,
    /// What the thread had set with `_set_memory_metadata`.
    pub metadata: Arc<str>,
    pub stack: StackId,
}

/// What the allocator did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Alloc,
    FreeRequested,
    FreeCompleted,
    SegmentAlloc,
    SegmentFree,
    SegmentMap,
    SegmentUnmap,
    OutOfMemory,
    /// A snapshot was taken.
    Snapshot,
    /// Any other.
    Other,
}

/// An entry of `external_annotations`.
#[derive(Clone, PartialEq, Debug)]
pub struct Annotation {
    pub device: i32,
    pub name: Arc<str>,
    pub is_end: bool,
    pub time_us: u64,
}

/// The number of a stack; 0 is the empty one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct StackId(pub u32);

/// Distinct stacks.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stacks {
    pub(super) frames: Vec<Frame>,
    /// Numbers of frames, innermost first, of the stacks from 1 on.
    pub(super) stacks: Vec<Vec<u32>>,
}

/// A frame.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    pub function: Arc<str>,
    /// Its source file, empty if unknown.
    pub file: Arc<str>,
    /// From 1; 0 if unknown.
    pub line: u32,
}

impl Stacks {
    /// The frames of a stack, innermost first.
    pub fn frames(&self, stack: StackId) -> impl Iterator<Item = &Frame> {
        let numbers = (stack.0 as usize)
            .checked_sub(1)
            .and_then(|at| self.stacks.get(at));
        let numbers = numbers.map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|&frame| &self.frames[frame as usize])
    }
}
