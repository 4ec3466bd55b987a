//! libc's releases, if they are given what is not libc's.

use crate::api::function::Effect;
use crate::api::function::Role::*;
use crate::api::function::{Function, now};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("free", State).with(&["address"]).does(Effect::LibcFree),
    now("realloc", State).with(&["address"]).does(Effect::LibcFree),
    now("reallocarray", State).with(&["address"]).does(Effect::LibcFree),
];

impl Function {
    /// Whether it belongs to libc or to no library at all: any program may define that name.
    pub fn is_of_libc(&self) -> bool {
        self.effect() == Effect::LibcFree || self.role == HostAccess
    }
}
