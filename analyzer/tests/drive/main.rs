//! The commands that start programs, tested from outside: exit codes, signals, streams, what reaches the program.
//!
//! An empty shared library replaces the shim, so these tests need only a C compiler.

mod bench;
mod doctor;
mod env;
mod preload;
mod run;
mod settings;
mod signals;
