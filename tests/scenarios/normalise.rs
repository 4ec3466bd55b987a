//! Takes out of a report what differs from run to run and from machine to machine, and nothing else.

/// Process numbers, addresses, paths of logs and of sources, and libc's own frames are replaced or dropped.
pub fn report(text: &str) -> String {
    let kept = text.lines().filter(|line| {
        !["__libc_start", " in _start", "/libc.so"]
            .iter()
            .any(|libc| line.contains(libc))
    });
    kept.map(|line| {
        let line = sources(&addresses(&pid(line)));
        match line.split_once("the event log is `") {
            Some((before, _)) => format!("{before}the event log is `LOG`: aclsan report shows it"),
            None => line,
        }
    })
    .map(|line| line + "\n")
    .collect()
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

/// Cuts `…/tests/programs/` off the paths of sources.
fn sources(line: &str) -> String {
    let cut = |word: &str| match word.split_once("/tests/programs/") {
        Some((_, rest)) => rest.to_owned(),
        None => word.to_owned(),
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
