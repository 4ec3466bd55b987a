//! What operators say of the parts they use: a tensor's storage is what was asked for, and the stream of its first launch is whose memory it is.
//!
//! With a queue in the framework, tensors are made and launched later than their memory is given out and maybe after it was given back: parts wait,
//! by address, for a tensor that fits.

use std::collections::{HashMap, VecDeque};

use aclsan_allocators::caching::Settings;
use aclsan_rules::api::functions::Function;

use super::Draft;
use crate::plan::segments::Segments;

/// Parts of one address that wait.
const MAX_WAITING: usize = 64;

/// Parts that no tensor was made of yet, and tensors that were not launched yet.
#[derive(Default)]
pub struct Uses {
    waiting: HashMap<u64, VecDeque<usize>>,
    /// Drafts of parts by thread, and by executor once one is named.
    made: HashMap<u32, Vec<usize>>,
    planned: HashMap<u64, Vec<usize>>,
}

/// The position of a value in the calls of a function.
fn value(function: &Function, name: &str, values: &[u64]) -> Option<u64> {
    let position = function.values.iter().position(|value| *value == name)?;
    values.get(position).copied()
}

impl Uses {
    /// A part was given out at that address.
    pub fn given(&mut self, address: u64, draft: usize) {
        let waiting = self.waiting.entry(address).or_default();
        if waiting.len() == MAX_WAITING {
            waiting.pop_front();
        }
        waiting.push_back(draft);
    }

    /// A call that names tensors, executors or streams. Returns the stream, if it launches something on one.
    pub fn called(
        &mut self,
        function: &Function,
        (thread, values): (u32, &[u64]),
        drafts: &mut [Draft],
        settings: &Settings,
    ) -> Option<(u64, Vec<usize>)> {
        let of = |name| value(function, name, values);
        if let (Some(address), Some(storage)) = (of("address"), of("storage")) {
            if let Some(draft) = self.fitting(address, storage, drafts, settings) {
                if let Draft::Allocate { asked, bytes, .. } = &mut drafts[draft]
                    && *bytes > settings.rules.small
                {
                    *asked = Some(storage);
                }
                self.made.entry(thread).or_default().push(draft);
            }
            return None;
        }
        let executor = of("executor").unwrap_or(0);
        if executor != 0
            && let Some(made) = self.made.get_mut(&thread)
        {
            self.planned.entry(executor).or_default().append(made);
        }
        let stream = of("stream")?;
        Some((stream, self.planned.remove(&executor).unwrap_or_default()))
    }

    /// The first part that waits at the address and could be the tensor's; those before it were never used by one.
    fn fitting(
        &mut self,
        address: u64,
        storage: u64,
        drafts: &[Draft],
        settings: &Settings,
    ) -> Option<usize> {
        let waiting = self.waiting.get_mut(&address)?;
        let wanted = settings.rounded(storage);
        let size = |draft: usize| match drafts[draft] {
            Draft::Allocate { bytes, .. } => bytes,
            _ => 0,
        };
        let exactly = waiting.iter().position(|&draft| size(draft) == wanted);
        let roughly = || {
            // A tensor may be of a part of its storage only.
            let could_be = |&draft: &usize| {
                let size = size(draft);
                size <= settings.rules.small || size > wanted && size - wanted <= settings.slack()
            };
            waiting.iter().position(could_be)
        };
        let found = exactly.or_else(roughly)?;
        waiting.drain(..=found).next_back()
    }

    /// A stream used memory that no tensor names.
    pub fn used(&self, address: u64, stream: u32, drafts: &[Draft], segments: &mut Segments) {
        let waiting = self.waiting.get(&address).and_then(VecDeque::back);
        match waiting {
            Some(&draft) => first_use(&drafts[draft], stream, segments),
            None => {
                if let Some(segment) = segments.at(address) {
                    segments.used(segment, stream, false);
                }
            }
        }
    }
}

/// The part was used by that stream first.
pub fn first_use(draft: &Draft, stream: u32, segments: &mut Segments) {
    if let Draft::Allocate {
        segment: Some(segment),
        ..
    } = *draft
    {
        segments.used(segment, stream, true);
    }
}
