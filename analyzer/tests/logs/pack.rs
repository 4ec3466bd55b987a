//! Packed logs: written, read, refused.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::story::*;

#[test]
fn every_verb_says_the_same_of_a_packed_log() {
    let folder = Folder::new();
    let bytes = faulty().bytes();
    folder.file("a.aclsan", &bytes);
    let packed = folder.run(&["pack", "a.aclsan"]);
    assert_eq!((packed.out.as_str(), packed.code), ("a.aclsan.zst\n", 0));
    let length = fs::metadata(folder.path().join("a.aclsan.zst"));
    assert!(length.unwrap().len() < bytes.len() as u64 / 10);
    for verb in [
        "report", "leaks", "frag", "timeline", "findings", "check", "dump",
    ] {
        let (one, other) = (
            folder.run(&[verb, "a.aclsan"]),
            folder.run(&[verb, "a.aclsan.zst"]),
        );
        let plain = |text: &str| text.replace("a.aclsan.zst", "a.aclsan");
        assert_eq!(plain(&other.out), one.out, "{verb}");
        assert_eq!(
            (plain(&other.err), other.code),
            (one.err, one.code),
            "{verb}"
        );
    }
}

#[test]
fn a_log_beside_its_packed_form_counts_once() {
    let folder = Folder::new();
    for name in ["logs/a.aclsan", "logs/a.aclsan.1", "logs/b.aclsan"] {
        folder.file(name, &faulty().bytes());
    }
    let packed = folder.run(&["pack", "logs"]);
    assert_eq!(
        packed.out,
        "logs/a.aclsan.zst\nlogs/a.aclsan.1.zst\nlogs/b.aclsan.zst\n"
    );
    let processes = || {
        let report = folder.run(&["report", "--json", "logs"]).json();
        report["processes"].as_array().unwrap().len()
    };
    assert_eq!(processes(), 3);
    fs::remove_file(folder.path().join("logs/a.aclsan")).unwrap();
    assert_eq!(processes(), 3);
}

#[test]
fn a_log_beside_the_packed_log_of_another_run_counts_too() {
    let folder = Folder::new();
    folder.file("logs/a.aclsan", &faulty().bytes());
    folder.file("logs/b.aclsan", &faulty().bytes());
    let old = folder.run(&["pack", "--rm", "logs/a.aclsan"]);
    assert_eq!(old.code, 0, "{}", old.err);
    // The same process number, as in a restarted container.
    let mut again = faulty();
    again.process(1, 2_000_000_000_000_000_000);
    folder.file("logs/a.aclsan", &again.bytes());
    let processes = || {
        let report = folder.run(&["report", "--json", "logs"]).json();
        report["processes"].as_array().unwrap().len()
    };
    assert_eq!(processes(), 3);
    let said = folder.run(&["pack", "--rm", "logs/a.aclsan"]);
    assert_eq!(
        (said.err.as_str(), said.code),
        (
            "aclsan: cannot pack `logs/a.aclsan`: `logs/a.aclsan.zst` is there already and has another run, of process 1: give one of \
             them another name\n",
            2
        )
    );
    // It might overwrite all that is left of that run.
    let forced = folder.run(&["pack", "--rm", "--force", "logs/a.aclsan"]);
    assert_eq!((&forced.err, forced.code), (&said.err, 2));
    assert_eq!(processes(), 3);
    let renamed = folder.path().join("logs/c.aclsan");
    fs::rename(folder.path().join("logs/a.aclsan"), renamed).unwrap();
    assert_eq!(folder.run(&["pack", "--rm", "logs/c.aclsan"]).code, 0);
    assert_eq!(processes(), 3);
    // A log packed by another tool is recognized by its header, too.
    let bytes = faulty().bytes();
    folder.file("logs/b.aclsan.zst", &zstd::encode_all(&*bytes, 1).unwrap());
    assert_eq!(processes(), 3);
}

#[test]
fn a_log_beside_what_is_no_packed_log_of_anybody_counts_alone() {
    let folder = Folder::new();
    folder.file("logs/a.aclsan", &faulty().bytes());
    folder.run(&["pack", "logs/a.aclsan"]);
    let whole = fs::read(folder.path().join("logs/a.aclsan.zst")).unwrap();
    for left in [&b""[..], b"of before", &whole[..30]] {
        folder.file("logs/a.aclsan.zst", left);
        let said = folder.run(&["report", "--json", "logs"]);
        assert_eq!((said.err.as_str(), said.code), ("", 1));
        let report = said.json();
        assert_eq!(report["processes"].as_array().unwrap().len(), 1);
    }
    // By itself it is reported.
    fs::remove_file(folder.path().join("logs/a.aclsan")).unwrap();
    assert_eq!(folder.run(&["report", "logs"]).code, 2);
}

/// A child that has opened a log and holds it as `hold` says, in Python, until its standard input ends.
fn writer(log: &Path, hold: &str) -> Child {
    let script = format!(
        "import fcntl, mmap, sys\nlog = open(sys.argv[1], 'r+b')\n{hold}\nprint('held', flush=True)\nsys.stdin.read()"
    );
    let mut writer = Command::new("python3")
        .args(["-c", &script])
        .arg(log)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let said = writer.stdout.take().unwrap();
    BufReader::new(said).read_line(&mut line).unwrap();
    assert_eq!(line, "held\n");
    writer
}

#[test]
fn a_log_whose_lock_is_held_is_being_written() {
    let folder = Folder::new();
    let log = folder.file("a.aclsan", &faulty().bytes());
    // A child holds the lock, and the log's process does not exist here: as if the writer were in another container.
    let mut writer = writer(&log, "fcntl.lockf(log, fcntl.LOCK_SH | fcntl.LOCK_NB)");
    for arguments in [
        &["pack", "--rm", "a.aclsan"][..],
        &["pack", "--rm", "--force", "a.aclsan"],
    ] {
        let said = folder.run(arguments);
        assert_eq!(said.code, 2);
        assert!(said.err.ends_with("still writes it\n"), "{}", said.err);
        assert!(log.exists());
    }
    drop(writer.stdin.take());
    writer.wait().unwrap();
    assert_eq!(folder.run(&["pack", "--rm", "a.aclsan"]).code, 0);
}

#[test]
fn a_log_is_removed_once_its_copy_is_one() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    folder.file("a.aclsan.zst", b"of before");
    let refused = folder.run(&["pack", "--rm", "a.aclsan"]);
    assert_eq!(
        (refused.err.as_str(), refused.code),
        (
            "aclsan: cannot pack `a.aclsan`: `a.aclsan.zst` is there already; `--force` writes over it\n",
            2
        )
    );
    assert!(folder.path().join("a.aclsan").exists());
    assert_eq!(folder.run(&["pack", "--rm", "--force", "a.aclsan"]).code, 0);
    assert!(!folder.path().join("a.aclsan").exists());
    assert_eq!(folder.run(&["check", "a.aclsan.zst"]).code, 1);
    // Packed logs are left alone.
    let again = folder.run(&["pack", "--rm", "."]);
    assert_eq!((again.out.as_str(), again.code), ("", 0));
}

#[test]
fn a_log_that_is_being_written_is_refused() {
    let folder = Folder::new();
    let log = folder.file("a.aclsan", &faulty().bytes());
    let mut writer = writer(&log, "kept = mmap.mmap(log.fileno(), 0)");
    let mut bytes = fs::read(&log).unwrap();
    bytes[20..24].copy_from_slice(&writer.id().to_le_bytes());
    fs::write(&log, bytes).unwrap();
    let said = folder.run(&["pack", "a.aclsan"]);
    let sentence = format!(
        "aclsan: cannot pack `a.aclsan`: process {} still writes it\n",
        writer.id()
    );
    assert_eq!((said.err, said.code), (sentence, 2));
    drop(writer.stdin.take());
    writer.wait().unwrap();
    assert_eq!(folder.run(&["pack", "a.aclsan"]).code, 0);
}

#[test]
fn what_is_cut_short_or_no_log_is_reported() {
    let folder = Folder::new();
    folder.file("a.aclsan", &faulty().bytes());
    folder.run(&["pack", "a.aclsan"]);
    let whole = fs::read(folder.path().join("a.aclsan.zst")).unwrap();
    folder.file("cut.aclsan.zst", &whole[..whole.len() - 1]);
    let said = folder.run(&["report", "cut.aclsan.zst"]);
    assert_eq!(
        (said.err.as_str(), said.code),
        (
            "aclsan: cannot read the packed log `cut.aclsan.zst`: it ends without Zstandard's seek table: it is cut short, \
             or packed by another tool; `zstd -d` may give the log back\n",
            2
        )
    );
    // A damaged frame loses its own contents only: here it is the only one.
    let mut bad = whole;
    bad[20] ^= 0xff;
    folder.file("bad.aclsan.zst", &bad);
    let said = folder.run(&["report", "bad.aclsan.zst"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(
        said.err
            .starts_with("aclsan: cannot read `bad.aclsan.zst`: ")
    );
    folder.file("c.aclsan", b"not a log");
    let said = folder.run(&["pack", "c.aclsan"]);
    assert_eq!(
        said.err,
        "aclsan: cannot pack `c.aclsan`: `c.aclsan` is not an event log of aclsan (it does not begin with `ACLSANEV`)\n"
    );
}
