//! A library that is loaded into a running program: `aclsan attach`, and its half inside the program.

use crate::tally::Tally;
use crate::trial::{self, ALL, Trial};
use aclsan_log::record::ATTACHED;
use aclsan_log::{EndKind, Event};
use aclsan_tests::artifacts;

/// What the program prints.
const ANSWERS: &str = "\
detach: the process is not attached to
attach: option `guard` is not possible in a running process: addresses of blocks would be other than the runtime's, and a detach cannot \
undo that; `rear` is possible
attach: unknown option `nothing`; ACLSAN_OPTIONS=help=1 lists them
attach: done
attach: the process is attached to already: its log is `LOG`
detach: done
attach: done
detach: done
detach: the process is not attached to
";

#[test]
fn every_call_between_attach_and_detach_is_recorded_once_and_no_other() {
    let mut trial = Trial::new("attach/attaches.c", "itself");
    let plugin = trial.scratch.join("libplugin.so");
    let flags = ["-DROUTINE=routine"];
    let plugin = trial::library("doors/plugin.c", &plugin, &flags);
    trial.arguments([artifacts::shim(), plugin]);
    for topology in ALL {
        let run = trial.on(topology).alone();
        assert_eq!(run.code, 0, "{topology:?}: {}{}", run.stdout, run.stderr);
        let first = run.logs[0].display().to_string();
        assert_eq!(run.stdout.replace(&first, "LOG"), ANSWERS, "{topology:?}");
        let second = run.logs[0].with_extension("aclsan.1");
        // Ten pairs, three by pointers and from the plugin, and blocks that are older or live on.
        let wanted = [(run.logs[0].clone(), (14, 14)), (second, (8, 10))];
        for (log, pairs) in wanted {
            let tally = Tally::of(&log);
            assert_eq!(tally.pairs(), pairs, "{topology:?}: {:?}", tally.calls);
            let (end, _) = tally.log.end.as_ref().expect("an end");
            assert_eq!(end.kind, EndKind::Detached);
            assert!(tally.log.properties.contains_key(ATTACHED) && !tally.has_exit);
            let memory = tally
                .log
                .events()
                .filter(|timed| matches!(timed.event, Event::Memory { .. }));
            assert_eq!(memory.count(), 1, "the base line");
        }
    }
}
