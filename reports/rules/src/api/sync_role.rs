//! What a call means to happens-before: an edge, the end of a timeline, work, or nothing.

/// A kind of call. Those up to `CompareTimes` are waits of the host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(crate) enum SyncRole {
    SynchronizeStream,
    AbortStream,
    /// Aborts the device that the first value names.
    AbortDevice,
    /// Resets that device: a wait if it takes the last reference.
    ResetDevice,
    /// Waits for the calling thread's device.
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
    SetDevice,
    CreateContext,
    AllocateOn,
    FreeOn,
    SetPool,
    MakeTensor,
    PointTensor,
    PhaseOne,
    PhaseTwo,
    /// Loads, configures or unloads a model.
    SetModel,
    QueueModel,
    /// Not even the end of a launch.
    Nothing,
    /// A launch, or a call without a role.
    Other,
}

impl SyncRole {
    /// The role of a row. The phases are those that its values show.
    pub const fn of(name: &str, values: &[&str], is_phase_one: bool, is_phase_two: bool) -> Self {
        let is_of_tensor = !values.is_empty() && matches!(values[0].as_bytes(), b"tensor");
        match name.as_bytes() {
            b"aclrtSynchronizeStream"
            | b"aclrtSynchronizeStreamWithTimeout"
            | b"rtStreamSynchronize"
            | b"rtStreamSynchronizeWithTimeout"
            | b"rtsStreamSynchronize" => Self::SynchronizeStream,
            // A stop keeps what is queued, but when that runs again nobody says.
            b"aclrtStreamAbort" | b"aclrtStreamStop" => Self::AbortStream,
            b"aclrtDeviceTaskAbort" => Self::AbortDevice,
            b"aclrtResetDevice" | b"aclrtResetDeviceForce" => Self::ResetDevice,
            b"aclrtSynchronizeDevice"
            | b"aclrtSynchronizeDeviceWithTimeout"
            | b"rtDeviceSynchronize"
            | b"rtDeviceSynchronizeWithTimeout"
            | b"rtsDeviceSynchronize"
            // Where the graph runs is not known; a snapshot begins when the device is idle.
            | b"aclmdlRIAbort"
            | b"aclrtSnapShotProcessLock"
            | b"aclrtSnapShotProcessBackup" => Self::SynchronizeDevice,
            b"aclFinalize" => Self::EndAll,
            b"aclFinalizeReference" => Self::EndReference,
            b"aclrtDestroyContext" => Self::DestroyContext,
            b"aclrtSynchronizeEvent"
            | b"aclrtSynchronizeEventWithTimeout"
            | b"rtEventSynchronize"
            | b"rtEventSynchronizeWithTimeout"
            | b"rtsEventSynchronize" => Self::SynchronizeEvent,
            b"aclrtStreamQuery" => Self::QueryStream,
            b"aclrtQueryEvent" | b"aclrtQueryEventWaitStatus" => Self::QueryEvent,
            b"aclrtQueryEventStatus" => Self::QueryRecord,
            b"aclrtEventGetTimestamp" => Self::ReadTime,
            b"aclrtEventElapsedTime" => Self::CompareTimes,
            b"aclrtRecordEvent" => Self::Record,
            b"aclrtRecordEventWithFlag" => Self::RecordByFlag,
            b"aclrtCtxGetCurrentDefaultStream" => Self::NameDefault,
            b"aclrtCreateStreamV2" => Self::MakeStream,
            b"aclrtStreamWaitEvent"
            | b"aclrtStreamWaitEventWithTimeout"
            | b"aclrtStreamWaitEventWithFlag" => Self::Wait,
            b"aclrtResetEvent" => Self::ResetEvent,
            b"aclrtRecordNotify" => Self::Notify,
            b"aclrtNotifyBatchReset" => Self::ResetNotifies,
            b"aclrtWaitAndResetNotify" => Self::WaitForNotify,
            b"aclrtCntNotifyRecord" | b"aclrtCntNotifyReset" => Self::Count,
            b"aclrtCntNotifyWaitWithTimeout" => Self::WaitForCount,
            b"aclrtValueWrite" => Self::WriteValue,
            b"aclrtValueWait" => Self::WaitForValue,
            b"aclrtLaunchCallback" | b"aclrtLaunchHostFunc" => Self::TellHost,
            b"aclmdlRICaptureBegin" | b"aclmdlRICaptureToModelRIBegin" => Self::BeginCapture,
            b"aclmdlRICaptureEnd" => Self::EndCapture,
            b"aclmdlRICaptureTaskUpdateBegin" => Self::BeginUpdate,
            b"aclmdlRICaptureTaskUpdateEnd" => Self::EndUpdate,
            b"aclmdlRIDestroy" => Self::DestroyGraph,
            b"aclmdlRIBuildBegin" => Self::BuildGraph,
            b"aclmdlRIBindStream" => Self::BindStream,
            b"aclmdlRIUnbindStream" => Self::UnbindStream,
            b"aclrtSetLabel" | b"aclrtSwitchLabelByIndex" | b"aclrtSwitchStream" => Self::Branch,
            b"aclmdlRIUpdate" => Self::ChangeGraph,
            b"aclmdlRITaskSetParams" => Self::ChangeGraphs,
            b"aclmdlRIExecute" => Self::RunGraph,
            b"aclmdlRIExecuteAsync" => Self::QueueGraph,
            b"aclrtSetExceptionInfoCallback" => Self::Nothing, // the thread may be in the middle of another call
            b"aclrtSetDevice" => Self::SetDevice,
            b"aclrtCreateContext" => Self::CreateContext,
            b"aclrtMemPoolMallocAsync" => Self::AllocateOn,
            b"aclrtMemPoolSetAttr" => Self::SetPool,
            b"aclrtMemPoolFreeAsync" => Self::FreeOn,
            b"aclCreateTensor" => Self::MakeTensor,
            b"aclmdlLoadFromFile"
            | b"aclmdlLoadFromMem"
            | b"aclmdlLoadFromFileWithMem"
            | b"aclmdlLoadFromMemWithMem"
            | b"aclmdlLoadWithConfig"
            | b"aclmdlSetConfigOpt"
            | b"aclmdlDestroyConfigHandle"
            | b"aclmdlSetExternalWeightAddress"
            | b"aclmdlBundleLoadFromFile"
            | b"aclmdlBundleLoadFromMem"
            | b"aclmdlBundleInitFromFile"
            | b"aclmdlBundleInitFromMem"
            | b"aclmdlBundleLoadModel"
            | b"aclmdlBundleLoadModelWithMem"
            | b"aclmdlBundleLoadModelWithConfig"
            | b"aclmdlBundleUnloadModel"
            | b"aclmdlBundleUnload"
            | b"aclmdlUnload" => Self::SetModel,
            b"aclmdlExecuteAsync" | b"aclmdlExecuteAsyncV2" => Self::QueueModel,
            _ if is_of_tensor => Self::PointTensor,
            _ if is_phase_one => Self::PhaseOne,
            _ if is_phase_two => Self::PhaseTwo,
            _ => Self::Other,
        }
    }

    /// Whether the call tells the host that something has completed.
    pub fn is_wait(self) -> bool {
        self <= Self::CompareTimes
    }
}
