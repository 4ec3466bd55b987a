//! Who planned an operator: the call site of phase one, kept until phase two, which a framework may leave to a thread of its own.
//!
//! torch_npu plans on the thread that Python called it on, and runs phase two on `acl_thread`. Nothing between the two can be interposed: its queue
//! calls nothing across a library's border that would name the task. The executor is in both phases.

use crate::state::limits::Limit;
use aclsan_log::CallSiteId;
use aclsan_log::branch::{cold_path, unlikely};
use aclsan_os::lock::rank;
use aclsan_os::prefetch::prefetch;
use aclsan_rules::api::fast_hash;
use aclsan_tables::spin_lock::SpinLock;
use smallvec::SmallVec;

const BUCKETS: usize = 64;
/// Executors that a bucket remembers. Each is forgotten in phase two, so more are plans that never run.
const MAX_PLANNED: usize = 256;

/// Who has planned an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planner {
    /// Of phase one.
    pub site: CallSiteId,
    /// The kernel's number of its thread.
    pub tid: u32,
}

/// The planner of each executor.
///
/// In buckets of one line of the cache each: it is known before the stack is walked, and fetched by then.
pub struct Planners(Box<[Bucket]>);

#[derive(Default)]
#[repr(align(64))]
struct Bucket(SpinLock<rank::Planners, SmallVec<[Planned; 2]>>);

struct Planned {
    executor: u64,
    planner: Planner,
}

/// In place of a planner if several are possible. Sites have other numbers.
const SEVERAL: Planner = Planner {
    site: CallSiteId(0),
    tid: 0,
};

impl Default for Planners {
    fn default() -> Self {
        Self((0..BUCKETS).map(|_| Bucket::default()).collect())
    }
}

impl Planners {
    /// Fetches what the executor is looked up in.
    #[inline(always)]
    pub fn prefetch(&self, executor: u64) {
        prefetch((&raw const self.0[bucket(executor)]).cast());
    }

    /// Phase one has returned `executor` to `planner`. If it was planned before and has not run, nobody knows whose run is next: generated
    /// operators keep executors for their thread.
    pub fn planned(&self, executor: u64, planner: Planner) {
        let mut planned = self.0[bucket(executor)].0.lock();
        if let Some(known) = planned.iter_mut().find(|known| known.executor == executor) {
            cold_path();
            if known.planner != planner {
                known.planner = SEVERAL;
            }
            return;
        }
        if unlikely(planned.len() >= MAX_PLANNED) {
            Limit::PlannedOperators.leave_out(planned.len() as u64);
            planned.clear();
        }
        planned.push(Planned { executor, planner });
    }

    /// Forgets the executor, whose address the runtime gives out again. Returns who planned it, if known.
    pub fn take(&self, executor: u64) -> Option<Planner> {
        let mut planned = self.0[bucket(executor)].0.lock();
        let at = planned
            .iter()
            .position(|known| known.executor == executor)?;
        Some(planned.swap_remove(at).planner).filter(|planner| *planner != SEVERAL)
    }
}

#[inline(always)]
fn bucket(executor: u64) -> usize {
    fast_hash::hash(executor) as usize % BUCKETS
}

const _: () = assert!(size_of::<Bucket>() == 64);

#[cfg(test)]
mod tests {
    use super::*;

    fn planner(site: u32) -> Planner {
        Planner {
            site: CallSiteId(site),
            tid: 1,
        }
    }

    #[test]
    fn a_plan_is_of_one_run() {
        let planners = Planners::default();
        planners.planned(7, planner(1));
        assert_eq!(planners.take(7), Some(planner(1)));
        assert_eq!(planners.take(7), None);
        planners.planned(7, planner(2));
        assert_eq!(planners.take(7), Some(planner(2)));
    }

    #[test]
    fn of_two_planners_none_is_named() {
        let planners = Planners::default();
        planners.planned(7, planner(1));
        planners.planned(7, planner(1));
        assert_eq!(planners.take(7), Some(planner(1)));
        planners.planned(7, planner(1));
        planners.planned(7, planner(2));
        assert_eq!(planners.take(7), None);
    }

    #[test]
    fn plans_that_never_run_do_not_pile_up() {
        let planners = Planners::default();
        let last = 4 * (BUCKETS * MAX_PLANNED) as u64;
        for executor in 0..=last {
            planners.planned(executor, planner(1));
        }
        let kept = planners.0.iter().map(|bucket| bucket.0.lock().len());
        assert!(kept.sum::<usize>() <= BUCKETS * MAX_PLANNED);
        assert_eq!(planners.take(last), Some(planner(1)));
        assert_eq!(planners.take(0), None);
    }

    #[test]
    fn plans_that_run_late_are_all_known() {
        let planners = Planners::default();
        let executors = || (0..2_000).map(|number| number * 64);
        executors().for_each(|executor| planners.planned(executor, planner(executor as u32)));
        for executor in executors() {
            assert_eq!(planners.take(executor), Some(planner(executor as u32)));
            assert_eq!(planners.take(executor), None);
        }
    }
}
