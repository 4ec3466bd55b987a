//! The page of deaths and forks (`shim/lifecycle/fork_safety.rs`) names every lock of the shim, and existing tests.

use crate::checkout::{File, files, read};
use std::collections::BTreeSet;

const PAGE: &str = "shim/lifecycle/fork_safety.rs";

/// The names in backticks in the cells of the page's tables whose first column is headed `heading`; cells by number in each row.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let page = read(PAGE);
    let lines = page
        .lines()
        .map(|line| line.trim_start_matches("//!").trim());
    let table = lines
        .skip_while(|line| !line.starts_with(&format!("| {heading} |")))
        .skip(2);
    let rows = table.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        row.trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().to_owned())
            .collect()
    })
    .collect()
}

fn quoted(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// Declarations of locks and of values that threads wait for.
const KINDS: [&str; 11] = [
    ": SignalLock<",
    ": SpinLock<",
    "(SpinLock<",
    "Mutex<",
    "RwLock<",
    "OnceLock<",
    "LazyLock<",
    "LazyCell<",
    "DashMap<",
    ": Once,",
    "_locked: AtomicBool,",
];

/// The name that a line declares a lock under.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim();
    let is_other = ["//", "use ", "impl", "fn ", "let "]
        .iter()
        .any(|begin| line.starts_with(begin));
    if is_other
        || line.contains("&'static ")
        || line.contains("MutexGuard")
        || !KINDS.iter().any(|kind| line.contains(kind))
    {
        return None;
    }
    let words = line
        .trim_start_matches("pub ")
        .trim_start_matches("static ")
        .trim_start_matches("struct ");
    let name = words
        .split([':', '(', '<'])
        .next()
        .unwrap_or_default()
        .trim();
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_name && !name.is_empty()).then_some(name)
}

#[test]
fn every_lock_of_the_shim_is_on_the_page_with_what_it_does_at_a_fork() {
    let mut found = BTreeSet::new();
    for file in files() {
        let Some(name) = file.name.strip_prefix("shim/") else {
            continue;
        };
        let is_test = name.contains("tests") || name.ends_with("testing.rs");
        // The locks' own kinds.
        let is_kind = ["os/lock.rs", "tables/spin_lock.rs", "tables/sync.rs"].contains(&name);
        if !file.is_rust() || is_test || is_kind || name.starts_with("companion/") {
            continue;
        }
        let code = file
            .text
            .split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap_or_default();
        found.extend(
            code.lines()
                .filter_map(declared)
                .map(|lock| format!("{name}: {lock}")),
        );
    }
    let rows = rows("lock");
    let listed: BTreeSet<String> = rows.iter().flat_map(|row| quoted(&row[0])).collect();
    assert!(found.len() > 30, "{found:?}");
    assert_eq!(
        found, listed,
        "locks that are there, and those that {PAGE} names"
    );
    for row in rows {
        let ways = ["held", "made first", "reset", "replaced", "only tried"];
        assert!(ways.contains(&row[1].as_str()), "{row:?}");
    }
}

#[test]
fn every_lock_that_is_held_across_a_fork_is_taken_before_it() {
    let fork = read("shim/lifecycle/fork.rs");
    for row in rows("lock").iter().filter(|row| row[1] == "held") {
        // Named by its module; the table names the module's folders before it.
        let lock = row[0]
            .trim_matches('`')
            .replace("/mod.rs: ", "::")
            .replace(".rs: ", "::");
        let lock = lock.rsplit('/').next().unwrap_or(&lock);
        assert!(fork.contains(&format!("acquire(&{lock},")), "{lock}");
    }
    let start = read("shim/lifecycle/start.rs");
    for first in [
        "state::start::options()",
        "clock::source()",
        "thread::key()",
    ] {
        assert!(start.contains(first), "{first}");
    }
}

#[test]
fn every_test_that_the_page_names_is_there() {
    let sources: String = files()
        .into_iter()
        .filter(File::is_rust)
        .map(|file| file.text)
        .collect();
    let rows = rows("hazard");
    assert!(rows.len() > 10);
    for row in rows {
        for test in quoted(&row[1]) {
            assert!(sources.contains(&format!("fn {test}()")), "{test}");
        }
    }
}
