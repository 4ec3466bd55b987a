#![forbid(unsafe_code)]
//! Makes shipped files run on glibc 2.17 and later (openEuler 20.03, Ubuntu 16.04, CentOS 7, manylinux2014), whichever glibc they are built on.
//!
//! A library requires the symbol versions that it was linked against: `dlsym` linked on glibc 2.36 is `dlsym@GLIBC_2.34`,
//! which older systems lack, although their `dlsym` would do. glibc keeps every old version of every symbol, so this machine's own
//! libraries describe the interface of 2.17. This crate derives link-time stub libraries from them, in a folder that the linker searches
//! first: libraries without code, under the real names, with each symbol at its newest version that 2.17 has.
//!
//! * A symbol without such a version is missing, and a link that needs it fails: implement it in [`newer.c`](../newer.c), or avoid it.
//! * Weak references to newer symbols stay unversioned: newer systems have them, older ones leave them null.
//! * Symbols that later moved into libc stay in their original library, which newer systems still have by name.
//!
//! Needs the C compiler and `readelf`, which comes with its linker. `ACLSAN_GLIBC=native` links against the machine's own glibc.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

mod compiler;
mod exports;
mod stand_ins;

pub use compiler::{compiler, flags, is_compiler_variable};

/// The newest version that may be required.
pub const FLOOR: Version = Version([2, 17, 0]);

/// A version of glibc's symbols: the numbers of `GLIBC_2.2.5`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version(pub [u32; 3]);

impl Version {
    /// Parses a version's name; `None` for names that are not public glibc versions.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut numbers = [0; 3];
        let parts = name.strip_prefix("GLIBC_")?.split('.');
        for (at, part) in parts.enumerate() {
            *numbers.get_mut(at)? = part.parse().ok()?;
        }
        Some(Self(numbers))
    }
}

/// For build scripts of packages that Cargo links: makes the stub libraries and has the linker search there first.
pub fn link() {
    if let Some(folder) = folder() {
        // No `rustc-link-search`: Cargo would make the loader search there, too, whenever it runs a test.
        println!("cargo::rustc-link-arg=-L{}", folder.display());
        println!("cargo::rustc-link-arg=-Wl,--allow-shlib-undefined");
    }
    println!("cargo::rustc-link-arg=-Wl,--build-id=sha1");
}

/// The folder of stub libraries, made in `OUT_DIR`; `None` if the target has no glibc or the machine's own is wanted.
///
/// A failure is only a warning: the result then needs the machine's own glibc or a newer one.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    println!("cargo::rerun-if-env-changed=ACLSAN_GLIBC");
    let is = |name: &str, values: &[&str]| {
        env::var(name).is_ok_and(|value| values.contains(&value.as_str()))
    };
    let has_glibc = is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ENV", &["gnu"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"]);
    if !has_glibc || is("ACLSAN_GLIBC", &["native"]) {
        return None;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR")?).join("glibc");
    match stand_ins::make(&out) {
        Ok(()) => Some(out),
        Err(why) => {
            println!(
                "cargo::warning=what is built needs the glibc of this machine, not glibc 2.17 only: {why}"
            );
            None
        }
    }
}

/// Runs a tool and returns its output.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = (command.env("LC_ALL", "C").output())
        .map_err(|error| format!("cannot run `{name}`: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{name}` failed: {}", said.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The compiler's path of a target file, if it has one.
fn installed(name: &str) -> Result<Option<PathBuf>, String> {
    let path = output(compiler().arg(format!("-print-file-name={name}")))?;
    let path = Path::new(path.trim());
    Ok(path.is_absolute().then(|| path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers() {
        assert_eq!(Version::named("GLIBC_2.2.5"), Some(Version([2, 2, 5])));
        assert!(Version::named("GLIBC_2.4") < Version::named("GLIBC_2.17"));
        assert!(Version::named("GLIBC_2.34") > Some(FLOOR));
        assert_eq!(Version::named("GLIBC_PRIVATE"), None);
        assert_eq!(Version::named("GLIBC_ABI_DT_RELR"), None);
    }
}
