//! The functions that aclsan knows: what each does to memory, and which belong together.

mod annotations;
mod host_access;
mod libc;

use super::ascend;
pub use super::family::Family;
pub(crate) use super::function::Effect;
use super::function::attributes::VendorId;
use super::function::const_str::is_same;
use super::function::now;
pub use super::function::{Call, FURTHER, Function, IMPORT, Role};
use super::vendor::Vendor;

/// The functions that are no vendor's.
const OWN: &[&[Function]] = &[libc::ROWS, host_access::ROWS, annotations::ROWS];

/// All of them, vendor by vendor.
const GROUPS: &[(VendorId, &[&[Function]])] = &[
    (VendorId::Ascend, ascend::functions::GROUPS),
    (VendorId::Ascend, OWN),
];

const COUNT: usize = {
    let (mut count, mut vendor) = (0, 0);
    while vendor < GROUPS.len() {
        let groups = GROUPS[vendor].1;
        let mut group = 0;
        while group < groups.len() {
            count += groups[group].len();
            group += 1;
        }
        vendor += 1;
    }
    count
};

/// Every known function. Its number in a log is the index in the writer's table. Logs carry the names, so the order may
/// change.
pub static FUNCTIONS: &[Function; COUNT] = &{
    let mut all = [now("", Role::Order); COUNT];
    let (mut at, mut vendor) = (0, 0);
    while vendor < GROUPS.len() {
        let (id, groups) = GROUPS[vendor];
        let mut group = 0;
        while group < groups.len() {
            let mut row = 0;
            while row < groups[group].len() {
                all[at] = groups[group][row];
                all[at].number = at as u16;
                all[at].attributes = all[at].attributes.of(all[at].role, all[at].values);
                all[at].attributes.vendor = id;
                (at, row) = (at + 1, row + 1);
            }
            group += 1;
        }
        vendor += 1;
    }
    all
};

impl Function {
    /// Whose runtime it is of. Functions of libc and of `aclsan.h` have the vendor whose memory they meet.
    pub fn vendor(&self) -> &'static Vendor {
        match self.attributes.vendor {
            VendorId::Ascend => &ascend::VENDOR,
        }
    }
}

/// The index in [`FUNCTIONS`] of the function with that name. For constants: an unknown name does not compile.
///
/// # Panics
/// If there is no such function.
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

/// The known function with that name.
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::function::attributes::{NEED, PHASE_TWO};
    use crate::api::function::const_str::has;
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
    fn every_known_release_of_a_family_is_a_release() {
        for family in Family::ALL {
            if let Some(function) = function((ascend::VENDOR.release)(family)) {
                assert!(matches!(function.role, Role::Release(_)), "{family:?}");
            }
        }
    }

    #[test]
    fn values_are_few_enough_for_an_event() {
        for function in FUNCTIONS {
            assert!(function.values.len() <= aclsan_log::record::MAX_VALUES);
        }
    }

    #[test]
    fn what_the_table_says_is_what_the_rows_say() {
        for function in FUNCTIONS {
            let (name, values) = (function.name, function.values);
            assert_eq!(function.is_phase_one(), values == NEED, "{name}");
            assert_eq!(function.is_phase_two(), values == PHASE_TWO, "{name}");
            assert_eq!(function.is_of_tensor(), values.first() == Some(&"tensor"));
            assert_eq!(function.is_of_pool(), name.starts_with("aclrtMemPool"));
            assert_eq!(function.is_of_graph(), name.starts_with("aclmdlRI"));
            assert_eq!(has(values, "stream"), values.contains(&"stream"));
        }
    }

    #[test]
    fn records_and_waits_are_edges_and_what_names_memory_is_none() {
        let edge = |name| function(name).is_some_and(Function::is_edge);
        assert!(edge("aclrtRecordEvent") && edge("aclrtSynchronizeDevice"));
        for name in [
            "aclrtValueWrite",
            "aclrtCreateContext",
            "aclrtDestroyContext",
            "aclmdlRIExecuteAsync",
            "aclrtMalloc",
        ] {
            assert!(!edge(name), "{name}");
        }
    }

    #[test]
    fn while_recording_is_stopped_only_what_later_calls_are_judged_by_is_recorded() {
        let followed = |name| function(name).is_some_and(Function::is_followed_while_stopped);
        for name in [
            "aclrtSetDevice",
            "aclrtResetDevice",
            "aclrtCreateContext",
            "aclrtSetCurrentContext",
            "aclrtCreateStream",
            "aclrtIpcMemClose",
            "aclrtMapMem",
            "aclmdlRICaptureBegin",
            "aclmdlLoadFromFile",
            "aclsan_epoch",
            "aclsan_start",
        ] {
            assert!(followed(name), "{name}");
        }
        for name in [
            "aclrtMalloc",
            "aclrtFree",
            "aclrtMemcpy",
            "aclrtMemsetAsync",
            "aclCreateTensor",
            "aclrtRecordEvent",
            "aclrtSynchronizeStream",
            "aclmdlRIExecuteAsync",
            "CommonOpExecutorRun",
            "aclOpExecutorAddCache",
            "aclsan_pool_alloc",
        ] {
            assert!(!followed(name), "{name}");
        }
    }

    #[test]
    fn a_kernel_may_use_what_it_does_not_name_and_a_copy_does_not() {
        let opaque = |name| function(name).is_some_and(Function::is_opaque);
        assert!(opaque("aclrtLaunchKernel") && opaque("aclmdlExecute"));
        assert!(!opaque("aclrtMemcpyAsync"));
    }
}
