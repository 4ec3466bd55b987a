//! A log that grows while it is read.

use aclsan_log::builder::LogBuilder;
use aclsan_log::reader::ReadAt;
use aclsan_log::{BlockId, Event};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The bytes of a log after each stage of a run.
pub struct Run {
    /// With the number of events.
    pub states: Vec<(Vec<u8>, usize)>,
}

/// When event number `event`, from 1 on, happened.
pub fn time(event: u64) -> u64 {
    event * 10
}

/// Threads that pass blocks to each other. Each stage adds a site and, now and then, a thread.
pub fn run(stages: u32, events: u64) -> Run {
    let mut builder = LogBuilder::default();
    let mut blocks: Vec<BlockId> = Vec::new();
    let mut states = Vec::new();
    let mut event = 0_u64;
    for stage in 0..stages {
        let site = builder.site("aclrtMalloc", 0, 0, &[0x4000 + u64::from(stage)]);
        for _ in 0..events {
            event += 1;
            builder.at(time(event));
            let thread = 1 + (event % u64::from(2 + stage / 6)) as u32;
            // The later thread is read later: it releases what an earlier one has just allocated.
            match blocks.pop_if(|_| thread > 1) {
                Some(block) => drop(builder.event(thread, Event::Release { block, site })),
                None => blocks.push(builder.allocation(thread, site, event << 12, 4096)),
            }
        }
        states.push((builder.bytes(), event as usize));
    }
    Run { states }
}

/// A file in state `from`, which advances by one stage every `each` reads.
pub struct Growing {
    pub run: Arc<Run>,
    pub from: usize,
    pub each: usize,
    pub reads: Arc<AtomicUsize>,
}

impl Growing {
    fn now(&self, reads: usize) -> &[u8] {
        let further = reads.checked_div(self.each).unwrap_or(0);
        let last = self.run.states.len() - 1;
        &self.run.states[(self.from + further).min(last)].0
    }
}

impl ReadAt for Growing {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let bytes = self.now(self.reads.fetch_add(1, Relaxed));
        let rest = bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn length(&self) -> Option<u64> {
        Some(self.now(self.reads.load(Relaxed)).len() as u64)
    }
}
