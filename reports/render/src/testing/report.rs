//! Small reports.

use aclsan_rules::evidence::rule::Severity;

use crate::model::{Finding, FindingBlock, Frame, LeakSite, Leaks, Report, Site, Stacks, Trace};

pub fn at(function: &str, file: &str, line: u32) -> Frame {
    Frame {
        function: Some(function.into()),
        file: Some(file.into()),
        line: Some(line),
        module: "/opt/app/train".into(),
        ..Frame::default()
    }
}

/// A double free, called from outside the sources by a function inside.
pub fn finding(severity: Severity) -> Finding {
    let trace = |what, function: &str, frames: Vec<Frame>| Trace {
        what,
        function: function.to_owned(),
        frames: frames.into(),
        source: None,
    };
    let here = vec![
        at("std::deleter", "/usr/include/memory", 7),
        at("step, the \"second\"", "/src/app/train.cpp", 42),
    ];
    let allocated = vec![at("main", "/src/app/main.cpp", 3)];
    Finding {
        rule: "double-free",
        severity,
        own_severity: severity,
        message: "`aclrtFree` released a block twice: 100% <wrong>".to_owned(),
        count: 2,
        pid: 1,
        pids: vec![1],
        met: Vec::new(),
        thread: 7,
        first_ns: 1,
        last_ns: 2,
        address: Some(0x1000),
        block: Some(FindingBlock {
            address: 0x1000,
            size: 64,
            family: "device",
            device: 0,
            offset: 0,
        }),
        stacks: Stacks {
            here: trace("here", "aclrtFree", here),
            earlier: vec![trace("allocated", "aclrtMalloc", allocated)],
        },
        details: Vec::new(),
        growth: None,
        runtime: "refuses it with 107000".to_owned(),
        instead: "release it once".to_owned(),
        fingerprint: "00000000000000ab".to_owned(),
        site: Site::default(),
        consequences: Vec::new(),
        thread_name: None,
    }
}

/// A report with an error in the sources and a note without a location.
pub fn report() -> Report {
    let mut nowhere = finding(Severity::Note);
    nowhere.rule = "free-null";
    nowhere.fingerprint = "00000000000000ac".to_owned();
    nowhere.stacks.here.frames.clear();
    nowhere.stacks.earlier.clear();
    let mut report = Report {
        findings: vec![finding(Severity::Error), nowhere],
        ..Report::default()
    };
    report.summarize();
    report
}

/// A leak of 2 MiB in each of `pids`, and nothing else.
pub fn leaking(pids: &[u32]) -> (Finding, Leaks) {
    let mut leak = finding(Severity::Error);
    leak.rule = "leak";
    leak.message = "1 block, 2097152 bytes, was never released".to_owned();
    leak.count = pids.len() as u64;
    leak.pids = pids.to_vec();
    leak.pids.dedup();
    let sites = pids.iter().map(|&pid| LeakSite {
        pid,
        pids: vec![pid],
        processes: leak
            .pids
            .iter()
            .position(|&of| of == pid)
            .into_iter()
            .collect(),
        alike: 1,
        root: None,
        fingerprint: leak.fingerprint.clone(),
        bytes: 2 << 20,
        blocks: 1,
        spread: Default::default(),
        estimate: None,
        largest_bytes: 2 << 20,
        youngest_ns: 1,
        oldest_ns: 1,
        family: "device",
        device: 0,
        thread: 7,
        names: Vec::new(),
        class: "unknown",
        is_reclaimed: false,
        allocated: leak.stacks.here.clone(),
        parts: Vec::new(),
        thread_name: None,
    });
    let leaks = Leaks::new(sites.collect());
    (leak, leaks)
}

/// A report with a leak of two calls on one line.
pub fn leaky() -> Report {
    let (leak, leaks) = leaking(&[1, 1]);
    Report {
        findings: vec![leak],
        leaks,
        ..Report::default()
    }
}

/// What every format says about [`leaky`]'s leak.
pub const IN_ALL: &str = "never released; 4.0 MiB in 2 blocks in all, from calls of one line";
