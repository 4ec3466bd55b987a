//! Random programs, and what shrinks them.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{BLOCKS, OPS, STREAMS, WAYS};

/// A call on the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    /// Queues work on a block.
    Queue {
        stream: usize,
        block: usize,
        writes: bool,
    },
    Record {
        event: usize,
        stream: usize,
    },
    Wait {
        stream: usize,
        event: usize,
    },
    /// By a notify, a value in memory, or a counting notify.
    Signal {
        way: usize,
        stream: usize,
    },
    WaitForSignal {
        way: usize,
        stream: usize,
    },
    Synchronize {
        stream: usize,
    },
    SynchronizeEvent {
        event: usize,
    },
    SynchronizeDevice,
    /// A blocking copy.
    Blocking {
        block: usize,
        writes: bool,
    },
    Release {
        block: usize,
    },
    ReleaseAfterDevice {
        block: usize,
    },
}

impl Op {
    /// The block, whether it is written, and the stream if it is queued.
    pub fn touches(self) -> Option<(usize, bool, Option<usize>)> {
        match self {
            Self::Queue {
                stream,
                block,
                writes,
            } => Some((block, writes, Some(stream))),
            Self::Blocking { block, writes } => Some((block, writes, None)),
            Self::Release { block } => Some((block, true, None)),
            _ => None,
        }
    }
}

/// The meaning of a drawn number: 40 kinds, as frequent as in programs, with each stream, block, event and way.
const DRAWS: usize = 40 * STREAMS * BLOCKS * 2 * WAYS * 3;

/// Any call: mostly work, records and waits. One number a call, because a strategy for each field takes longer than the oracle.
fn op(draw: usize) -> Op {
    let (kind, draw) = (draw % 40, draw / 40);
    let (stream, draw) = (draw % STREAMS, draw / STREAMS);
    let (block, draw) = (draw % BLOCKS, draw / BLOCKS);
    let (event, draw) = (draw % 2, draw / 2);
    let (way, writes) = (draw % WAYS, draw / WAYS == 0);
    match kind {
        0..16 => Op::Queue {
            stream,
            block,
            writes,
        },
        16..22 => Op::Record { event, stream },
        22..28 => Op::Wait { stream, event },
        28 | 29 => Op::Signal { way, stream },
        30 | 31 => Op::WaitForSignal { way, stream },
        32 => Op::Synchronize { stream },
        33 => Op::SynchronizeEvent { event },
        34 if writes => Op::SynchronizeDevice,
        34..38 => Op::Blocking { block, writes },
        38 if event == 0 => Op::ReleaseAfterDevice { block },
        _ => Op::Release { block },
    }
}

/// Random calls filtered down to legal programs: every wait has something to wait for, and nothing is used after its
/// release.
pub(super) fn program() -> impl Strategy<Value = Vec<Op>> {
    vec(0..DRAWS, 0..=3 * OPS).prop_map(|draws| {
        let mut recorded = [false; 2];
        let mut is_signalled = [false; WAYS];
        let mut live = [true; BLOCKS];
        let legal = draws.into_iter().map(op).filter(|&op| match op {
            Op::Queue { block, .. } | Op::Blocking { block, .. } => live[block],
            Op::Release { block } | Op::ReleaseAfterDevice { block } => {
                std::mem::replace(&mut live[block], false)
            }
            Op::Record { event, .. } => {
                recorded[event] = true;
                true
            }
            Op::Wait { event, .. } | Op::SynchronizeEvent { event } => recorded[event],
            Op::Signal { way, .. } => !std::mem::replace(&mut is_signalled[way], true),
            Op::WaitForSignal { way, .. } => std::mem::replace(&mut is_signalled[way], false),
            Op::Synchronize { .. } | Op::SynchronizeDevice => true,
        });
        legal.take(OPS).collect()
    })
}
