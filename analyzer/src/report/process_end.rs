//! How a process ended.

use aclsan_log::Log;
use aclsan_render::model::{Death, EndKind, LastCall, ProcessEnd};
use aclsan_rules::api::ascend::statuses;
use aclsan_rules::evidence::death;

use crate::replay::Replay;
use crate::symbols::stacks::Stacks;

/// The end of one process, with its stack.
pub fn of(log: &Log, replay: &Replay, stacks: &mut Stacks) -> ProcessEnd {
    let Some((ending, (end, site))) = replay.ending.as_ref().zip(log.end.as_ref()) else {
        return ProcessEnd {
            kind: match replay.is_complete {
                true => EndKind::Exit,
                false => EndKind::Unknown,
            },
            ..ProcessEnd::default()
        };
    };
    let calls = ending.calls.iter().map(|call| LastCall {
        ns: call.ns,
        thread: call.thread,
        status: call.status,
        status_name: match call.status {
            0 => None,
            status => log
                .status_name(status)
                .or(statuses::name(status))
                .map(str::to_owned),
        },
        called: stacks.trace("called", call.site),
    });
    let calls = calls.collect();
    ProcessEnd {
        kind: match end.kind {
            aclsan_log::EndKind::Signal => EndKind::Signal,
            aclsan_log::EndKind::Halt => EndKind::Halt,
            aclsan_log::EndKind::Killed => EndKind::Killed,
            aclsan_log::EndKind::Detached => EndKind::Detached,
        },
        message: death::sentence(end, log.header.pid),
        death: Some(Box::new(Death {
            signal: end.signal,
            name: death::signal_name(end.signal)
                .unwrap_or_default()
                .to_owned(),
            thread: end.thread,
            thread_name: stacks.thread_name(end.thread),
            ns: ending.ns,
            stack: stacks.trace_with_source("ended", *site),
            calls,
            live_blocks: ending.live.blocks,
            live_bytes: ending.live.bytes,
        })),
    }
}
