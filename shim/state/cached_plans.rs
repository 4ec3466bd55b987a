//! Which bytes of its tensors an operator uses whose plan comes out of a cache. Nobody describes them again: the caller gives the addresses
//! of all tensors, in the order of the arguments, and a key of everything else. What the plan was made from is known from the first call.
//!
//! torch_npu does so for each call (`hit_cache` of its op_api_common): `InitPTACacheThreadLocal`, `AddTensorAddrToCachedList` for each
//! tensor, with the address where its storage begins, then a look-up by key. If that finds nothing, it describes the same tensors, in the
//! order in which its compiler evaluates arguments, and plans.

use crate::state::limits::Limit;
use aclsan_os::lock::{Mutex, rank};
use aclsan_rules::api::fast_hash::FastMap;
use std::sync::Arc;

/// Plans that are remembered. Beyond that, all are forgotten.
const MAX_PLANS: usize = 1 << 14;
/// Tensors of one operator.
const MAX_TENSORS: usize = 1 << 10;

/// The bytes that an operator uses of a tensor: from where after the tensor's address, and how many. Of no bytes nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Bytes between the tensor's address and the first.
    pub from: u64,
    /// Their number.
    pub bytes: u64,
}

/// The plans of the process, by key.
#[derive(Default)]
pub struct CachedPlans(Mutex<rank::CachedPlans, FastMap<u64, Arc<[Extent]>>>);

impl CachedPlans {
    /// What the plan with that key uses, for as many tensors.
    pub fn find(&self, key: u64, count: usize) -> Option<Arc<[Extent]>> {
        let plans = self.0.lock();
        plans.get(&key).filter(|plan| plan.len() == count).cloned()
    }

    fn keep(&self, key: u64, plan: &Arc<[Extent]>) {
        let mut plans = self.0.lock();
        if plans.len() >= MAX_PLANS {
            Limit::CachedPlans.leave_out(plans.len() as u64);
            plans.clear();
        }
        plans.insert(key, plan.clone());
    }
}

/// The operator call that a thread prepares.
#[derive(Default)]
pub struct OperatorCall {
    /// The addresses of its tensors.
    addresses: Vec<u64>,
    /// The key that no plan was found for; 0 while there is none.
    missed: u64,
    /// The tensors that were described since.
    described: Vec<(u64, Extent)>,
}

impl OperatorCall {
    /// Another call begins.
    pub fn begin(&mut self) {
        self.addresses.clear();
        self.missed = 0;
    }

    /// The next tensor has this address.
    pub fn add(&mut self, address: u64) {
        if self.addresses.len() <= MAX_TENSORS {
            self.addresses.push(address);
        }
    }

    /// The addresses of its tensors.
    pub fn addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// There is no plan with that key: it is made next.
    pub fn missed(&mut self, key: u64) {
        self.missed = key;
        self.described.clear();
    }

    /// The key that no plan was found for; 0 while none is made.
    pub fn missed_key(&self) -> u64 {
        self.missed
    }

    /// Whether tensors that are described now are those of a plan.
    #[inline(always)]
    pub fn is_planned(&self) -> bool {
        self.missed != 0
    }

    /// A tensor was described.
    pub fn describe(&mut self, address: u64, extent: Extent) {
        if self.described.len() <= MAX_TENSORS {
            self.described.push((address, extent));
        }
    }

    /// The plan is made. It is returned and remembered if the tensors that were described are those whose addresses were given.
    pub fn planned(&mut self, plans: &CachedPlans) -> Option<Arc<[Extent]>> {
        let key = std::mem::take(&mut self.missed);
        if key == 0 || self.described.len() != self.addresses.len() {
            return None;
        }
        let extents = self
            .addresses
            .iter()
            .map(|&address| self.extent_at(address));
        let plan: Arc<[Extent]> = extents.collect::<Option<_>>()?;
        plans.keep(key, &plan);
        Some(plan)
    }

    /// The extent of the tensors that were described at an address, as many as there are in the call; unknown if they differ, since
    /// nobody says which is which. `None` if there are more or fewer.
    fn extent_at(&self, address: u64) -> Option<Extent> {
        let mut here = self
            .described
            .iter()
            .filter(|(at, _)| *at == address)
            .map(|(_, extent)| *extent);
        let first = here.next()?;
        let (mut count, mut are_same) = (1, true);
        for other in here {
            (count, are_same) = (count + 1, are_same && other == first);
        }
        let given = self.addresses.iter().filter(|&&at| at == address).count();
        let extent = if are_same { first } else { Extent::default() };
        (count == given).then_some(extent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Extent = Extent { from: 0, bytes: 64 };
    const ROW: Extent = Extent { from: 16, bytes: 8 };

    fn call(addresses: &[u64], described: &[(u64, Extent)], plans: &CachedPlans) {
        let mut call = OperatorCall::default();
        call.begin();
        addresses.iter().for_each(|&address| call.add(address));
        call.missed(7);
        assert!(call.is_planned());
        described
            .iter()
            .for_each(|&(address, extent)| call.describe(address, extent));
        call.planned(plans);
        assert!(!call.is_planned());
    }

    #[test]
    fn a_plan_is_remembered_by_its_key_and_number_of_tensors() {
        let plans = CachedPlans::default();
        call(&[0x1000, 0x2000], &[(0x1000, WHOLE), (0x2000, ROW)], &plans);
        assert_eq!(plans.find(7, 2).as_deref(), Some(&[WHOLE, ROW][..]));
        assert_eq!(plans.find(7, 3), None);
        assert_eq!(plans.find(8, 2), None);
    }

    #[test]
    fn a_plan_of_other_tensors_than_those_of_the_key_is_not() {
        for described in [
            &[(0x1000, WHOLE)][..],
            &[(0x1000, WHOLE), (0x1000, ROW)],
            &[(0x1000, WHOLE), (0x3000, ROW)],
            &[(0x1000, WHOLE), (0x2000, ROW), (0x3000, ROW)],
        ] {
            let plans = CachedPlans::default();
            call(&[0x1000, 0x2000], described, &plans);
            assert_eq!(plans.find(7, 2), None, "{described:?}");
        }
    }

    #[test]
    fn tensors_are_known_by_their_addresses_unless_these_are_the_same() {
        let plans = CachedPlans::default();
        call(&[0x1000, 0x2000], &[(0x2000, ROW), (0x1000, WHOLE)], &plans);
        assert_eq!(plans.find(7, 2).as_deref(), Some(&[WHOLE, ROW][..]));
        let given = [0x1000, 0x1000, 0x2000, 0x2000];
        call(
            &given,
            &[(0x2000, ROW), (0x1000, WHOLE), (0x2000, ROW), (0x1000, ROW)],
            &plans,
        );
        let unknown = Extent::default();
        assert_eq!(
            plans.find(7, 4).as_deref(),
            Some(&[unknown, unknown, ROW, ROW][..])
        );
    }

    #[test]
    fn a_call_without_a_cache_has_no_plan() {
        let (plans, mut call) = (CachedPlans::default(), OperatorCall::default());
        call.begin();
        call.describe(0x1000, WHOLE);
        call.planned(&plans);
        assert!(!call.is_planned() && plans.find(0, 0).is_none());
    }

    #[test]
    fn beyond_the_limit_all_are_forgotten() {
        let plans = CachedPlans::default();
        for key in 0..=MAX_PLANS as u64 {
            plans.keep(key, &[WHOLE].into());
        }
        assert!(plans.find(0, 1).is_none() && plans.find(MAX_PLANS as u64, 1).is_some());
    }
}
