//! A small history.

use crate::model::{Change, ChangeKind, Frame, History, Trace};

fn trace(function: &str, names: &[&str]) -> Trace {
    let frames = names.iter().zip(10..).map(|(name, line)| Frame {
        address: 0x40_1000 + u64::from(line),
        function: Some((*name).into()),
        file: Some("/src/app/train.cpp".into()),
        line: Some(line),
        module: "/opt/app/train".into(),
        ..Frame::default()
    });
    Trace {
        what: "allocated",
        function: function.to_owned(),
        frames: frames.collect(),
        source: None,
    }
}

/// A device block of 4096 bytes lives from 1 ms to 3 ms; a pinned one of 1000 bytes from 2 ms to the end.
pub fn history() -> History {
    let device = Change {
        ns: 1_000_000,
        thread: 7,
        what: ChangeKind::Allocated,
        block: 0,
        address: 0x12_4000_0000,
        size: 4096,
        family: "device",
        is_host: false,
        is_of_device: true,
        device: 0,
        page: "4K",
        trace: 0,
        is_ignored: false,
    };
    let pinned = Change {
        ns: 2_000_000,
        block: 1,
        address: 0x7f00_0000,
        size: 1000,
        family: "pinned host",
        is_host: true,
        is_of_device: false,
        page: "",
        trace: 1,
        ..device
    };
    let gone = Change {
        ns: 3_000_000,
        what: ChangeKind::Ended,
        ..device
    };
    History {
        pid: 42,
        arguments: "train --steps 3".to_owned(),
        started_realtime_ns: 1_700_000_000_000_000_000,
        duration_ns: 4_000_000,
        traces: vec![
            trace("aclrtMalloc", &["step", "main"]),
            trace("aclrtMallocHost", &["load", "main"]),
        ],
        changes: vec![device, pinned, gone],
        left: [].into(),
    }
}
