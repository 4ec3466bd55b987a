//! Replaces what varies from run to run by something that could have been printed: pages are read by people.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

/// Replacements, in this order.
const REPLACED: [(&str, &str); 13] = [
    (r"^==\d+==", "==4711=="),
    // Code of programs, libraries, stacks: addresses of devices are the simulator's and the same everywhere.
    (r"\b0x[57][[:xdigit:]]{11}\b", "0x5581f0c3a1b4"),
    (r"\bthread \d+", "thread 4711"),
    (r"线程 \d+", "线程 4711"),
    (r"\bprocess \d+", "process 4711"),
    (r"进程 \d+", "进程 4711"),
    (r"\b\d+\.\d+ (ns|µs|ms|s)\b", "1.0 ms"),
    // Start-up code depends on the libc, the others on compilers and on Python's version.
    (r"… \d+ ", "… 3 "),
    (r"的 \d+ 帧", "的 3 帧"),
    (r"#\d+ in ", "#3 in "),
    (r"\bunique_ptr\.h:\d+", "unique_ptr.h:396"),
    (r"\baclsan-[^ /]+-\d+\.aclsan", "aclsan-host-4711.aclsan"),
    (r" +$", ""),
];

/// `printed`, with paths below the working folder, the artifacts and the sources made relative.
pub fn output(printed: &str, folder: &Path, artifacts: &Path, sources: &Path) -> String {
    static COMPILED: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let compile = |(pattern, by)| (Regex::new(pattern).expect("a regular expression"), by);
        REPLACED.map(compile).into()
    });
    let mut text = printed.to_owned();
    for (path, by) in [(folder, ""), (artifacts, "aclsan/"), (sources, "")] {
        text = text.replace(&format!("{}/", path.display()), by);
    }
    let lines = text.lines().map(|line| {
        COMPILED
            .iter()
            .fold(line.to_owned(), |line, (pattern, by)| {
                pattern.replace_all(&line, *by).into_owned()
            })
            + "\n"
    });
    lines.collect()
}

#[test]
fn the_same_twice_is_the_same() {
    let line = "==12== #0 0x55ba9b074291 in main /tmp/x/reused.c:17 … 2 frames of start-up code, 57.5 ms, thread 12\n";
    let none = Path::new("/nowhere");
    let once = output(line, Path::new("/tmp/x"), none, none);
    let expected = "==4711== #0 0x5581f0c3a1b4 in main reused.c:17 … 3 frames of start-up code, 1.0 ms, thread 4711\n";
    assert_eq!(once, expected);
    assert_eq!(output(&once, none, none, none), once);
}
