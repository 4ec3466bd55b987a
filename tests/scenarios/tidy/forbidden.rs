//! Forbidden words, sizes and names.

use crate::checkout::{File, files};

const MOST_LINES: usize = 400;

/// Files that may be longer, and why.
const LONG: &[(&str, &str)] = &[
    ("Cargo.lock", "generated"),
    ("docs/builder/Cargo.lock", "generated"),
    ("tests/fuzz/Cargo.lock", "generated"),
    ("shim/abi/bindings.rs", "generated"),
    ("shim/abi/prototypes.cpp", "one prototype a hook"),
    (
        "reports/render/schema/report.schema.json",
        "a schema is one document",
    ),
];

/// Rust files outside `shim/` that contain the word as data.
const UNSAFE_AS_TEXT: &[&str] = &[
    "analyzer/src/symbols/tests/languages.rs",
    "tests/scenarios/binaries/exports.rs",
];

fn report(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// The lines with any of `words`, outside this file.
fn lines_with(file: &File, words: &[&str]) -> Vec<String> {
    let lines = file.text.lines().enumerate();
    let found = lines.filter(|(_, line)| words.iter().any(|word| line.contains(word)));
    found
        .filter(|_| file.name != "tests/scenarios/tidy/forbidden.rs")
        .map(|(number, line)| format!("{}:{}: {}", file.name, number + 1, line.trim()))
        .collect()
}

#[test]
fn what_a_test_leaves_out_goes_through_one_function() {
    let said = ["left out: ", "skipped: ", "there is no ", "no C++ compiler"];
    let prints: Vec<String> = said.map(|words| format!("println!(\"{words}")).to_vec();
    let prints: Vec<&str> = prints.iter().map(String::as_str).collect();
    let files = files();
    let tests = files
        .iter()
        .filter(|file| file.name.contains("tests/") && !file.name.contains("/benches/"));
    report(tests.flat_map(|file| lines_with(file, &prints)).collect());
}

#[test]
fn no_file_is_long_without_a_reason() {
    let files = files();
    let long = files
        .iter()
        .filter(|file| file.text.lines().count() > MOST_LINES);
    let unlisted = long.filter(|file| !LONG.iter().any(|(name, _)| *name == file.name));
    report(
        unlisted
            .map(|file| {
                let lines = file.text.lines().count();
                format!(
                    "{} has {lines} lines: split it, or list it with a reason",
                    file.name
                )
            })
            .collect(),
    );
    for (name, _) in LONG {
        let file = files.iter().find(|file| file.name == *name);
        let is_long = file.is_some_and(|file| file.text.lines().count() > MOST_LINES);
        assert!(is_long, "{name} need not be listed any more");
    }
}

#[test]
fn no_file_is_named_for_nothing_in_particular() {
    let vague = [
        "util", "utils", "common", "manager", "helper", "helpers", "misc",
    ];
    let files = files();
    let wrong = files.iter().filter(|file| {
        let mut parts = file.name.split(['/', '.', '_', '-']);
        parts.any(|part| vague.contains(&part))
    });
    report(wrong.map(|file| file.name.clone()).collect());
}

#[test]
fn only_the_shim_is_unsafe() {
    let files = files();
    let outside = files
        .iter()
        .filter(|file| file.is_rust() && !file.name.starts_with("shim/"))
        .filter(|file| !UNSAFE_AS_TEXT.contains(&file.name.as_str()));
    let words = [
        "unsafe {",
        "unsafe fn",
        "unsafe impl",
        "unsafe extern",
        "unsafe(",
        "static mut",
    ];
    report(outside.flat_map(|file| lines_with(file, &words)).collect());
    for file in &files {
        let parts: Vec<&str> = file.name.split('/').collect();
        let is_root = matches!(
            parts[..],
            ["analyzer", "src", "main.rs" | "lib.rs"]
                | ["reports", _, "src", "lib.rs"]
                | ["tests", "harness", "lib.rs"]
        );
        assert!(
            !is_root || file.text.contains("#![forbid(unsafe_code)]"),
            "{} does not forbid unsafe code",
            file.name
        );
    }
}

/// The shim's own calls into the runtime go through its slots, which guard them; what has an address of the runtime's otherwise only forwards.
#[test]
fn the_shim_calls_the_runtime_in_one_way() {
    const OTHERS: [&str; 4] = [
        "shim/calls/mod.rs",           // forwards
        "shim/calls/annotations/mstx", // another tool's functions
        "shim/runtime/caught.rs",      // those of C++
        "shim/runtime/slots.rs",       // the way itself
    ];
    let files = files();
    let own = files.iter().filter(|file| {
        let is_ours = [
            "shim/calls/",
            "shim/heap/",
            "shim/judge/",
            "shim/record/",
            "shim/runtime/",
            "shim/state/",
        ];
        let starts = |with: &[&str]| with.iter().any(|with| file.name.starts_with(with));
        starts(&is_ours) && !starts(&OTHERS)
    });
    let words = ["transmute::<*const ()", "transmute_copy", ".forward("];
    const FORWARDS: &str = "shim/runtime/virtual_memory.rs"; // a wait that the program has asked for
    let found = own.flat_map(|file| lines_with(file, &words));
    report(found.filter(|line| !line.starts_with(FORWARDS)).collect());
}

#[test]
fn nothing_is_left_open_and_no_test_is_left_out() {
    let words = ["todo!(", "unimplemented!(", "#[ignore", "dbg!("];
    let files = files();
    let rust = files.iter().filter(|file| file.is_rust());
    report(rust.flat_map(|file| lines_with(file, &words)).collect());
}

/// They panic where nothing can be written, and the exit code is lost: `notice` and `output` do not.
#[test]
fn the_command_prints_by_no_macro() {
    let words = ["println!(", "print!("];
    let files = files();
    let own = files.iter().filter(|file| {
        let is_test = file.name.contains("/tests/");
        file.is_rust() && file.name.starts_with("analyzer/src/") && !is_test
    });
    report(own.flat_map(|file| lines_with(file, &words)).collect());
}

#[test]
fn no_test_sleeps() {
    let files = files();
    let rust = files.iter().filter(|file| file.is_rust());
    let tests = rust.map(|file| {
        let is_test = file.name.starts_with("tests/") || file.name.contains("/tests/");
        let start = if is_test {
            Some(0)
        } else {
            file.text.find("#[cfg(test)]")
        };
        File {
            name: file.name.clone(),
            text: file.text[start.unwrap_or(file.text.len())..].to_owned(),
        }
    });
    report(
        tests
            .flat_map(|file| lines_with(&file, &["thread::sleep"]))
            .collect(),
    );
}

#[test]
fn no_machine_shows_through() {
    // Paths of development machines and registry hosts: each user has their own.
    let words = [
        "/work/",
        "/root/",
        "crates.io",
        "pypi.org",
        "npmjs",
        "goproxy",
    ];
    let files = files();
    let written = files.iter().filter(|file| file.last() != "Cargo.lock");
    report(written.flat_map(|file| lines_with(file, &words)).collect());
}

#[test]
fn text_ends_its_lines_and_leaves_no_blanks() {
    let files = files();
    let ours = files
        .iter()
        // Recorded output is kept as it is printed.
        .filter(|file| file.last() != "Cargo.lock")
        .filter(|file| !file.name.ends_with(".report") && !file.name.ends_with(".trycmd"));
    let blank = ours.flat_map(|file| {
        let lines = file.text.lines().enumerate();
        let blank = lines.filter(|(_, line)| line.ends_with([' ', '\t']));
        let ends = (!file.text.is_empty() && !file.text.ends_with('\n'))
            .then(|| format!("{}: no line end at its end", file.name));
        blank
            .map(|(number, _)| {
                format!(
                    "{}:{}: blanks at the end of the line",
                    file.name,
                    number + 1
                )
            })
            .chain(ends)
            .collect::<Vec<_>>()
    });
    report(blank.collect());
}

/// A filter may end the process for a call that it does not expect: `shim/os` asks for one first, or says why a call is safe.
#[test]
fn unusual_system_calls_are_made_in_one_room() {
    let words = [
        "libc::syscall(",
        "system_call(",
        "libc::process_vm_",
        "libc::mincore(",
        "libc::prctl(",
        "libc::ptrace(",
        "libc::tgkill(",
        "libc::membarrier",
    ];
    let files = files();
    let outside = files.iter().filter(|file| {
        let is_shim = file.name.starts_with("shim/") && !file.name.starts_with("shim/os/");
        file.is_rust() && is_shim
    });
    report(outside.flat_map(|file| lines_with(file, &words)).collect());
}
