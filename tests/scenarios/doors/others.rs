//! Third-party libraries: preloads after ours, early constructors, code that is loaded and unloaded.

use super::{assert_pairs, tally};
use crate::trial::{self, ALL, BOTH, Trial};
use aclsan_tests::artifacts::Topology;

#[test]
fn a_preload_behind_ours_finds_what_is_behind_itself() {
    let mut trial = Trial::new("doors/overtaken.c", "behind");
    let behind = trial::library("doors/behind.c", &trial.scratch.join("libbehind.so"), &[]);
    trial.behind(behind);
    for topology in BOTH {
        let run = trial.on(topology).same();
        assert!(
            run.stderr.contains("behind: 1 lines, 10 blocks"),
            "{}",
            run.stderr
        );
        assert_pairs(&run, 10);
    }
}

#[test]
fn a_constructor_that_runs_before_ours_is_watched() {
    let mut trial = Trial::new("process/nothing.c", "early");
    let early = trial.scratch.join("libearly.so");
    let runtime = format!("-L{}", Topology::One.libraries().display());
    let early = trial::library("doors/early.c", &early, &[&runtime, "-lascendcl"]);
    trial.behind(early);
    for topology in BOTH {
        let run = trial.on(topology).same();
        assert_eq!(tally(&run).pairs(), (1, 1));
        assert!(run.stdout.starts_with("early: 0 failed\n") && run.stdout.ends_with("late: 0\n"));
    }
}

#[test]
fn frames_lie_in_the_library_that_was_there_at_the_time() {
    let mut trial = Trial::new("doors/replaced.c", "replaced");
    let plugin = |name: &str| {
        let define = format!("-DROUTINE={name}");
        let path = trial.scratch.join(format!("lib{name}.so"));
        trial::library("doors/plugin.c", &path, &[&define])
    };
    let [first, second] = ["first", "other"].map(plugin);
    let paths = [
        first.as_os_str(),
        "first".as_ref(),
        second.as_os_str(),
        "other".as_ref(),
    ];
    let run = trial.arguments(paths).options("account=0").same();
    assert_eq!(run.stdout, "same place\n");
    let tally = tally(&run);
    let innermost = tally.sites.iter().filter_map(|&site| {
        let site = tally.log.site(site);
        let module = tally.log.module_at(site.frames[0] - 1, site.epoch)?;
        module.path.rsplit('/').next().map(str::to_owned)
    });
    let mut plugins: Vec<_> = innermost.filter(|name| name.ends_with(".so")).collect();
    plugins.dedup();
    assert_eq!(plugins, ["libfirst.so", "libother.so"]);
}

#[test]
fn a_preload_before_ours_calls_what_is_behind_itself() {
    for program in ["doors/overtaken.c", "doors/everywhere.c", "doors/handle.c"] {
        let mut trial = Trial::new(program, "front");
        let front = trial::library("doors/front.c", &trial.scratch.join("libfront.so"), &[]);
        trial.before(front);
        for topology in ALL {
            assert_pairs(&trial.on(topology).same(), 10);
        }
    }
}

/// Ascend's tools look for this file name in LD_PRELOAD.
#[test]
fn a_tool_of_ascends_and_ours_see_the_same_calls() {
    for (place, program) in [
        ("before", "doors/overtaken.c"),
        ("behind", "doors/overtaken.c"),
        ("before", "doors/handle.c"),
        ("behind", "doors/handle.c"),
        ("behind", "doors/everywhere.c"),
    ] {
        let mut trial = Trial::new(program, &format!("neighbor-{place}"));
        let file = trial.scratch.join("libascend_kernel_hook.so");
        let neighbor = trial::library("doors/neighbour.c", &file, &[]);
        match place {
            "before" => trial.before(neighbor),
            _ => trial.behind(neighbor),
        };
        for topology in ALL {
            assert_pairs(&trial.on(topology).same(), 10);
        }
    }
}
