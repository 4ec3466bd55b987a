//! What the targets share: see README.md.

pub mod command;
pub mod faulty;
pub mod logs;
pub mod readers;
pub mod story;

// Parts of the shim that read what others wrote, without the shim around them, which hooks whoever loads it. They stand where they stand
// there, so that they find each other.
#[path = "shim/modules.rs"]
pub mod modules;
#[path = "shim/stack.rs"]
pub mod stack;
