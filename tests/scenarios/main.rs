//! Programs under the shim: each is built, run, and its whole output compared.

mod normalise;
mod order;
mod program;
mod soak;
mod tally;
mod trial;
mod watchdog;

mod annotations; // what programs tell about themselves
mod carving; // blocks that programs cut up by themselves
mod continuous; // what CI's steps come to, run as scripts
mod demo; // and what README.md quotes of it
mod doors; // the ways into a hook: linked, looked up, split runtime
mod driven; // what `aclsan run` prints
mod fences; // blocks before unmapped pages
mod guards; // guard regions, fills, blocks held back
mod hazards; // processes that fork, exec, run out of things, or never call AscendCL
mod leak_scan; // which leaks the program still knows
mod leaks; // what `aclsan leaks` says of a program's log
mod pools; // what the log keeps of pools, batches and user allocators
mod public_bugs; // mistakes that were made in public, rebuilt in small
mod python; // Python's stacks
mod random;
mod replay; // what was found live is found in the log
mod rules;
mod waste; // what only the log can tell: waste, growth, refusals // every program in tests/programs that has a report
