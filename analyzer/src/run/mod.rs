//! Runs a program under the shim, finds its logs and reports afterwards; `doctor` checks what surrounds it.
//!
//! Judges nothing.

pub mod after;
pub mod annotation_headers;
pub mod checkout;
mod child;
pub mod doctor;
pub mod environment;
pub mod launch;
mod loader_path;
mod log_folder;
pub mod log_path;
pub mod preload;
pub mod program;
mod run_logs;
pub mod settings;
pub mod simulator;
pub mod toolkit;
pub mod version;
mod wait_status;
