//! An interrupted command leaves no partial file, whatever it writes and whenever the signal comes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use super::story::*;

const SIGXFSZ: i32 = 25;

/// A log with large output: many blocks, all leaked, and hundreds of sites.
fn long() -> Vec<u8> {
    let (mut synth, ..) = beginning();
    let sites: Vec<_> = (0..500)
        .map(|n| synth.site("aclrtMalloc", 0, 0, &[0x40_1000 + n, 0x40_2000]))
        .collect();
    for n in 0..4_000 {
        let address = 0x12_0000_0000 + n * 0x1000;
        let site = sites[n as usize % sites.len()];
        synth.at(n * 10).allocation(7, site, address, 4096);
    }
    synth.bytes()
}

/// Each command that writes a file, and how a complete one begins and ends.
const WRITERS: [(&[&str], &[u8], &[u8]); 7] = [
    (
        &["report", "--progress", "--html", "out/file"],
        b"<!DOCTYPE html>",
        b"</html>\n",
    ),
    (
        &[
            "export",
            "--progress",
            "--format",
            "memscope-db",
            "-o",
            "out/file",
        ],
        b"SQLite format 3\0",
        b"",
    ),
    (
        &[
            "export",
            "--progress",
            "--format",
            "memscope-csv",
            "-o",
            "out/file",
        ],
        b"ID,Event,",
        b"\n",
    ),
    (
        &[
            "export",
            "--progress",
            "--format",
            "torch-snapshot",
            "-o",
            "out/file",
        ],
        b"\x80",
        b".",
    ),
    (
        &["export", "--progress", "--format", "json", "-o", "out/file"],
        b"{",
        b"}\n",
    ),
    (
        &["check", "--progress", "--sarif", "out/file"],
        b"{",
        b"}\n",
    ),
    (
        &["check", "--progress", "--junit", "out/file"],
        b"<?xml",
        b"</testsuites>\n",
    ),
];

fn is_whole(bytes: &[u8], begins: &[u8], ends: &[u8]) -> bool {
    bytes.starts_with(begins) && bytes.ends_with(ends)
}

/// Whether the interrupt or the end comes first is left to chance: the file is complete, or was never there.
#[test]
fn an_interrupt_leaves_no_half_file() {
    let folder = Folder::new();
    folder.file("long.aclsan", &long());
    for (arguments, begins, ends) in WRITERS {
        let out = folder.path().join("out");
        let _ = fs::remove_dir_all(&out);
        fs::create_dir(&out).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_aclsan"))
            .args(arguments)
            .arg("long.aclsan")
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It has started to read when it prints its progress.
        let mut line = String::new();
        let said = child.stderr.take().unwrap();
        BufReader::new(said).read_line(&mut line).unwrap();
        assert!(line.contains("of long.aclsan read"), "{line}");
        let mut interrupt = Command::new("kill");
        interrupt.args(["-INT", &child.id().to_string()]);
        interrupt.status().unwrap();
        child.wait().unwrap();
        for entry in fs::read_dir(&out).unwrap() {
            let path = entry.unwrap().path();
            assert!(path.ends_with("file"), "{arguments:?}: {path:?}");
            let bytes = fs::read(path).unwrap();
            assert!(is_whole(&bytes, begins, ends), "{arguments:?}");
        }
    }
}

/// The kernel ends the command while it writes: after the sixteenth block that its limit allows.
#[test]
fn a_signal_amid_the_writing_leaves_the_file_that_was_there_and_nothing_beside_it() {
    let folder = Folder::new();
    folder.file("long.aclsan", &long());
    for (arguments, begins, ends) in WRITERS {
        let is_database = arguments.contains(&"memscope-db");
        let _ = fs::remove_dir_all(folder.path().join("out"));
        let before: &[u8] = b"the one before";
        match is_database {
            // A database is never overwritten.
            true => fs::create_dir(folder.path().join("out")).unwrap(),
            false => drop(folder.file("out/file", before)),
        }
        let run = |script: &str| {
            let mut shell = Command::new("sh");
            shell.args(["-c", script, env!("CARGO_BIN_EXE_aclsan")]);
            shell.args(arguments).arg("long.aclsan");
            shell.stdout(Stdio::null()).stderr(Stdio::null());
            shell.current_dir(folder.path()).status().unwrap()
        };
        // 16 blocks of 512 bytes.
        let status = run("ulimit -f 16; exec \"$0\" \"$@\"");
        assert_eq!(status.signal(), Some(SIGXFSZ), "{arguments:?}: {status}");
        let list = fs::read_dir(folder.path().join("out")).unwrap();
        let there: Vec<_> = list.map(|entry| entry.unwrap().file_name()).collect();
        match is_database {
            true => assert!(there.is_empty(), "{arguments:?}: {there:?}"),
            false => {
                assert_eq!(there, ["file"], "{arguments:?}");
                let now = fs::read(folder.path().join("out/file")).unwrap();
                assert!(now == before, "{arguments:?}");
            }
        }
        // Without the limit the file is there, and larger than that.
        assert!(matches!(run("exec \"$0\" \"$@\"").code(), Some(0 | 1)));
        let whole = fs::read(folder.path().join("out/file")).unwrap();
        assert!(whole.len() > 16 * 512 && is_whole(&whole, begins, ends));
    }
}
