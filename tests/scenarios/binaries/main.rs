//! What the built files ask of a machine, and what they show it: read by `readelf`, which comes with the compiler.

#[path = "../artifacts.rs"]
#[allow(dead_code)] // other tests run on every topology
mod artifacts;
mod elf; // one file, as readelf tells of it
mod exports; // the shim's tables
mod floor; // glibc 2.17, and which libraries
mod late; // a shim that is opened late
