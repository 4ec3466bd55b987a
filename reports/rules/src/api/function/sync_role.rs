//! What a call means to happens-before: an edge, the end of a timeline, work, or nothing.

/// A kind of call. Those up to `CompareTimes` are waits of the host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(crate) enum SyncRole {
    SynchronizeStream,
    /// Aborts a stream, or stops it: that keeps what is queued, but when it runs again nobody says.
    AbortStream,
    /// Aborts the device that the first value names.
    AbortDevice,
    /// Resets that device: a wait if it takes the last reference.
    ResetDevice,
    /// Waits for the calling thread's device. So does an abort of a graph, as where it runs is not known, and a snapshot, which
    /// begins when the device is idle.
    SynchronizeDevice,
    EndAll,
    /// [`Self::EndAll`] unless somebody else has initialized as well.
    EndReference,
    DestroyContext,
    SynchronizeEvent,
    QueryStream,
    QueryEvent,
    /// [`Self::QueryEvent`], where 1 means complete.
    QueryRecord,
    ReadTime,
    CompareTimes,
    Record,
    /// [`Self::Record`], or by a flag a record that graphs make each time they run.
    RecordByFlag,
    Wait,
    ResetEvent,
    Notify,
    ResetNotifies,
    WaitForNotify,
    Count,
    WaitForCount,
    WriteValue,
    WaitForValue,
    /// Runs a host function on a stream.
    TellHost,
    BeginCapture,
    EndCapture,
    BeginUpdate,
    EndUpdate,
    DestroyGraph,
    BuildGraph,
    BindStream,
    UnbindStream,
    /// After it, the stream may not continue.
    Branch,
    ChangeGraph,
    /// Which graph is not recorded.
    ChangeGraphs,
    RunGraph,
    QueueGraph,
    /// Reports the handle of the default stream.
    NameDefault,
    /// Creates a stream whose flags are not recorded.
    MakeStream,
    /// Creates an event for which a wait never lasts until a later record.
    MakeExtendedEvent,
    /// Opens an event that another process may record.
    OpenEvent,
    SetDevice,
    CreateContext,
    AllocateOn,
    FreeOn,
    SetPool,
    MakeTensor,
    PointTensor,
    /// Reports bytes that an executor works on: see `tensors.rs`.
    PlanTensors,
    PhaseOne,
    PhaseTwo,
    /// Loads, configures or unloads a model.
    SetModel,
    QueueModel,
    /// Says that work will fail.
    ExpectFault,
    /// Not even the end of a launch: the thread may be in the middle of another call.
    Nothing,
    /// A launch, or a call without a role.
    Other,
}

impl SyncRole {
    /// Whether the call tells the host that something has completed.
    pub fn is_wait(self) -> bool {
        self <= Self::CompareTimes
    }
}
