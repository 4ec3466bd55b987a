//! `checks` runs the shim's tables on loom's atomics and locks, in every interleaving.
//!
//! Run `cargo test` in this folder: Cargo reads `--cfg loom` from `.cargo/config.toml` of the folder that it starts in.

#[cfg(not(loom))]
compile_error!(
    "run `cargo test` in tests/interleavings, whose .cargo/config.toml sets `--cfg loom`"
);
