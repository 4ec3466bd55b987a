//! The requirements and exports of the built files, read with `readelf`, which comes with the compiler.

mod elf; // one file, parsed from readelf's output
mod exports; // the shim's exports against its tables
mod floor; // glibc 2.17 and the allowed libraries
mod identity; // versions and build IDs
mod late;
mod unhooked; // names that no hook watches, and why // a shim opened after the program's start
