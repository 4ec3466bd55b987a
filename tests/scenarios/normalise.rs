//! Removes from a report only what differs between runs and machines.

/// Process numbers, addresses, paths of logs and of sources, and libc's own frames are replaced or dropped.
pub fn report(text: &str) -> String {
    let kept = text.lines().filter(|line| {
        ![
            "__libc_start",
            " in _start",
            "/libc.so",
            " in start_thread ",
            " in clone3 ",
            " in __clone",
        ]
        .iter()
        .any(|libc| line.contains(libc))
    });
    kept.map(|line| {
        let line = words(&sources(&addresses(&pid(&times(line)))));
        match line.split_once("the event log is `") {
            Some((before, _)) => format!("{before}the event log is `LOG`: aclsan report shows it"),
            None => line,
        }
    })
    .map(|line| line + "\n")
    .collect()
}

/// The number of slow allocations depends on the machine.
fn times(line: &str) -> String {
    let is_told = line.contains("10 µs or more, ") || line.contains("less than 10 µs");
    match (is_told, line.find("==   ")) {
        (true, Some(at)) => format!("{}==   TIMES", &line[..at]),
        _ => line.to_owned(),
    }
}

fn pid(line: &str) -> String {
    match line
        .strip_prefix("==")
        .and_then(|rest| rest.split_once("=="))
    {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("==PID=={rest}")
        }
        _ => line.into(),
    }
}

fn addresses(line: &str) -> String {
    let mut parts = line.split("0x");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += "ADDR";
        out += part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    out
}

/// Replaces durations, thread numbers and the paths of files that a test made.
fn words(line: &str) -> String {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let is_unit =
        |word: &str| matches!(word.trim_end_matches([',', ':']), "ns" | "µs" | "ms" | "s");
    let words: Vec<&str> = line.split(' ').collect();
    let word = |at: usize| {
        let word = words[at];
        let next = words.get(at + 1).copied().unwrap_or_default();
        match at.checked_sub(1).map(|before| words[before]) {
            _ if is_number(word) && is_unit(next) => "N".to_owned(),
            Some("on") if line.contains(" calls in ") => "vm:".to_owned(), // the machine
            Some("thread") => {
                "TID".to_owned() + word.trim_start_matches(|c: char| c.is_ascii_digit())
            }
            Some(before) if is_number(before) && is_unit(word) => {
                let unit = word.trim_end_matches([',', ':']);
                format!("ms{}", &word[unit.len()..])
            }
            _ if word.starts_with('/') && word.contains("/target/tmp/") => word
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .replace(|c: char| c.is_ascii_digit(), ""),
            _ => word.to_owned(),
        }
    };
    (0..words.len()).map(word).collect::<Vec<_>>().join(" ")
}

/// Cuts `…/tests/programs/` off the paths of programs' sources, `…/simulator/` off those of its headers, and the line numbers off the
/// simulator's own.
fn sources(line: &str) -> String {
    let cut = |word: &str| match (
        word.split_once("/tests/programs/"),
        word.split_once("/tests/simulator/"),
    ) {
        (Some((_, rest)), _) => rest.to_owned(),
        (_, Some((_, rest))) => {
            let file = rest.split(':').next().unwrap_or_default();
            format!("simulator/{file}")
        }
        _ if word.contains("/include/aclsan.h:") => "include/aclsan.h".to_owned(),
        _ => match word.split_once("/simulator/include/") {
            Some((_, rest)) => format!("include/{rest}"),
            None => word.to_owned(),
        },
    };
    line.split(' ').map(cut).collect::<Vec<_>>().join(" ")
}

#[test]
fn only_what_varies_is_replaced() {
    let text = "==12== a 0x1f is 3 bytes inside [0x10, 0x20)\n==12==     #3 0x7f in __libc_start_main x.c:5\n";
    assert_eq!(
        report(text),
        "==PID== a ADDR is 3 bytes inside [ADDR, ADDR)\n"
    );
}
