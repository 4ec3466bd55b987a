//! CANN's own libraries, each by its full name: `libgraph*.so` would also match a user's `libgraphics.so`.
//!
//! Names: CANN 7.0 to 9.1, from the build files of the runtime, GE, HCCL, HCOMM and the ops repositories, and from what
//! torch_npu opens.

/// AscendCL, the runtime and the driver below it; media, and the HiAI Matrix.
pub const RUNTIME: &[&str] = &[
    "libacl_dvpp.so",
    "libacl_dvpp_impl.so",
    "libacl_dvpp_mpi.so",
    "libacl_mdl.so",
    "libacl_mdl_impl.so",
    "libacl_rt.so",
    "libacl_rt_impl.so",
    "libacl_tdt_channel.so",
    "libacl_tdt_queue.so",
    "libascend_hal.so",
    "libascendcl.so",
    "libascendcl_impl.so",
    "libmatrixdaemon.so",
    "libruntime.so",
    "libruntime_common.so",
    "libruntime_v100.so",
    "libruntime_v200.so",
    "libruntime_v201.so",
];

/// The graph engine.
pub const GRAPH_ENGINE: &[&str] = &[
    "libge_common.so",
    "libge_common_base.so",
    "libge_compiler.so",
    "libge_executor.so",
    "libge_local_engine.so",
    "libge_local_opskernel_builder.so",
    "libge_runner.so",
    "libge_runner_v2.so",
];

/// Collectives.
pub const COLLECTIVES: &[&str] = &[
    "libhccl.so",
    "libhccl_alg.so",
    "libhccl_compat.so",
    "libhccl_heterog.so",
    "libhccl_plf.so",
    "libhccl_v2.so",
    "libhcomm.so",
];

/// The libraries that launch operators.
pub const OPERATOR_BASE: &[&str] = &["libnnopbase.so"];

/// Allocators of frameworks that keep page-locked memory for their next requests until the process ends, by the library
/// that calls the runtime.
const PINNED_CACHES: &[(&str, &str)] = &[("libtorch_npu.so", "CachingHostAllocator")];

/// The allocator that keeps page-locked memory which the library with that file name asked for; `None` for others.
pub fn pinned_cache(file: &str) -> Option<&'static str> {
    let name = unversioned(file);
    let mut caches = PINNED_CACHES.iter();
    caches
        .find(|(library, _)| *library == name)
        .map(|(_, allocator)| *allocator)
}

/// A library's file name without the version after it: `libhccl.so` for `libhccl.so.2.0.0`.
pub fn unversioned(file: &str) -> &str {
    let mut name = file;
    while let Some((before, version)) = name.rsplit_once('.') {
        if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        name = before;
    }
    name
}

/// Whether the library with that file name keeps its own records of the blocks that it returns or is given.
pub fn notes_blocks(file: &str) -> bool {
    let lists = [RUNTIME, GRAPH_ENGINE, COLLECTIVES, OPERATOR_BASE];
    let name = unversioned(file);
    lists.iter().any(|list| list.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_locked_memory_of_torch_npu_is_its_allocators() {
        assert_eq!(
            pinned_cache("libtorch_npu.so"),
            Some("CachingHostAllocator")
        );
        assert_eq!(pinned_cache("libtorch_npu_mine.so"), None);
        assert_eq!(pinned_cache("train"), None);
    }

    #[test]
    fn libraries_are_known_by_their_whole_names_whatever_their_version() {
        for theirs in [
            "libascendcl.so",
            "libruntime.so.1",
            "libhccl.so.2.0.0",
            "libge_executor.so",
            "libnnopbase.so",
        ] {
            assert!(notes_blocks(theirs), "{theirs}");
        }
        for users in [
            "libhccl_tools.so",
            "libge_mine.so",
            "libruntime_mine.so",
            "libruntime.so.bak",
            "libruntime.so.",
            "myruntime.so",
            "",
        ] {
            assert!(!notes_blocks(users), "{users}");
        }
    }
}
