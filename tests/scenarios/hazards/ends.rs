//! Every call that returned is in the log, however the process ends; so are releases after the end.

use super::tally;
use crate::trial::{BOTH, Trial};

#[test]
fn every_call_is_on_record_however_the_process_ends() {
    let mut trial = Trial::new("process/ends.c", "ends");
    let ways = [
        ("return", 4, true),
        ("exit", 5, true),
        ("last thread", 0, true),
        ("_exit", 6, false),
        ("abort", 128 + 6, false),
        ("kill", 128 + 9, false),
        ("fault", 128 + 11, false),
    ];
    let is_crash = |way| ["abort", "fault"].contains(&way);
    for (way, code, is_reported) in ways {
        let run = trial.arguments([way]).same();
        let tally = tally(&run);
        assert_eq!((run.code, tally.pairs()), (code, (1000, 400)), "{way}");
        assert_eq!(tally.has_exit, is_reported, "{way}");
        assert_eq!(
            run.stderr.contains("SUMMARY"),
            is_reported || is_crash(way),
            "{way}: {}",
            run.stderr
        );
    }
}

#[test]
fn late_releases_are_on_record() {
    let mut trial = Trial::new("process/late.c", "late");
    for topology in BOTH {
        let run = trial.on(topology).same();
        assert_eq!(run.stdout, "0 blocks left\n");
        assert_eq!(tally(&run).pairs(), (23, 23));
        assert!(
            run.stderr.contains("0 bytes in 0 blocks leaked"),
            "{}",
            run.stderr
        );
    }
}
