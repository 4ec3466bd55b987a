//! The calls that aclsan knows: what each does to memory, and which belong together.

use aclsan_log::SiteId;

/// Who owns a block: the allocator's name decides which release gives it back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Family {
    /// `aclrtMalloc` and its variants.
    Device,
    /// `aclrtMallocHost`: page-locked host memory.
    Pinned,
    /// `acldvppMalloc`.
    Dvpp,
    /// `hi_mpi_dvpp_malloc`.
    DvppMpi,
}

impl Family {
    /// Every family, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Device, Self::Pinned, Self::Dvpp, Self::DvppMpi];

    /// Short name for reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Pinned => "pinned host",
            Self::Dvpp => "dvpp",
            Self::DvppMpi => "dvpp-mpi",
        }
    }

    /// The release that gives its blocks back.
    pub fn release(self) -> &'static str {
        match self {
            Self::Device => "aclrtFree",
            Self::Pinned => "aclrtFreeHost",
            Self::Dvpp => "acldvppFree",
            Self::DvppMpi => "hi_mpi_dvpp_free",
        }
    }

    /// Whether host code may touch its blocks.
    pub fn is_host(self) -> bool {
        self == Self::Pinned
    }
}

/// What a call does, as far as memory is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Makes a block.
    Allocate(Family),
    /// Gives a block of this family back.
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
}

/// A call that aclsan knows.
#[derive(PartialEq, Eq, Debug)]
pub struct Function {
    /// Its exported name, without `Impl`.
    pub name: &'static str,
    /// What it does.
    pub role: Role,
    /// Whether it returns before its work is done.
    pub is_async: bool,
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
    }
}

const fn queued(name: &'static str, role: Role) -> Function {
    Function {
        name,
        role,
        is_async: true,
    }
}

/// Every known call. A function's number in a log is its writer's index here; logs carry the names, so the order may change.
pub static FUNCTIONS: &[Function] = &[
    now("aclrtMalloc", Role::Allocate(Family::Device)),
    now("aclrtMallocAlign32", Role::Allocate(Family::Device)),
    now("aclrtMallocCached", Role::Allocate(Family::Device)),
    now("aclrtMallocWithCfg", Role::Allocate(Family::Device)),
    now(
        "aclrtMallocForTaskScheduler",
        Role::Allocate(Family::Device),
    ),
    now("aclrtFree", Role::Release(Family::Device)),
    now("aclrtFreeWithDevSync", Role::Release(Family::Device)),
    now("aclrtMallocHost", Role::Allocate(Family::Pinned)),
    now("aclrtMallocHostWithCfg", Role::Allocate(Family::Pinned)),
    now("aclrtFreeHost", Role::Release(Family::Pinned)),
    now("aclrtFreeHostWithDevSync", Role::Release(Family::Pinned)),
    now("acldvppMalloc", Role::Allocate(Family::Dvpp)),
    now("acldvppMallocWithCfg", Role::Allocate(Family::Dvpp)),
    now("acldvppFree", Role::Release(Family::Dvpp)),
    now("hi_mpi_dvpp_malloc", Role::Allocate(Family::DvppMpi)),
    now("hi_mpi_dvpp_free", Role::Release(Family::DvppMpi)),
    now("aclrtMemcpy", Role::Copy),
    queued("aclrtMemcpyAsync", Role::Copy),
    now("aclrtMemcpy2d", Role::Copy2d),
    queued("aclrtMemcpy2dAsync", Role::Copy2d),
    now("aclrtMemset", Role::Set),
    queued("aclrtMemsetAsync", Role::Set),
    now("aclInit", Role::Initialize),
    now("aclFinalize", Role::Finalize),
    now("aclFinalizeReference", Role::Finalize),
    now("aclrtSetDevice", Role::SetDevice),
    now("aclrtResetDevice", Role::ResetDevice),
    now("aclrtResetDeviceForce", Role::ResetDeviceForce),
    now("aclrtGetMemInfo", Role::MemoryInfo),
    now("aclrtGetRunMode", Role::Order),
    now("aclrtCreateContext", Role::Order),
    now("aclrtDestroyContext", Role::Order),
    now("aclrtSetCurrentContext", Role::Order),
    now("aclrtCreateStream", Role::Order),
    now("aclrtCreateStreamWithConfig", Role::Order),
    now("aclrtDestroyStream", Role::Order),
    now("aclrtDestroyStreamForce", Role::Order),
    now("aclrtSynchronizeStream", Role::Order),
    now("aclrtSynchronizeStreamWithTimeout", Role::Order),
    now("aclrtSynchronizeDevice", Role::Order),
    now("aclrtSynchronizeDeviceWithTimeout", Role::Order),
    now("aclrtStreamQuery", Role::Order),
    now("aclrtCreateEvent", Role::Order),
    now("aclrtCreateEventWithFlag", Role::Order),
    now("aclrtCreateEventExWithFlag", Role::Order),
    now("aclrtDestroyEvent", Role::Order),
    queued("aclrtRecordEvent", Role::Order),
    queued("aclrtResetEvent", Role::Order),
    queued("aclrtStreamWaitEvent", Role::Order),
    now("aclrtSynchronizeEvent", Role::Order),
    now("aclrtSynchronizeEventWithTimeout", Role::Order),
    now("aclrtQueryEventStatus", Role::Order),
    queued("aclrtLaunchCallback", Role::Order),
    queued("aclrtLaunchHostFunc", Role::Order),
    now("aclrtProcessReport", Role::Order),
];

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
        }
    }

    #[test]
    fn every_family_names_a_release_of_its_own() {
        for family in Family::ALL {
            assert_eq!(
                function(family.release()).unwrap().role,
                Role::Release(family)
            );
        }
    }
}
