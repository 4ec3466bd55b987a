//! Memory given to models. Work and weight memory of the program belongs to a model from its loading until it is
//! unloaded (AscendCL API reference, `aclmdlLoadFromFileWithMem`).

use crate::api::functions::Function;
use crate::evidence::operation::RangeUse;
use aclsan_log::Values;
use aclsan_log::record::Access;
use std::collections::HashMap;

/// The values of `aclmdlConfigAttr` that name memory.
pub(crate) const WEIGHTS: u64 = 5;
pub(crate) const WEIGHT_SIZE: u64 = 6;
pub(crate) const WORK: u64 = 7;
pub(crate) const WORK_SIZE: u64 = 8;

/// Memory of loaded models, and of configurations for models to be loaded.
#[derive(Default)]
pub(crate) struct ModelMemory {
    loaded: HashMap<u64, Memory>,
    configured: HashMap<u64, Memory>,
}

/// The program's ranges; size 0 if the model allocates its own.
#[derive(Clone, Copy, Default)]
struct Memory {
    work: (u64, u64),
    weights: (u64, u64),
}

impl ModelMemory {
    /// A call succeeded with these values. Only calls that load, configure and unload models matter.
    pub fn called(&mut self, function: &Function, values: &Values) {
        let [first, second, third] = [0, 1, 2].map(|index| values.get(index));
        match function.values {
            ["model", "work", ..] => {
                let memory = Memory {
                    work: (second, third),
                    weights: (values.get(3), values.get(4)),
                };
                self.loaded.insert(first, memory);
            }
            ["model", "config"] => {
                let memory = self.configured.get(&second).copied();
                self.loaded.insert(first, memory.unwrap_or_default());
            }
            ["model"] => drop(self.loaded.remove(&first)),
            // Another configuration may get its address.
            ["config"] => drop(self.configured.remove(&first)),
            ["config", ..] => self.configure(first, second, third),
            _ => {}
        }
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

    /// The memory that an execution of a model works in, and the weights that it reads.
    pub fn of(&self, model: u64) -> [RangeUse; 2] {
        let memory = self.loaded.get(&model).copied().unwrap_or_default();
        let used = |(address, size), access| RangeUse {
            address,
            size,
            access,
        };
        [
            used(memory.work, Access::Write),
            used(memory.weights, Access::Read),
        ]
    }
}
