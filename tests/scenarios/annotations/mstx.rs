//! mstx: emitters in the shape of torch_npu, MindSpore, ATB and user code, alone and beside other tools.

use super::{all, numbers, pool, reported};
use crate::program::Run;
use crate::tally::Tally;
use crate::trial::{self, BOTH, Trial};
use aclsan_tests::artifacts;
use std::path::PathBuf;

fn emitters(test: &str) -> (Trial, PathBuf) {
    let mut trial = Trial::new("annotations/emitters.c", test);
    let plugin = trial.scratch.join("libplugin.so");
    let plugin = trial::library("annotations/plugin.c", &plugin, &[]);
    trial.arguments([&plugin]);
    (trial, plugin)
}

/// The annotations that every run must report.
fn assert_heard(run: &Run) {
    let report = reported(run, "report");
    // One of four is live, and a second one reuses a freed address; the pool holds at most 64 KiB.
    let torch = pool(&report, "ptaCaching");
    assert_eq!(numbers(torch), [5, 3, 2, 0, 0]);
    assert_eq!(
        (&torch["bytes"], &torch["source"]),
        (&(1 << 16).into(), &"mstx".into())
    );
    let mind = pool(&report, "mindsporeMemPool");
    assert_eq!(
        (numbers(mind), &mind["bytes"]),
        ([1, 1, 0, 0, 0], &(1 << 17).into())
    );
    // Two of the heap's three were freed by handle; the plug-in's ended with its block.
    let atb = pool(&report, "atb");
    assert_eq!(
        (numbers(atb), &atb["bytes"]),
        ([4, 2, 2, 0, 0], &(1 << 18).into())
    );
    let own = pool(&report, "");
    assert_eq!(
        (numbers(own), &own["bytes"]),
        ([1, 1, 0, 0, 0], &(1 << 12).into())
    );
    let epochs = &report["annotations"]["epochs"];
    let names = ["iteration", "halfway", "in atb", "kernel", "plug-in"];
    assert_eq!(all(epochs, "name"), names);
    assert_eq!(all(epochs, "domain"), ["", "", "atb", "atb", ""]);
    assert!(epochs[0]["end_ns"].is_number() && epochs[1]["end_ns"].is_null());
    assert_eq!(report["summary"]["errors"], 0);
}

#[test]
fn every_shape_of_emitter_is_heard_and_none_is_disturbed() {
    let (mut trial, _) = emitters("mstx");
    for topology in BOTH {
        let run = trial.on(topology).same();
        assert_eq!(run.stdout, "tool 4711\n");
        assert_heard(&run);
        let [log] = run.logs.as_slice() else {
            panic!("one log")
        };
        let tally = Tally::of(log);
        assert_eq!(tally.count("mstxMemPermissionsAssign"), 1);
        assert_eq!(tally.count("mstxMemHeapUnregister"), 1);
        // A pool takes back each tensor, and no report shows where.
        for (function, has_stack) in [
            ("mstxMemRegionsRegister", true),
            ("mstxMemRegionsUnregister", false),
        ] {
            let mut sites = tally
                .sites
                .iter()
                .filter(|&&site| tally.log.function(site) == function);
            assert!(
                sites.all(|&site| tally.log.site(site).frames.is_empty() != has_stack),
                "{function}"
            );
            assert!(tally.count(function) > 0, "{function}");
        }
    }
}

#[test]
fn the_variable_may_name_us_or_nothing_that_exists() {
    let (mut trial, _) = emitters("path");
    let nothing = PathBuf::from("/no/such/tool.so");
    assert_heard(&trial.environment("MSTX_INJECTION_PATH", nothing).same());
    trial.environment("MSTX_INJECTION_PATH", artifacts::shim());
    assert_heard(&trial.watched());
    // Loaded by mstx alone: too late to intercept AscendCL calls, in time for annotations.
    let late = trial.alone();
    assert_eq!((late.code, late.stdout.as_str()), (0, "tool 4711\n"));
    let pools = &reported(&late, "report")["annotations"]["pools"];
    assert_eq!(all(pools, "releases"), [3, 1, 2, 1]);
}

#[test]
fn a_tool_behind_us_hears_what_it_would_without_us() {
    let (mut trial, _) = emitters("tool");
    let tool = trial.scratch.join("libtool.so");
    let tool = trial::library("annotations/tool.c", &tool, &[]);
    trial.behind(tool);
    for topology in BOTH {
        let run = trial.on(topology).same();
        assert_eq!(
            run.stdout,
            "tool 4096\ntool: 2 tables, 3 marks, 1 ranges, 0 strange\n"
        );
        assert_heard(&run);
    }
}

#[test]
fn a_tool_that_the_variable_names_is_left_alone() {
    let (mut trial, _) = emitters("named");
    let tool = trial.scratch.join("libtool.so");
    let tool = trial::library("annotations/tool.c", &tool, &[]);
    let run = trial.environment("MSTX_INJECTION_PATH", tool).same();
    assert!(run.stdout.contains("2 tables, 3 marks"), "{}", run.stdout);
    assert_eq!(
        reported(&run, "report")["annotations"]["pools"],
        serde_json::json!([])
    );
}
