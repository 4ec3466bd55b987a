//! The modules of one process over time: which file held an address when a stack was taken.
//!
//! A library that was closed stays in the map, because its addresses stay in
//! the log. When another was loaded over the same addresses, time decides.

use super::ranges::Ranges;

/// One mapping of an ELF file into the recorded process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// The path that the dynamic linker reported, on the recorded machine.
    pub path: String,
    /// First runtime address.
    pub start: u64,
    /// First runtime address past the module.
    pub end: u64,
    /// Runtime address minus ELF virtual address; 0 for a fixed-address executable.
    pub bias: u64,
    /// The build-id note's bytes; empty when the module has none or the log does
    /// not say. A file on disk is then taken at its word.
    pub build_id: Vec<u8>,
}

/// Every module that a log names, with the time from which it was loaded.
#[derive(Debug)]
pub struct ModuleMap {
    loads: Ranges<(u64, Module)>,
}

impl ModuleMap {
    /// Takes each module with its load time in nanoseconds, in any order.
    pub fn new(loads: impl IntoIterator<Item = (u64, Module)>) -> Self {
        Self {
            loads: Ranges::new(
                loads
                    .into_iter()
                    .map(|(since_ns, module)| (module.start, module.end, (since_ns, module))),
            ),
        }
    }

    /// The module that held `address` at `at_ns`: the last one loaded there until
    /// then. A recorder that notes a module after the first stack through it is
    /// forgiven: with none loaded by `at_ns`, the next one loaded answers.
    /// `None` when no module was ever there (generated code, a damaged stack).
    pub fn find(&self, address: u64, at_ns: u64) -> Option<&Module> {
        self.loads
            .containing(address)
            .min_by_key(|(since_ns, _)| (*since_ns > at_ns, since_ns.abs_diff(at_ns)))
            .map(|(_, module)| module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str, start: u64, end: u64) -> Module {
        Module {
            path: path.to_owned(),
            start,
            end,
            bias: start,
            build_id: Vec::new(),
        }
    }

    fn path(map: &ModuleMap, address: u64, at_ns: u64) -> Option<&str> {
        map.find(address, at_ns).map(|module| module.path.as_str())
    }

    #[test]
    fn a_closed_library_still_owns_its_addresses() {
        let map = ModuleMap::new([(5, module("a.so", 100, 200))]);
        assert_eq!(path(&map, 150, 1_000), Some("a.so"));
        assert_eq!(path(&map, 200, 1_000), None);
    }

    #[test]
    fn of_two_libraries_at_one_address_the_one_loaded_last_before_the_stack_answers() {
        let map = ModuleMap::new([
            (10, module("first.so", 100, 200)),
            (30, module("third.so", 50, 300)),
            (20, module("second.so", 120, 160)),
        ]);
        assert_eq!(path(&map, 150, 10), Some("first.so"));
        assert_eq!(path(&map, 150, 25), Some("second.so"));
        assert_eq!(path(&map, 150, 30), Some("third.so"));
        assert_eq!(path(&map, 180, 25), Some("first.so"));
    }

    #[test]
    fn a_module_noted_after_its_first_stack_still_answers() {
        let map = ModuleMap::new([
            (40, module("late.so", 100, 200)),
            (90, module("later.so", 100, 200)),
        ]);
        assert_eq!(path(&map, 150, 39), Some("late.so"));
    }
}
