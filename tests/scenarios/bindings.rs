//! Our declarations of AscendCL, checked by two compilers: bindgen gives the checked-in bindings, and C++ takes our prototypes.
//! `SNAPSHOTS=overwrite` updates the bindings.
//!
//! Against a toolkit's own headers the shim's build script compares them, whenever `ACLSAN_CANN_INCLUDE` is set.

use aclsan_left_out::left_out;
use snapbox::IntoData;
use snapbox::assert::{Action, DEFAULT_ACTION_ENV};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("tests lies in the root").to_owned()
}

/// Output of the build script in the newest of its folders that has one.
fn generated(target: &Path) -> Option<String> {
    let folders = std::fs::read_dir(target.join("debug/build")).ok()?;
    let outputs = folders.filter_map(|folder| Some(folder.ok()?.path().join("out/bindings.rs")));
    let newest =
        outputs.max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())?;
    std::fs::read_to_string(newest).ok()
}

#[test]
fn bindgen_makes_the_checked_in_bindings() {
    let target = root().join("target/bindings");
    let mut check = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    check
        .current_dir(root())
        .args(["check", "--quiet", "--offline", "-p", "aclsan-shim"])
        .args(["--features", "buildtime_bindgen", "--target-dir"])
        .arg(&target)
        .env_remove("ACLSAN_CANN_INCLUDE");
    let output = check.output().expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() && errors.contains("--offline") {
        left_out("bindgen was never fetched; `cargo fetch` does it");
        return;
    }
    if !output.status.success() && errors.contains("Unable to find libclang") {
        left_out("there is no libclang; install it, or name its folder in LIBCLANG_PATH");
        return;
    }
    if !output.status.success() && errors.contains("'stddef.h' file not found") {
        left_out("libclang is there without its headers; BINDGEN_EXTRA_CLANG_ARGS can name gcc's");
        return;
    }
    assert!(output.status.success(), "{errors}");
    let fresh = generated(&target).expect("the build script wrote bindings");
    let kept = root().join("shim/abi/bindings.rs");
    if Action::with_env_var(DEFAULT_ACTION_ENV) == Some(Action::Overwrite) {
        std::fs::write(&kept, &fresh).expect("the bindings can be written");
    }
    let kept = std::fs::read_to_string(kept).expect("the checked-in bindings");
    snapbox::assert_data_eq!(without_banner(&fresh), without_banner(&kept).raw());
}

/// Without the line that names bindgen's version.
fn without_banner(bindings: &str) -> String {
    let lines = bindings.lines().filter(|line| !line.starts_with("/*"));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[test]
fn prototypes_agree_with_our_headers() {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let mut check = Command::new(&compiler);
    check
        .current_dir(root())
        .args([
            "-fsyntax-only",
            "-DENABLE_DVPP_INTERFACE",
            "-Wall",
            "-Werror",
        ])
        .args(["-I", "shim/abi/include", "shim/abi/prototypes.cpp"]);
    match check.output() {
        Ok(output) => assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) => left_out(format_args!(
            "`{compiler}` does not run ({error}); CXX names another"
        )),
    }
}
