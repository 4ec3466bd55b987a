//! User options: the log's location, printed output; and a failing runtime.

use super::tally;
use crate::trial::{BOTH, Trial};
use std::path::Path;

fn trial(test: &str, options: &str) -> Trial {
    let mut trial = Trial::new("process/wrong.c", test);
    trial.options(options);
    trial
}

#[test]
fn a_log_that_cannot_be_written_is_said_once() {
    let mut trial = Trial::new("process/wrong.c", "unwritable");
    std::fs::write(trial.scratch.join("file"), "").expect("scratch");
    let below_a_file = format!("{}/file/log", trial.scratch.display());
    for path in [below_a_file.as_str(), "/proc/no/such/log", "/dev/null/log"] {
        let run = trial.options(&format!("log_path='{path}'")).same();
        let said = format!("cannot write the event log `{path}`");
        assert_eq!(run.stderr.matches(&said).count(), 1, "{}", run.stderr);
        assert!(run.stderr.contains("double-free") && run.stderr.contains("SUMMARY"));
    }
}

#[test]
fn a_log_is_written_where_it_is_wanted() {
    let mut trial = Trial::new("process/wrong.c", "wanted");
    let folder = trial.scratch.join("logs");
    let in_folder = |path: &str| folder.join(path);
    std::fs::create_dir_all(in_folder("there")).expect("scratch");
    std::fs::write(in_folder("taken.aclsan"), "somebody's").expect("scratch");
    for (path, made) in [
        ("deep/down/log.aclsan", "deep/down/log.aclsan"),
        ("taken.aclsan", "taken.aclsan.1"),
        ("%q{MARK}.aclsan", "my mark.aclsan"),
    ] {
        let option = format!("log_path='{}'", in_folder(path).display());
        trial.options(&option).environment("MARK", "my mark").same();
        assert_eq!(
            crate::tally::Tally::of(&in_folder(made)).pairs(),
            (1, 2),
            "{made}"
        );
    }
    assert_eq!(
        std::fs::read(in_folder("taken.aclsan")).expect("still there"),
        b"somebody's"
    );
    trial
        .options(&format!("log_path='{}'", in_folder("there").display()))
        .same();
    let made: Vec<_> = std::fs::read_dir(in_folder("there"))
        .expect("there")
        .collect();
    assert_eq!(made.len(), 1, "a folder gets a log of the usual name");
}

#[test]
fn what_is_wrong_with_options_is_said_once_each() {
    let wrong = "mode=fast:guard_bytes=-1:no_such=1:quiet:stack_depth=99999999999:guard_sample=1/0:::color=red";
    let run = trial("options", wrong).same();
    for named in [
        "`mode` takes",
        "`guard_bytes` takes",
        "unknown option `no_such`",
        "`quiet` has no value",
    ] {
        assert_eq!(
            run.stderr.matches(named).count(),
            1,
            "{named}: {}",
            run.stderr
        );
    }
    for named in [
        "`stack_depth` takes",
        "`guard_sample` takes",
        "`color` takes",
    ] {
        assert_eq!(
            run.stderr.matches(named).count(),
            1,
            "{named}: {}",
            run.stderr
        );
    }
    assert_eq!(tally(&run).pairs(), (1, 2));
}

#[test]
fn options_that_are_odd_but_right_are_no_trouble() {
    for options in [
        "stack_depth=0",
        "stack_depth=256",
        "guard_bytes=4096",
        "guard_bytes=0",
        "guard_sample=4294967295",
    ] {
        let run = trial("odd", options).same();
        assert!(
            run.stderr.contains("double-free: "),
            "{options}: {}",
            run.stderr
        );
    }
}

#[test]
fn help_lists_the_options_and_the_program_runs_on() {
    let run = trial("help", "help=1").same();
    assert!(run.stderr.contains("stack_depth=64") && run.stderr.contains("log_path="));
}

#[test]
fn quiet_prints_nothing_and_records_all() {
    let run = trial("quiet", "quiet=1").same();
    assert_eq!((run.stderr.as_str(), tally(&run).pairs()), ("", (1, 2)));
}

#[test]
fn halt_on_error_ends_the_program_at_the_error() {
    let run = trial("halt", "halt_on_error=1").watched();
    assert_eq!((run.code, run.stdout.as_str()), (1, "before\n"));
    assert!(run.stderr.contains("double-free") && run.stderr.contains("SUMMARY: aclsan: 1 error"));
    let silent = Trial::new("process/limits.c", "halt")
        .options("halt_on_error=1")
        .same();
    assert_eq!(silent.code, 0);
}

/// The calls of `codes.c`, by name.
fn calls() -> Vec<String> {
    let source = std::fs::read_to_string(crate::program::folder().join("process/codes.c"));
    let source = source.expect("the program is there");
    let calls = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("TELL(")?.split_once('('));
    let mut calls: Vec<_> = calls.map(|(name, _)| name.to_owned()).collect();
    calls.sort();
    calls.dedup();
    calls
}

#[test]
fn a_runtime_that_fails_fails_the_same_under_the_shim() {
    // The shim's own queries would consume the injected failure.
    let asked = ["aclrtGetRunMode"];
    let calls = calls();
    assert!(calls.len() > 50, "{calls:?}");
    let mut trial = Trial::new("process/codes.c", "codes");
    for (number, call) in calls
        .iter()
        .filter(|call| !asked.contains(&call.as_str()))
        .enumerate()
    {
        trial.on(BOTH[number % 2]).options("mode=record");
        trial.environment("ACLSIM_FAIL", format!("{call}@1=507899"));
        let run = trial.same();
        assert!(run.stdout.contains(" = 507899"), "{call}: {}", run.stdout);
        assert!(Path::new(&run.logs[0]).is_file());
    }
}

#[test]
fn a_runtime_that_has_no_room_for_guards_gives_the_program_its_block_all_the_same() {
    let mut trial = Trial::new("process/codes.c", "guards");
    trial.environment("ACLSIM_FAIL", "aclrtMemcpy@1");
    let watched = trial.watched();
    assert!(
        watched.code == 0
            && watched
                .stdout
                .contains("aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST) = 0")
    );
}

#[test]
fn an_unknown_soc_is_said_once_and_a_known_one_is_taken() {
    for (soc, is_known) in [("Ascend999", false), ("Ascend910B", true)] {
        let run = trial(soc, &format!("soc={soc}")).same();
        let said = format!("option `soc`: unknown SoC `{soc}`, using the default rules");
        let times = run.stderr.matches(&said).count();
        assert_eq!(times, usize::from(!is_known), "{}", run.stderr);
        assert!(run.stderr.contains("double-free"), "{}", run.stderr);
    }
}
