#![forbid(unsafe_code)]
//! What a test leaves out on this machine: a tool that is missing, or a thing that this user may not do.

use std::fmt::Display;
use std::io::{self, Write};
use std::{env, thread};

/// Says so in a line that begins with `left out: `, past the runner, which hides what a test that passes prints. With
/// `REQUIRE_ALL` set, the test fails instead.
pub fn left_out(why: impl Display) {
    let thread = thread::current();
    let line = format!("left out: {}: {why}", thread.name().unwrap_or("a thread"));
    assert!(env::var_os("REQUIRE_ALL").is_none(), "{line}");
    let _ = writeln!(io::stderr(), "{line}");
}
