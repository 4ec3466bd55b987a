//! Models: the work and weight memory that the program gave each, which must live until the model's last execution.

use super::tracker::{HeapView, Tracker};
use crate::api::block::AddressInfo;
use crate::api::functions::{Call, Role};
use crate::evidence::finding::Finding;
use crate::judge;
use crate::trackers::model_memory::ModelMemory;
use aclsan_log::Values;

/// The loaded models.
#[derive(Default)]
pub struct Models(ModelMemory);

impl Tracker for Models {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        if status == 0 {
            self.0.called(call.function, values);
        } else if !call.function.vendor().faults.tasks.contains(&status) {
            // Else the execution has run, and may have failed because its memory was gone.
            return;
        }
        let (is_load, all) = match call.function.values {
            ["model", "work", ..] | ["model", "config", ..] => (true, self.0.of(values.get(0))),
            ["bundle", "variables", ..] => {
                (true, self.0.variables(values.get(0)).into_iter().collect())
            }
            ["model", "stream"] if call.function.role == Role::Launch => {
                (false, self.0.of(values.get(0)))
            }
            _ => return,
        };
        for used in all {
            let place = view.place(used.address);
            // Its size is checked when the model is loaded.
            if is_load || matches!(place, AddressInfo::Ended(..)) {
                found.extend(judge::uses(call, &used, &place, &view.profile()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;
    use crate::trackers::model_memory::{WEIGHT_SIZE, WEIGHTS, WORK, WORK_SIZE};
    use crate::trackers::objects::testing::FakeView;

    fn said(models: &mut Models, name: &str, values: &[u64]) -> Vec<&'static str> {
        let is_load = ["aclmdlLoad", "aclmdlBundleLoad", "aclmdlBundleInit"];
        let is_load = is_load.iter().any(|start| name.starts_with(start));
        let place = match is_load {
            true => AddressInfo::Live(device_block(0x1000, 64), 0),
            false => ended(device_block(0x1000, 64), 0),
        };
        let mut found = Vec::new();
        let view = FakeView::with(place);
        models.called(&call(name), &Values::new(values), 0, &view, &mut found);
        found.iter().map(|finding| finding.rule.name).collect()
    }

    #[test]
    fn memory_that_was_released_is_reported_when_the_model_runs() {
        let mut models = Models::default();
        said(
            &mut models,
            "aclmdlLoadFromMemWithMem",
            &[3, 0x1000, 64, 0, 0],
        );
        assert_eq!(
            said(&mut models, "aclmdlExecuteAsync", &[3, 1]),
            ["copy-use-after-free"]
        );
        said(&mut models, "aclmdlUnload", &[3]);
        assert!(said(&mut models, "aclmdlExecuteAsync", &[3, 1]).is_empty());
    }

    #[test]
    fn a_run_that_failed_on_the_device_used_its_memory_and_a_refused_one_did_not() {
        let mut models = Models::default();
        let load = "aclmdlLoadFromMemWithMem";
        said(&mut models, load, &[3, 0x1000, 64, 0, 0]);
        let view = FakeView::with(ended(device_block(0x1000, 64), 0));
        for (status, count) in [(507_015, 1), (500_002, 0)] {
            let mut found = Vec::new();
            let values = Values::new(&[3, 0]);
            models.called(&call("aclmdlExecute"), &values, status, &view, &mut found);
            assert_eq!(found.len(), count, "{status}");
        }
    }

    #[test]
    fn memory_that_is_too_small_is_reported_when_the_model_is_loaded() {
        let mut models = Models::default();
        let values = [3, 0x1000, 65, 0x1000, 64];
        assert_eq!(
            said(&mut models, "aclmdlLoadFromFileWithMem", &values),
            ["copy-overrun"]
        );
    }

    #[test]
    fn configured_memory_counts_like_any_other() {
        let mut models = Models::default();
        said(&mut models, "aclmdlSetConfigOpt", &[9, WEIGHTS, 0x1000]);
        said(&mut models, "aclmdlSetConfigOpt", &[9, WEIGHT_SIZE, 64]);
        said(&mut models, "aclmdlLoadWithConfig", &[3, 9]);
        assert_eq!(said(&mut models, "aclmdlExecute", &[3, 0]).len(), 1);
    }

    #[test]
    fn a_configuration_at_the_address_of_one_that_is_gone_has_nothing_of_it() {
        let mut models = Models::default();
        said(&mut models, "aclmdlSetConfigOpt", &[9, WORK, 0x1000]);
        said(&mut models, "aclmdlSetConfigOpt", &[9, WORK_SIZE, 64]);
        said(&mut models, "aclmdlCreateConfigHandle", &[9]);
        said(&mut models, "aclmdlLoadWithConfig", &[3, 9]);
        assert!(said(&mut models, "aclmdlExecute", &[3, 0]).is_empty());
    }

    #[test]
    fn external_weights_count_like_any_other() {
        let mut models = Models::default();
        let given = "aclmdlSetExternalWeightAddress";
        assert!(said(&mut models, given, &[9, 0x1000, 96]).is_empty());
        assert_eq!(
            said(&mut models, "aclmdlLoadWithConfig", &[3, 9]),
            ["copy-overread"]
        );
        assert_eq!(said(&mut models, "aclmdlExecute", &[3, 0]).len(), 1);
    }

    #[test]
    fn a_bundles_variables_are_its_models() {
        let mut models = Models::default();
        let init = "aclmdlBundleInitFromMem";
        assert!(said(&mut models, init, &[7, 0x1000, 64]).is_empty());
        assert_eq!(said(&mut models, init, &[8, 0x1000, 65]), ["copy-overread"]);
        said(&mut models, "aclmdlBundleLoadModel", &[3, 0, 0, 0, 0, 7]);
        assert_eq!(said(&mut models, "aclmdlExecute", &[3, 0]).len(), 1);
        said(&mut models, "aclmdlBundleUnload", &[7]);
        assert!(said(&mut models, "aclmdlExecute", &[3, 0]).is_empty());
    }

    #[test]
    fn a_part_of_a_bundle_has_memory_like_a_model() {
        let mut models = Models::default();
        let load = "aclmdlBundleLoadModelWithMem";
        let values = [3, 0x1000, 65, 0x1000, 64, 7];
        assert_eq!(said(&mut models, load, &values), ["copy-overrun"]);
        assert_eq!(said(&mut models, "aclmdlExecute", &[3, 0]).len(), 2);
        said(&mut models, "aclmdlBundleUnloadModel", &[3]);
        assert!(said(&mut models, "aclmdlExecute", &[3, 0]).is_empty());
    }

    #[test]
    fn a_model_with_memory_of_its_own_is_silent() {
        let mut models = Models::default();
        said(&mut models, "aclmdlLoadFromFile", &[3, 0, 0, 0, 0]);
        assert!(said(&mut models, "aclmdlExecute", &[3, 0]).is_empty());
    }
}
