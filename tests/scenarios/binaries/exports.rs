//! The shim exports exactly the symbols in its tables. A stray export would interpose a program's own symbol of that name.

use crate::elf::symbols;
use aclsan_tests::artifacts::folder;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

pub fn defined(file: &str) -> BTreeSet<String> {
    let symbols = symbols(&folder().join(file)).into_iter();
    symbols
        .filter(|symbol| symbol.is_defined)
        .map(|symbol| symbol.name)
        .collect()
}

/// Every source file of a folder, without comments.
fn sources(folder: &Path, into: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            into.push(code.map(|line| format!("{line}\n")).collect());
        }
    }
}

/// Every text between `begin` and `end`.
fn between<'a>(text: &'a str, begin: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
    let rest = text.split(begin).skip(1);
    rest.filter_map(move |rest| rest.split_once(end))
        .map(|(inside, _)| inside)
}

/// The exports of an `interpose!` row: two, or the one it names.
fn of_row(row: &str) -> Option<Vec<String>> {
    let (_, row) = row.split_once("fn ")?;
    let (name, rest) = row.split_once('(')?;
    let (_, action) = rest
        .split_once(" = ")
        .or_else(|| rest.split_once("\n        = "))?;
    // What the action is given may have commas.
    let mut depth = 0;
    let outside = action.chars().filter(|letter| {
        depth += i32::from(matches!(letter, '(' | '[' | '{'));
        depth -= i32::from(matches!(letter, ')' | ']' | '}'));
        depth == 0
    });
    let outside: String = outside.collect();
    let symbol = outside.split_once(',').map(|(_, symbol)| symbol.trim());
    Some(
        match symbol.and_then(|symbol| symbol.split_whitespace().next()) {
            Some(symbol) => vec![symbol.to_owned()],
            None => vec![name.to_owned(), format!("{name}Impl")],
        },
    )
}

#[test]
fn rows_name_their_exports() {
    let row = "fn aclrtMalloc(ptr: *mut *mut c_void)\n        -> aclError = allocated (ptr, 0) with ptr => MALLOC";
    assert_eq!(of_row(row).unwrap(), ["aclrtMalloc", "aclrtMallocImpl"]);
    let row = "fn free(buffer: *mut c_void) -> u32\n        = freed (buffer, next), _ZN4hiai4FreeEPv as \"hiai::Free\"";
    assert_eq!(of_row(row).unwrap(), ["_ZN4hiai4FreeEPv"]);
    let row = "fn aclDestroyScalar(scalar: *const aclScalar) -> aclnnStatus = recorded [a, b] (c), aclDestroyScalar";
    assert_eq!(of_row(row).unwrap(), ["aclDestroyScalar"]);
}

#[test]
fn the_shim_exports_what_it_hooks() {
    let shim = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shim");
    let mut files = Vec::new();
    sources(&shim.join("calls"), &mut files);
    files.push(fs::read_to_string(shim.join("state/companion.rs")).expect("a source"));
    let mut named = BTreeSet::new();
    for text in &files {
        let tables = between(text, "\ninterpose! {", "\n}\n");
        let rows = tables.flat_map(|table| table.split(';'));
        named.extend(rows.filter_map(of_row).flatten());
        named.extend(between(text, "(export_name = \"", "\"").map(str::to_owned));
        let annotations = between(text, "exports! {", "\n}\n");
        let names = annotations.flat_map(|table| between(table, " as \"", "\""));
        named.extend(names.map(str::to_owned));
    }
    let defined = defined("libaclsan.so");
    let stray: Vec<_> = defined.difference(&named).collect();
    let lost: Vec<_> = named.difference(&defined).collect();
    assert!(
        stray.is_empty() && lost.is_empty(),
        "exported and in no table: {stray:?}; in a table and not exported: {lost:?}"
    );
    assert!(defined.len() > 400, "{}", defined.len());
}

#[test]
fn its_companion_exports_functions_of_libc_that_take_memory_or_signals() {
    let allocator = ["calloc", "free", "malloc", "realloc", "reallocarray"];
    let mappings = [
        "madvise",
        "mlock",
        "mmap",
        "mmap64",
        "mprotect",
        "mremap",
        "munmap",
        "posix_madvise",
    ];
    let signals = [
        "__sysv_signal",
        "pthread_sigmask",
        "sigaction",
        "signal",
        "sigprocmask",
    ];
    let buffers = [
        "__fgets_chk",
        "__fread_chk",
        "__fread_unlocked_chk",
        "__pread64_chk",
        "__pread_chk",
        "__read_chk",
        "__recv_chk",
        "__recvfrom_chk",
        "fgets",
        "fputs",
        "fread",
        "fread_unlocked",
        "fwrite",
        "fwrite_unlocked",
        "ioctl",
        "pread",
        "pread64",
        "preadv",
        "preadv64",
        "puts",
        "pwrite",
        "pwrite64",
        "pwritev",
        "pwritev64",
        "read",
        "readv",
        "recv",
        "recvfrom",
        "recvmmsg",
        "recvmsg",
        "send",
        "sendmmsg",
        "sendmsg",
        "sendto",
        "syscall",
        "write",
        "writev",
    ];
    let all = [&allocator[..], &mappings, &signals, &buffers].concat();
    let expected = all.into_iter().map(str::to_owned).collect();
    assert_eq!(defined("libaclsan_free.so"), expected);
}
