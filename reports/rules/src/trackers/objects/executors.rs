//! Executors: what the first phase asked for, until the second has run.
//!
//! Calls are reported when they have returned. So the end of an executor may be reported after another thread was given
//! its address. An executor that is returned at the address of a live one therefore expects ends that are not its own.

use super::tracker::{HeapView, Tracker};
use crate::api::fast_hash::FastMap;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::rules::executor_used_twice::{self, Ended};
use crate::rules::workspace_too_small;
use aclsan_log::Values;

/// The executors that first phases have returned.
#[derive(Default)]
pub struct Executors {
    plans: FastMap<u64, Plan>,
    /// What ended the executors at addresses where none is live.
    ended: FastMap<u64, Ended>,
    /// Whether a second phase came without a first phase.
    has_unseen: bool,
}

#[derive(Clone, Copy, Default)]
struct Plan {
    /// Bytes of workspace; 0 for none or unknown.
    need: u64,
    is_repeatable: bool,
    /// Outstanding ends of executors that had this address before.
    others: u32,
}

/// Executors whose end is remembered.
const MAX_ENDED: usize = 1 << 12;

impl Executors {
    /// No executors, after first phases that were not recorded.
    pub fn with_unseen() -> Self {
        Self {
            has_unseen: true,
            ..Self::default()
        }
    }

    fn handed_out(&mut self, call: &Call, executor: u64, need: u64) {
        self.ended.remove(&executor);
        // Each thread has generated executors of its own, which may be planned again without a run.
        let is_generated = call.function.name.starts_with("Nnopbase");
        let before = self.plans.get(&executor).filter(|_| !is_generated);
        let plan = Plan {
            need,
            is_repeatable: false,
            others: before.map_or(0, |before| before.others + 1),
        };
        self.plans.insert(executor, plan);
    }

    /// An end was reported. Returns the plan that it belongs to, if known.
    fn ends(&mut self, executor: u64) -> Option<Plan> {
        let plan = self.plans.get_mut(&executor)?;
        if plan.others > 0 {
            plan.others -= 1;
            return None;
        }
        Some(*plan)
    }

    fn end(&mut self, call: &Call, executor: u64) {
        self.plans.remove(&executor);
        if self.ended.len() >= MAX_ENDED {
            self.ended.clear();
        }
        let ended = Ended {
            by: call.function.name,
            site: call.site,
        };
        self.ended.insert(executor, ended);
    }

    /// The executor has ended before, and no other was returned at its address.
    fn used(&self, call: &Call, executor: u64) -> Option<Finding> {
        let ended = self.ended.get(&executor).filter(|_| !self.has_unseen)?;
        Some(executor_used_twice::check(call, *ended))
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
        match call.function.name {
            _ if call.function.is_phase_one() && status == 0 => {
                self.handed_out(call, executor, values.get(1));
            }
            "aclDestroyAclOpExecutor" => {
                found.extend(self.used(call, executor));
                if self.ends(executor).is_some() {
                    self.end(call, executor);
                }
            }
            "aclSetAclOpExecutorRepeatable" => {
                found.extend(self.used(call, executor));
                if let Some(plan) = self.plans.get_mut(&executor).filter(|_| status == 0) {
                    plan.is_repeatable = true;
                }
            }
            _ if call.function.is_phase_two() => {
                let is_written = call.function.name == "CommonOpExecutorRun";
                self.has_unseen |= is_written
                    && !self.plans.contains_key(&executor)
                    && !self.ended.contains_key(&executor);
                found.extend(self.used(call, executor).filter(|_| is_written));
                let plan = match self.plans.get(&executor) {
                    Some(plan) if plan.is_repeatable => Some(*plan).filter(|plan| plan.others == 0),
                    _ => self.ends(executor),
                };
                let need = plan.map_or(0, |plan| plan.need);
                let (workspace, size) = (values.get(1), values.get(2));
                let place = view.place(workspace);
                found.extend(workspace_too_small::check_size(
                    call, workspace, size, need, &place,
                ));
                if plan.is_some_and(|plan| !plan.is_repeatable) {
                    match is_written {
                        true => self.end(call, executor),
                        false => drop(self.plans.remove(&executor)),
                    }
                }
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
