//! A command that is interrupted leaves no half file.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::story::*;

/// Whether the interrupt or the end comes first is left to chance: either way the file is whole.
#[test]
fn an_interrupt_leaves_the_file_that_was_there_and_nothing_beside_it() {
    let folder = Folder::new();
    for n in 0..40 {
        folder.file(&format!("logs/{n}.aclsan"), &faulty().bytes());
    }
    folder.file("out/report.html", b"the one before");
    let mut child = Command::new(env!("CARGO_BIN_EXE_aclsan"))
        .args(["report", "--progress", "--html", "out/report.html", "logs"])
        .current_dir(folder.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It has begun to read when it tells how far it is.
    let mut line = String::new();
    let said = child.stderr.take().unwrap();
    BufReader::new(said).read_line(&mut line).unwrap();
    assert!(line.contains("of 40 logs read"), "{line}");
    let mut interrupt = Command::new("kill");
    interrupt.args(["-INT", &child.id().to_string()]);
    interrupt.status().unwrap();
    child.wait().unwrap();
    let page = fs::read(folder.path().join("out/report.html")).unwrap();
    assert!(
        page == b"the one before" || page.ends_with(b"</html>\n"),
        "{} bytes",
        page.len()
    );
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 1);
}
