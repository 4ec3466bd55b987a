//! Copies and fills.

use super::effect::Effect;
use super::function::{Function, now, queued};
use super::role::Role::*;

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtMemcpy", Copy),
    queued("aclrtMemcpyAsync", Copy).does(Effect::CopyAligned),
    now("aclrtMemcpy2d", Copy2d),
    queued("aclrtMemcpy2dAsync", Copy2d),
    now("aclrtMemset", Set),
    queued("aclrtMemsetAsync", Set),
];
