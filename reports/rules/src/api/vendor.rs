//! What rules know of a runtime: its names, its codes, and what it does with a mistake. A vendor is a table of these, in
//! a folder of its own; no rule asks which vendor it is.
//!
//! Names of calls are plain: sentences put them in backticks. What the runtime does is the end of "the runtime …".

use super::family::Family;
use super::function::Function;
use super::indices::IndexedOperator;
use std::ops::Range;

/// One vendor's runtime.
pub struct Vendor {
    /// The interface, as in "memory that AscendCL did not allocate".
    pub name: &'static str,
    /// Calls that findings recommend.
    pub calls: &'static Calls,
    /// What the runtime does, where that is the same for all calls.
    pub answers: &'static Answers,
    /// Codes of device errors.
    pub faults: &'static FaultCodes,
    /// The documented alignment of blocks in bytes.
    pub alignment: u64,
    /// The documented alignment of media memory in bytes.
    pub media_alignment: u64,
    /// The document that says how to cut a block.
    pub suballocation_guide: &'static str,
    /// The function that releases things of a family.
    pub release: fn(Family) -> &'static str,
    /// The release that waits for the device and may take the place of this one; `None` if there is none.
    pub waiting_release: fn(&Function) -> Option<&'static str>,
    /// Whether a block of the first family may be released by the second's function.
    pub may_release: fn(owner: Family, releaser: Family) -> bool,
    /// What the runtime does with a block of the first family given to the second's function.
    pub foreign_release: fn(owner: Family, releaser: Family) -> &'static str,
    /// How the runtime refuses a release that is none; the family is that of the block, if there is one.
    pub refusal: fn(&Function, Option<Family>) -> &'static str,
    /// What the runtime does with NULL.
    pub null_release: fn(&Function) -> &'static str,
    /// What the function does with a workspace that is too small.
    pub small_workspace: fn(&Function) -> &'static str,
    /// The name of a return code; `None` for codes that are not listed.
    pub status_name: fn(i32) -> Option<&'static str>,
    /// The module of the vendor's software for which an allocation was made, by its number; `None` for the program's own and unknown ones.
    pub module_name: fn(u64) -> Option<&'static str>,
    /// Operators that take indices.
    pub indexed_operators: &'static [IndexedOperator],
    /// The direction of a copy by the number that the call was given; `None` if the runtime refuses the number.
    pub copy_kind: fn(u32) -> Option<CopyKind>,
    /// The variable of the environment with the settings of the frameworks' allocator.
    pub allocator_settings: &'static str,
    /// The allocator of a framework that keeps page-locked memory which a library of that file name asked for, if it is one.
    pub pinned_cache: fn(&str) -> Option<&'static str>,
    /// The code of a call to end a capture that another thread began: the one failure after which it may continue.
    pub foreign_capture: i32,
    /// Codes of waits that ended before the work.
    pub time_outs: &'static [i32],
    /// Whether copies of rows accept that number.
    pub is_copy_kind_of_rows: fn(u32) -> bool,
}

/// A direction of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CopyKind {
    /// Its name in the interface's header.
    pub name: &'static str,
    /// Whether source and destination are host memory; `None` if the runtime decides.
    pub hosts: Option<(bool, bool)>,
}

/// Names of calls.
pub struct Calls {
    pub set_device: &'static str,
    pub synchronize_stream: &'static str,
    pub record_event: &'static str,
    pub wait_for_event: &'static str,
    pub copy: &'static str,
    pub fill: &'static str,
    pub allocate_host: &'static str,
    /// Releases plain memory after a wait for the device.
    pub free_after_device: &'static str,
    pub memory_info: &'static str,
    pub reserve_range: &'static str,
    pub allocate_physical: &'static str,
    pub map: &'static str,
    /// Answers the size of an operator's workspace.
    pub workspace_size: &'static str,
    pub keep_executor: &'static str,
    pub destroy_executor: &'static str,
    /// Registers the function that receives device errors.
    pub fault_callback: &'static str,
    /// The copy direction that leaves the choice to the runtime.
    pub any_direction: &'static str,
}

/// What the runtime does.
pub struct Answers {
    /// A block released by another family's call, where host and device share their memory.
    pub shared_memory_release: &'static str,
    /// A block's release that is given an address in a reserved range.
    pub release_in_range: &'static str,
    /// An address of host memory that is no block, given to the release of pinned memory.
    pub release_of_host: &'static str,
    /// An access past the end of a mapping.
    pub past_mapping: &'static str,
    /// An access where nothing is mapped.
    pub unmapped_access: &'static str,
    /// An access to a range that was released.
    pub released_range: &'static str,
    /// An aligned copy from or to an address that is not.
    pub misaligned_copy: &'static str,
    /// A stream of another context, and its code.
    pub foreign_stream: (i32, &'static str),
    /// An operator that is given a workspace's size and no workspace.
    pub no_workspace: &'static str,
    /// What allocates, with an article.
    pub allocation: &'static str,
}

/// Codes of device errors that an access to an unmapped page can cause.
pub struct FaultCodes {
    /// Cores that stopped at a read.
    pub reads: &'static [i32],
    /// Cores that stopped at a write.
    pub writes: &'static [i32],
    /// Cores that stopped, without the cause.
    pub cores: &'static [i32],
    /// Copies that failed.
    pub copies: &'static [i32],
    /// Tasks that failed on the device, of any cause.
    pub tasks: Range<i32>,
}

impl FaultCodes {
    /// Whether a core has stopped.
    pub fn is_trap(&self, status: i32) -> bool {
        let codes = [self.reads, self.writes, self.cores];
        codes.iter().any(|codes| codes.contains(&status))
    }

    /// Whether an unmapped page may have caused the error.
    pub fn is_possible(&self, status: i32) -> bool {
        self.is_trap(status) || self.copies.contains(&status)
    }
}
