//! Rooms of the shim import downwards only.
//!
//! The lower rooms are crates, and the compiler holds them to it. The upper ones are modules of the root package, which share its state on
//! every line: here their imports are read from the sources.

use crate::checkout::{File, files};

/// The upper rooms, each with the modules and crates of the shim that it may import besides itself.
const ROOMS: [(&str, &[&str]); 7] = [
    (
        "calls",
        &[
            "abi",
            "lifecycle",
            "heap",
            "judge",
            "record",
            "runtime",
            "state",
            "guards",
            "sink",
            "tables",
            "unwind",
            "options",
            "os",
        ],
    ),
    (
        "lifecycle",
        &[
            "heap", "judge", "record", "state", "guards", "unwind", "options", "os",
        ],
    ),
    (
        "heap",
        &[
            "judge", "record", "runtime", "state", "guards", "tables", "unwind", "options", "os",
        ],
    ),
    (
        "judge",
        &[
            "record", "state", "sink", "tables", "unwind", "options", "os",
        ],
    ),
    (
        "record",
        &[
            "runtime", "state", "sink", "tables", "unwind", "options", "os",
        ],
    ),
    ("runtime", &["state", "guards", "unwind", "abi", "os"]),
    (
        "state",
        &["guards", "sink", "tables", "unwind", "options", "os"],
    ),
];

/// Names of crates that are rooms of the shim.
const CRATES: [&str; 6] = ["guards", "sink", "tables", "unwind", "options", "os"];

/// Rooms that a line of code names by a path: `crate::ROOM` or `aclsan_ROOM`.
fn named(line: &str) -> Vec<String> {
    let word = |rest: &str| -> String {
        rest.chars()
            .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
            .collect()
    };
    let modules = line.split("crate::").skip(1).map(word);
    let crates = line.split("aclsan_").skip(1).map(word);
    modules
        .filter(|name| !name.is_empty())
        .chain(crates.filter(|name| CRATES.contains(&name.as_str())))
        .collect()
}

fn violations(room: &str, may: &[&str], file: &File) -> Vec<String> {
    let lines = file.text.lines().enumerate();
    let code = lines.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.flat_map(|(number, line)| {
        let stray = named(line)
            .into_iter()
            .filter(|name| name != room && !may.contains(&name.as_str()));
        stray
            .map(|name| format!("{}:{}: imports {name}", file.name, number + 1))
            .collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn rooms_of_the_shim_import_only_what_is_below_them() {
    let files = files();
    let mut wrong = Vec::new();
    for (room, may) in ROOMS {
        let own = format!("shim/{room}/");
        let own = files
            .iter()
            .filter(|file| file.is_rust() && file.name.starts_with(&own));
        let own: Vec<_> = own.collect();
        assert!(!own.is_empty(), "{room}");
        wrong.extend(own.iter().flat_map(|file| violations(room, may, file)));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn paths_are_read() {
    assert_eq!(named("use crate::heap::{self, Request};"), ["heap"]);
    assert_eq!(named("use aclsan_os::clock;"), ["os"]);
    assert!(named("use aclsan_rules::judge::{self, Use};").is_empty());
}
