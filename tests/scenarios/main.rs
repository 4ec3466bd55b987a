//! Programs under the shim: each is built, run, and its whole output compared.

mod normalise;
mod order;
mod program;
mod pty;
mod server;
mod soak;
mod tally;
mod trial;
mod watchdog;

mod account; // who holds device memory
mod annotations; // annotations that programs make
mod attaching; // a library that is loaded into a running program
mod build_systems; // CMake, Meson, pkg-config
mod carving; // suballocation by programs
mod consequences; // what follows from another finding
mod continuous; // CI steps, run as scripts
mod controlled; // `aclsan ctl` on a server that runs
mod doors; // the ways into a hook: linked, looked up, split runtime
mod driven; // what `aclsan run` prints
mod guard_pages; // blocks that end at unmapped pages
mod guards; // guard regions, fills, quarantine
mod hazards; // processes that fork, exec, exhaust resources or never call AscendCL
mod language; // what is printed in Chinese
mod leak_scan; // leaks that are still reachable
mod leak_scan_gaps; // what a scan cannot look into, and what is known of lost objects
mod leaks; // `aclsan leaks` on programs' logs
mod plan; // what a recorded run would have needed
mod pools; // pools, batches and user allocators in the log
mod public_bugs; // small reproductions of public bugs
mod python; // Python's stacks
mod random;
mod replay; // live findings are found again in the log
mod rules; // every program in tests/programs that has a report
mod sampled; // a sample of the blocks, and what is estimated from it
mod serving; // `aclsan serve`: metrics, health, the live page
mod stacks; // stacks as a person reads them
mod terminal; // the demo, and reports at several widths
mod verdicts; // one policy of suppressions for all commands
mod waste; // rules that need the log: waste, growth, refusals
mod watching; // `aclsan top` and `report --follow` on a server that runs
