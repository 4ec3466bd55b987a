//! Indices of planned operators, with `check_indices=1`: what tensors and arrays describe, and which of their elements each executor will
//! use as numbers of rows, until it has run.

use super::limits::Limit;
use aclsan_os::lock::{Mutex, rank};
use aclsan_rules::api::fast_hash::FastMap;
use aclsan_rules::api::functions::Call;
use aclsan_rules::api::indices::{Check, View};
use std::sync::Arc;

/// Tensors, arrays, executors and cached plans that are remembered. Beyond that, all of a kind are forgotten.
const MAX_KNOWN: usize = 1 << 16;

/// An index of an operator, and the call of phase one.
#[derive(Clone)]
pub struct PlannedCheck {
    /// Who asked for the operator.
    pub call: Call,
    /// What its elements must be.
    pub check: Check,
}

/// An index of a cached plan: the number of phase one's function, and which of the operator's tensors it is.
#[derive(Clone)]
pub struct CachedCheck {
    /// The function of phase one.
    pub function: u16,
    /// What the elements must be; its address is that of the first call.
    pub check: Check,
    position: usize,
}

/// All of a process.
#[derive(Default)]
pub struct IndexChecks(Mutex<rank::IndexChecks, Known>);

#[derive(Default)]
struct Known {
    tensors: FastMap<u64, View>,
    arrays: FastMap<u64, Box<[i64]>>,
    planned: FastMap<u64, Vec<PlannedCheck>>,
    cached: FastMap<u64, Arc<[CachedCheck]>>,
}

fn make_room<V>(known: &mut FastMap<u64, V>) {
    if known.len() >= MAX_KNOWN {
        Limit::Indices.leave_out(known.len() as u64);
        known.clear();
    }
}

impl IndexChecks {
    /// A tensor was described.
    pub fn describe(&self, tensor: u64, view: View) {
        let mut known = self.0.lock();
        make_room(&mut known.tensors);
        known.tensors.insert(tensor, view);
    }

    /// A tensor was given another address, also in an executor that it belongs to.
    pub fn point(&self, tensor: u64, address: u64, executor: u64) {
        let mut known = self.0.lock();
        let planned = known.planned.get_mut(&executor).into_iter().flatten();
        for planned in planned.filter(|planned| planned.check.tensor == tensor) {
            planned.check.view.address = address;
        }
        if let Some(view) = known.tensors.get_mut(&tensor) {
            view.address = address;
        }
    }

    /// The tensor as it was described.
    pub fn view(&self, tensor: u64) -> Option<View> {
        self.0.lock().tensors.get(&tensor).cloned()
    }

    /// An array was made of such numbers.
    pub fn describe_array(&self, array: u64, numbers: &[i64]) {
        let mut known = self.0.lock();
        make_room(&mut known.arrays);
        known.arrays.insert(array, numbers.into());
    }

    /// The numbers of an array.
    pub fn array(&self, array: u64) -> Option<Box<[i64]>> {
        self.0.lock().arrays.get(&array).cloned()
    }

    /// An executor is planned again: its address may have been that of another.
    pub fn discard(&self, executor: u64) {
        self.0.lock().planned.remove(&executor);
    }

    /// An executor will use these indices.
    pub fn plan(&self, executor: u64, checks: Vec<PlannedCheck>) {
        let mut known = self.0.lock();
        make_room(&mut known.planned);
        known.planned.insert(executor, checks);
    }

    /// The indices that an executor is about to use.
    pub fn of(&self, executor: u64) -> Vec<PlannedCheck> {
        let known = self.0.lock();
        known.planned.get(&executor).cloned().unwrap_or_default()
    }

    /// The plan with that key goes into a cache. Of its tensors, those at `addresses`, indices are known again by their place.
    pub fn keep(&self, key: u64, function: u16, checks: &[Check], addresses: &[u64]) {
        let cached = checks.iter().filter_map(|check| {
            let mut places = (0..).zip(addresses);
            let position = places.find(|(_, at)| **at == check.view.address)?.0;
            let is_one = !places.any(|(_, at)| *at == check.view.address);
            is_one.then(|| CachedCheck {
                function,
                check: check.clone(),
                position,
            })
        });
        let cached: Arc<[CachedCheck]> = cached.collect();
        let mut known = self.0.lock();
        make_room(&mut known.cached);
        known.cached.insert(key, cached);
    }

    /// The indices of the plan with that key, given the addresses of its tensors in another call.
    pub fn cached(&self, key: u64, addresses: &[u64]) -> Vec<CachedCheck> {
        let plan = self.0.lock().cached.get(&key).cloned();
        let checks = plan.iter().flat_map(|plan| plan.iter());
        let moved = checks.filter_map(|cached| {
            let mut cached = cached.clone();
            cached.check.view.address = *addresses.get(cached.position)?;
            Some(cached)
        });
        moved.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: u64) -> Check {
        Check {
            argument: 1,
            tensor: 7,
            view: View {
                address,
                ..View::default()
            },
            least: 0,
            below: 4,
            axis: None,
            none: None,
            used: None,
        }
    }

    #[test]
    fn an_index_of_a_cached_plan_is_known_by_its_place_among_the_tensors() {
        let checks = IndexChecks::default();
        checks.keep(5, 9, &[check(0x2000)], &[0x1000, 0x2000, 0x3000]);
        let [found] = &checks.cached(5, &[0x4000, 0x5000, 0x6000])[..] else {
            panic!("one index");
        };
        assert_eq!((found.function, found.check.view.address), (9, 0x5000));
        assert!(checks.cached(6, &[0x4000, 0x5000, 0x6000]).is_empty());
        assert!(checks.cached(5, &[0x4000]).is_empty());
    }

    #[test]
    fn of_two_tensors_at_one_address_nobody_says_which_is_the_index() {
        let checks = IndexChecks::default();
        checks.keep(5, 9, &[check(0x2000)], &[0x2000, 0x2000]);
        assert!(checks.cached(5, &[0x4000, 0x5000]).is_empty());
    }

    #[test]
    fn a_tensor_that_is_pointed_elsewhere_is_checked_there() {
        let checks = IndexChecks::default();
        checks.describe(7, check(0x1000).view);
        checks.point(7, 0x2000, 0);
        assert_eq!(checks.view(7).map(|view| view.address), Some(0x2000));
        assert!(checks.of(3).is_empty());
    }
}
