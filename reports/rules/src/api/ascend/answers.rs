//! What the runtime does with a mistake, from its source (681ef761, CANN 9.2) where a sentence does not say otherwise.

use crate::api::family::Family;
use crate::api::function::{Function, Role};
use crate::api::vendor::Answers;

pub(super) static ANSWERS: Answers = Answers {
    shared_memory_release: "may accept it or refuse it with 107000: host and device share their memory here",
    release_in_range: "refuses it with 107000 (\"should be freed by halMemAddressFree\"), and what is mapped there stays",
    release_of_host: "takes it for host memory; then the driver refuses it with 107000, or gives it to `free`",
    past_mapping: "fails with 507899 where the mapped memory ends",
    unmapped_access: "fails with 507899, or the device raises an address error (507001, 507015)",
    released_range: "refuses it with 107000, or the device raises an address error (507001, 507015)",
    misaligned_copy: "copies all the same in CANN 9.2; up to 8.1 the documentation forbids it",
    foreign_stream: (
        107_003,
        "refuses it with 107003 (`ACL_ERROR_RT_STREAM_CONTEXT`), and nothing is done",
    ),
    no_workspace: "refuses it with 161001",
    allocation: "an AscendCL allocation",
};

/// How the runtime refuses a release: "refuses it with 107000". The second media interface and the Matrix have codes of
/// their own. The pools' release accepts memory that is no pool's and passes it to the driver in stream order, whose
/// answer nobody hears (runtime 681ef761, `MemPoolFreeAsyncCallback`). `owner` is the block's family, if there is a
/// block.
pub(super) fn refusal(function: &Function, owner: Option<Family>) -> &'static str {
    match function.role {
        Role::Release(Family::Pool) if owner != Some(Family::Pool) => {
            "accepts the call; the driver refuses it when the stream comes to it, and nobody hears"
        }
        Role::Release(Family::Mapped) => "refuses it with 507899",
        Role::Release(
            Family::DvppMpi
            | Family::VideoPool
            | Family::VideoBlock
            | Family::Hiai
            | Family::HiaiDvpp,
        ) => "refuses it with an error of its own",
        Role::Release(family) if family.is_host_object() => {
            "deletes it again: the C++ heap is damaged, or the process aborts"
        }
        Role::Annotation => "is not asked: the pool may hand the same memory out twice",
        _ => "refuses it with 107000",
    }
}

/// What the runtime does with NULL that is released.
pub(super) fn null_release(function: &Function) -> &'static str {
    match function.family() {
        Some(Family::DvppMpi | Family::Hiai | Family::HiaiDvpp) => {
            "refuses it with an error of its own, other than `free`"
        }
        _ => "refuses it with 100000, other than `free`",
    }
}

/// What a second phase does with a workspace smaller than phase one asked for (opbase aa3cd74b).
pub(super) fn small_workspace(function: &Function) -> &'static str {
    match function.name {
        "NnopbaseRunWithWorkspace" => "refuses it with 161002",
        _ => {
            "goes ahead: nothing compares the sizes, and the operator uses the memory after the block"
        }
    }
}

/// What the runtime does with a block of `owner` given to `releaser`'s function. If no source says so, the sentence
/// says that.
pub(super) fn foreign_release(owner: Family, releaser: Family) -> &'static str {
    match (memory(owner), releaser) {
        (Memory::Matrix, _) => {
            "finds no block of its own there: the memory is of the Matrix's pool, and leaks if the code is ignored"
        }
        (_, Family::Hiai | Family::HiaiDvpp) => {
            "finds no block of its own there: what the Matrix does with it differs from version to version"
        }
        (Memory::Part, _) => {
            "refuses it with 107000, or takes it for the whole pool where the block is the first one"
        }
        (_, Family::Reserved) => "refuses it with 107000: it is no reserved range",
        (Memory::Range, Family::Device | Family::Pinned) => {
            "refuses it with 107000 (a range of addresses is no block), and the range stays taken if the code is ignored"
        }
        (Memory::Device | Memory::Host, Family::Device) => {
            "accepts it silently: all families end in the same driver call"
        }
        (Memory::Device | Memory::Host, Family::Pool) => {
            "accepts it silently, and frees it when the stream comes to it: all families end in the same driver call"
        }
        (Memory::Device, Family::Pinned) => {
            "refuses it with 107000 (not a host address), and the block leaks if the code is ignored"
        }
        (Memory::Host, Family::Dvpp | Family::DvppMpi) => {
            "refuses it with 107000 (not a device address), and the block leaks if the code is ignored"
        }
        (Memory::Device, Family::Dvpp | Family::DvppMpi) => {
            "accepts it silently: only the location is checked"
        }
        _ => "does not support it: what it does differs from version to version",
    }
}

/// Where a family's things are, as far as a foreign release cares.
enum Memory {
    Device,
    Host,
    Matrix,
    Part,
    Range,
}

fn memory(owner: Family) -> Memory {
    match owner {
        Family::Hiai | Family::HiaiDvpp => Memory::Matrix,
        Family::VideoBlock => Memory::Part,
        Family::Reserved | Family::Imported => Memory::Range,
        Family::Pinned => Memory::Host,
        _ => Memory::Device,
    }
}
