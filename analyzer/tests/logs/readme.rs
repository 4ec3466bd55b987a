//! The commands of README.md that read logs, as it shows them.
//!
//! Those that start the reader's program (`run`, `doctor`) or need the shim beside the command (`env`, `simulator`, `demo`) are tested in
//! `tests/drive` and `tests/scenarios`; that all of them parse is tested in `commands/cli.rs`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::golden::full;
use super::story::*;

/// Verbs whose commands are run.
const READ_LOGS: [&str; 8] = [
    "check", "diff", "export", "frag", "leaks", "pack", "report", "timeline",
];

#[test]
fn each_runs_on_a_log() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(path).expect("README.md");
    let blocks = readme.split("\n```sh\n").skip(1);
    let lines = blocks.flat_map(|block| block.lines().take_while(|line| *line != "```"));
    let mut run = BTreeSet::new();
    for line in lines {
        let verb = line.strip_prefix("aclsan ").unwrap_or_default();
        let verb = verb.split(' ').next().unwrap_or_default();
        if !READ_LOGS.contains(&verb) {
            continue;
        }
        let commands = line.split("aclsan ").skip(1);
        run.extend(commands.filter_map(|words| Some(words.split(' ').next()?.to_owned())));
        let folder = Folder::new();
        folder.file("logs/1.aclsan", &full(false).bytes());
        folder.file("old/1.aclsan", &full(false).bytes());
        folder.file("new/1.aclsan", &full(true).bytes());
        let command = Path::new(env!("CARGO_BIN_EXE_aclsan"));
        let bin = command.parent().expect("it is in a folder").display();
        let output = Command::new("sh")
            .args(["-uc", &line.replace("/mnt/board", ".")])
            .current_dir(folder.path())
            .env("PATH", format!("{bin}:/usr/bin:/bin"))
            .env("LC_ALL", "C")
            .output();
        let said = Said::from(output.expect("sh starts"));
        // 1: the log has findings. A usage error earlier in a list of commands is on standard error.
        assert!(
            matches!(said.code, 0 | 1) && said.err.is_empty(),
            "{line}\n{said:?}"
        );
    }
    assert_eq!(run, READ_LOGS.map(str::to_owned).into());
}
