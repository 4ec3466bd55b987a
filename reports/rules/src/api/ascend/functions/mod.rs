//! The functions of AscendCL, of the layers below it that programs call, and of the HiAI Matrix: a file for each group
//! that is interposed together, a row for each function.

use crate::api::function::Function;

mod collectives;
mod copies;
mod hiai;
mod indices;
mod lifecycle;
mod media;
mod memory;
mod models;
mod moves;
mod objects;
mod operators;
mod order;
mod pools;
mod sharing;
mod signals;
mod virtual_memory;

pub(crate) const GROUPS: &[&[Function]] = &[
    memory::ROWS,
    virtual_memory::ROWS,
    copies::ROWS,
    lifecycle::ROWS,
    order::ROWS,
    media::ROWS,
    hiai::ROWS,
    operators::ROWS,
    indices::ROWS,
    models::ROWS,
    collectives::ROWS,
    pools::ROWS,
    objects::ROWS,
    moves::ROWS,
    signals::ROWS,
    sharing::ROWS,
];
