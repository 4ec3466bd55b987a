//! Which code was mapped where, and when.
//!
//! Lookups take at most [`MAX_CANDIDATES`] steps, so logs of programs that load and unload thousands of modules are as fast as others, and
//! so is one that claims a million modules at the same addresses.

use std::collections::HashMap;

/// Modules examined for one address, latest first. Loaders put one at a time at an address, so the first one almost always matches; only a
/// log that no loader produced has more.
const MAX_CANDIDATES: usize = 4096;

/// Code that was loaded for a while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// First address.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// Load bias: address minus the file's virtual address.
    pub bias: u64,
    /// `NT_GNU_BUILD_ID`, empty if there is none.
    pub build_id: Vec<u8>,
    /// Path at the time.
    pub path: String,
    /// Module record that loaded it.
    pub since: u32,
    /// Module record that unloaded it, `u32::MAX` while loaded.
    pub until: u32,
}

/// All modules of a log.
#[derive(Default)]
pub(crate) struct Modules {
    list: Vec<Module>,
    epoch: u32,
    /// Loaded modules, by start.
    loaded: HashMap<u64, Vec<usize>>,
    /// Indices ordered by start, then load order, each with the highest end so far. If that is not above an address, no earlier module
    /// contains it.
    order: Vec<(usize, u64)>,
}

impl Modules {
    /// Module records so far.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// In load order.
    pub fn list(&self) -> &[Module] {
        &self.list
    }

    /// Records a load.
    pub fn loaded(&mut self, module: Module) {
        self.epoch += 1;
        let since = self.epoch;
        let known = self.loaded.entry(module.start).or_default();
        known.push(self.list.len());
        self.list.push(Module { since, ..module });
    }

    /// Records the unload of the modules that start at `start`.
    pub fn unloaded(&mut self, start: u64) {
        self.epoch += 1;
        for at in self.loaded.remove(&start).unwrap_or_default() {
            self.list[at].until = self.epoch;
        }
    }

    /// Builds the lookup order; call after the last record, and again if a log that grows has more.
    pub fn build_index(&mut self) {
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        order.sort_by_key(|&at| self.list[at].start);
        let mut highest = 0;
        let order = order.into_iter().map(|at| {
            highest = self.list[at].end.max(highest);
            (at, highest)
        });
        self.order = order.collect();
    }

    /// The module that contained `address` after `epoch` records.
    pub fn at(&self, address: u64, epoch: u32) -> Option<&Module> {
        let holds = |module: &Module| {
            (module.start..module.end).contains(&address)
                && module.since <= epoch
                && epoch < module.until
        };
        let end = self
            .order
            .partition_point(|&(at, _)| self.list[at].start <= address);
        let candidates = self.order[..end].iter().rev();
        let candidates = candidates
            .take_while(|&&(_, highest)| highest > address)
            .take(MAX_CANDIDATES);
        candidates
            .map(|&(at, _)| &self.list[at])
            .filter(|module| holds(module))
            .max_by_key(|module| module.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(start: u64, end: u64) -> Module {
        Module {
            start,
            end,
            bias: 0,
            build_id: Vec::new(),
            path: String::new(),
            since: 0,
            until: u32::MAX,
        }
    }

    #[test]
    fn the_latest_of_nested_and_repeated_modules_is_found() {
        let mut modules = Modules::default();
        modules.loaded(module(0x1000, 0x9000)); // 1
        modules.loaded(module(0x2000, 0x3000)); // 2
        modules.unloaded(0x2000); // 3
        modules.loaded(module(0x2000, 0x4000)); // 4
        modules.build_index();
        let since = |address, epoch| modules.at(address, epoch).map(|module| module.since);
        assert_eq!(since(0x2800, 2), Some(2));
        assert_eq!(since(0x2800, 3), Some(1));
        assert_eq!(since(0x3800, 4), Some(4));
        assert_eq!((since(0x4000, 4), since(0x9000, 4)), (Some(1), None));
        assert_eq!((since(0x2800, 0), since(0xfff, 4)), (None, None));
    }

    #[test]
    fn a_million_modules_over_one_address_are_loaded_unloaded_and_asked_about_at_once() {
        let mut modules = Modules::default();
        (0..500_000).for_each(|start| modules.loaded(module(start, u64::MAX)));
        (0..500_000).for_each(|start| modules.unloaded(start));
        (0..500_000).for_each(|start| modules.loaded(module(start, u64::MAX)));
        modules.build_index();
        for address in 0..1000 {
            assert!(modules.at(1 << 40 | address, 1_500_000).is_some());
        }
    }
}
