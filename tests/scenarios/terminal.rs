//! What a person reads on a terminal: the demo as a whole, and reports at several widths.

use crate::normalise;
use crate::program::{Program, folder};
use crate::pty::Terminal;
use crate::rules::compare;
use aclsan_tests::artifacts::{self, Topology};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Widths that people have.
const WIDTHS: [u16; 4] = [72, 80, 100, 160];

/// Those at which the programs' findings are on file.
const GOLDEN: [u16; 2] = [80, 160];

/// A program of each kind.
const PROGRAMS: [&str; 12] = [
    "carving/suballoc_misaligned.c",
    "consequences/copy_overrun.c",
    "consequences/mismatched_free.c",
    "copies/copy_use_after_free.c",
    "copies/copy_wrong_direction.c",
    "guards/guard_underrun.c",
    "lifecycle/live_at_reset.c",
    "order/free_in_flight.c",
    "releases/double_free.c",
    "releases/interior_free.c",
    "stacks/lambdas.cpp",
    "virtual_memory/vmm_order.c",
];

/// Runs `command` on a terminal that is `columns` wide; what it printed.
fn on_terminal(command: &mut Command, columns: u16) -> String {
    let mut terminal = Terminal::new(columns, 50);
    command.env("NO_COLOR", "1").env("LC_ALL", "C");
    let command = std::mem::replace(command, Command::new("true"));
    let mut child = terminal.start(command);
    let mut text = Vec::new();
    let _ = terminal.far.read_to_end(&mut text); // ends with EIO
    child.wait().expect("it ends");
    String::from_utf8_lossy(&text).replace("\r\n", "\n")
}

fn widest(text: &str) -> usize {
    let lines = text.lines().map(|line| line.chars().count());
    lines.max().unwrap_or(0)
}

/// What the programs' folder is called, so that lines fold at the same place whatever the checkout's path is.
const SOURCES: &str = "/src";

/// A folder that is like the root of this machine, with the programs in `SOURCES`.
fn sysroot() -> PathBuf {
    let root = artifacts::scratch("terminal-root");
    for entry in std::fs::read_dir("/").expect("the root") {
        let entry = entry.expect("entry");
        let link = root.join(entry.file_name());
        std::os::unix::fs::symlink(entry.path(), link).expect("a link");
    }
    let _ = std::fs::remove_file(root.join("src"));
    std::os::unix::fs::symlink(folder(), root.join("src")).expect("a link");
    root
}

/// The report of a program on a terminal.
fn report(logs: &[PathBuf], root: &Path, columns: u16) -> String {
    let mut command = Command::new(artifacts::command());
    command.arg("report").arg("--sysroot").arg(root).args(logs);
    on_terminal(&mut command, columns)
}

/// The findings of a report, with their table, and its end. Left out: the log's path, and tables of memory, whose columns are as wide as
/// processes' numbers and times.
fn findings(report: &str) -> String {
    let (_, rest) = report.split_once("\n\n").expect("a line on the log");
    let (findings, _) = rest.split_once("\nMemory\n").expect("a table of memory");
    let (_, summary) = rest.rsplit_once("\n\n").expect("a last line");
    normalise::report(&format!("{findings}\n{summary}"))
}

#[test]
fn twelve_programs_fit_terminals_of_four_widths() {
    let root = sysroot();
    let mut wrong = Vec::new();
    for name in PROGRAMS {
        let run = Program::new(name).called(SOURCES).run(Topology::One, "");
        for columns in WIDTHS {
            let all = report(&run.logs, &root, columns);
            if widest(&all) > columns.into() {
                let widest = widest(&all);
                wrong.push(format!("{name} is {widest} wide at {columns}:\n{all}"));
            }
            if GOLDEN.contains(&columns) {
                let file = folder()
                    .join(name)
                    .with_extension(format!("{columns}.terminal"));
                wrong.extend(compare(&file, &findings(&all)).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn demo() -> Command {
    let mut demo = Command::new(artifacts::command());
    demo.arg("demo")
        .env_remove("LD_PRELOAD")
        .env_remove("ACLSAN_OPTIONS")
        .env("LC_ALL", "C");
    demo
}

#[test]
fn the_whole_demo_is_read_at_one_sitting() {
    let output = demo().output().expect("aclsan runs");
    let [out, err] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    // On one stream, answers and findings come in their order.
    let together = on_terminal(&mut demo(), 200);
    let lines = together.lines().count();
    assert_eq!(
        lines,
        out.lines().count() + err.lines().count(),
        "{together}"
    );
    assert!(lines < 70, "{lines} lines:\n{together}");
    let folder = artifacts::folder().display().to_string();
    let shown = normalise::report(&together).replace(&folder, "FOLDER");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/demo/demo.terminal");
    compare(&file, &shown).unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn the_demo_leaves_nothing_behind_and_keep_keeps_its_log() {
    let temporary = artifacts::scratch("demo-leaves");
    let left = || -> Vec<String> {
        let entries = std::fs::read_dir(&temporary).expect("the folder");
        let names = entries.map(|entry| entry.expect("entry").file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    };
    let run = |arguments: &[&str]| {
        let status = demo()
            .args(arguments)
            .env("TMPDIR", &temporary)
            .output()
            .expect("aclsan runs")
            .status;
        assert!(status.success());
    };
    run(&[]);
    assert_eq!(left(), [""; 0]);
    run(&["--keep"]);
    let kept = left();
    assert!(
        matches!(&kept[..], [folder] if folder.starts_with("aclsan-demo-")),
        "{kept:?}"
    );
}
