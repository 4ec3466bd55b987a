//! CMake, Meson and pkg-config find the simulator, and their tests run programs under aclsan: the examples of `docs/examples`.

use aclsan_left_out::left_out;
use aclsan_tests::artifacts;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples")
}

/// A copy of the examples, and a command in its folder `name` that finds this build.
struct Copy {
    folder: PathBuf,
}

impl Copy {
    fn new(test: &str) -> Self {
        let folder = artifacts::scratch(test);
        for example in ["googletest", "meson"] {
            fs::create_dir_all(folder.join(example)).expect("writable");
            for entry in fs::read_dir(examples().join(example)).expect("the example") {
                let file = entry.expect("entry");
                let to = folder.join(example).join(file.file_name());
                fs::copy(file.path(), to).expect("writable");
            }
        }
        Self { folder }
    }

    /// Changes the line with `text` of the pool.
    fn replace(&self, text: &str, by: &str) {
        let file = self.folder.join("googletest/pool.h");
        let pool = fs::read_to_string(&file).expect("the pool");
        assert!(pool.contains(text), "{text}");
        fs::write(file, pool.replace(text, by)).expect("writable");
    }

    /// The exit code and output of a command; `None` if it is not installed.
    fn run(&self, example: &str, line: &[&str]) -> Option<(Option<i32>, String)> {
        let path = std::env::var("PATH").unwrap_or_default();
        let build = artifacts::folder().display();
        let output = Command::new(line[0])
            .args(&line[1..])
            .current_dir(self.folder.join(example))
            .env("PATH", format!("{build}:{path}"))
            .env("PKG_CONFIG_PATH", format!("{build}/share/pkgconfig"))
            .output();
        let Ok(output) = output else {
            left_out(format_args!("there is no {}", line[0]));
            return None;
        };
        let text = [output.stdout, output.stderr].concat();
        Some((output.status.code(), String::from_utf8_lossy(&text).into()))
    }

    /// Configures and builds the example of GoogleTest, and runs its tests.
    fn ctest(&self) -> Option<(Option<i32>, String)> {
        let (code, text) = self.run("googletest", &["cmake", "-S", ".", "-B", "build"])?;
        if text.contains("GTest") && code != Some(0) {
            left_out("there is no GoogleTest");
            return None;
        }
        assert_eq!(code, Some(0), "{text}");
        let (code, text) = self.run("googletest", &["cmake", "--build", "build"])?;
        assert_eq!(code, Some(0), "{text}");
        let quoted = ["ctest", "--test-dir", "build", "--output-on-failure"];
        self.run("googletest", &quoted)
    }
}

#[test]
fn ctest_passes_a_clean_program_and_fails_one_that_leaks() {
    let copy = Copy::new("cmake");
    let Some((code, text)) = copy.ctest() else {
        return;
    };
    assert_eq!(code, Some(0), "{text}");
    copy.replace(
        "            aclrtFree(block);\n",
        "            (void)block;\n",
    );
    let (code, text) = copy.ctest().expect("cmake is still there");
    assert_ne!(code, Some(0), "{text}");
    assert!(text.contains("Pool::take()"), "{text}");
    assert!(text.contains("aclsan check: 1"), "{text}");
}

#[test]
fn ctest_fails_if_nothing_was_seen() {
    let copy = Copy::new("cmake-idle");
    let main = "int main() { return 0; }\n";
    fs::write(copy.folder.join("googletest/pool_test.cpp"), main).expect("writable");
    let Some((code, text)) = copy.ctest() else {
        return;
    };
    assert_ne!(code, Some(0), "{text}");
    assert!(text.contains("aclsan check: 3"), "{text}");
}

#[test]
fn meson_tests_a_program_under_aclsan() {
    let copy = Copy::new("meson");
    let Some((code, text)) = copy.run("meson", &["meson", "setup", "build"]) else {
        return;
    };
    assert_eq!(code, Some(0), "{text}");
    let test = ["meson", "test", "-C", "build", "--print-errorlogs"];
    let (code, text) = copy.run("meson", &test).expect("meson is still there");
    assert_eq!(code, Some(0), "{text}");
    copy.replace(
        "            aclrtFree(block);\n",
        "            (void)block;\n",
    );
    let (code, text) = copy.run("meson", &test).expect("meson is still there");
    assert_eq!(code, Some(1), "{text}");
}

#[test]
fn pkg_config_has_the_flags_of_a_program() {
    let copy = Copy::new("pkg-config");
    let flags = [
        "pkg-config",
        "--cflags",
        "--libs",
        "aclsan",
        "aclsan-simulator",
    ];
    let Some((code, text)) = copy.run("meson", &flags) else {
        return;
    };
    assert_eq!(code, Some(0), "{text}");
    let mut line = vec!["c++", "pool.cpp", "-o", "pool"];
    line.extend(text.split_whitespace());
    let Some((code, text)) = copy.run("meson", &line) else {
        return;
    };
    assert_eq!(code, Some(0), "{text}");
}
