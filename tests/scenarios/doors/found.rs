//! Programs that look AscendCL up by name.

use super::assert_pairs;
use crate::program::folder;
use crate::trial::{self, ALL, Trial};
use crate::watchdog::finish;
use aclsan_left_out::left_out;
use aclsan_tests::artifacts::{self, Topology};
use std::path::PathBuf;
use std::process::Command;

#[test]
fn a_private_runtime_is_watched_through_its_handle() {
    let mut trial = Trial::new("doors/handle.c", "handle");
    for topology in ALL {
        assert_pairs(&trial.on(topology).same(), 10);
    }
}

#[test]
fn a_runtime_that_is_closed_and_opened_again_goes_on_being_watched() {
    let mut trial = Trial::new("doors/reopened.c", "reopened");
    let small = small_runtime(&trial, &[]);
    for runtime in [PathBuf::from("libascendcl.so"), small] {
        let run = trial.arguments([runtime]).same();
        assert_eq!(super::tally(&run).pairs(), (20, 20));
    }
}

#[test]
fn a_look_up_in_the_whole_program_is_watched() {
    let mut trial = Trial::new("doors/everywhere.c", "everywhere");
    for topology in ALL {
        assert_pairs(&trial.on(topology).same(), 10);
    }
}

/// This is how Python opens its extension modules.
#[test]
fn a_plugin_that_is_opened_privately_reaches_its_own_runtime() {
    let mut trial = Trial::new("doors/plugged.c", "plugged");
    let runtime = small_runtime(&trial, &[]);
    let of_simulator = [
        "-L",
        Topology::One.libraries().to_str().expect("a plain path"),
        "-lascendcl",
    ]
    .map(str::to_owned);
    let of_other_name = [runtime.display().to_string()];
    for linked in [&of_simulator[..], &of_other_name] {
        for asks in [&[][..], &["-DASKS", "-Wl,--no-as-needed"]] {
            let flags: Vec<&str> = asks
                .iter()
                .copied()
                .chain(linked.iter().map(String::as_str))
                .collect();
            let name = format!("libplugin{}{}.so", linked.len(), asks.len());
            let plugin = trial::library("doors/plugged_in.c", &trial.scratch.join(name), &flags);
            assert_pairs(&trial.arguments([plugin]).same(), 10);
        }
    }
}

/// A runtime with few functions; `flags` decide whether its symbols are versioned.
fn small_runtime(trial: &Trial, flags: &[&str]) -> PathBuf {
    trial::library("doors/runtime.c", &trial.scratch.join("libsmall.so"), flags)
}

#[test]
fn a_look_up_by_version_is_watched_and_the_version_minded() {
    let mut trial = Trial::new("doors/versioned.c", "versioned");
    let runtime = small_runtime(&trial, &["-Wl,--version-script=doors/runtime.map"]);
    let run = trial.arguments([runtime]).same();
    assert!(run.stdout.contains("lacks: not found"), "{}", run.stdout);
    assert_pairs(&run, 10);
}

#[test]
fn what_a_runtime_lacks_is_not_found() {
    let mut trial = Trial::new("doors/lacking.c", "lacking");
    let runtime = small_runtime(&trial, &[]);
    let run = trial.arguments([runtime]).same();
    assert!(
        run.stdout
            .contains("what it lacks: not found, with an error")
    );
}

#[test]
fn python_is_watched_through_ctypes() {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        return left_out("there is no python3");
    }
    for topology in ALL {
        let run = |name: &str, shim: Option<PathBuf>| {
            let place = artifacts::scratch(&format!("ctypes-{name}-{topology:?}"));
            let mut command = Command::new("python3");
            command.arg(folder().join("doors/ctypes_door.py"));
            command.env("LD_LIBRARY_PATH", topology.libraries());
            command.env("LD_PRELOAD", shim.unwrap_or_default());
            let log = place.join("%p.aclsan");
            command.env("ACLSAN_OPTIONS", format!("log_path='{}'", log.display()));
            finish(&mut command, &place)
        };
        let (alone, watched) = (run("alone", None), run("watched", Some(artifacts::shim())));
        trial::same(&alone, &watched, "ctypes");
        assert_pairs(&watched, 10);
    }
}
