//! Places the functions that hooks run next to each other in the library, so that a call touches few pages of code: where a program has run thousands of
//! its own functions since the last call, each page has to be looked up again.
//!
//! `hot_functions.txt` names them as callgrind does, in the order of their places. `tests/benches/instructions.rs` writes the list, and fails if hooks spend more
//! than a twentieth of their instructions in functions that are not in it. A name that matches nothing is no error: the function stays where it was. So do
//! all of them with a linker that knows no `INSERT`, such as mold.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const LIST: &str = "packaging/link/hot_functions.txt";

/// Has the linker place them, in optimized builds.
pub fn group() {
    println!("cargo::rerun-if-changed={LIST}");
    if env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        return;
    }
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let script = Path::new(&out).join("hot_functions.ld");
    let list = fs::read_to_string(LIST).expect("the list of hot functions");
    fs::write(&script, linker_script(&list)).expect("OUT_DIR can be written");
    if is_accepted(&script) {
        println!("cargo::rustc-link-arg-cdylib=-T{}", script.display());
    }
}

fn linker_script(list: &str) -> String {
    let names = list.lines().filter(|line| !line.starts_with('#'));
    let inputs: String = names
        .map(|name| format!("*({})\n", section_pattern(name)))
        .collect();
    format!("SECTIONS {{ .text.hot : {{\n{inputs}}} }}\nINSERT BEFORE .text;\n")
}

/// The pattern of a function's section: its name's words in their order, since hashes and punctuation of mangled names depend on the compiler.
/// `.text.unlikely.…`, where the compiler puts cold functions, is left out.
fn section_pattern(name: &str) -> String {
    let is_mangled = name.contains("::") || name.contains('(');
    if !is_mangled {
        return format!(".text.{name}");
    }
    let name = name.split('(').next().unwrap_or(name);
    let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let words = words.filter(|word| !["", "as", "impl"].contains(word));
    // The name ends there: `copy` is not `copy_rows`.
    format!(".text._*{}[!a-z_]*", words.collect::<Vec<_>>().join("*"))
}

/// Whether the linker takes the script. Rust's own LLD, which replaces it on some platforms, does.
fn is_accepted(script: &Path) -> bool {
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let mut command = match env::var_os("RUSTC_LINKER") {
        Some(linker) => Command::new(linker),
        None => aclsan_glibc::compiler(),
    };
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let words = flags.split(['\x1f', ' ']);
    command.args(words.filter_map(|word| word.find("-fuse-ld=").map(|at| &word[at..])));
    let source = script.with_extension("c");
    fs::write(&source, "int probe(void) { return 0; }\n").expect("OUT_DIR can be written");
    command.args(["-shared", "-nostdlib", "-o"]);
    command.arg(script.with_extension("so")).arg(&source);
    command.arg(format!("-T{}", script.display()));
    command.output().is_ok_and(|output| output.status.success())
}
