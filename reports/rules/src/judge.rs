//! The questions that a host asks: which rules apply to a fact, in which order. The first answer is the finding, except where
//! rules look at different ends of a call.

use crate::block::{Block, Place};
use crate::finding::Finding;
use crate::functions::Call;
use crate::profile::Profile;
use crate::rules::*;
use aclsan_log::record::Found;
use aclsan_log::{Mapping, SiteId};

/// One-dimensional copy, as the program asked for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy {
    /// First byte written.
    pub to: u64,
    /// The caller's `destMax`: bytes it says there are behind `to`.
    pub room: u64,
    /// First byte read.
    pub from: u64,
    /// Bytes copied.
    pub count: u64,
}

/// Two-dimensional copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copy2d {
    /// First byte written.
    pub to: u64,
    /// Bytes from row to row, written side.
    pub to_pitch: u64,
    /// First byte read.
    pub from: u64,
    /// Bytes from row to row, read side.
    pub from_pitch: u64,
    /// Bytes of a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
}

/// Fill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Set {
    /// First byte written.
    pub to: u64,
    /// The caller's `maxCount`.
    pub room: u64,
    /// Bytes written.
    pub count: u64,
    /// What lies at `to` when no block explains it.
    pub mapping: Mapping,
}

/// A release, before the runtime has it.
pub fn release(
    _call: &Call,
    _address: u64,
    _place: &Place,
    _mapping: Mapping,
    _profile: &Profile,
) -> Option<Finding> {
    let _ = (double_free::check, mismatched_free::check);
    None
}

/// A release that the runtime refused with `status`, and about which [`release`] had nothing to say.
pub fn refused(_call: &Call, _address: u64, _place: &Place, _status: i32) -> Option<Finding> {
    None
}

/// A block just allocated.
pub fn allocation(_block: &Block, _profile: &Profile) -> Option<Finding> {
    None
}

/// A copy, before the runtime has it.
pub fn copy(
    _call: &Call,
    _copy: &Copy,
    _to: &Place,
    _from: &Place,
    _profile: &Profile,
) -> Vec<Finding> {
    Vec::new()
}

/// A copy of rows, before the runtime has it.
pub fn copy_2d(
    _call: &Call,
    _copy: &Copy2d,
    _to: &Place,
    _from: &Place,
    _profile: &Profile,
) -> Vec<Finding> {
    Vec::new()
}

/// A fill, before the runtime has it.
pub fn set(_call: &Call, _set: &Set, _to: &Place, _profile: &Profile) -> Vec<Finding> {
    Vec::new()
}

/// Bytes behind `block` that differ from the pattern laid there: `extent` bytes from `offset` behind the block's start. `slack` bytes
/// behind the block are the runtime's rounding, the rest is guard.
pub fn damage(
    _call: &Call,
    _block: &Block,
    _slack: u64,
    _offset: u64,
    _extent: u64,
    _found: &Found,
) -> Option<Finding> {
    None
}

/// A block that the reset at `reset` dropped, now that the device is set again at `set_again`.
pub fn set_again(_block: &Block, _reset: SiteId, _set_again: SiteId) -> Option<Finding> {
    None
}

/// `count` blocks of one site, `bytes` in all, that nobody had released when the process or its device came to an end; `block` is the
/// first of them, `reset` the reset that reclaimed them.
pub fn leak(_block: &Block, _count: u64, _bytes: u64, _reset: Option<SiteId>) -> Option<Finding> {
    None
}

/// A call that writes a host result through `address`.
pub fn out_parameter(_call: &Call, _address: u64, _place: &Place) -> Option<Finding> {
    None
}
