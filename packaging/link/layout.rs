//! Places the functions that hooks run, and the variables that they read, next to each other in the library, so that a call touches few pages of code and
//! few lines of the cache: where a program has run thousands of its own functions since the last call, each has to be fetched again.
//!
//! `hot_functions.txt` names the functions as callgrind does, in the order of their places. `tests/benches/instructions.rs` writes the list, and fails if hooks
//! spend more than a twentieth of their instructions in functions that are not in it. `hot_statics.txt` is written by hand. A name that matches nothing is
//! no error: what it means stays where it was. So does everything with a linker that knows no `INSERT`, such as mold.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const FUNCTIONS: &str = "packaging/link/hot_functions.txt";
const STATICS: &str = "packaging/link/hot_statics.txt";

/// Has the linker place them, in optimized builds.
pub fn arrange() {
    for list in [FUNCTIONS, STATICS] {
        println!("cargo::rerun-if-changed={list}");
    }
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    if env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let script = out.join("layout.ld");
    fs::write(&script, linker_script()).expect("OUT_DIR can be written");
    let mut arguments = Vec::from_iter(chosen_linker());
    let chosen = arguments.len();
    if chosen == 0 {
        // LLD, Rust's default on some platforms, leaves variables of other crates behind a load from the GOT, which is mostly a miss: rustc marks no
        // relocation as one that may be relaxed. GNU ld relaxes those, too.
        add_if_accepted("-fuse-ld=bfd".into(), &mut arguments, &out);
    }
    add_if_accepted(format!("-T{}", script.display()), &mut arguments, &out);
    for argument in &arguments[chosen..] {
        println!("cargo::rustc-link-arg-cdylib={argument}");
    }
}

/// The flag that chooses the linker, if the flags for rustc have one.
fn chosen_linker() -> Option<String> {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let mut words = flags.split(['\x1f', ' ']);
    words.find_map(|word| word.find("-fuse-ld=").map(|at| word[at..].to_owned()))
}

fn linker_script() -> String {
    let functions = inputs(FUNCTIONS, "text");
    let statics = inputs(STATICS, "bss");
    format!(
        "SECTIONS {{ .text.hot : SUBALIGN(64) {{\n{functions}}} }}\nINSERT BEFORE .text;\n\
        SECTIONS {{ .bss.hot : ALIGN(64) {{\n{statics}}} }}\nINSERT BEFORE .bss;\n"
    )
}

/// The sections of a list's names.
fn inputs(list: &str, kind: &str) -> String {
    let text = fs::read_to_string(list).unwrap_or_else(|error| panic!("{list}: {error}"));
    let names = text.lines().filter(|line| !line.starts_with('#'));
    names
        .map(|name| format!("*(.{kind}.{})\n", symbol_pattern(name)))
        .collect()
}

/// The pattern of a symbol: its name's words in their order, since hashes and punctuation of mangled names depend on the compiler.
/// `.text.unlikely.…`, where the compiler puts cold functions, is left out.
fn symbol_pattern(name: &str) -> String {
    let is_mangled = name.contains("::") || name.contains('(');
    if !is_mangled {
        return name.to_owned();
    }
    let name = name.split('(').next().unwrap_or(name);
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words = words.filter(|word| !["", "as", "impl"].contains(word));
    // The name ends there: `copy` is not `copy_rows`.
    format!("_*{}[!a-z_]*", words.collect::<Vec<_>>().join("*"))
}

/// Adds an argument if the linker takes it along with the others.
fn add_if_accepted(argument: String, arguments: &mut Vec<String>, out: &Path) {
    let mut command = match env::var_os("RUSTC_LINKER") {
        Some(linker) => Command::new(linker),
        None => aclsan_glibc::compiler(),
    };
    let source = out.join("probe.c");
    fs::write(&source, "int probe(void) { return 0; }\n").expect("OUT_DIR can be written");
    command.args(["-shared", "-nostdlib", "-o"]);
    command.arg(out.join("probe.so")).arg(&source);
    command.args(&*arguments).arg(&argument);
    if command.output().is_ok_and(|output| output.status.success()) {
        arguments.push(argument);
    }
}
