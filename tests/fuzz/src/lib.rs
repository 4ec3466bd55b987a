//! What the targets share: see README.md.

pub mod command;
pub mod faulty;
pub mod image;
pub mod logs;
pub mod readers;
pub mod story;
