//! `aclsan ctl`: a running server obeys, and other clients of its socket do not disturb it.

use crate::server::Server;
use crate::trial::Trial;
use aclsan_tests::artifacts;
use serde_json::Value;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn ctl(pid: u32, arguments: &[&str]) -> Command {
    let mut command = Command::new(artifacts::command());
    command.arg("ctl").arg(pid.to_string()).args(arguments);
    command.env("LC_ALL", "C");
    command
}

/// Exit code, and what was printed on either stream.
fn said(output: &Output) -> (Option<i32>, String) {
    let text =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    (output.status.code(), text.concat().trim_end().to_owned())
}

fn answered(pid: u32, arguments: &[&str]) -> (Option<i32>, String) {
    said(&ctl(pid, arguments).output().expect("aclsan runs"))
}

/// Retries until the socket is there: the thread that makes it begins with the first call.
fn reached(pid: u32, arguments: &[&str]) -> (Option<i32>, String) {
    loop {
        let answer = answered(pid, arguments);
        let is_late = answer.1.contains("does not listen") || answer.1.contains("writes no log");
        if !is_late {
            return answer;
        }
    }
}

fn report(log: &Path) -> Value {
    let mut command = Command::new(artifacts::command());
    let output = command.args(["report", "--json"]).arg(log).output();
    serde_json::from_slice(&output.expect("aclsan runs").stdout).expect("JSON")
}

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list").iter();
    list.filter_map(|one| one["name"].as_str()).collect()
}

#[test]
fn a_server_starts_stops_marks_counts_checks_and_sets_as_it_is_asked_to() {
    let folder = artifacts::scratch("controlled");
    let options = "start=paused:control=1:mode=check:guard=rear";
    let mut server = Server::with(&folder, "server.aclsan", options);
    let (log, pid) = (folder.join("server.aclsan"), server.pid());
    server.order("serve 2");
    let first = reached(pid, &["start"]);
    assert_eq!(first, (Some(0), "recording has started".into()));
    let socket = folder.join("server.aclsan.ctl");
    let mode = socket.metadata().expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(answered(pid, &["start"]).1, "recording was on already");
    assert_eq!(answered(pid, &["mark", "warm 暖"]).1, "`warm 暖` is marked");
    server.order("serve 1");
    // The cache's entry and the forgotten block of the one request that was recorded.
    let live = (1 << 20) + (64 << 10);
    let counted = answered(pid, &["snapshot", "one"]);
    assert_eq!(
        counted,
        (Some(0), format!("{live} bytes in 2 blocks are live"))
    );

    let mut check = ctl(pid, &["check"]);
    let check = check.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut check = check.expect("aclsan runs");
    while check.try_wait().expect("a child").is_none() {
        server.order("serve 0");
        server.order("wrong");
    }
    let checked = said(&check.wait_with_output().expect("its output"));
    assert_eq!(
        checked,
        (Some(0), "guards are checked: 0 damaged blocks".into())
    );

    assert_eq!(
        answered(pid, &["set", "quiet=1"]),
        (Some(0), "`quiet=1` is set".into())
    );
    for (setting, why) in [
        ("guard=off", "start it with `--set guard=off`"),
        ("quiet=perhaps", "takes 0 or 1, not `perhaps`"),
        ("quite=1", "unknown option `quite`"),
        ("quiet", "write KEY=VALUE"),
    ] {
        let (code, text) = answered(pid, &["set", setting]);
        assert!(code == Some(1) && text.contains(why), "{text}");
    }
    assert_eq!(answered(pid, &["stop"]).1, "recording has stopped");
    assert_eq!(answered(pid, &["stop"]).1, "recording was stopped already");
    server.order("serve 3");
    server.end("quit");
    assert!(!socket.exists());

    let report = report(&log);
    let epochs = names(&report["annotations"]["epochs"]);
    let requests = epochs.iter().filter(|name| **name == "request").count();
    assert_eq!(requests, 6, "{epochs:?}");
    for name in ["recording: start", "warm 暖", "recording: stop"] {
        assert!(epochs.contains(&name), "{epochs:?}");
    }
    assert!(names(&report["annotations"]["snapshots"]).contains(&"one"));
    assert_eq!(report["leaks"]["bytes"], 64 << 10);
}

#[test]
fn a_check_that_finds_a_damaged_guard_says_so_by_its_exit_code() {
    let folder = artifacts::scratch("controlled-damaged");
    let mut server = Server::with(&folder, "server.aclsan", "control=1:mode=check:guard=rear");
    server.order("damage");
    let check = |server: &mut Server| {
        let mut check = ctl(server.pid(), &["check"]);
        let check = check.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut check = check.expect("aclsan runs");
        while check.try_wait().expect("a child").is_none() {
            server.order("serve 0");
            server.order("wrong");
        }
        said(&check.wait_with_output().expect("its output"))
    };
    assert_eq!(reached(server.pid(), &["mark", "damaged"]).0, Some(0));
    let found = (Some(1), "guards are checked: 1 damaged block".into());
    assert_eq!(check(&mut server), found);
    server.end("quit");
    let report = report(&folder.join("server.aclsan"));
    let findings = report["findings"].as_array().expect("a list").iter();
    let damaged = findings.filter(|found| found["rule"] == "guard-overrun");
    assert_eq!(damaged.count(), 1);
}

#[test]
fn a_check_without_a_call_is_pending_and_a_program_without_guards_has_none() {
    let folder = artifacts::scratch("controlled-check");
    let mut server = Server::with(&folder, "server.aclsan", "control=1:mode=check:guard=rear");
    server.order("serve 1");
    let (code, text) = reached(server.pid(), &["check"]);
    assert!(code == Some(1) && text.contains("pending"), "{text}");
    server.end("quit");

    let mut server = Server::with(&folder, "plain.aclsan", "control=1:mode=record");
    server.order("serve 1");
    let (code, text) = reached(server.pid(), &["check"]);
    assert!(code == Some(1) && text.contains("`guard=rear`"), "{text}");
    server.end("quit");
}

#[test]
fn a_program_that_does_not_listen_is_named() {
    let folder = artifacts::scratch("controlled-deaf");
    let mut server = Server::with(&folder, "server.aclsan", "");
    server.order("serve 1");
    let (code, text) = answered(server.pid(), &["start"]);
    assert!(
        code == Some(2) && text.contains("`--set control=1`"),
        "{text}"
    );
    // What an ended process has left behind.
    drop(std::os::unix::net::UnixListener::bind(
        folder.join("server.aclsan.ctl"),
    ));
    let (code, text) = answered(server.pid(), &["start"]);
    assert!(code == Some(2) && text.contains("nobody listens"), "{text}");
    server.end("quit");
}

#[test]
fn clients_that_talk_nonsense_or_nothing_disturb_nobody() {
    let folder = artifacts::scratch("controlled-hostile");
    let mut server = Server::with(&folder, "server.aclsan", "control=1");
    server.order("serve 1");
    assert_eq!(reached(server.pid(), &["mark", "before"]).0, Some(0));
    let socket = folder.join("server.aclsan.ctl");
    let connect = || UnixStream::connect(&socket).expect("it listens");
    let mut answers = Vec::new();
    for line in [
        "",
        "\n",
        "\0\n",
        "dance\n",
        "set \n",
        "mark\n",
        "\u{feff}start\n",
    ] {
        let mut client = connect();
        client.write_all(line.as_bytes()).expect("it reads");
        client
            .shutdown(std::net::Shutdown::Write)
            .expect("it is open");
        let mut answer = String::new();
        let _ = client.read_to_string(&mut answer);
        answers.push(answer);
    }
    assert!(
        answers[3].starts_with("no this process does not know `dance`"),
        "{answers:?}"
    );
    let mut huge = connect();
    let _ = huge.write_all(&vec![b'x'; 1 << 20]); // it hangs up before the end
    let silent = [connect(), connect()];
    let many: Vec<_> = (0..5).map(|_| connect()).collect();
    drop(many);
    server.order("serve 1");
    assert_eq!(answered(server.pid(), &["mark", "after"]).0, Some(0));
    drop(silent);
    server.end("quit");
    let report = report(&folder.join("server.aclsan"));
    let epochs = names(&report["annotations"]["epochs"]);
    assert!(
        epochs.contains(&"before") && epochs.contains(&"after"),
        "{epochs:?}"
    );
}

#[test]
fn a_log_whose_path_is_too_long_for_a_socket_is_reached_too() {
    let folder: PathBuf = artifacts::scratch("controlled-long").join("x".repeat(120));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut server = Server::with(&folder, "server.aclsan", "control=1");
    server.order("serve 1");
    assert_eq!(reached(server.pid(), &["mark", "here"]).0, Some(0));
    server.end("quit");
    assert!(!folder.join("server.aclsan.ctl").exists());
}

#[test]
fn programs_that_fork_close_descriptors_or_leave_the_terminal_run_as_ever() {
    for program in ["process/forks.c", "process/closes.c", "process/daemon.c"] {
        Trial::new(program, "controlled")
            .options("control=1")
            .same();
    }
}
