#![forbid(unsafe_code)]
//! Stub.

#[allow(dead_code, unused_imports)] // until a verb resolves stacks
mod symbols;

fn main() {}
