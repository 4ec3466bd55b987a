use super::*;
use crate::model::{Frame, StackKeyBuilder};

fn trace(what: &'static str, functions: &[&str], line: u32) -> Trace {
    let frames = functions.iter().map(|function| Frame {
        function: Some((*function).into()),
        line: Some(line),
        ..Frame::default()
    });
    Trace {
        what,
        function: "aclrtFree".to_owned(),
        frames: frames.collect(),
        source: None,
    }
}

/// Deduplicates the findings of processes in order; also returns the index of each of `findings`.
fn fold(findings: Vec<Finding>) -> (Vec<Finding>, Vec<usize>) {
    let mut process = None;
    let mut gone_to = Vec::new();
    let (mut folder, mut printer) = (Deduplicator::default(), StackKeyBuilder::default());
    for finding in findings {
        if process.replace(finding.met[0].process) != Some(finding.met[0].process) {
            folder.next_process();
        }
        gone_to.push(add(&mut folder, &mut printer, finding));
    }
    let (folded, places) = folder.finish();
    (folded, gone_to.into_iter().map(|at| places[at]).collect())
}

fn add(to: &mut Deduplicator, printer: &mut StackKeyBuilder, finding: Finding) -> usize {
    let message = finding.message.clone();
    let alike = DedupKey {
        rule: finding.rule,
        severity: finding.severity,
        message: &message,
        count: finding.count,
        last_ns: finding.last_ns,
        pid: finding.pid,
        met: finding.met[0],
        stacks: printer.stacks(&finding.stacks),
    };
    to.add_alike(&alike, || finding)
}

fn finding(severity: Severity, functions: &[&str], line: u32, pid: u32) -> Finding {
    let stacks = Stacks {
        here: trace("here", functions, line),
        earlier: Vec::new(),
    };
    Finding {
        rule: "double-free",
        severity,
        own_severity: severity,
        message: "m".to_owned(),
        count: 1,
        pid,
        pids: vec![pid],
        met: vec![Occurrence {
            process: pid as usize,
            first_ns: 0,
        }],
        thread: 0,
        first_ns: 0,
        last_ns: u64::from(pid),
        address: Some(u64::from(pid) << 12),
        block: None,
        fingerprint: fingerprint("double-free", &stacks),
        site: stacks.here.site(),
        stacks,
        details: Vec::new(),
        growth: None,
        runtime: String::new(),
        instead: String::new(),
        consequences: Vec::new(),
        thread_name: None,
    }
}

#[test]
fn what_two_processes_did_alike_is_one_finding() {
    let (folded, gone_to) = fold(vec![
        finding(Severity::Error, &["f", "main"], 1, 10),
        finding(Severity::Error, &["g", "main"], 1, 10),
        finding(Severity::Error, &["f", "main"], 1, 11),
    ]);
    assert_eq!(gone_to, [0, 1, 0]);
    assert_eq!((folded[0].count, folded[0].last_ns), (2, 11));
    assert_eq!((folded[0].pid, &folded[0].pids), (10, &vec![10, 11]));
}

#[test]
fn each_process_keeps_when_it_first_met_a_finding() {
    let met = |process, pid, first_ns| Finding {
        met: vec![Occurrence { process, first_ns }],
        first_ns,
        ..finding(Severity::Error, &["f", "main"], 1, pid)
    };
    // The second has the first's number; the third sees it twice.
    let of = [met(0, 10, 5), met(1, 10, 3), met(2, 11, 8), met(2, 11, 9)];
    let (mut folder, mut printer) = (Deduplicator::default(), StackKeyBuilder::default());
    for (at, finding) in of.into_iter().enumerate() {
        if at < 3 {
            folder.next_process();
        }
        add(&mut folder, &mut printer, finding);
    }
    let (folded, _) = folder.finish();
    let occurrences = folded[0].met.iter().map(|met| (met.process, met.first_ns));
    assert_eq!(occurrences.collect::<Vec<_>>(), [(0, 5), (1, 3), (2, 8)]);
    assert_eq!(folded[0].pids, [10, 10, 11]);
}

#[test]
fn the_worst_comes_first_and_the_rest_keeps_its_order() {
    let (folded, gone_to) = fold(vec![
        finding(Severity::Note, &["a"], 1, 1),
        finding(Severity::Error, &["b"], 1, 1),
        finding(Severity::Note, &["c"], 1, 1),
        finding(Severity::Error, &["d"], 1, 1),
    ]);
    let names: Vec<_> = folded
        .iter()
        .map(|f| f.site.function.as_deref().unwrap())
        .collect();
    assert_eq!(names, ["b", "d", "a", "c"]);
    assert_eq!(gone_to, [2, 0, 3, 1]);
}

#[test]
fn a_fingerprint_ignores_lines_addresses_and_what_is_outside_main() {
    let of = |functions: &[&str], line| finding(Severity::Error, functions, line, 1).fingerprint;
    assert_eq!(
        of(&["f", "main", "_start"], 1),
        of(&["f", "main", "__libc_start"], 9)
    );
    assert_ne!(of(&["f", "main"], 1), of(&["g", "main"], 1));
}

#[test]
fn a_fingerprint_is_the_same_forever() {
    // FNV-1a 64 over "double-free\0here\0aclrtFree\0f\0main\0". Baselines hold such values: a change needs a new schema version.
    let found = finding(Severity::Error, &["f", "main"], 1, 1).fingerprint;
    assert_eq!(found, "3bdab4621ecb0e04");
}

/// A stack of `function` in `module`, or of an offset in it if the function has no name.
fn of_modules(frames: &[(Option<&str>, &str)], offset: u64) -> String {
    let frames = frames.iter().map(|&(function, module)| Frame {
        language: match module.ends_with(".py") {
            true => Language::Python,
            false => Language::Native,
        },
        function: function.map(Into::into),
        module: module.into(),
        offset,
        ..Frame::default()
    });
    let here = Trace {
        what: "here",
        function: "aclrtFree".to_owned(),
        frames: frames.collect(),
        source: None,
    };
    let earlier = Vec::new();
    fingerprint("double-free", &Stacks { here, earlier })
}

#[test]
fn what_a_stack_of_main_is_known_by_is_what_it_was() {
    let frames = [
        (Some("compare"), "/app/train"),
        (None, "/lib/libc.so.6"),
        (Some("main"), "/app/train"),
        (None, "/lib/libc.so.6"),
    ];
    // FNV-1a 64 over "double-free\0here\0aclrtFree\0compare\0libc.so.6+0x10\0main\0".
    assert_eq!(of_modules(&frames, 0x10), "f2d45054ac168d59");
}

#[test]
fn a_fingerprint_outlives_an_update_of_the_libc() {
    let thread: &[_] = &[
        (Some("work"), "/app/train"),
        (None, "/lib/libstdc++.so.6"),
        (None, "/lib/libpthread-2.31.so"),
        (None, "/lib/libc.so.6"),
    ];
    let python: &[_] = &[
        (Some("ffi_call"), "/lib/libffi.so.8"),
        (Some("step"), "/app/train.py"),
        (None, "/usr/bin/python3.11"),
        (Some("<module>"), "/app/train.py"),
        (Some("main"), "/usr/bin/python3.11"),
        (Some("__libc_start_main"), "/lib/libc.so.6"),
        (Some("_start"), "/opt/launcher"),
    ];
    let named = |(function, module): &(Option<&'static str>, &'static str)| match module {
        module if module.starts_with("/lib/") => (function.or(Some("start_thread")), *module),
        module => (*function, *module),
    };
    for frames in [thread, python] {
        let known = of_modules(frames, 0x10);
        let named: Vec<_> = frames.iter().map(named).collect();
        assert_eq!(of_modules(frames, 0x20), known);
        assert_eq!(of_modules(&named, 0x10), known, "with debug files");
    }
    let other = [(Some("play"), "/app/train")];
    assert_ne!(of_modules(&other, 0), of_modules(thread, 0));
    // If there is nothing else to identify it by, the program's own offsets stay.
    let stripped = [(None, "/app/train"), (None, "/lib/libc.so.6")];
    assert_ne!(of_modules(&stripped, 0x10), of_modules(&stripped, 0x20));
}

#[test]
fn two_findings_in_one_function_have_different_fingerprints() {
    let (folded, _) = fold(vec![
        finding(Severity::Error, &["f", "main"], 1, 1),
        finding(Severity::Error, &["f", "main"], 2, 1),
    ]);
    assert_eq!(folded.len(), 2);
    assert_ne!(folded[0].fingerprint, folded[1].fingerprint);
}
