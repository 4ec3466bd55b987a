//! The calls that aclsan knows: what each does to memory, and which belong together.

mod annotations;
mod collectives;
mod copies;
mod hiai;
mod libc;
mod lifecycle;
pub(crate) mod meaning;
mod media;
mod memory;
mod models;
mod moves;
mod operators;
mod order;
mod pools;
mod sharing;
mod signals;
mod virtual_memory;

pub use crate::family::Family;
use aclsan_log::SiteId;
use meaning::Meaning;

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
    /// Changes something that [`Ledger`](crate::ledger::Ledger) keeps.
    State,
    /// No call of AscendCL's: the program tells aclsan, or any tool, about itself.
    Annotation,
}

/// A call that aclsan knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its exported name, without `Impl`.
    pub name: &'static str,
    /// What it does.
    pub role: Role,
    /// Whether it returns before its work is done.
    pub is_async: bool,
    /// What the values of its [`Event::Call`](aclsan_log::Event::Call) are, in order.
    pub values: &'static [&'static str],
    /// Its place in [`FUNCTIONS`].
    pub(crate) number: u16,
    /// What follows from the above.
    pub(crate) meaning: Meaning,
}

/// One call: what was called, from where, on which device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The function.
    pub function: &'static Function,
    /// Where from.
    pub site: SiteId,
    /// Policy, kind or flag; 0 where the function has none.
    pub argument: u32,
    /// The calling thread's device, −1 when not known.
    pub device: i32,
}

const fn now(name: &'static str, role: Role) -> Function {
    Function {
        name,
        role,
        is_async: false,
        values: &[],
        number: 0,
        meaning: Meaning::NONE,
    }
}

const fn queued(name: &'static str, role: Role) -> Function {
    Function {
        is_async: true,
        ..now(name, role)
    }
}

impl Call {
    /// The family that it makes a thing of or gives one back of. Two calls give back things of two families, and the argument says which:
    /// `aclDestroyTensorList` tensors with [`FURTHER`], `aclrtIpcMemClose` an import with [`IMPORT`].
    pub fn family(&self) -> Option<Family> {
        match (self.function.role, self.argument) {
            (Role::Release(Family::TensorList), FURTHER) => Some(Family::Tensor),
            (Role::Release(Family::Exported), IMPORT) => Some(Family::Imported),
            _ => self.function.family(),
        }
    }

    /// Whether the release is one more of a call that is on record already.
    pub fn is_further(&self) -> bool {
        self.function.role == Role::Release(Family::TensorList) && self.argument == FURTHER
    }
}

/// The argument of further releases by one call.
pub const FURTHER: u32 = 1;
/// The argument of a key's closing that gives back an import.
pub const IMPORT: u32 = 1;

impl Function {
    /// Names the values of its call's event.
    const fn with(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }
}

/// The rows, a file for each group of calls that are interposed together.
const GROUPS: &[&[Function]] = &[
    memory::ROWS,
    virtual_memory::ROWS,
    copies::ROWS,
    lifecycle::ROWS,
    order::ROWS,
    media::ROWS,
    hiai::ROWS,
    libc::ROWS,
    operators::ROWS,
    models::ROWS,
    collectives::ROWS,
    pools::ROWS,
    moves::ROWS,
    signals::ROWS,
    sharing::ROWS,
    annotations::ROWS,
];

const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

/// Every known call. A function's number in a log is its writer's index here; logs carry the names, so the order may change.
pub static FUNCTIONS: &[Function; COUNT] = &{
    let mut all = [now("", Role::Order); COUNT];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut row = 0;
        while row < GROUPS[group].len() {
            all[at] = GROUPS[group][row];
            all[at].number = at as u16;
            all[at].meaning = Meaning::of(&all[at]);
            (at, row) = (at + 1, row + 1);
        }
        group += 1;
    }
    all
};

/// The index in [`FUNCTIONS`] of the call of that name. For constants: a name that is not known does not compile.
///
/// # Panics
/// If there is no such call.
pub const fn number(name: &str) -> u16 {
    let mut number = 0;
    while number < FUNCTIONS.len() {
        if is_same(FUNCTIONS[number].name.as_bytes(), name.as_bytes()) {
            return number as u16;
        }
        number += 1;
    }
    panic!("no known call has this name")
}

/// `==`, which constants can't have yet.
const fn is_same(left: &[u8], right: &[u8]) -> bool {
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

/// The known call of that name.
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl Function {
    /// The family that it allocates for or releases.
    #[inline]
    pub fn family(&self) -> Option<Family> {
        match self.role {
            Role::Allocate(family) | Role::Release(family) => Some(family),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_name_stands_once() {
        let names: HashSet<_> = FUNCTIONS.iter().map(|function| function.name).collect();
        assert_eq!(names.len(), FUNCTIONS.len());
    }

    #[test]
    fn a_number_is_the_place_in_the_table() {
        for (place, function) in FUNCTIONS.iter().enumerate() {
            assert_eq!(usize::from(number(function.name)), place);
            assert_eq!(usize::from(function.number), place);
        }
    }

    #[test]
    fn values_are_few_enough_for_an_event() {
        for function in FUNCTIONS {
            assert!(function.values.len() <= aclsan_log::record::VALUES_MOST);
        }
    }
}
