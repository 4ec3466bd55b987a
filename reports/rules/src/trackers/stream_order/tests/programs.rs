//! Random programs, and what shrinks them.

use proptest::bool::weighted;
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

/// Any call, as frequent as in programs: mostly work, records and waits.
fn any_op() -> impl Strategy<Value = Op> {
    let (stream, block, event, way) = (0..STREAMS, 0..BLOCKS, 0..2_usize, 0..WAYS);
    let writes = || weighted(1.0 / 3.0);
    prop_oneof![
        16 => (stream.clone(), block.clone(), writes())
            .prop_map(|(stream, block, writes)| Op::Queue { stream, block, writes }),
        6 => (event.clone(), stream.clone()).prop_map(|(event, stream)| Op::Record { event, stream }),
        6 => (stream.clone(), event.clone()).prop_map(|(stream, event)| Op::Wait { stream, event }),
        2 => (way.clone(), stream.clone()).prop_map(|(way, stream)| Op::Signal { way, stream }),
        2 => (way, stream.clone()).prop_map(|(way, stream)| Op::WaitForSignal { way, stream }),
        1 => stream.prop_map(|stream| Op::Synchronize { stream }),
        1 => event.prop_map(|event| Op::SynchronizeEvent { event }),
        1 => Just(Op::SynchronizeDevice),
        3 => (block.clone(), writes()).prop_map(|(block, writes)| Op::Blocking { block, writes }),
        1 => block.clone().prop_map(|block| Op::ReleaseAfterDevice { block }),
        2 => block.prop_map(|block| Op::Release { block }),
    ]
}

/// Random calls filtered down to legal programs: every wait has something to wait for, and nothing is used after its
/// release.
pub(super) fn program() -> impl Strategy<Value = Vec<Op>> {
    vec(any_op(), 2 * OPS).prop_map(|ops| {
        let mut recorded = [false; 2];
        let mut is_signalled = [false; WAYS];
        let mut live = [true; BLOCKS];
        let legal = ops.into_iter().filter(|&op| match op {
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
