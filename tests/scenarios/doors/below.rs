//! The layer below AscendCL's.

use super::tally;
use crate::trial::{self, Trial};
use aclsan_tests::artifacts::Topology;

/// The library layouts in which that layer can be called.
const LAYERED: [Topology; 2] = [Topology::Split, Topology::Merged];

#[test]
fn calls_of_the_layer_below_are_recorded_once_and_pair_with_those_above() {
    let mut trial = Trial::new("doors/below.c", "below");
    for topology in LAYERED {
        let run = trial.on(topology).arguments([""; 0]).same();
        let tally = tally(&run);
        assert_eq!(tally.pairs(), (14, 14), "{:?}", tally.calls);
        assert_eq!(tally.count("rtMalloc"), 10);
        assert_eq!(tally.count("rtFree"), 12);
        assert!(
            run.stderr.contains("0 errors, 0 warnings, 0 notes"),
            "{}",
            run.stderr
        );
        let run = trial.arguments(["twice"]).same();
        let said = "double-free: `rtFree` released";
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

#[test]
fn waits_of_the_layer_below_are_waits_and_those_of_the_layer_above_are_one_call() {
    let mut trial = Trial::new("doors/below_waits.c", "below-waits");
    for topology in LAYERED {
        let run = trial.on(topology).arguments([""; 0]).same();
        let tally = tally(&run);
        assert_eq!(tally.pairs(), (12, 12), "{:?}", tally.calls);
        for (name, count) in [
            ("rtStreamSynchronizeWithTimeout", 1),
            ("rtDeviceSynchronizeWithTimeout", 1),
            ("rtEventSynchronizeWithTimeout", 1),
            ("rtFreeWithDevSync", 2),
            ("rtFreeHostWithDevSync", 2),
            ("aclrtSynchronizeStream", 1),
            ("aclrtSynchronizeDevice", 1),
        ] {
            assert_eq!(tally.count(name), count, "{name}");
        }
        assert!(
            run.stderr.contains("0 errors, 0 warnings, 0 notes"),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("; 0 bytes in 0 blocks leaked"));
        let run = trial.arguments(["early"]).same();
        let said = "free-in-flight: `rtFree` released";
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

#[test]
fn what_cann_allocates_for_itself_is_not_the_programs() {
    let mut trial = Trial::new("doors/beside.c", "beside");
    for topology in LAYERED {
        // The same libraries in a writable folder.
        let folder = trial.scratch.join(format!("cann-{topology:?}"));
        std::fs::create_dir_all(&folder).expect("scratch");
        for entry in std::fs::read_dir(topology.libraries()).expect("the simulator") {
            let path = entry.expect("entry").path();
            let link = folder.join(path.file_name().expect("a name"));
            std::os::unix::fs::symlink(&path, link).expect("scratch");
        }
        let flags = [format!("-L{}", folder.display()), "-lruntime".to_owned()];
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        trial::library("doors/internal.c", &folder.join("libinternal.so"), &flags);
        let run = trial
            .on(topology)
            .environment("LD_LIBRARY_PATH", folder)
            .same();
        let tally = tally(&run);
        assert_eq!(tally.pairs(), (1, 1), "{:?}", tally.calls);
        assert!(
            run.stderr.contains("0 errors, 0 warnings, 0 notes"),
            "{}",
            run.stderr
        );
    }
}
