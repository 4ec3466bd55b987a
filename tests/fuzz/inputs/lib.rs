#![forbid(unsafe_code)]
//! Turns a fuzzer's bytes into inputs. The targets use it, and so do the ordinary tests that run their seeds.

pub mod image; // code with an unwind table
pub mod logs; // logs in a few hundred bytes
pub mod pickle; // Python objects as files
pub mod readers; // ways to read a log
pub mod story; // well-formed logs that make no sense
pub mod torch_snapshot; // memory snapshots of PyTorch
