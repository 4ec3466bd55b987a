//! Takes out of a report what differs from run to run and from machine to machine, and nothing else.
//!
//! Regular expressions, not snapbox's redactions. Those replace by placeholders in brackets (`[ADDR]`), which would rewrite each
//! expected report, and a report has brackets of its own: the bounds of blocks. They also replace wherever their value occurs, without
//! regard to its line, and do not drop lines.

use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Lines of libc's own frames, which are dropped.
static LIBC: LazyLock<Regex> = LazyLock::new(|| {
    compile(r"__libc_start| in _start|/libc\.so| in start_thread | in clone3 | in __clone")
});

/// Replacements on the other lines, in this order.
const REPLACED: [(&str, &str); 15] = [
    // Start-up code depends on the libc, the others on compilers and on Python's version.
    (r" … \d+ frames? of [^…]*start-up code$", ""),
    (r" … \d+ frames? of ", " … N frames of "),
    // How many allocations were slow depends on the machine.
    (
        "^(.*?==   ).*(10 µs or more, |less than 10 µs).*$",
        "${1}TIMES",
    ),
    (r"^==\d+==", "==PID=="),
    // A release changes no expected output.
    (r"aclsan: \d+\.\d+\.\d+ watches", "aclsan: VERSION watches"),
    ("0x[[:xdigit:]]*", "ADDR"),
    // Sources: of programs below `tests/programs`; of the simulator, without line numbers; headers.
    ("[^ ]*?/tests/programs/", ""),
    ("[^ ]*?/tests/simulator/([^ :]*)[^ ]*", "simulator/$1"),
    // A frame of the simulator without a source has a module, in a folder of its topology.
    (r"\(/[^ ]*/simulator/[^ ]*/([^/ ]*\.so)\+", "($1+"),
    (r"[^ ]*/include/aclsan\.h:[^ ]*", "include/aclsan.h"),
    ("[^ ]*?/simulator/include/", "include/"),
    // The machine's name, in the line that sums up a log.
    (" on [^ ]+( .*calls in )", " on vm:$1"),
    (r"(^| )thread \d*", "${1}thread TID"),
    (
        r"(^| )\d+(?:\.\d+)? (?:ns|µs|ms|s)([,:]*)( |$)",
        "${1}N ms$2$3",
    ),
    ("; `aclsan report .*` shows the rest", "; LOG"),
];

/// A file that a test made: its name remains, without the numbers of processes.
static MADE: LazyLock<Regex> =
    LazyLock::new(|| compile("(^| )/[^ ]*/target/tmp/(?:[^ ]*/)?([^ /]*)"));

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a regular expression")
}

/// Process numbers, addresses, durations, threads, paths of logs and of sources, and libc's own frames are replaced or dropped.
pub fn report(text: &str) -> String {
    static COMPILED: LazyLock<Vec<(Regex, &str)>> =
        LazyLock::new(|| REPLACED.map(|(pattern, by)| (compile(pattern), by)).into());
    let without_digits = |found: &Captures| {
        let name = found[2].replace(|c: char| c.is_ascii_digit(), "");
        format!("{}{name}", &found[1])
    };
    let kept = text.lines().filter(|line| !LIBC.is_match(line));
    kept.map(|line| {
        let line = MADE.replace_all(line, without_digits).into_owned();
        COMPILED.iter().fold(line, |line, (pattern, by)| {
            pattern.replace_all(&line, *by).into_owned()
        }) + "\n"
    })
    .collect()
}

#[test]
fn only_what_varies_is_replaced() {
    for (line, kept) in [
        (
            "==12== a 0x1f is 3 bytes inside [0x10, 0x20)",
            "==PID== a ADDR is 3 bytes inside [ADDR, ADDR)\n",
        ),
        (
            "#1 0x2 in main /home/me/tests/programs/copies/a.c:3 … 3 frames of start-up code",
            "#1 ADDR in main copies/a.c:3\n",
        ),
        ("==12==     #3 0x7f in __libc_start_main x.c:5", ""),
        (
            "==12==   4 of 9 took 10 µs or more, 3 of them longer",
            "==PID==   TIMES\n",
        ),
        (
            "==12==     #0 0x1 in f /home/me/tests/programs/copies/a.c:3",
            "==PID==     #0 ADDR in f copies/a.c:3\n",
        ),
        (
            "#1 0x2 in g /home/me/tests/simulator/engine/heap.c:77:1",
            "#1 ADDR in g simulator/engine/heap.c\n",
        ),
        (
            "#1 0x2 in g /out/include/aclsan.h:40",
            "#1 ADDR in g include/aclsan.h\n",
        ),
        (
            "#1 0x2 in g /out/simulator/include/acl/acl_rt.h:40",
            "#1 ADDR in g include/acl/acl_rt.h:40\n",
        ),
        (
            "==7== aclsan: program on box7: 9 calls in 1.5 s, from /x/target/tmp/t9/12.aclsan",
            "==PID== aclsan: program on vm: 9 calls in N ms, from .aclsan\n",
        ),
        (
            "allocated in thread 12: 3 ms after, 2 blocks",
            "allocated in thread TID: N ms after, 2 blocks\n",
        ),
        (
            "==1== SUMMARY: aclsan: 1 error; `aclsan report /tmp/1.aclsan` shows the rest",
            "==PID== SUMMARY: aclsan: 1 error; LOG\n",
        ),
    ] {
        assert_eq!(report(line), kept);
    }
}
