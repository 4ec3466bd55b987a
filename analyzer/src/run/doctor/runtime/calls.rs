//! Which known calls a runtime has, and which of its calls aclsan does not know.

use aclsan_rules::api::functions::FUNCTIONS;

use super::Runtime;

/// How names begin that programs call to describe themselves: no runtime has them.
const OWN: &str = "aclsan_";

/// A known call in a runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call<'a> {
    /// Its public name.
    pub name: &'static str,
    /// The library that exports the public name.
    pub public: Option<&'a str>,
    /// The library that exports its `Impl` twin.
    pub twin: Option<&'a str>,
}

/// All known calls.
pub fn calls(runtime: &Runtime) -> Vec<Call<'_>> {
    let exporter = |name: &str| {
        let mut libraries = runtime.libraries.iter();
        libraries
            .find(|library| library.has(name))
            .map(|library| library.name.as_str())
    };
    FUNCTIONS
        .iter()
        .filter(|function| !function.is_of_libc() && !function.name.starts_with(OWN))
        .map(|function| Call {
            name: function.name,
            public: exporter(function.name),
            twin: exporter(&format!("{}Impl", function.name)),
        })
        .collect()
}

/// Exported calls that look like memory calls and are not hooked, sorted.
pub fn unhooked(runtime: &Runtime) -> Vec<&str> {
    let exports = runtime
        .libraries
        .iter()
        .flat_map(|library| &library.exports);
    let mut names: Vec<&str> = exports
        .map(String::as_str)
        .filter(|name| handles_memory(name) && !is_known(name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn is_known(name: &str) -> bool {
    FUNCTIONS.iter().any(|function| function.name == name)
}

fn handles_memory(name: &str) -> bool {
    const FAMILIES: [&str; 4] = ["aclrt", "acldvpp", "hi_mpi_dvpp_", "HIAI_"];
    const DOINGS: [&str; 11] = [
        "Malloc",
        "malloc",
        "Alloc",
        "Free",
        "free",
        "Memcpy",
        "Memset",
        "HostRegister",
        "HostUnregister",
        "MapMem",
        "MemAddress",
    ];
    FAMILIES.iter().any(|family| name.starts_with(family))
        && DOINGS.iter().any(|doing| name.contains(doing))
        && !name.ends_with("Impl")
        && !name.contains("Allocator")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::doctor::runtime::{Library, Topology};

    fn library(name: &str, exports: &[&str]) -> Library {
        let mut exports: Vec<_> = exports.iter().map(|name| (*name).to_owned()).collect();
        exports.sort();
        Library {
            name: name.to_owned(),
            exports,
            ..Library::default()
        }
    }

    #[test]
    fn a_split_runtime_shows_both_names_of_a_call() {
        let runtime = Runtime {
            libraries: vec![
                library(
                    "libacl_rt.so",
                    &["aclrtMalloc", "aclrtFree", "aclrtMallocNew"],
                ),
                library("libruntime.so", &["aclrtMallocImpl"]),
            ],
            ..Runtime::default()
        };
        assert_eq!(runtime.topology(), Topology::Merged);
        let malloc = calls(&runtime)[0];
        assert_eq!(malloc.name, "aclrtMalloc");
        assert_eq!(malloc.public, Some("libacl_rt.so"));
        assert_eq!(malloc.twin, Some("libruntime.so"));
        assert_eq!(unhooked(&runtime), ["aclrtMallocNew"]);
    }

    #[test]
    fn names_that_handle_no_memory_are_left_out() {
        for name in [
            "aclrtAllocatorRegister",
            "aclrtMallocImpl",
            "rtMalloc",
            "aclrtSetDevice",
        ] {
            assert!(!handles_memory(name), "{name}");
        }
        for name in [
            "aclrtMemPoolMallocAsync",
            "HIAI_DVPP_DMalloc",
            "aclrtMapMem",
            "aclrtReserveMemAddress",
        ] {
            assert!(handles_memory(name), "{name}");
        }
    }
}
