//! What a call does.

use crate::api::family::Family;

/// What a call does, as far as memory is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Makes a block, or a thing that a handle names.
    Allocate(Family),
    /// Gives one of this family back.
    Release(Family),
    /// Copies bytes.
    Copy,
    /// Copies rows of bytes.
    Copy2d,
    /// Fills bytes.
    Set,
    /// `aclInit`.
    Initialize,
    /// `aclFinalize`, `aclFinalizeReference`.
    Finalize,
    /// `aclrtSetDevice`: one more reference to the device.
    SetDevice,
    /// `aclrtResetDevice`: one fewer; the last one drops every block of the device.
    ResetDevice,
    /// `aclrtResetDeviceForce`: drops every block of the device whatever the count.
    ResetDeviceForce,
    /// Tells how much memory is free.
    MemoryInfo,
    /// Streams, events, callbacks, contexts: noted for the order of things.
    Order,
    /// Reads or writes ranges that it names: operators, models, messages.
    Launch,
    /// Hands memory to a framework, which may own it from there on.
    Send,
    /// Changes something that `trackers::objects` keeps.
    State,
    /// No call of AscendCL's: the program tells aclsan, or any tool, about itself.
    Annotation,
}
