//! Sampled stacks (`stack_sample`): most calls record their caller only, and some their whole stack.
//!
//! A caller belongs to a whole stack if that is the only one which was recorded from there. Otherwise nobody can say which of them it is,
//! and calls with the caller alone are a place of their own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use aclsan_log::{CallSiteId, Log};

/// The one whole stack of each caller, by function and return address.
#[derive(Default)]
pub(super) struct WholeStacks<'a> {
    /// `None` for a caller with several.
    known: HashMap<(&'a str, u64), Option<&'a [u64]>>,
}

impl<'a> WholeStacks<'a> {
    /// Those of `log`; none if it did not sample.
    pub fn of(log: &'a Log) -> Self {
        let sample = log.properties.get("stack_sample");
        let is_sampled = sample.is_some_and(|sample| sample.parse().unwrap_or(0) > 1);
        let mut all = Self::default();
        if is_sampled {
            for id in (1..log.site_count() as u32).map(CallSiteId) {
                all.add(log.function(id), &log.site(id).frames);
            }
        }
        all
    }

    fn add(&mut self, function: &'a str, frames: &'a [u64]) {
        let &[caller, _, ..] = frames else { return };
        match self.known.entry((function, caller)) {
            Entry::Vacant(new) => drop(new.insert(Some(frames))),
            Entry::Occupied(mut known) if *known.get() != Some(frames) => {
                known.insert(None);
            }
            Entry::Occupied(_) => {}
        }
    }

    /// The whole stack that `frames`, a caller alone, belongs to.
    pub fn of_caller(&self, function: &str, frames: &[u64]) -> Option<&'a [u64]> {
        let &[caller] = frames else { return None };
        *self.known.get(&(function, caller))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_belongs_to_its_only_whole_stack() {
        let mut all = WholeStacks::default();
        all.add("aclrtMalloc", &[1, 2, 3]);
        all.add("aclrtMalloc", &[1, 2, 3]);
        all.add("aclrtMalloc", &[1]);
        all.add("aclrtFree", &[4, 5]);
        assert_eq!(all.of_caller("aclrtMalloc", &[1]), Some(&[1, 2, 3][..]));
        assert_eq!(all.of_caller("aclrtMalloc", &[4]), None);
        assert_eq!(all.of_caller("aclrtMalloc", &[1, 2]), None);
    }

    #[test]
    fn a_caller_with_several_whole_stacks_belongs_to_none() {
        let mut all = WholeStacks::default();
        all.add("aclrtMalloc", &[1, 2, 3]);
        all.add("aclrtMalloc", &[1, 9, 3]);
        all.add("aclrtMalloc", &[1, 2, 3]);
        assert_eq!(all.of_caller("aclrtMalloc", &[1]), None);
    }
}
