//! Commands that read a log, `@a.aclsan`; `@known.aclsan` is a second one.

const READERS: [&str; 24] = [
    "report @a.aclsan",
    "report --lang zh @a.aclsan",
    "report --json @a.aclsan",
    "report --html - @a.aclsan",
    "check --gen-suppressions @a.aclsan",
    "dump @a.aclsan",
    "dump --definitions @a.aclsan",
    "leaks @a.aclsan",
    "frag @a.aclsan",
    "timeline @a.aclsan",
    "findings @a.aclsan",
    "diff @a.aclsan @known.aclsan",
    "export --format pprof @a.aclsan",
    "export --format heaptrack @a.aclsan",
    "export --format massif @a.aclsan",
    "export --format chrome-trace @a.aclsan",
    "export --format torch-snapshot @a.aclsan",
    "export --format memscope-csv @a.aclsan",
    "export --format valgrind-xml @a.aclsan",
    "export --format flamegraph --of peak @a.aclsan",
    "export --format speedscope --of allocated @a.aclsan",
    "export --format sarif @a.aclsan",
    "export --format junit @a.aclsan",
    "export --format prometheus @a.aclsan",
];

/// One for each `choice`.
pub fn of(choice: u8) -> &'static str {
    READERS[usize::from(choice) % READERS.len()]
}
