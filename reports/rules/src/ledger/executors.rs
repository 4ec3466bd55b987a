//! Executors: what phase one asked for, until phase two has run.

use super::{Part, Scene};
use crate::finding::Finding;
use crate::functions::Call;
use crate::rules::workspace_too_small;
use aclsan_log::Values;
use std::collections::HashMap;

/// The executors that phase one has handed out.
#[derive(Default)]
pub struct Executors {
    plans: HashMap<u64, Plan>,
}

#[derive(Clone, Copy, Default)]
struct Plan {
    /// Bytes of workspace; 0 for none, or none that is known.
    need: u64,
    is_repeatable: bool,
}

impl Part for Executors {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        scene: &dyn Scene,
        found: &mut Vec<Finding>,
    ) {
        let executor = values.get(0);
        match call.function.values {
            // A new executor may have the address of one that has ended unseen.
            ["executor", "workspaceSize"] if status == 0 => {
                let plan = Plan {
                    need: values.get(1),
                    is_repeatable: false,
                };
                self.plans.insert(executor, plan);
            }
            ["executor"] if call.function.name == "aclDestroyAclOpExecutor" => {
                self.plans.remove(&executor);
            }
            ["executor"] if status == 0 => {
                if let Some(plan) = self.plans.get_mut(&executor) {
                    plan.is_repeatable = true;
                }
            }
            _ if call.function.is_phase_two() => {
                let plan = self.plans.get(&executor).copied().unwrap_or_default();
                let (workspace, size) = (values.get(1), values.get(2));
                let place = scene.place(workspace);
                found.extend(workspace_too_small::check_size(
                    call, workspace, size, plan.need, &place,
                ));
                if !plan.is_repeatable {
                    self.plans.remove(&executor);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Place;
    use crate::ledger::testing::Stage;
    use crate::rules::testing::*;

    fn said(executors: &mut Executors, name: &str, values: &[u64]) -> usize {
        let mut found = Vec::new();
        let stage = Stage::with(Place::Unknown);
        executors.called(&call(name), &Values::new(values), 0, &stage, &mut found);
        found.len()
    }

    #[test]
    fn phase_two_is_held_to_what_phase_one_asked_for_whichever_its_kind() {
        let mut executors = Executors::default();
        for (one, two) in [
            ("aclOpExecutorAddCache", "CommonOpExecutorRun"),
            ("opGetFromCache", "CommonOpExecutorRun"),
            ("PTAFindExecCache", "CommonOpExecutorRun"),
            ("NnopbaseRunForWorkspace", "NnopbaseRunWithWorkspace"),
        ] {
            said(&mut executors, one, &[7, 512]);
            assert_eq!(said(&mut executors, two, &[7, 0x1000, 512, 1]), 0);
            said(&mut executors, one, &[7, 512]);
            assert_eq!(said(&mut executors, two, &[7, 0x1000, 511, 1]), 1);
        }
    }

    #[test]
    fn an_executor_that_has_run_is_forgotten_unless_it_is_repeatable() {
        let mut executors = Executors::default();
        said(&mut executors, "aclOpExecutorAddCache", &[7, 512]);
        said(&mut executors, "CommonOpExecutorRun", &[7, 0x1000, 512, 1]);
        // Another one at the same address, of which phase one was not seen.
        assert_eq!(
            said(&mut executors, "CommonOpExecutorRun", &[7, 0, 0, 1]),
            0
        );
        said(&mut executors, "aclOpExecutorAddCache", &[7, 512]);
        said(&mut executors, "aclSetAclOpExecutorRepeatable", &[7]);
        for _ in 0..2 {
            assert_eq!(
                said(&mut executors, "CommonOpExecutorRun", &[7, 0, 0, 1]),
                1
            );
        }
        said(&mut executors, "aclDestroyAclOpExecutor", &[7]);
        assert_eq!(
            said(&mut executors, "CommonOpExecutorRun", &[7, 0, 0, 1]),
            0
        );
    }

    #[test]
    fn an_executor_without_a_known_need_takes_any_size() {
        let mut executors = Executors::default();
        said(&mut executors, "aclOpExecutorAddCache", &[7, 0]);
        assert_eq!(
            said(&mut executors, "CommonOpExecutorRun", &[7, 0, 0, 1]),
            0
        );
    }
}
