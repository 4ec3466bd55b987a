//! Executors: what the first phase asked for, until the second has run.
//!
//! Calls are reported when they have returned. So the end of an executor may be reported after another thread was given
//! its address. An executor that is returned at the address of a live one therefore expects ends that are not its own.

use super::tracker::{HeapView, Tracker};
use crate::api::fast_hash::FastMap;
use crate::api::functions::{Call, Effect};
use crate::evidence::finding::{Finding, rarely};
use crate::rules::executor_used_twice::{self, Ended};
use crate::rules::workspace_too_small;
use aclsan_log::Values;
use aclsan_log::branch::{cold_path, unlikely};
use std::collections::hash_map::Entry;

// Found by their numbers, since there is a call of each phase for each operator.

/// The executors that first phases have returned.
#[derive(Default)]
pub struct Executors {
    known: FastMap<u64, Executor>,
    /// How many of them have ended.
    ended: usize,
    /// Whether a second phase came without a first phase.
    has_unseen: bool,
}

/// The executor at an address.
enum Executor {
    Planned(Plan),
    Ended(Ended),
}

#[derive(Clone, Copy, Default)]
struct Plan {
    /// Bytes of workspace; 0 for none or unknown.
    need: u64,
    is_repeatable: bool,
    /// Outstanding ends of executors that had this address before.
    others: u32,
}

const _: () = assert!(size_of::<(u64, Executor)>() == 24);

/// Executors whose end is remembered.
const MAX_ENDED: usize = 1 << 12;

impl Plan {
    /// An end was reported. Whether it is this executor's own.
    fn ends(&mut self) -> bool {
        let is_own = self.others == 0;
        self.others = self.others.saturating_sub(1);
        is_own
    }
}

impl Executors {
    /// No executors, after first phases that were not recorded.
    pub fn with_unseen() -> Self {
        Self {
            has_unseen: true,
            ..Self::default()
        }
    }

    fn handed_out(&mut self, call: &Call, executor: u64, need: u64) {
        // Each thread has generated executors of its own, which may be planned again without a run.
        let is_generated = call.function.effect() == Effect::PlanGenerated;
        let plan = Plan {
            need,
            ..Plan::default()
        };
        match self.known.entry(executor) {
            Entry::Vacant(free) => {
                cold_path();
                free.insert(Executor::Planned(plan));
            }
            Entry::Occupied(mut known) => {
                let before = known.insert(Executor::Planned(plan));
                match (before, known.get_mut()) {
                    (Executor::Ended(_), _) => self.ended -= 1,
                    (Executor::Planned(before), Executor::Planned(plan)) if !is_generated => {
                        plan.others = before.others + 1;
                    }
                    _ => {}
                }
            }
        }
    }

    fn destroyed(&mut self, call: &Call, executor: u64, found: &mut Vec<Finding>) {
        match self.known.get_mut(&executor) {
            Some(Executor::Ended(ended)) if !self.has_unseen => {
                found.push(executor_used_twice::check(call, *ended));
            }
            Some(known) => {
                if let Executor::Planned(plan) = known
                    && plan.ends()
                {
                    *known = Executor::Ended(Ended::by(call));
                    self.count_end(executor);
                }
            }
            None => {}
        }
    }

    fn set_repeatable(&mut self, call: &Call, executor: u64, status: i32) -> Option<Finding> {
        match self.known.get_mut(&executor)? {
            Executor::Ended(ended) if !self.has_unseen => {
                return Some(executor_used_twice::check(call, *ended));
            }
            Executor::Planned(plan) if status == 0 => plan.is_repeatable = true,
            _ => {}
        }
        None
    }

    /// A second phase; returns the bytes that its first phase asked for, if known.
    fn ran(&mut self, call: &Call, executor: u64, found: &mut Vec<Finding>) -> u64 {
        let is_written = call.function.effect() == Effect::RunExecutor;
        let Some(known) = self.known.get_mut(&executor) else {
            cold_path();
            self.has_unseen |= is_written;
            return 0;
        };
        let plan = match known {
            Executor::Ended(ended) => {
                cold_path();
                if is_written && !self.has_unseen {
                    rarely(|| found.push(executor_used_twice::check(call, *ended)));
                }
                return 0;
            }
            Executor::Planned(plan) => plan,
        };
        let need = plan.need;
        if unlikely(plan.is_repeatable) {
            return if plan.others == 0 { need } else { 0 };
        }
        if unlikely(!plan.ends()) {
            return 0;
        }
        if is_written {
            *known = Executor::Ended(Ended::by(call));
            self.count_end(executor);
        } else {
            self.known.remove(&executor);
        }
        need
    }

    /// One more has ended, the one at this address.
    fn count_end(&mut self, executor: u64) {
        self.ended += 1;
        if unlikely(self.ended > MAX_ENDED) {
            let is_kept =
                |at, known: &Executor| at == executor || matches!(known, Executor::Planned(_));
            self.known.retain(|&at, known| is_kept(at, known));
            self.ended = 1;
        }
    }
}

impl Tracker for Executors {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        let executor = values.get(0);
        if call.function.is_phase_two() {
            let need = self.ran(call, executor, found);
            let (workspace, size) = (values.get(1), values.get(2));
            if workspace_too_small::is_wrong(workspace, size, need) {
                let place = || view.place(workspace);
                let check = || workspace_too_small::check_size(call, workspace, size, need, place);
                rarely(|| found.extend(check()));
            }
        } else if call.function.is_phase_one() && status == 0 {
            self.handed_out(call, executor, values.get(1));
        } else {
            self.called_other(call, executor, status, found);
        }
    }
}

impl Executors {
    // Not inlined, so that the stack of each operator's calls is in few lines of the cache.
    #[inline(never)]
    fn called_other(&mut self, call: &Call, executor: u64, status: i32, found: &mut Vec<Finding>) {
        match call.function.effect() {
            Effect::DestroyExecutor => self.destroyed(call, executor, found),
            Effect::RepeatExecutor => {
                found.extend(self.set_repeatable(call, executor, status));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::AddressInfo;
    use crate::evidence::testing::*;
    use crate::trackers::objects::testing::FakeView;

    fn said(executors: &mut Executors, name: &str, values: &[u64]) -> usize {
        let mut found = Vec::new();
        let view = FakeView::with(AddressInfo::Unknown);
        executors.called(&call(name), &Values::new(values), 0, &view, &mut found);
        found.len()
    }

    const RUN: &str = "CommonOpExecutorRun";
    const PHASE_ONE: &str = "aclOpExecutorAddCache";

    #[test]
    fn phase_two_is_held_to_what_phase_one_asked_for_whichever_its_kind() {
        let mut executors = Executors::default();
        for (one, two) in [
            (PHASE_ONE, RUN),
            ("opGetFromCache", RUN),
            ("PTAFindExecCache", RUN),
            ("NnopbaseRunForWorkspace", "NnopbaseRunWithWorkspace"),
            ("NnopbaseMatchArgs", "NnopbaseRunWithWorkspace"),
        ] {
            said(&mut executors, one, &[7, 512]);
            assert_eq!(said(&mut executors, two, &[7, 0x1000, 512, 1]), 0);
            said(&mut executors, one, &[7, 512]);
            assert_eq!(said(&mut executors, two, &[7, 0x1000, 511, 1]), 1);
        }
    }

    #[test]
    fn a_repeatable_executor_is_held_to_it_at_each_run() {
        let mut executors = Executors::default();
        said(&mut executors, PHASE_ONE, &[7, 512]);
        said(&mut executors, "aclSetAclOpExecutorRepeatable", &[7]);
        for _ in 0..2 {
            assert_eq!(said(&mut executors, RUN, &[7, 0x1000, 512, 1]), 0);
            assert_eq!(said(&mut executors, RUN, &[7, 0, 0, 1]), 1);
        }
        assert_eq!(said(&mut executors, "aclDestroyAclOpExecutor", &[7]), 0);
        assert_eq!(said(&mut executors, RUN, &[7, 0, 0, 1]), 1);
    }

    #[test]
    fn of_many_that_have_ended_the_last_are_remembered_and_plans_are_not_forgotten() {
        let mut executors = Executors::default();
        said(&mut executors, PHASE_ONE, &[1, 512]);
        for executor in 2..MAX_ENDED as u64 + 3 {
            said(&mut executors, PHASE_ONE, &[executor, 0]);
            said(&mut executors, RUN, &[executor, 0, 0, 1]);
        }
        assert_eq!((executors.ended, executors.known.len()), (1, 2));
        let last = MAX_ENDED as u64 + 2;
        assert_eq!(said(&mut executors, RUN, &[last, 0, 0, 1]), 1);
        assert_eq!(said(&mut executors, RUN, &[1, 0, 0, 1]), 1);
    }

    #[test]
    fn an_executor_that_has_run_is_not_used_again() {
        for name in [
            RUN,
            "aclSetAclOpExecutorRepeatable",
            "aclDestroyAclOpExecutor",
        ] {
            let mut executors = Executors::default();
            said(&mut executors, PHASE_ONE, &[7, 0]);
            assert_eq!(said(&mut executors, RUN, &[7, 0, 0, 1]), 0);
            assert_eq!(said(&mut executors, name, &[7, 0, 0, 1]), 1, "{name}");
        }
    }

    #[test]
    fn one_that_stands_where_another_stood_is_fresh() {
        let mut executors = Executors::default();
        for _ in 0..3 {
            said(&mut executors, PHASE_ONE, &[7, 0]);
            assert_eq!(said(&mut executors, RUN, &[7, 0, 0, 1]), 0);
        }
    }

    #[test]
    fn an_end_that_is_heard_of_late_is_not_the_next_ones() {
        let mut executors = Executors::default();
        said(&mut executors, PHASE_ONE, &[7, 0]);
        // Another thread's first phase gets the address before the first second phase has returned.
        said(&mut executors, PHASE_ONE, &[7, 512]);
        assert_eq!(said(&mut executors, RUN, &[7, 0, 0, 1]), 0);
        assert_eq!(said(&mut executors, RUN, &[7, 0x1000, 512, 1]), 0);
        assert_eq!(said(&mut executors, RUN, &[7, 0x1000, 512, 1]), 1);
    }

    #[test]
    fn where_a_phase_one_goes_unseen_none_is_said_to_be_used_twice() {
        let mut executors = Executors::default();
        said(&mut executors, PHASE_ONE, &[7, 0]);
        said(&mut executors, RUN, &[7, 0, 0, 1]);
        assert_eq!(said(&mut executors, RUN, &[8, 0, 0, 1]), 0);
        assert_eq!(said(&mut executors, RUN, &[7, 0, 0, 1]), 0);
    }

    #[test]
    fn generated_operators_are_given_the_same_one_again() {
        let mut executors = Executors::default();
        said(&mut executors, "NnopbaseRunForWorkspace", &[7, 0]);
        for _ in 0..2 {
            let run = said(&mut executors, "NnopbaseRunWithWorkspace", &[7, 0, 0, 1]);
            assert_eq!(run, 0);
        }
    }

    #[test]
    fn a_generated_one_that_is_planned_anew_is_held_to_the_new_plan() {
        let mut executors = Executors::default();
        said(&mut executors, "NnopbaseRunForWorkspace", &[7, 512]);
        said(&mut executors, "NnopbaseMatchArgs", &[7, 1024]);
        let run = [7, 0x1000, 512, 1];
        assert_eq!(said(&mut executors, "NnopbaseRunWithWorkspace", &run), 1);
    }

    #[test]
    fn an_executor_without_a_known_need_takes_any_size() {
        let mut executors = Executors::default();
        said(&mut executors, PHASE_ONE, &[7, 0]);
        assert_eq!(said(&mut executors, RUN, &[7, 0, 0, 1]), 0);
    }
}
