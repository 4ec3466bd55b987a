//! `docs/ci-without-an-npu.md`: its programs are compiled and its commands run exactly as printed, in order.
//!
//! A block whose fence names a file (`cpp classify.cpp`) becomes that file. A block of `sh` runs with `set -e`; the next block of `text` is its
//! standard output, without the lines of aclsan's that begin with `==`.

use std::fs;
use std::path::Path;
use std::process::Command;

use aclsan_tests::artifacts;

use crate::building::{compile, compiler, scratch, simulator, succeed};

/// A fenced block: the words after the fence, and the lines inside.
struct Block<'a> {
    language: &'a str,
    file: Option<&'a str>,
    text: String,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(words) = line.strip_prefix("```") else {
            continue;
        };
        let mut words = words.split_whitespace();
        let language = words.next().expect("a language after the fence");
        let inside = lines.by_ref().take_while(|line| *line != "```");
        let text = inside.map(|line| format!("{line}\n")).collect();
        let file = words.next();
        blocks.push(Block {
            language,
            file,
            text,
        });
    }
    blocks
}

/// Writes the model that the page's programs load.
fn model(path: &Path) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = compiler();
    command.arg(tests.join("programs/om/write.c"));
    command.arg("-L").arg(simulator().join("lib"));
    let writer = compile(scratch("om-write"), command.arg("-lascendcl"));
    let mut run = Command::new(writer);
    succeed(
        run.arg(path)
            .env("LD_LIBRARY_PATH", simulator().join("lib")),
    );
}

/// Whether the page's commands find the programs that they call.
fn has(program: &str) -> bool {
    let is_there = Command::new(program).arg("--version").output().is_ok();
    if !is_there {
        eprintln!("left out: there is no {program}");
    }
    is_there
}

#[test]
fn the_page_about_ci_does_as_it_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ci-without-an-npu.md");
    let page = fs::read_to_string(page).expect("the page");
    let blocks = blocks(&page);
    let folder = artifacts::scratch("ci-page");
    model(&folder.join("model.om"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(artifacts::folder().clone()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).expect("no colons in them");
    let mut ran = 0;
    for (place, block) in blocks.iter().enumerate() {
        if let Some(file) = block.file {
            fs::write(folder.join(file), &block.text).expect("writable");
        }
        let needs = ["c++", "python3"]
            .into_iter()
            .filter(|program| block.text.contains(&format!("{program} ")));
        if block.language != "sh" || !needs.into_iter().all(has) {
            continue;
        }
        let mut shell = Command::new("sh");
        shell
            .args(["-ec", &block.text])
            .current_dir(&folder)
            .env("PATH", &path);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if ["ACLSIM_", "ACLSAN_", "GITHUB_"]
                .iter()
                .any(|start| name.starts_with(start))
                || name == "PYTHONPATH"
            {
                shell.env_remove(&*name);
            }
        }
        let output = succeed(&mut shell);
        if let Some(expected) = blocks.get(place + 1).filter(|next| next.language == "text") {
            let printed = String::from_utf8_lossy(&output.stdout);
            let own = printed.lines().filter(|line| !line.starts_with("=="));
            let printed: String = own.map(|line| format!("{line}\n")).collect();
            assert_eq!(
                printed,
                expected.text,
                "{}\n{}",
                block.text,
                String::from_utf8_lossy(&output.stderr)
            );
        }
        ran += 1;
    }
    let commands = blocks.iter().filter(|block| block.language == "sh").count();
    assert!(
        commands >= 3 && ran > 0,
        "{ran} of {commands} blocks of commands ran"
    );
}
