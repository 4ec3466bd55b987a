//! What calls do besides memory and order, as trackers and rules follow it.

/// What a call does, where its [`Role`](super::Role) and its place in the order do not say it. A column of the table: no tracker knows a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    None,
    /// An instruction of the program, and no function at all.
    Instruction,
    /// libc's release of an address.
    LibcFree,
    CreatePool,
    PromisePool,
    AllocateInPool,
    FreeInPool,
    DestroyPool,
    RegisterHeap,
    UnregisterHeap,
    RegisterRegions,
    UnregisterRegions,
    /// A data buffer describes a range.
    DescribeBuffer,
    /// Shows where the data of a shared buffer is.
    ShowBuffer,
    /// Plans an executor of generated code, of which each thread has its own.
    PlanGenerated,
    /// Runs an executor and ends it, unless it is repeatable.
    RunExecutor,
    RepeatExecutor,
    /// An operator was planned with an index that is out of range.
    CheckIndices,
    DestroyExecutor,
    /// The value `device`, if there is one, is where devices see it.
    RegisterHost,
    /// Asks where devices see registered memory.
    LocateHost,
    UnregisterHost,
    Map,
    /// Maps over a link, from memory that the call does not name.
    MapLink,
    SetAccess,
    /// Fills words of 4 bytes.
    FillWords,
    /// Copies whose documentation asked for ends at multiples of 64.
    CopyAligned,
    CopyBatch,
    /// The sizes are in a descriptor.
    CopyDescribed,
    RunModel,
    /// Runs an operator by its name.
    RunOperator,
    UseMedia,
    /// May return the errors of earlier work. What it waits for or queries is its role in the order.
    ReturnErrors,
    /// The program's callback receives an error.
    ReportError,
}
