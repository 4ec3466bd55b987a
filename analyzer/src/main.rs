#![forbid(unsafe_code)]
//! Stub.
fn main() {}
