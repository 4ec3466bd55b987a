//! The allocators and settings that a plan is made for.

use std::str::FromStr;

use aclsan_allocators::allocator::Allocator;
use aclsan_allocators::buddy::Buddy;
use aclsan_allocators::caching::{Caching, Rules, Settings, TORCH_CUDA, TORCH_NPU};
use aclsan_allocators::direct::Direct;
use aclsan_allocators::first_fit::FirstFit;
use aclsan_allocators::stream_ordered::StreamOrdered;
use aclsan_allocators::tlsf::Tlsf;
use anyhow::Context;

use super::recording::{Asker, Recording};

/// An allocator whose model we have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// The caching allocator of torch_npu.
    TorchNpu,
    /// The caching allocator of PyTorch for CUDA.
    TorchCuda,
    /// A pool of the runtime.
    StreamOrdered,
    /// No pool: a block of the runtime for each request.
    Direct,
    /// One pool cut by hand, first fit.
    FirstFit,
    /// One pool cut by hand, as a binary buddy system.
    Buddy,
    /// One pool cut by hand, as TLSF does.
    Tlsf,
}

impl FromStr for Model {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        let found = Self::ALL.into_iter().find(|model| model.name() == name);
        found.with_context(|| {
            let names = Self::ALL.map(Self::name);
            format!(
                "`{name}` is no allocator that is modelled; these are: {}",
                names.join(", ")
            )
        })
    }
}

impl Model {
    const ALL: [Self; 7] = [
        Self::TorchNpu,
        Self::TorchCuda,
        Self::StreamOrdered,
        Self::Direct,
        Self::FirstFit,
        Self::Buddy,
        Self::Tlsf,
    ];

    fn rules(self) -> Option<Rules> {
        match self {
            Self::TorchNpu => Some(TORCH_NPU),
            Self::TorchCuda => Some(TORCH_CUDA),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::TorchNpu => TORCH_NPU.name,
            Self::TorchCuda => TORCH_CUDA.name,
            Self::StreamOrdered => "stream-ordered",
            Self::Direct => "direct",
            Self::FirstFit => "first-fit",
            Self::Buddy => "buddy",
            Self::Tlsf => "tlsf",
        }
    }
}

/// Settings worth trying for a caching allocator.
const SETTINGS: [&str; 9] = [
    "",
    "expandable_segments:True",
    "max_split_size_mb:32",
    "max_split_size_mb:64",
    "max_split_size_mb:128",
    "max_split_size_mb:256",
    "max_split_size_mb:512",
    "roundup_power2_divisions:2",
    "roundup_power2_divisions:8",
];

/// Pools that a program could use instead.
const OTHERS: [Model; 5] = [
    Model::StreamOrdered,
    Model::FirstFit,
    Model::Buddy,
    Model::Tlsf,
    Model::Direct,
];

/// An allocator with its settings.
#[derive(Debug)]
pub struct Candidate {
    pub model: Model,
    /// The settings, as they are written; empty for those that hold if nothing is set.
    pub setting: String,
    settings: Option<Settings>,
}

impl Candidate {
    fn new(model: Model, setting: &str) -> anyhow::Result<Self> {
        let settings = model
            .rules()
            .map(|rules| Settings::parse(rules, setting))
            .transpose()?;
        Ok(Self {
            model,
            setting: setting.to_owned(),
            settings,
        })
    }

    /// Its name, as `--allocator` takes it.
    pub fn name(&self) -> &'static str {
        self.model.name()
    }

    /// An allocator that holds nothing.
    pub fn allocator(&self) -> Box<dyn Allocator> {
        match (&self.settings, self.model) {
            (Some(settings), _) => Box::new(Caching::new(settings.clone())),
            (None, Model::StreamOrdered) => Box::new(StreamOrdered::default()),
            (None, Model::FirstFit) => Box::new(FirstFit::default()),
            (None, Model::Buddy) => Box::new(Buddy::default()),
            (None, Model::Tlsf) => Box::new(Tlsf::default()),
            (None, _) => Box::new(Direct::default()),
        }
    }
}

/// The allocator that was recorded, with its settings.
///
/// # Errors
/// If the recording names settings that are not modelled.
pub fn recorded(recording: &Recording) -> anyhow::Result<Candidate> {
    Candidate::new(model_of(recording), &recording.settings)
}

fn model_of(recording: &Recording) -> Model {
    match &recording.of {
        Asker::Caching(rules) if *rules == TORCH_CUDA => Model::TorchCuda,
        Asker::Caching(_) => Model::TorchNpu,
        Asker::Pool(_) => Model::FirstFit,
        Asker::Program => Model::Direct,
    }
}

/// The candidates that were asked for; with `sweep` all that are worth trying.
///
/// # Errors
/// If settings make no sense, or not for that allocator.
pub fn asked_for(
    recording: &Recording,
    models: &[Model],
    settings: &[String],
    sweep: bool,
) -> anyhow::Result<Vec<Candidate>> {
    let own = model_of(recording);
    let caching = if own.rules().is_some() {
        own
    } else {
        Model::TorchNpu
    };
    let mut candidates = Vec::new();
    for setting in settings {
        let of = models.iter().copied().find(|model| model.rules().is_some());
        candidates.push(Candidate::new(of.unwrap_or(caching), setting)?);
    }
    for &model in models {
        if settings.is_empty() || model.rules().is_none() {
            candidates.push(Candidate::new(model, "")?);
        }
    }
    if sweep {
        for setting in SETTINGS {
            candidates.push(Candidate::new(caching, setting)?);
        }
        for model in OTHERS {
            candidates.push(Candidate::new(model, "")?);
        }
    }
    if candidates.is_empty() {
        candidates.push(recorded(recording)?);
    }
    let mut seen = Vec::new();
    candidates.retain(|candidate| {
        let key = (candidate.name(), candidate.setting.clone());
        let is_new = !seen.contains(&key);
        seen.push(key);
        is_new
    });
    Ok(candidates)
}
