//! Offline models: damaged files, real files, and files of our own writer in the simulator's reader.
//!
//! The real files belong to others and are not in this repository. The tests look in `../shared/om` beside it, or where
//! `ACLSAN_OM_MODELS` says; `decoded.txt` there describes in a paragraph what a reader must find in each.

use aclsan_left_out::left_out;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::building::{TOPOLOGIES, compile, compiler, launch, scratch, simulator, succeed};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// A program of `simulator/om/tools`, linked with the reader.
fn with_reader(name: &str, flags: &[&str]) -> Command {
    let mut command = compiler();
    command
        .args(["-O1", "-I"])
        .arg(root().join("../shim/abi/include"));
    command
        .args(flags)
        .arg(root().join(format!("simulator/om/tools/{name}.c")));
    command.arg(root().join("simulator/compute/protobuf.c"));
    let files = fs::read_dir(root().join("simulator/om")).unwrap();
    let mut sources: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    sources.sort();
    command.args(sources);
    command
}

/// Sanitizer flags, if the compiler has their libraries.
pub fn sanitizers() -> &'static [&'static str] {
    const FLAGS: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let source = scratch("sanitized.c");
    fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let mut probe = compiler();
    probe
        .args(FLAGS)
        .arg(&source)
        .arg("-o")
        .arg(scratch("sanitized"));
    if probe.output().is_ok_and(|output| output.status.success()) {
        FLAGS
    } else {
        left_out("the compiler has no sanitizers");
        &[]
    }
}

/// The folder of real models; prints a note if there are none.
fn models() -> Option<PathBuf> {
    let folder = std::env::var_os("ACLSAN_OM_MODELS")
        .map_or_else(|| root().join("../../shared/om"), PathBuf::from);
    if !folder.join("decoded.txt").is_file() {
        left_out(format_args!(
            "there are no real models in {}",
            folder.display()
        ));
        return None;
    }
    Some(folder)
}

/// The models' files, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "om"));
    files.sort();
    assert!(!files.is_empty(), "{} has no models", folder.display());
    files
}

/// The paragraph of `decoded.txt` for a file of that size, without the file's name.
fn expected(folder: &Path, file: &Path) -> String {
    let decoded = fs::read_to_string(folder.join("decoded.txt")).unwrap();
    let size = fs::metadata(file).unwrap().len().to_string();
    let paragraphs = decoded.trim().split("\n\n");
    let found = paragraphs.filter_map(|paragraph| paragraph.split_once(' '));
    let mut found = found
        .map(|(_, rest)| rest)
        .filter(|rest| rest.split([' ', '\n']).next() == Some(&size));
    let paragraph = found
        .next()
        .unwrap_or_else(|| panic!("decoded.txt has no file of {size} bytes"));
    let lines: Vec<String> = paragraph.lines().map(with_stored_channels).collect();
    lines.join("\n")
}

/// `decoded.txt` multiplies an output's dimensions. In NC1HWC0 the graph engine counts channels by 16, or 32 of one byte
/// (metadef, `CalcElementCntOfNc1hwc0`), and what it answers is enough for a run.
fn with_stored_channels(line: &str) -> String {
    let stored = || {
        let (before, after) = line.split_once("'NC1HWC0', ")?;
        let (size, rest) = after.split_once(',')?;
        let dims = before.split_once('[')?.1.split_once(']')?.0;
        let dims: Vec<u64> = dims.split(", ").flat_map(str::parse).collect();
        let &[_, channels, _, _] = &dims[..] else {
            return None;
        };
        let is_byte = ["INT8", "BOOL"].iter().any(|byte| before.contains(byte));
        let whole = channels.next_multiple_of(if is_byte { 32 } else { 16 });
        let size = size.parse::<u64>().ok()? / channels * whole;
        Some(format!("{before}'NC1HWC0', {size},{rest}"))
    };
    let is_output = line.starts_with("  out ");
    is_output
        .then(stored)
        .flatten()
        .unwrap_or_else(|| line.to_owned())
}

/// A soak damages every file at every offset; otherwise two real files, and one offset in a hundred of the others.
fn is_soak() -> bool {
    std::env::var_os("SOAK").is_some()
}

#[test]
fn damaged_models_are_read_within_their_bytes() {
    let program = compile(
        scratch("om-damage"),
        &mut with_reader("damage", sanitizers()),
    );
    succeed(Command::new(&program).arg("1"));
    let Some(folder) = models() else { return };
    let mut files = files(&folder);
    files.sort_by_key(|file| fs::metadata(file).unwrap().len());
    for (place, file) in files.iter().enumerate() {
        let length = fs::metadata(file).unwrap().len();
        let step = if is_soak() || place < 2 {
            1
        } else {
            length / 100 + 1
        };
        succeed(Command::new(&program).arg(step.to_string()).arg(file));
    }
}

#[test]
fn real_models_are_read_as_others_read_them() {
    let Some(folder) = models() else { return };
    let program = compile(scratch("om-describe"), &mut with_reader("describe", &[]));
    for file in files(&folder) {
        let output = succeed(Command::new(&program).arg(&file));
        let said = String::from_utf8(output.stdout).unwrap();
        let (_, said) = said.trim_end().split_once(' ').unwrap();
        assert_eq!(said, expected(&folder, &file), "{}", file.display());
    }
}

/// As the public API reports it: an open dimension gives no size, and open shapes have their own rules.
#[test]
fn real_models_load_run_and_describe_themselves() {
    let Some(folder) = models() else { return };
    let mut command = compiler();
    command
        .arg(root().join("programs/om/load.c"))
        .arg("-L")
        .arg(simulator().join("lib"));
    let program = compile(
        scratch("om-load"),
        command.args(["-lascendcl", "-lm", "-ldl"]),
    );
    for file in files(&folder) {
        let expected = expected(&folder, &file);
        let is_model = !expected.contains("NOT IMOD") && !expected.contains("generation A");
        let ends = expected
            .lines()
            .filter(|line| line.starts_with("  in ") || line.starts_with("  out "));
        let ends: Vec<String> = ends
            .map(|line| {
                line.split_once(", 'padded'")
                    .unwrap()
                    .0
                    .replace("', -4", "', 0")
            })
            .collect();
        for topology in TOPOLOGIES {
            let output = succeed(launch(&program, topology, "ACLSIM_QUIET=1").arg(&file));
            let said = String::from_utf8(output.stdout).unwrap();
            let said: Vec<&str> = said.lines().collect();
            if !is_model {
                assert_eq!(said, ["  refused: 145000"], "{}", file.display());
            } else if expected.contains(" dyn 1 ") {
                assert_eq!(said.len(), ends.len(), "{}", file.display());
            } else {
                assert_eq!(said, ends, "{}", file.display());
            }
        }
    }
}
