//! What the built files ask of a machine, and what they show it: read by `readelf`, which comes with the compiler.

mod elf; // one file, as readelf tells of it
mod exports; // the shim's tables
mod floor; // glibc 2.17, and which libraries
mod identity; // versions and build-ids
mod late; // a shim that is opened late
