//! Invariants in every interleaving, and the bound of each check.
//!
//! | structure | threads | preemptions | invariant |
//! |---|---|---|---|
//! | starts of live blocks | 2 | 3, all | a thread finds its own starts and those published to it; removing a neighbor removes nothing else |
//! | call sites | 2, and a reader while the table grows | all, 2 | one number per site, written once and before anybody has it; never a wrong number |
//! | lock of the live blocks | 2 | all | one thread at a time has the value, and sees what the last one wrote |
//! | segments | 2 that end and begin | all | a segment has one thread at a time, none is lost, no number is used twice |

mod lock;
mod segments;
mod sites;
mod starts;

/// Runs `body` in every interleaving with at most this many preemptions.
fn in_every_order(preemptions: Option<usize>, body: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(body);
}
