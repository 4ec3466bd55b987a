//! What the targets share: see README.md.

pub mod command;
pub mod faulty;
