//! Access to the kernel, libc and the loader in a form that is safe inside someone else's process: one that forks,
//! cancels threads, filters system calls ([`seccomp`]), closes descriptors and reads `errno` after calls of its own.
//!
//! Knows nothing about AscendCL, options, or what is logged.

pub mod arena;
pub mod cancel;
pub mod clock;
pub mod control_socket;
pub mod crash;
mod crash_memory;
pub mod errno;
pub mod exit;
pub mod files;
pub mod futex;
pub mod host_pages;
pub mod loader;
pub mod lock;
pub mod maps;
pub mod out_ptr;
pub mod page_range;
pub mod panic;
pub mod per_process;
pub mod prefetch;
pub mod racy_once;
pub mod rlimit;
pub mod safe_copy;
pub mod seccomp;
pub mod signal;
mod signal_action;
pub mod signal_context;
pub mod signal_stack;
pub mod status;
pub mod stderr;
pub mod stopped_threads;
mod system_call;
pub mod thread_name;
pub mod trace;
