//! Imports point one way: between the rooms of the crate, and inside each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A room imports only those before it.
const ROOMS: [&str; 5] = ["api", "evidence", "rules", "judge", "trackers"];

/// A file of `trackers/stream_order` imports only those before it.
const STREAM_ORDER: [&str; 13] = [
    "epoch",
    "vector_clock",
    "shared_clock",
    "sync_var",
    "timeline",
    "timelines",
    "access",
    "access_history",
    "state",
    "access_check",
    "copies",
    "block_lifetimes",
    "detector",
];

/// Modules by path (`trackers::heap::slot`), each with what it imports outside of its tests.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect(&source, &mut paths);
    let modules: BTreeMap<String, String> = paths
        .iter()
        .map(|path| {
            let name = path.strip_prefix(&source).unwrap().with_extension("");
            let parts: Vec<_> = name.iter().map(|part| part.to_str().unwrap()).collect();
            let name = parts.join("::");
            let name = name.strip_suffix("::mod").unwrap_or(&name).to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .filter(|(name, _)| name != "lib" && !name.ends_with("tests") && !name.contains("::tests"))
        .filter(|(name, _)| !name.ends_with("testing") && name != "old_names")
        .collect();
    modules
        .iter()
        .map(|(name, text)| {
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            let found = text.lines().filter_map(|line| target(name, line));
            let known = found.filter_map(|path| longest(&path, &modules));
            (name.clone(), known.filter(|other| other != name).collect())
        })
        .collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

/// The absolute path that a `use` of a module names: of another crate's, one that no module has.
fn target(module: &str, line: &str) -> Option<String> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let path = line.strip_prefix("use ")?.trim_end_matches(';');
    if let Some(path) = path.strip_prefix("crate::") {
        return Some(path.to_owned());
    }
    let (mut parts, mut path) = (module.split("::").collect::<Vec<_>>(), path);
    while let Some(rest) = path.strip_prefix("super::") {
        parts.pop();
        path = rest;
    }
    Some(format!("{}::{path}", parts.join("::")))
}

/// The longest prefix of `path` that is a module.
fn longest(path: &str, modules: &BTreeMap<String, String>) -> Option<String> {
    let parts: Vec<_> = path.split("::").collect();
    let prefixes = (1..=parts.len()).rev().map(|end| parts[..end].join("::"));
    prefixes
        .into_iter()
        .find(|prefix| modules.contains_key(prefix))
}

#[test]
fn rooms_import_only_rooms_before_them() {
    let place = |module: &str| {
        let room = module.split("::").next().unwrap();
        ROOMS.iter().position(|&known| known == room).unwrap()
    };
    for (module, imported) in imports() {
        for other in imported {
            assert!(place(&other) <= place(&module), "{module} imports {other}");
        }
    }
}

#[test]
fn stream_order_is_in_layers() {
    let place = |module: &str| {
        let name = module.strip_prefix("trackers::stream_order::")?;
        STREAM_ORDER.iter().position(|&known| known == name)
    };
    for (module, imported) in imports() {
        for other in imported {
            if let (Some(from), Some(to)) = (place(&module), place(&other)) {
                assert!(to < from, "{module} imports {other}");
            }
        }
    }
}

#[test]
fn no_module_imports_itself_by_way_of_others() {
    let imports = imports();
    let mut done = BTreeSet::new();
    for module in imports.keys() {
        visit(module, &imports, &mut Vec::new(), &mut done);
    }
}

fn visit(
    module: &str,
    imports: &BTreeMap<String, BTreeSet<String>>,
    way: &mut Vec<String>,
    done: &mut BTreeSet<String>,
) {
    assert!(
        !way.iter().any(|other| other == module),
        "{way:?} -> {module}"
    );
    if done.contains(module) {
        return;
    }
    way.push(module.to_owned());
    for other in &imports[module] {
        visit(other, imports, way, done);
    }
    way.pop();
    done.insert(module.to_owned());
}
