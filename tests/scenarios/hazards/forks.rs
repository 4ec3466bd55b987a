//! Children: a forked child has its own log and does not affect the parent's; a process that execs gets a second log.

use super::{tallies, tally};
use crate::soak;
use crate::tally::Tally;
use crate::trial::{BOTH, Trial, library};

fn property<'a>(tally: &'a Tally, key: &str) -> Option<&'a str> {
    tally.log.properties.get(key).map(String::as_str)
}

#[test]
fn a_child_that_allocates_has_a_log_of_its_own() {
    for place in ["main", "thread"] {
        let mut trial = Trial::new("process/forks.c", place);
        for topology in BOTH {
            let run = trial.on(topology).arguments([place]).same();
            let (children, parents): (Vec<_>, Vec<_>) = tallies(&run)
                .into_iter()
                .partition(|tally| property(tally, "forked_from").is_some());
            let ([child], [parent]) = (&children[..], &parents[..]) else {
                panic!("{} children, {} parents", children.len(), parents.len())
            };
            assert_eq!(
                property(child, "forked_from"),
                Some(&*parent.log.header.pid.to_string())
            );
            assert_eq!((child.pairs(), parent.pairs()), ((3, 3), (11, 11)));
            assert!(child.has_exit && parent.has_exit);
        }
    }
}

/// A stack that comes back has its call site with it, of the parent's log.
#[test]
fn a_child_that_comes_back_to_its_parents_stacks_has_call_sites_of_its_own() {
    let run = Trial::new("process/fork_sites.c", "sites").same();
    let tallies = tallies(&run);
    assert_eq!(tallies.len(), 2);
    for tally in &tallies {
        for function in [
            "aclrtMalloc",
            "aclrtFree",
            "aclrtMallocHost",
            "aclrtFreeHost",
        ] {
            assert_eq!(tally.count(function), 200, "{function}: {:?}", tally.calls);
        }
    }
}

#[test]
fn a_child_that_does_not_allocate_has_none() {
    let run = Trial::new("process/forks.c", "nowhere")
        .arguments(["nowhere"])
        .same();
    let tally = tally(&run);
    assert_eq!(
        (tally.pairs(), run.stdout.as_str()),
        ((11, 11), "child 7\n")
    );
    assert_eq!(run.stderr.matches("SUMMARY").count(), 1, "{}", run.stderr);
}

fn storm(test: &str) -> Trial {
    let mut trial = Trial::new("process/fork_storm.c", test);
    trial.on_small_runtime();
    trial
}

#[test]
fn no_child_hangs_when_its_parents_threads_were_in_hooks() {
    let run = storm("right").same();
    assert_eq!(run.stdout, "0 children failed\n");
    assert_eq!(run.logs.len(), 201);
    let forked = tallies(&run);
    let forked = forked
        .iter()
        .filter(|tally| property(tally, "forked_from").is_some());
    assert!(forked.map(Tally::pairs).all(|pairs| pairs == (1, 1)));
}

#[test]
fn no_child_hangs_when_its_parents_threads_were_naming_frames() {
    let mut trial = storm("wrong");
    let run = trial
        .options("symbols=1:mode=record")
        .arguments(["wrong"])
        .watched();
    assert_eq!((run.code, run.stdout.as_str()), (0, "0 children failed\n"));
}

/// Stream order has its own lock, taken by copies and the releases after them.
#[test]
fn no_child_hangs_when_its_parents_threads_were_judging_the_order() {
    for options in ["mode=record", "mode=record:order=0"] {
        let mut trial = storm("copies");
        let run = trial.options(options).arguments(["copies"]).watched();
        assert_eq!((run.code, run.stdout.as_str()), (0, "0 children failed\n"));
    }
}

/// 10,000 forks with `SOAK=1`, half of them while a library is loaded and unloaded. Each child has 20 seconds, and each run an hour.
#[test]
fn no_child_hangs_however_it_ends_when_its_parents_threads_were_in_hooks_of_all_kinds() {
    let count = soak::times(100, 5000).to_string();
    let mut trial = Trial::new("deaths/forks.c", "all-locks");
    trial.on_small_runtime();
    let plugin = trial.scratch.join("plugin.so");
    let plugin = library("deaths/plugin.c", &plugin, &[]);
    let loads = plugin.to_string_lossy();
    for (options, arguments) in [
        ("guard=both:quarantine_mb=1:fill=on", vec![&*count]),
        ("mode=record:leak_scan=1", vec![&*count, &*loads]),
    ] {
        trial.options(&format!("quiet=1:symbols=1:{options}"));
        let run = trial.arguments(arguments).watched_within(3600);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (0, "0 children failed\n"),
            "{options}: {}",
            run.stderr
        );
    }
}

/// Some of them bypass our fork handlers: the kernel shows that the process is a different one.
#[test]
fn a_child_of_any_kind_has_a_log_of_its_own_and_leaves_its_parents_alone() {
    let kinds = [
        "fork",
        "thread",
        "daemon",
        "_Fork",
        "clone",
        "vfork",
        "posix_spawn",
    ];
    let mut trial = Trial::new("deaths/children.c", "kinds");
    for kind in kinds {
        let run = trial.arguments([kind]).same();
        assert_eq!(run.stdout.lines().last(), Some("child 7"), "{kind}");
        let mut pairs: Vec<_> = tallies(&run).iter().map(Tally::pairs).collect();
        pairs.sort();
        assert_eq!(pairs, [(3, 3), (11, 11)], "{kind}: {}", run.stderr);
        let is_forked = !["vfork", "posix_spawn"].contains(&kind);
        let forked = tallies(&run)
            .into_iter()
            .filter(|tally| property(tally, "forked_from").is_some())
            .count();
        assert_eq!(forked, usize::from(is_forked), "{kind}");
    }
}

#[test]
fn a_process_that_becomes_another_has_two_logs() {
    let run = Trial::new("process/becomes.c", "exec").same();
    let pairs: Vec<_> = tallies(&run).iter().map(Tally::pairs).collect();
    assert_eq!(pairs, [(3, 2), (3, 2)]);
    assert!(
        run.logs[1].to_string_lossy().ends_with(".aclsan.1"),
        "{:?}",
        run.logs
    );
    assert_eq!(run.stderr.matches("SUMMARY").count(), 1);
}
