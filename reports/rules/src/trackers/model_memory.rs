//! Memory given to models. Work and weight memory of the program belongs to a model from its loading until it is
//! unloaded (AscendCL API reference, `aclmdlLoadFromFileWithMem`); so do external weights (`aclmdlSetExternalWeightAddress`). The models
//! of a bundle share the memory of its variables.

use crate::api::functions::Function;
use crate::evidence::operation::RangeUse;
use aclsan_log::Values;
use aclsan_log::record::Access;
use smallvec::SmallVec;
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
    /// The memory of each bundle's variables.
    bundles: HashMap<u64, Given>,
}

/// Address and size.
type Given = (u64, u64);

/// A model's work, weights, external weights and variables; most models have the first two.
pub(crate) type Ranges = SmallVec<[RangeUse; 2]>;

/// The program's ranges; address 0 if the model allocates its own.
#[derive(Clone, Default)]
struct Memory {
    work: Given,
    weights: Given,
    external: SmallVec<[Given; 1]>,
    bundle: Option<u64>,
}

impl Memory {
    fn uses(&self) -> impl Iterator<Item = RangeUse> {
        let weights = std::iter::once(&self.weights).chain(&self.external);
        let weights = weights.map(|&given| used(given, Access::Read));
        let all = std::iter::once(used(self.work, Access::Write)).chain(weights);
        all.filter(|used| used.address != 0)
    }
}

fn used((address, size): Given, access: Access) -> RangeUse {
    RangeUse {
        address,
        size,
        access,
    }
}

impl ModelMemory {
    /// A call succeeded with these values. Only calls that load, configure and unload models matter.
    pub fn called(&mut self, function: &Function, values: &Values) {
        // Most calls have nothing to do with models.
        let Some(&("model" | "bundle" | "config")) = function.values.first() else {
            return;
        };
        let [first, second, third] = [0, 1, 2].map(|index| values.get(index));
        let bundle = function.values.iter().position(|name| *name == "bundle");
        let bundle = bundle.map(|index| values.get(index));
        match function.values {
            ["model", "work", ..] => {
                let memory = Memory {
                    work: (second, third),
                    weights: (values.get(3), values.get(4)),
                    external: SmallVec::new(),
                    bundle,
                };
                self.loaded.insert(first, memory);
            }
            ["model", "config", ..] => {
                let memory = self.configured.get(&second).cloned();
                let memory = memory.unwrap_or_default();
                self.loaded.insert(first, Memory { bundle, ..memory });
            }
            ["model"] => drop(self.loaded.remove(&first)),
            ["bundle"] => {
                self.bundles.remove(&first);
                self.loaded.retain(|_, memory| memory.bundle != bundle);
            }
            ["bundle", ..] => drop(self.bundles.insert(first, (second, third))),
            // A new configuration may have an earlier one's address.
            ["config"] => drop(self.configured.remove(&first)),
            ["config", "external", ..] => {
                let memory = self.configured.entry(first).or_default();
                memory.external.push((second, third));
            }
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

    /// The memory that an execution of a model works in, and what it reads. Whether it writes variables is not known.
    pub fn of(&self, model: u64) -> Ranges {
        let memory = self.loaded.get(&model);
        let variables = memory.and_then(|memory| memory.bundle);
        let variables = variables
            .into_iter()
            .flat_map(|bundle| self.variables(bundle));
        memory
            .into_iter()
            .flat_map(Memory::uses)
            .chain(variables)
            .collect()
    }

    /// The memory of a bundle's variables.
    pub fn variables(&self, bundle: u64) -> Option<RangeUse> {
        let variables = used(*self.bundles.get(&bundle)?, Access::Read);
        (variables.address != 0).then_some(variables)
    }

    /// The memory that this call gives back to the program: that of a model, or of a bundle with all its models.
    pub fn returned(&self, function: &Function, values: &Values) -> Ranges {
        let first = values.get(0);
        match function.values {
            ["model"] => self
                .loaded
                .get(&first)
                .into_iter()
                .flat_map(Memory::uses)
                .collect(),
            ["bundle"] => {
                let parts = self
                    .loaded
                    .values()
                    .filter(|memory| memory.bundle == Some(first));
                parts
                    .flat_map(Memory::uses)
                    .chain(self.variables(first))
                    .collect()
            }
            _ => Ranges::new(),
        }
    }
}
