//! `checks` runs the tables of the shim, as they are, on the atomics and locks of `loom`, in every order of their steps.
//!
//! Run `cargo test` in this folder: Cargo takes `--cfg loom` from `.cargo/config.toml` of the folder that it is started in.

#[cfg(not(loom))]
compile_error!(
    "run `cargo test` in tests/interleavings, whose .cargo/config.toml sets `--cfg loom`"
);
