//! Pools, batches and user allocators in the log.

use crate::program::Program;
use crate::tally::Tally;
use aclsan_log::Event;
use aclsan_tests::artifacts::Topology;
use std::path::Path;

const BOTH: [Topology; 2] = [Topology::One, Topology::Split];

fn tally(name: &str, topology: Topology) -> Tally {
    let run = Program::new(name).run(topology, "quiet=1");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
    Tally::of(Path::new(&run.logs[0]))
}

/// The values of every call of `function` that has any.
fn values(tally: &Tally, function: &str) -> Vec<Vec<u64>> {
    let events = tally.log.events();
    let reported = events.filter_map(|timed| match timed.event {
        Event::Call { site, values, .. } if tally.log.function(site) == function => {
            Some((0..4).map(|index| values.get(index)).collect())
        }
        _ => None,
    });
    reported.collect()
}

#[test]
fn a_user_allocators_blocks_are_on_record_once_and_so_are_its_functions() {
    for topology in BOTH {
        let tally = tally("pools/allocators_silent.c", topology);
        assert_eq!(
            (tally.count("aclrtMalloc"), tally.count("aclrtFree")),
            (3, 3)
        );
        let [registered] = &values(&tally, "aclrtAllocatorRegister")[..] else {
            panic!("one registration");
        };
        let functions = values(&tally, "aclrtAllocatorSetAllocFuncToDesc");
        assert_eq!(functions[0][0], registered[1], "of the same description");
        assert_ne!(functions[0][1], 0);
    }
}

#[test]
fn a_pool_block_is_on_record_with_its_pool_and_stream() {
    for topology in BOTH {
        let tally = tally("pools/pool_releases_silent.c", topology);
        let taken = values(&tally, "aclrtMemPoolMallocAsync");
        let given = values(&tally, "aclrtMemPoolFreeAsync");
        // Size 0 made no block, and the oversized request failed.
        assert_eq!(taken.len(), 1 + 1 + 100);
        assert_eq!((taken[0][0], taken[0][1]), (0, 0));
        let (pool, stream) = (taken[0][2], taken[0][3]);
        assert!(
            taken
                .iter()
                .all(|call| (call[2], call[3]) == (pool, stream))
        );
        assert!(given.iter().all(|call| call[1] == stream));
        assert_eq!(taken[2][0], taken[101][0], "the same block again and again");
    }
}

#[test]
fn a_batch_is_one_call_site_and_a_copy_for_each_element_that_has_bytes() {
    for topology in BOTH {
        let tally = tally("moves/batch_copies_silent.c", topology);
        // Four elements, two of them empty; three refused batches are passed through unchanged.
        let copies = tally.log.events().filter(|timed| match timed.event {
            Event::Copy { site, .. } => tally.log.function(site).starts_with("aclrtMemcpyBatch"),
            _ => false,
        });
        assert_eq!(copies.count(), 2 + 1 + 1);
    }
}
