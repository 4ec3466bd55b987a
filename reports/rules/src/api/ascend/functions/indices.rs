//! Phase one of operators that take indices. A call is recorded only when an index is out of range, before phase two.

use crate::api::ascend::indices::OPERATORS;
use crate::api::function::Role::State;
use crate::api::function::{Effect, Function, SyncRole, now};

/// Which argument; the address, the value and the place in row-major order of the first element out of range; the valid numbers; elements
/// along the last of two axes, 0 for a vector; the axis that the index numbers.
const OUT_OF_RANGE: &[&str] = &[
    "argument", "address", "value", "least", "below", "position", "columns", "axis",
];

pub(super) const ROWS: &[Function] = &{
    let mut rows = [now("", State); OPERATORS.len()];
    let mut at = 0;
    while at < rows.len() {
        rows[at] = now(OPERATORS[at].function, State)
            .with(OUT_OF_RANGE)
            .does(Effect::CheckIndices)
            .sync(SyncRole::ExpectFault);
        at += 1;
    }
    rows
};
