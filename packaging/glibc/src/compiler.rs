//! The target's C compiler, from the environment.

use std::env;
use std::process::Command;

/// `CC_<target>` for a cross build, else `CC`, else Debian's name of a cross compiler, else `cc`; each may carry arguments.
#[must_use]
pub fn compiler() -> Command {
    let target = env::var("TARGET").unwrap_or_default();
    let is_cross = env::var("HOST").is_ok_and(|host| host != target);
    let default = match target.split('-').next() {
        Some(architecture) if is_cross => format!("{architecture}-linux-gnu-gcc"),
        _ => "cc".to_owned(),
    };
    let named = names().iter().find_map(|name| {
        let value = env::var(name).ok();
        value.filter(|value| !value.trim().is_empty())
    });
    let words = named.unwrap_or(default);
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("cc"));
    command.args(words);
    command
}

/// `CFLAGS`, split into words: for instance the flags that keep this machine's paths out of debug information.
#[must_use]
pub fn flags() -> Vec<String> {
    let flags = env::var("CFLAGS").unwrap_or_default();
    flags.split_whitespace().map(str::to_owned).collect()
}

/// Declares the variables to Cargo, so that changes rebuild.
pub fn is_compiler_variable() {
    for name in names().iter().map(String::as_str).chain(["CFLAGS"]) {
        println!("cargo::rerun-if-env-changed={name}");
    }
}

fn names() -> [String; 2] {
    let target = env::var("TARGET").unwrap_or_default();
    [format!("CC_{}", target.replace('-', "_")), "CC".to_owned()]
}
