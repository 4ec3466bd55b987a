//! Replays what a program asked for on one allocator.

use crate::allocator::Allocator;
use crate::device::Device;
use crate::request::{Recorded, Step};

/// The first request that was refused. The replay ends there, as most programs do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Index of the step.
    pub index: usize,
    /// Bytes asked for.
    pub bytes: u64,
    /// Whether others asked.
    pub is_of_others: bool,
    /// Bytes that the allocator held then, and had given out.
    pub reserved: u64,
    pub allocated: u64,
    /// Bytes of the device that were left.
    pub left: u64,
}

/// What an allocator would have needed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Outcome {
    /// Most bytes that it held of the device, and the step after which it first did.
    pub reserved_peak: u64,
    pub reserved_at: usize,
    /// Bytes that it had given out then.
    pub allocated_then: u64,
    /// Most bytes that it had given out.
    pub allocated_peak: u64,
    /// Most bytes of the device in use, with those of others.
    pub in_use_peak: u64,
    /// The first refusal.
    pub refused: Option<Refusal>,
}

/// Replays `steps`; `seen` gets the bytes reserved and allocated after each of them.
pub fn replay(
    steps: &[Recorded],
    allocator: &mut dyn Allocator,
    device: &mut Device,
    mut seen: impl FnMut(&Recorded, u64, u64),
) -> Outcome {
    let mut outcome = Outcome::default();
    for (index, recorded) in steps.iter().enumerate() {
        let (fits, asked) = match recorded.step {
            Step::Allocate(part, asked) => {
                (allocator.allocate(part, asked, device), Some(asked.bytes))
            }
            Step::TakenByOthers(bytes) => (device.others_take(bytes), Some(bytes)),
            Step::Retire(part) => {
                allocator.retire(part);
                continue;
            }
            Step::Release(part) => {
                allocator.release(part, device);
                (true, None)
            }
            Step::EmptyCache => {
                allocator.empty_cache(device);
                (true, None)
            }
            Step::ClosePool(pool) => {
                allocator.close_pool(pool);
                (true, None)
            }
            Step::ReturnedByOthers(bytes) => {
                device.others_return(bytes);
                (true, None)
            }
        };
        let (reserved, allocated) = (allocator.reserved(), allocator.allocated());
        if !fits {
            let capacity = device.capacity().unwrap_or(u64::MAX);
            outcome.refused = Some(Refusal {
                index,
                bytes: asked.unwrap_or(0),
                is_of_others: matches!(recorded.step, Step::TakenByOthers(_)),
                reserved,
                allocated,
                left: capacity.saturating_sub(device.in_use()),
            });
            return outcome;
        }
        if reserved > outcome.reserved_peak {
            (outcome.reserved_peak, outcome.reserved_at) = (reserved, index);
            outcome.allocated_then = allocated;
        }
        outcome.allocated_peak = outcome.allocated_peak.max(allocated);
        outcome.in_use_peak = outcome.in_use_peak.max(device.in_use());
        seen(recorded, reserved, allocated);
    }
    outcome
}
