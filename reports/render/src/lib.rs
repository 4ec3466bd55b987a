#![forbid(unsafe_code)]
//! Stub.
