//! Code shared by the targets; see README.md.

pub mod command;
pub mod faulty;
pub mod image;
pub mod logs;
pub mod readers;
pub mod story;
