//! Who planned an operator: the call site of phase one, kept until phase two, which a framework may leave to a thread of its own.
//!
//! torch_npu plans on the thread that Python called it on, and runs phase two on `acl_thread`. Nothing between the two can be interposed: its queue
//! calls nothing across a library's border that would name the task. The executor is in both phases.

use aclsan_log::CallSiteId;
use aclsan_rules::api::fast_hash::FastMap;
use aclsan_tables::spin_lock::SpinLock;

/// Executors that are remembered. Each is forgotten in phase two, so more are plans that never run.
const MAX_PLANNED: usize = 1 << 16;

/// Who has planned an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planner {
    /// Of phase one.
    pub site: CallSiteId,
    /// The kernel's number of its thread.
    pub tid: u32,
}

/// The planner of each executor; `None` if several are possible.
#[derive(Default)]
pub struct Planners(SpinLock<FastMap<u64, Option<Planner>>>);

impl Planners {
    /// Phase one has returned `executor` to `planner`. If it was planned before and has not run, nobody knows whose run is next: generated
    /// operators keep executors for their thread.
    pub fn planned(&self, executor: u64, planner: Planner) {
        let mut planners = self.0.lock();
        if planners.len() >= MAX_PLANNED {
            planners.clear();
        }
        let known = planners.entry(executor).or_insert(Some(planner));
        if *known != Some(planner) {
            *known = None;
        }
    }

    /// Forgets the executor, whose address the runtime gives out again. Returns who planned it, if known.
    pub fn take(&self, executor: u64) -> Option<Planner> {
        self.0.lock().remove(&executor).flatten()
    }
}

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
        for executor in 0..=MAX_PLANNED as u64 {
            planners.planned(executor, planner(1));
        }
        assert_eq!(planners.0.lock().len(), 1);
    }
}
