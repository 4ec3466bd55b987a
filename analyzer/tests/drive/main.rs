//! The verbs that start programs, from outside: exit codes, signals, streams, what reaches the program.
//!
//! A shared library without content stands for the shim, so nothing here needs more than a C compiler.

mod bench;
mod doctor;
mod env;
mod preload;
mod run;
mod settings;
mod signals;
