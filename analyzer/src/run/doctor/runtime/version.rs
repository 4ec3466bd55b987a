//! Determines the CANN version of a runtime: from its installation, else from its calls.

use std::fs;
use std::path::Path;

use super::Runtime;

/// Files in which an installation keeps its version.
const FILES: [&str; 3] = ["ascend_toolkit_install.info", "version.info", "version.cfg"];
/// How many folders above a library they may be: `latest/aarch64-linux/lib64/libascendcl.so`.
const ABOVE: usize = 4;

/// Calls by the version whose headers introduced them, newest first.
const FIRST_IN: [(&str, &str); 4] = [
    ("aclrtMemMapNoAccess", "9.2 or later"),
    ("aclrtMemPoolMallocAsync", "9.1"),
    ("aclrtMemAllocManaged", "9.0"),
    ("aclrtFreeWithDevSync", "8.5"),
];

/// The version as text; `None` without a runtime.
pub fn version(runtime: &Runtime) -> Option<String> {
    let has = |name| runtime.libraries.iter().any(|library| library.has(name));
    if has("aclsimRead") {
        return Some("the simulator".to_owned());
    }
    if !has("aclrtMalloc") {
        return None;
    }
    let library = runtime
        .libraries
        .iter()
        .find(|library| library.has("aclrtMalloc"))?;
    let reported = library
        .path
        .ancestors()
        .skip(1)
        .take(ABOVE)
        .find_map(reported);
    let newest = FIRST_IN.iter().find(|(name, _)| has(name));
    let shown = newest.map_or("8.3 or before", |(_, version)| version);
    Some(match reported {
        Some(reported) => format!("CANN {reported}, says its installation"),
        None => format!("CANN {shown}, by the calls that it has"),
    })
}

/// The version that a file in `folder` contains.
fn reported(folder: &Path) -> Option<String> {
    FILES.iter().find_map(|file| {
        let text = fs::read_to_string(folder.join(file)).ok()?;
        text.lines().find_map(value).map(str::to_owned)
    })
}

/// The value of a line such as `version=8.1.RC1`.
fn value(line: &str) -> Option<&str> {
    let (key, value) = line.split_once('=')?;
    let value = value.trim().trim_matches(['"', '[', ']']);
    let is_version = key.trim().eq_ignore_ascii_case("version");
    (is_version && value.starts_with(|first: char| first.is_ascii_digit())).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::doctor::runtime::Library;

    fn runtime(exports: &[&str]) -> Runtime {
        let mut exports: Vec<_> = exports.iter().map(|name| (*name).to_owned()).collect();
        exports.sort();
        let library = Library {
            path: "/no/such/folder/lib64/libascendcl.so".into(),
            exports,
            ..Library::default()
        };
        Runtime {
            libraries: vec![library],
            ..Runtime::default()
        }
    }

    #[test]
    fn calls_tell_the_version_where_nothing_else_does() {
        let of = |exports: &[&str]| version(&runtime(exports));
        assert_eq!(of(&[]), None);
        let old = of(&["aclrtMalloc"]).unwrap();
        assert!(old.starts_with("CANN 8.3 or before"), "{old}");
        let new = of(&[
            "aclrtMalloc",
            "aclrtFreeWithDevSync",
            "aclrtMemAllocManaged",
        ])
        .unwrap();
        assert!(new.starts_with("CANN 9.0"), "{new}");
        assert_eq!(of(&["aclrtMalloc", "aclsimRead"]).unwrap(), "the simulator");
    }

    #[test]
    fn lines_of_an_installation_are_read() {
        assert_eq!(value("version=8.1.RC1"), Some("8.1.RC1"));
        assert_eq!(value("Version=7.7.0.1.231"), Some("7.7.0.1.231"));
        assert_eq!(value("version_dir=8.1.RC1"), None);
        assert_eq!(value("version=[unknown]"), None);
    }
}
