//! Which tensors an operator works on. Where a cache of plans is asked, its caller names them, and they are reported for
//! the executor. Else they are inferred, since first phases are not seen.
//!
//! A tensor's only use is to be given to an operator. If a thread creates a tensor after its last first phase but one
//! and destroys it before its next first phase, the tensor went to the operator in between, or to none. That is known
//! only when the tensor is destroyed. Findings about it are held back until then, and dropped if another first phase
//! comes before, or one of another thread, which may have been given the tensor. A tensor that is pointed elsewhere
//! later is ignored.

use aclsan_log::BlockId;

use super::epoch::Epoch;
use crate::api::fast_hash::FastMap;
use crate::evidence::finding::Finding;

/// A live tensor.
#[derive(Default)]
pub(super) struct Tensor {
    thread: u32,
    pub address: u64,
    pub bytes: u64,
    /// First phases of its thread before it was created.
    phases: u64,
    /// Accesses that an operator may have made through it.
    queued: Vec<(BlockId, Epoch)>,
}

/// All live tensors.
#[derive(Default)]
pub(super) struct Tensors {
    tensors: FastMap<u64, Tensor>,
    /// First phases, by thread.
    phases: FastMap<u32, u64>,
    /// Reported ranges of executors: addresses and bytes. No bytes if it is not known which.
    planned: FastMap<u64, Vec<(u64, u64)>>,
    /// The thread and the number of the first phase that created an executor.
    executors: FastMap<u64, (u32, u64)>,
    /// Findings about tensors that are still live.
    kept_back: FastMap<u64, Vec<Finding>>,
}

/// Executors that are remembered.
const MAX_EXECUTORS: usize = 1 << 12;
/// Ranges of an executor.
const MAX_RANGES: usize = 1 << 10;

impl Tensors {
    /// A tensor over `bytes` bytes from `address` on was created.
    pub fn made(&mut self, tensor: u64, address: u64, bytes: u64, thread: u32) {
        let made = Tensor {
            thread,
            address,
            bytes,
            phases: self.phases.get(&thread).copied().unwrap_or(0),
            queued: Vec::new(),
        };
        self.kept_back.remove(&tensor);
        self.tensors.insert(tensor, made);
    }

    /// An executor works on these addresses and numbers of bytes, in turn.
    pub fn planned(&mut self, executor: u64, ranges: &[u64]) {
        if self.planned.len() >= MAX_EXECUTORS {
            self.planned.clear();
        }
        let ranges = ranges.chunks_exact(2).map(|range| (range[0], range[1]));
        let planned = self.planned.entry(executor).or_default();
        let room = MAX_RANGES.saturating_sub(planned.len());
        planned.extend(ranges.filter(|&(address, _)| address != 0).take(room));
    }

    /// A tensor is pointed elsewhere and is ignored from here on.
    pub fn forget(&mut self, tensor: u64) -> Vec<(BlockId, Epoch)> {
        self.kept_back.remove(&tensor);
        let known = self.tensors.remove(&tensor);
        known.map(|known| known.queued).unwrap_or_default()
    }

    /// A thread's first phase returned an executor. Returns the accesses that are uncertain from here on.
    pub fn phase_one(&mut self, executor: u64, thread: u32) -> Vec<(BlockId, Epoch)> {
        // One that never ran was at this address.
        self.planned.remove(&executor);
        // First phases are counted between a tensor's creation and end, and frameworks run out of their caches: without
        // tensors, the executor has none, and nothing is in doubt.
        if self.tensors.is_empty() {
            if !self.executors.is_empty() {
                self.executors.remove(&executor);
            }
            return Vec::new();
        }
        let phases = self.phases.entry(thread).or_default();
        *phases += 1;
        if self.executors.len() >= MAX_EXECUTORS {
            self.executors.clear();
        }
        self.executors.insert(executor, (thread, *phases));
        let (now, mut doubtful) = (*phases, Vec::new());
        let gone: Vec<u64> = self
            .tensors
            .iter()
            .filter(|(_, known)| known.thread != thread || known.phases + 1 < now)
            .map(|(&tensor, _)| tensor)
            .collect();
        for tensor in gone {
            doubtful.extend(self.forget(tensor));
        }
        doubtful
    }

    /// Whether there are no tensors, and no executors that may have some.
    #[inline(always)]
    pub fn are_unknown(&self) -> bool {
        self.tensors.is_empty() && self.executors.is_empty() && self.planned.is_empty()
    }

    /// The reported ranges of an executor, if there are any.
    pub fn reported(&mut self, executor: u64) -> Option<Vec<(u64, u64)>> {
        self.planned.remove(&executor)
    }

    /// The tensors that a second phase may work on.
    pub fn of(&mut self, executor: u64) -> Vec<(u64, u64, u64)> {
        if self.executors.is_empty() {
            return Vec::new();
        }
        let Some((thread, phase)) = self.executors.remove(&executor) else {
            return Vec::new();
        };
        let mut found: Vec<_> = self
            .tensors
            .iter()
            .filter(|(_, known)| known.thread == thread && known.phases + 1 == phase)
            .map(|(&tensor, known)| (tensor, known.address, known.bytes))
            .collect();
        found.sort_unstable();
        found
    }

    /// An access was queued through a tensor.
    pub fn queued(&mut self, tensor: u64, block: BlockId, epoch: Epoch) {
        if let Some(known) = self.tensors.get_mut(&tensor) {
            known.queued.push((block, epoch));
        }
    }

    /// Holds back a finding about a tensor.
    pub fn keep_back(&mut self, tensor: u64, finding: Finding) {
        self.kept_back.entry(tensor).or_default().push(finding);
    }

    /// A tensor is destroyed. Returns its accesses, which are certain now, and the findings held back for it.
    pub fn destroyed(&mut self, tensor: u64) -> (Vec<(BlockId, Epoch)>, Vec<Finding>) {
        let findings = self.kept_back.remove(&tensor).unwrap_or_default();
        (self.forget(tensor), findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINT: Epoch = Epoch {
        timeline: 1,
        time: 1,
    };

    #[test]
    fn a_tensor_of_one_phase_one_is_the_operators() {
        let mut tensors = Tensors::default();
        tensors.made(1, 0x1000, 64, 7);
        assert!(tensors.phase_one(100, 7).is_empty());
        assert_eq!(tensors.of(100), [(1, 0x1000, 64)]);
        tensors.queued(1, BlockId(1), POINT);
        assert_eq!(tensors.destroyed(1).0, [(BlockId(1), POINT)]);
    }

    /// Phases without any tensor are not counted, and an executor of such a phase is not the one before at its address.
    #[test]
    fn an_executor_planned_without_tensors_has_none() {
        let mut tensors = Tensors::default();
        tensors.made(1, 0x1000, 64, 7);
        tensors.phase_one(100, 7);
        tensors.destroyed(1);
        tensors.phase_one(100, 7);
        tensors.made(2, 0x1000, 64, 7);
        assert!(tensors.of(100).is_empty());
        tensors.phase_one(101, 7);
        assert_eq!(tensors.of(101), [(2, 0x1000, 64)]);
    }

    #[test]
    fn a_tensor_that_lives_through_two_is_in_doubt() {
        let mut tensors = Tensors::default();
        tensors.made(1, 0x1000, 64, 7);
        tensors.phase_one(100, 7);
        tensors.of(100);
        tensors.queued(1, BlockId(1), POINT);
        assert_eq!(tensors.phase_one(101, 7), [(BlockId(1), POINT)]);
        assert!(tensors.of(101).is_empty());
    }

    #[test]
    fn a_tensor_that_sees_another_threads_phase_one_is_in_doubt() {
        let mut tensors = Tensors::default();
        tensors.made(1, 0x1000, 64, 7);
        tensors.phase_one(100, 7);
        tensors.queued(1, BlockId(1), POINT);
        assert_eq!(tensors.phase_one(101, 8), [(BlockId(1), POINT)]);
        assert!(tensors.of(100).is_empty());
        // The same before its own thread's first phase.
        tensors.made(2, 0x1000, 64, 7);
        tensors.phase_one(102, 8);
        tensors.phase_one(103, 7);
        assert!(tensors.of(103).is_empty());
    }

    #[test]
    fn an_executor_works_on_what_was_reported_and_only_once() {
        let mut tensors = Tensors::default();
        tensors.phase_one(100, 7);
        tensors.planned(100, &[0x1000, 64, 0x2000, 0, 0x3000, 8]);
        tensors.planned(100, &[0x4000, 16, 0, 0]);
        assert!(!tensors.are_unknown());
        let ranges = vec![(0x1000, 64), (0x2000, 0), (0x3000, 8), (0x4000, 16)];
        assert_eq!(tensors.reported(100), Some(ranges));
        assert_eq!(tensors.reported(100), None);
        // One that never ran, at the same address.
        tensors.planned(100, &[0x1000, 64]);
        tensors.phase_one(100, 7);
        assert!(tensors.reported(100).is_none() && tensors.are_unknown());
    }

    #[test]
    fn another_threads_tensor_is_not_the_operators() {
        let mut tensors = Tensors::default();
        tensors.made(1, 0x1000, 64, 8);
        tensors.phase_one(100, 7);
        assert!(tensors.of(100).is_empty());
    }
}
