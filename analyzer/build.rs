//! Links the command against an old glibc, and passes it the data for `--version`.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    aclsan_glibc::link();
    let target = env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=ACLSAN_TARGET={target}");
    println!("cargo::rerun-if-env-changed=ACLSAN_REVISION");
    // Release builds only: others would be rebuilt at every commit.
    if env::var_os("ACLSAN_REVISION").is_none()
        && env::var("PROFILE").as_deref() == Ok("release")
        && let Some(revision) = git(&["rev-parse", "--short=12", "HEAD"])
    {
        println!("cargo::rustc-env=ACLSAN_REVISION={revision}");
        let moves = git(&["rev-parse", "--git-path", "logs/HEAD"]).unwrap_or_default();
        if std::path::Path::new(&moves).is_file() {
            println!("cargo::rerun-if-changed={moves}");
        }
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
