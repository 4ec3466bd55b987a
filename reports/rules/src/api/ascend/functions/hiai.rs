//! The legacy HiAI Matrix, in C and in C++.

use crate::api::family::Family;
use crate::api::function::Role::*;
use crate::api::function::{Function, now};

/// `taken` is 1 if the message itself was a block, which belongs to the Matrix from here on.
const SENT: &[&str] = &["message", "taken"];

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("HIAI_DMalloc", Allocate(Family::Hiai)),
    now("HIAI_DFree", Release(Family::Hiai)),
    now("HIAI_DVPP_DMalloc", Allocate(Family::HiaiDvpp)),
    now("HIAI_DVPP_DFree", Release(Family::HiaiDvpp)),
    now("HIAI_C_SendData", State).with(&["message"]),
    now("hiai::HIAIMemory::HIAI_DMalloc", Allocate(Family::Hiai)),
    now("hiai::HIAIMemory::HIAI_DFree", Release(Family::Hiai)),
    now("hiai::HIAIMemory::HIAI_DVPP_DMalloc", Allocate(Family::HiaiDvpp)),
    now("hiai::HIAIMemory::HIAI_DVPP_DFree", Release(Family::HiaiDvpp)),
    now("hiai::Engine::SendData", Send).with(SENT),
    now("hiai::Graph::SendData", Send).with(SENT),
];
