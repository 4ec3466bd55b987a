//! Models: the work and weight memory that the program gave each, which must live until the model's last execution.

use super::{Part, Scene};
use crate::block::Place;
use crate::finding::Finding;
use crate::functions::{Call, Role};
use crate::judge::{self, Use};
use aclsan_log::Values;
use aclsan_log::record::Access;
use std::collections::HashMap;

/// The numbers of `aclmdlConfigAttr` that name memory.
const WEIGHTS: u64 = 5;
const WEIGHT_SIZE: u64 = 6;
const WORK: u64 = 7;
const WORK_SIZE: u64 = 8;

/// The loaded models, and the configurations of those to be loaded.
#[derive(Default)]
pub struct Models {
    loaded: HashMap<u64, Memory>,
    configured: HashMap<u64, Memory>,
}

/// Ranges of the program's own; of size 0 where the model has its own.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Memory {
    work: (u64, u64),
    weights: (u64, u64),
}

impl Memory {
    fn uses(self) -> [Use; 2] {
        let of = |(address, size), access| Use {
            address,
            size,
            access,
        };
        [of(self.work, Access::Write), of(self.weights, Access::Read)]
    }
}

impl Part for Models {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        scene: &dyn Scene,
        found: &mut Vec<Finding>,
    ) {
        let first = values.get(0);
        match call.function.values {
            _ if status != 0 => {}
            ["model", "work", ..] => {
                let memory = Memory {
                    work: (values.get(1), values.get(2)),
                    weights: (values.get(3), values.get(4)),
                };
                self.load(call, first, memory, scene, found);
            }
            ["model", "config"] => {
                let memory = self.configured.get(&values.get(1)).copied();
                self.load(call, first, memory.unwrap_or_default(), scene, found);
            }
            // Another configuration may have its address.
            ["config"] => {
                self.configured.remove(&first);
            }
            ["config", ..] => self.configure(first, values.get(1), values.get(2)),
            ["model"] => {
                self.loaded.remove(&first);
            }
            ["model", "stream"] if call.function.role == Role::Launch => {
                let memory = self.loaded.get(&first).copied().unwrap_or_default();
                for used in memory.uses() {
                    // Whether it is large enough was asked when the model was loaded.
                    let place = scene.place(used.address);
                    if matches!(place, Place::Ended(..)) {
                        found.extend(judge::uses(call, &used, &place, &scene.profile()));
                    }
                }
            }
            _ => {}
        }
    }
}

impl Models {
    fn load(
        &mut self,
        call: &Call,
        model: u64,
        memory: Memory,
        scene: &dyn Scene,
        found: &mut Vec<Finding>,
    ) {
        for used in memory.uses() {
            let place = scene.place(used.address);
            found.extend(judge::uses(call, &used, &place, &scene.profile()));
        }
        self.loaded.insert(model, memory);
    }

    fn configure(&mut self, config: u64, setting: u64, value: u64) {
        let memory = self.configured.entry(config).or_default();
        match setting {
            WORK => memory.work.0 = value,
            WORK_SIZE => memory.work.1 = value,
            WEIGHTS => memory.weights.0 = value,
            WEIGHT_SIZE => memory.weights.1 = value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::testing::Stage;
    use crate::rules::testing::*;

    fn said(models: &mut Models, name: &str, values: &[u64]) -> Vec<&'static str> {
        let place = match name.starts_with("aclmdlLoad") {
            true => Place::Live(device_block(0x1000, 64), 0),
            false => ended(device_block(0x1000, 64), 0),
        };
        let mut found = Vec::new();
        let stage = Stage::with(place);
        models.called(&call(name), &Values::new(values), 0, &stage, &mut found);
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
        said(&mut models, "aclmdlDestroyConfigHandle", &[9]);
        said(&mut models, "aclmdlLoadWithConfig", &[3, 9]);
        assert!(said(&mut models, "aclmdlExecute", &[3, 0]).is_empty());
    }

    #[test]
    fn a_model_with_memory_of_its_own_is_silent() {
        let mut models = Models::default();
        said(&mut models, "aclmdlLoadFromFile", &[3, 0, 0, 0, 0]);
        assert!(said(&mut models, "aclmdlExecute", &[3, 0]).is_empty());
    }
}
