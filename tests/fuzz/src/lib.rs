//! Code shared by the targets; see README.md.

pub mod command;
pub mod faulty;
