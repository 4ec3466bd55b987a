//! What suppression lines cover: generated lines, overlapping lines, and built-in lines.

use aclsan_log::builder::LogBuilder;
use aclsan_log::{Definition, Event, Mapping, PythonFrame, ScanOutcome};

use super::story::*;

/// A program with leaks, each on its own stack: `function` in `file` per frame, innermost first. Files that begin with `native:` are not
/// Python's.
fn leaking(stacks: &[&[(&str, &str)]]) -> LogBuilder {
    let (mut synth, ..) = beginning();
    let mut code = 0;
    for (number, stack) in (1..).zip(stacks) {
        let frames = stack.iter().map(|&(function, file)| {
            code += 1;
            let (function, file) = (function.to_owned(), file.to_owned());
            synth.define(Definition::PythonCode {
                id: code,
                function,
                file,
            });
            PythonFrame { code, line: 0 }.address()
        });
        let frames: Vec<u64> = frames.collect();
        let site = synth.site("aclrtMalloc", 0, 0, &frames);
        synth.at(number).allocation(1, site, number << 20, 100);
    }
    synth.at(1000).event(1, Event::Exit);
    synth
}

const MAIN: (&str, &str) = ("main", "native:/opt/app/train");

/// The output of `check` on `after`, with the lines generated from `before`; and those lines.
fn checked(before: &LogBuilder, after: &LogBuilder) -> (String, Said) {
    let folder = Folder::new();
    folder.file("before.aclsan", &before.bytes());
    folder.file("after.aclsan", &after.bytes());
    let made = folder.run(&["check", "--gen-suppressions", "before.aclsan"]);
    folder.file("made.supp", made.out.as_bytes());
    let said = folder.run(&["check", "--suppressions", "made.supp", "after.aclsan"]);
    (made.out, said)
}

#[test]
fn lines_that_were_made_cover_their_finding_and_nothing_that_is_called_from_there() {
    for (outer, line) in [
        (MAIN, "leak caller:^main (train)$"),
        (
            ("<module>", "/home/me/p.py"),
            "leak caller:^<module> (p.py)$",
        ),
        (
            ("operator()", "native:/opt/app/train"),
            "leak caller:^operator() (train)$",
        ),
        (
            ("Box<int>::operator*()", "native:/opt/app/train"),
            "leak caller:^Box<int>::operator\\*()$",
        ),
    ] {
        let known = leaking(&[&[outer]]);
        let (made, said) = checked(&known, &known);
        assert_eq!(
            made,
            format!("# 1 block, 100 bytes, was never released\n{line}\n")
        );
        assert_eq!(said.code, 0, "{said:?}");

        let inner = match outer.0 {
            "<module>" => ("step", "/home/me/p.py"),
            _ => ("step", "native:/opt/app/train"),
        };
        let (_, said) = checked(&known, &leaking(&[&[outer], &[inner, outer]]));
        assert_eq!(said.code, 1, "{line}: {said:?}");
        assert!(
            said.out
                .contains("Suppressed: 1 finding, 100 bytes leaked\n"),
            "{}",
            said.out
        );
    }
}

#[test]
fn a_name_that_is_no_line_is_reported_and_the_others_stand() {
    let strange = ("f\nleak:main", "/home/me/p.py");
    let ending = ("g # until=2001-01-01", "/home/me/p.py");
    let known = leaking(&[&[strange], &[ending], &[MAIN]]);
    let (made, said) = checked(&known, &known);
    let unnamed =
        "# There is no line for this `leak`: the name of its caller cannot stand in such a line\n";
    assert_eq!(made.matches(unnamed).count(), 1, "{made}");
    assert!(made.ends_with("leak caller:^main (train)$\n"), "{made}");
    assert_eq!(said.code, 1);
    assert!(
        said.out.contains("Suppressed: 1 finding,"),
        "{made}{said:?}"
    );
}

#[test]
fn a_line_is_written_once_and_counts_whatever_stands_before_it() {
    let inner = ("grab", "native:/opt/app/train");
    let other = ("fill", "native:/opt/app/train");
    let known = leaking(&[&[inner, MAIN], &[inner, other, MAIN]]);
    let (made, said) = checked(&known, &known);
    assert_eq!(
        made,
        "# 1 block, 100 bytes, was never released\nleak caller:^grab$\n"
    );
    assert!(!said.out.contains("covers nothing"), "{}", said.out);

    let folder = Folder::new();
    folder.file("a.aclsan", &known.bytes());
    folder.file("known.supp", b"leak:^main$\nleak:^grab$\nleak:^fill$\n");
    let said = folder.run(&["check", "--suppressions", "known.supp", "a.aclsan"]);
    assert_eq!(said.code, 0, "{said:?}");
    for line in [
        "Suppressed: 2 findings, 200 bytes leaked",
        "`leak:^main$` (known.supp:1): 2 findings",
        "`leak:^grab$` (known.supp:2): 2 findings",
        "`leak:^fill$` (known.supp:3): 1 finding",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
}

#[test]
fn what_cann_keeps_and_still_knows_is_not_reported_unless_it_is_asked_for() {
    let kept = |library: &str| {
        let (mut synth, ..) = beginning();
        synth.define(Definition::Module {
            start: 0x70_0000,
            end: 0x80_0000,
            bias: 0x70_0000,
            build_id: Vec::new(),
            path: format!("/usr/local/lib/{library}"),
        });
        let site = synth.site("aclrtMalloc", 0, 0, &[0x70_1000, 0x40_2000]);
        let block = synth.allocation(1, site, 0x10_0000, 100);
        let mapping = Mapping::Heap;
        synth.event(
            1,
            Event::Pointer {
                block,
                at: 0x9000,
                mapping,
            },
        );
        synth.event(
            1,
            Event::Scan {
                outcome: ScanOutcome::Whole,
                bytes: 4096,
                ns: 1,
                threads: 0,
            },
        );
        synth.event(1, Event::Exit);
        synth.bytes()
    };
    let folder = Folder::new();
    folder.file("theirs.aclsan", &kept("libopapi_math.so"));
    folder.file("users.aclsan", &kept("libopapi_mine.so"));
    let found = |arguments: &[&str]| {
        let json = folder
            .run(&[&["check", "--json"], arguments].concat())
            .json();
        let findings = json["findings"].as_array().unwrap();
        let rules = findings.iter().map(|finding| finding["rule"].to_string());
        rules.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found(&["theirs.aclsan"]), "");
    assert_eq!(
        found(&["--no-builtin-suppressions", "theirs.aclsan"]),
        "\"leak-reachable\""
    );
    assert_eq!(found(&["users.aclsan"]), "\"leak-reachable\"");
}
