//! Only the shim's root package exports symbols, and only in the modules of its hooks.
//!
//! A lower crate that exported a symbol would do so in every program that links it: its own unit tests would interpose themselves.

use crate::checkout::{File, files};

/// Attributes that export symbols.
const ATTRIBUTES: [&str; 6] = [
    "export_name",
    "no_mangle",
    ".fini_array",
    "#[ctor",
    "#[used]",
    "#[global_allocator]",
];

/// Files that may have them. The companion is a separate library.
const MAY: [&str; 5] = [
    "shim/calls/",
    "shim/lifecycle/",
    "shim/state/companion.rs",
    "shim/lib.rs",
    "shim/companion/",
];

fn exports(file: &File) -> Vec<String> {
    let lines = file.text.lines().enumerate();
    let found = lines.filter(|(_, line)| {
        let is_comment = line.trim_start().starts_with("//");
        !is_comment && ATTRIBUTES.iter().any(|attribute| line.contains(attribute))
    });
    found
        .map(|(number, line)| format!("{}:{}: {}", file.name, number + 1, line.trim()))
        .collect()
}

#[test]
fn only_the_root_package_exports_and_only_from_its_upper_rooms() {
    let files = files();
    let shim = files
        .iter()
        .filter(|file| file.is_rust() && file.name.starts_with("shim/"));
    let (may, may_not): (Vec<_>, Vec<_>) =
        shim.partition(|file| MAY.iter().any(|part| file.name.starts_with(part)));
    let stray: Vec<_> = may_not.into_iter().flat_map(exports).collect();
    assert!(stray.is_empty(), "\n{}\n", stray.join("\n"));
    assert!(may.into_iter().flat_map(exports).count() > 10);
}
