//! The stub libraries, which have symbols but no code.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::exports::{self, Export};
use crate::{compiler, flags, installed, output};

type Exports = BTreeMap<String, Export>;

/// Link name and file of each library; first those whose symbols moved into libc.
const LIBRARIES: [(&str, &str); 6] = [
    ("pthread", "libpthread.so.0"),
    ("dl", "libdl.so.2"),
    ("rt", "librt.so.1"),
    ("util", "libutil.so.1"),
    ("m", "libm.so.6"),
    ("c", "libc.so.6"),
];

/// What [`newer.c`](../newer.c) names with its version. The library has it as `name@VERSION`, not as the default, `name@@VERSION`: mold (1.0 to 2.30) does
/// not find a default version by a name with a version (its issues 1169 and 1440), other linkers find both.
const NAMED_BY_VERSION: &str = "__libc_start_main";

/// The target's dynamic loader, which has symbols, too.
fn loader() -> &'static str {
    match std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("aarch64") => "ld-linux-aarch64.so.1",
        _ => "ld-linux-x86-64.so.2",
    }
}

/// Makes them in `folder`.
pub fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder)
        .map_err(|error| format!("cannot create `{}`: {error}", folder.display()))?;
    let mut interface: BTreeMap<&str, Exports> = BTreeMap::new();
    for (_, file) in LIBRARIES {
        // Before 2.34 the symbols are in their original libraries; since then those are empty. Later glibc versions may lack them.
        if let Some(path) = installed(file)? {
            interface.insert(file, exports::read(&path)?);
        }
    }
    let libc = interface.get_mut("libc.so.6");
    let libc = libc.filter(|exports| exports.contains_key("malloc"));
    for (name, export) in take_moved(libc.ok_or("the compiler has no libc.so.6")?) {
        let exports = interface.entry(origin(&name).unwrap_or("libc.so.6"));
        exports.or_default().insert(name, export);
    }
    for (link_name, file) in LIBRARIES {
        let exports = interface.remove(file).unwrap_or_default();
        match link_name {
            "c" => library(folder, file, file, &exports)?,
            _ => library(folder, file, &format!("lib{link_name}.so"), &exports)?,
        }
    }
    let file = loader();
    let loader = installed(file)?.ok_or_else(|| format!("the compiler has no {file}"))?;
    library(folder, file, file, &exports::read(&loader)?)?;
    let newer = newer(folder)?;
    let mut script = format!("GROUP ( {} ", newer.display());
    script += &folder.join("libc.so.6").display().to_string();
    if let Some(rest) = installed("libc_nonshared.a")? {
        let _ = write!(script, " {}", rest.display());
    }
    let _ = write!(script, " AS_NEEDED ( {} )", folder.join(file).display());
    write(&folder.join("libc.so"), &(script + " )\n"))
}

/// Removes from libc the symbols that were in another library in 2.17.
fn take_moved(libc: &mut Exports) -> Vec<(String, Export)> {
    let has_moved = |name: &str, export: &Export| export.is_renewed && origin(name).is_some();
    let moved: Vec<String> = libc
        .iter()
        .filter(|(name, export)| has_moved(name, export))
        .map(|(name, _)| name.clone())
        .collect();
    let take = |name: String| libc.remove(&name).map(|export| (name, export));
    moved.into_iter().filter_map(take).collect()
}

/// The original library of a symbol that 2.34 or an earlier version moved into libc.
fn origin(name: &str) -> Option<&'static str> {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    match () {
        () if begins(&["pthread_", "_pthread_", "__pthread_", "sem_"]) => Some("libpthread.so.0"),
        () if begins(&["dl"]) => Some("libdl.so.2"),
        () if begins(&["aio_", "lio_", "mq_", "shm_", "timer_"]) => Some("librt.so.1"),
        () if begins(&["forkpty", "openpty", "login", "logout", "logwtmp"]) => Some("libutil.so.1"),
        () => None,
    }
}

/// Links one stub library: `file` is its name for the loader, `link_name` its name for the linker.
fn library(folder: &Path, file: &str, link_name: &str, exports: &Exports) -> Result<(), String> {
    let (assembly, script) = (
        folder.join(format!("{file}.s")),
        folder.join(format!("{file}.map")),
    );
    write(&assembly, &assembler(exports))?;
    write(&script, &versions(exports))?;
    let mut link = compiler();
    link.args(["-shared", "-nostdlib", "-o"])
        .arg(folder.join(link_name));
    link.arg(format!("-Wl,-soname,{file}"));
    if !exports.is_empty() {
        link.arg(format!("-Wl,--version-script={}", script.display()));
    }
    output(link.arg(assembly)).map(drop)
}

/// A label for each function, and space for each data symbol, since a program may copy it.
fn assembler(exports: &Exports) -> String {
    let mut text = String::from(".section .note.GNU-stack,\"\",%progbits\n.text\n");
    let mut data: BTreeMap<&str, (u64, Vec<&str>)> = BTreeMap::new();
    for (name, export) in exports {
        match export.data {
            None if name == NAMED_BY_VERSION => {
                let label = format!("unversioned{name}");
                let _ = writeln!(
                    text,
                    ".globl {label}\n.type {label}, %function\n{label}: .byte 0\n.symver {label}, {name}@{}",
                    export.version_name
                );
            }
            None => {
                let _ = writeln!(
                    text,
                    ".globl {name}\n.type {name}, %function\n{name}: .byte 0\n.size {name}, 1"
                );
            }
            Some(bytes) => {
                let entry = data.entry(&export.address).or_default();
                entry.0 = entry.0.max(bytes);
                entry.1.push(name);
            }
        }
    }
    text += ".bss\n.balign 32\n";
    for (bytes, names) in data.values() {
        for name in names {
            let _ = writeln!(
                text,
                ".globl {name}\n.type {name}, %object\n.size {name}, {bytes}\n{name}:"
            );
        }
        let _ = writeln!(text, ".skip {bytes}\n.balign 32");
    }
    text
}

/// The linker's version script.
fn versions(exports: &Exports) -> String {
    let mut nodes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, export) in exports {
        let names = nodes.entry(&export.version_name).or_default();
        // `.symver` has given it its version.
        if name != NAMED_BY_VERSION {
            names.push(name);
        }
    }
    let node = |(version, names): (&str, Vec<&str>)| {
        let names: String = names.iter().map(|name| format!(" {name};")).collect();
        format!("{version} {{{names} }};\n")
    };
    nodes.into_iter().map(node).collect()
}

/// The archive of functions that newer headers and start files call.
fn newer(folder: &Path) -> Result<PathBuf, String> {
    const SOURCE: &str = include_str!("../newer.c");
    // One member per function, or an undefined reference of one would affect everybody.
    let parts: Vec<&str> = SOURCE.split("\n// == ").collect();
    let archive = folder.join("libnewer.a");
    let mut members = Vec::new();
    for (at, part) in parts.iter().enumerate().skip(1) {
        let (source, object) = (format!("newer{at}.c"), format!("newer{at}.o"));
        let text = format!("{}\n// {part}\n", parts[0]);
        write(&folder.join(&source), &text)?;
        let mut compile = compiler();
        compile.current_dir(folder).args(flags());
        compile.args(["-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-c"]);
        output(compile.arg(&source).arg("-o").arg(&object))?;
        members.push(object);
    }
    let _ = fs::remove_file(&archive);
    // The linker treats an archive without an index as empty, unless a script lists its members.
    let mut link = compiler();
    link.current_dir(folder).args(["-print-prog-name=ar"]);
    let ar = output(&mut link)?;
    let mut pack = std::process::Command::new(ar.trim());
    pack.current_dir(folder).args(["rcsD", "libnewer.a"]);
    output(pack.args(members))?;
    Ok(archive)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}

// Build scripts know their target; a test has this machine's.
#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    #[test]
    fn programs_link_with_every_linker_and_need_the_old_start_only() {
        let folder = std::env::temp_dir().join(format!("aclsan-glibc-{}", std::process::id()));
        make(&folder).expect("stub libraries");
        let (source, program) = (folder.join("program.c"), folder.join("program"));
        write(&source, "int main(void) { return 7; }\n").expect("a program");
        for linker in ["ld.bfd", "ld.gold", "ld.lld", "mold"] {
            let Ok(path) = output(Command::new("which").arg(linker)) else {
                continue;
            };
            // As a folder: compilers differ in which linkers they know by name.
            let own = folder.join(format!("with-{linker}"));
            fs::create_dir_all(&own).expect("a folder");
            symlink(path.trim(), own.join("ld")).expect("a link");
            let mut link = compiler();
            link.arg(format!("-B{}", own.display()));
            link.arg(format!("-L{}", folder.display()));
            link.args(["-Wl,--allow-shlib-undefined", "-o"]);
            output(link.arg(&program).arg(&source)).expect(linker);
            let code = Command::new(&program).status().expect(linker).code();
            assert_eq!(code, Some(7), "{linker}");
            let mut read = Command::new("readelf");
            let symbols = output(read.args(["--dyn-syms", "-W"]).arg(&program)).expect("symbols");
            assert!(
                symbols.contains(" __libc_start_main@GLIBC_2.2.5"),
                "{linker}: {symbols}"
            );
        }
        fs::remove_dir_all(&folder).expect("a folder");
    }
}
