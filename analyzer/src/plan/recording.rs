//! What a program asked of one allocator, with what the rest of it took of the device meanwhile.

use aclsan_allocators::caching::Rules;
use aclsan_allocators::request::{Asked, Part, Recorded, Step};

/// A recorded run, ready to be replayed.
#[derive(Debug, Default)]
pub struct Recording {
    /// Who asked: a pool's name, or the program itself.
    pub of: Asker,
    /// The device.
    pub device: i32,
    /// The steps, in order.
    pub steps: Vec<Recorded>,
    /// Segments that the device gave, in order: bytes and address.
    pub segments: Vec<(u64, u64)>,
    /// All bytes of the device, if the recording has them.
    pub capacity: Option<u64>,
    /// Bytes in use that the recording does not explain: what the runtime takes itself, and other processes.
    pub unexplained: u64,
    /// The most that the allocator held, if the recording has it.
    pub reserved_peak: Option<u64>,
    /// The settings that it ran with, as far as the recording shows them.
    pub settings: String,
    /// Epochs of the program: when each began, and its name.
    pub epochs: Vec<(u64, String)>,
    /// Requests of which only the block is known that they got, which may be larger than was asked for.
    pub inexact: u64,
}

/// Who asked for the memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Asker {
    /// A caching allocator with these rules.
    Caching(Rules),
    /// Another pool.
    Pool(String),
    /// The program itself, by plain allocations.
    #[default]
    Program,
}

/// Numbers for parts: small, and used again.
#[derive(Debug, Default)]
pub struct Parts {
    count: Part,
    unused: Vec<Part>,
}

impl Parts {
    /// The number of a new part.
    pub fn take(&mut self) -> Part {
        self.unused.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        })
    }

    /// The part is gone.
    pub fn give_back(&mut self, part: Part) {
        self.unused.push(part);
    }
}

impl Recording {
    /// Adds a step.
    pub fn add(&mut self, ns: u64, site: u32, step: Step) {
        self.steps.push(Recorded { ns, site, step });
    }

    /// Every request, with its step's index.
    pub fn asked(&self) -> impl Iterator<Item = (usize, Asked)> {
        let steps = self.steps.iter().enumerate();
        steps.filter_map(|(index, recorded)| match recorded.step {
            Step::Allocate(_, asked) => Some((index, asked)),
            _ => None,
        })
    }

    /// The parts that are allocated before step `until`: their sites and bytes.
    pub fn live_before(&self, until: usize) -> impl Iterator<Item = (u32, u64)> {
        let mut live: Vec<Option<(u32, u64)>> = Vec::new();
        for recorded in self.steps.iter().take(until) {
            let (part, holder) = match recorded.step {
                Step::Allocate(part, asked) => (part, Some((recorded.site, asked.bytes))),
                Step::Release(part) => (part, None),
                _ => continue,
            };
            let index = part as usize;
            if index >= live.len() {
                live.resize(index + 1, None);
            }
            live[index] = holder;
        }
        live.into_iter().flatten()
    }
}
