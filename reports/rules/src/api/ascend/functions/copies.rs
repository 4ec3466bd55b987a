//! Copies and fills.

use crate::api::function::Effect;
use crate::api::function::Role::*;
use crate::api::function::{Function, now, queued};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtMemcpy", Copy),
    queued("aclrtMemcpyAsync", Copy).does(Effect::CopyAligned),
    now("aclrtMemcpy2d", Copy2d),
    queued("aclrtMemcpy2dAsync", Copy2d),
    now("aclrtMemset", Set),
    queued("aclrtMemsetAsync", Set),
];
