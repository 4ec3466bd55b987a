//! The functions of the shim that calls spend instructions in, from what callgrind wrote of programs under it.
//!
//! `packaging/link/hot_functions.txt` has them, and the linker places them together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// Instructions by function.
type Counts = BTreeMap<String, u64>;

/// Of a training loop, a function is listed that has at least one in this many of the library's instructions: rare ones cost a page of code, too.
const LOOP_ONE_IN: u64 = 100_000;
/// The same of the programs of this bench.
const STEPS_ONE_IN: u64 = 3_000;

/// Has an instance for each hook, all under one name, most of which are rare.
const OF_EACH_HOOK: &str = "aclsan::record::hook::Hook::run::{{closure}}";

/// Path of the list.
pub fn list() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/link/hot_functions.txt")
}

/// The list's text: the functions of training loops, hottest first, then those of short and long runs of other programs.
pub fn listed(loops: &[PathBuf], runs: &[[PathBuf; 2]]) -> String {
    let mut names: Vec<String> = Vec::new();
    let loops = loops.iter().map(|out| (counts(out), LOOP_ONE_IN));
    let runs = runs.iter().map(|outs| (between(outs), STEPS_ONE_IN));
    for (counts, one_in) in loops.chain(runs) {
        let least = counts.values().sum::<u64>() / one_in;
        let mut found: Vec<_> = counts
            .into_iter()
            .filter(|(name, count)| *count > least && is_listed(name))
            .collect();
        found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (name, _) in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
    format!(
        "# Written by `cargo bench -p aclsan-tests --bench instructions -- CALLGRIND_OUT…`.\n{lines}"
    )
}

/// Of 1,000 of the library's own instructions between a short and a long run, those in functions that the list lacks, and the names of the first
/// few of these.
pub fn elsewhere(outs: &[PathBuf; 2]) -> (u64, String) {
    let text = fs::read_to_string(list()).expect("the list of hot functions");
    let known: BTreeSet<&str> = text.lines().collect();
    let counts = between(outs).into_iter();
    let counts: Vec<_> = counts.filter(|(name, _)| is_listed(name)).collect();
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let unlisted = counts.iter().filter(|(name, _)| !known.contains(&**name));
    let mut unlisted: Vec<_> = unlisted.map(|(name, count)| (*count, &**name)).collect();
    unlisted.sort_unstable_by_key(|(count, _)| std::cmp::Reverse(*count));
    let sum: u64 = unlisted.iter().map(|(count, _)| count).sum();
    let names: Vec<_> = unlisted.iter().take(3).map(|(_, name)| *name).collect();
    (sum * 1000 / all.max(1), names.join(", "))
}

/// All instances of a function of Rust's library have one name.
fn is_listed(name: &str) -> bool {
    let is_ours =
        name.starts_with("aclsan") || name.starts_with("<aclsan") || name.starts_with("__rustc::");
    let is_plain = !name.contains("::") && !name.starts_with("0x");
    (is_ours || is_plain) && name != OF_EACH_HOOK
}

/// What the long run has more than the short one: neither start nor end.
fn between([short, long]: &[PathBuf; 2]) -> Counts {
    let short = counts(short);
    let more = counts(long).into_iter().map(|(name, count)| {
        let less = short.get(&name).copied().unwrap_or(0);
        (name, count.saturating_sub(less))
    });
    more.collect()
}

/// Instructions of each function of the shim, without those of the functions that it calls.
fn counts(out: &Path) -> Counts {
    let text = fs::read_to_string(out).unwrap_or_else(|error| panic!("{}: {error}", out.display()));
    let (mut objects, mut names, mut counts) = (HashMap::new(), HashMap::new(), Counts::new());
    let (mut is_shim, mut is_called, mut function) = (false, false, "");
    for line in text.lines() {
        match line.split_once('=') {
            Some(("ob", value)) => {
                is_shim = is_shim_object(resolved(value, &mut objects));
            }
            Some(("cob", value)) => _ = resolved(value, &mut objects),
            Some(("fn", value)) => function = resolved(value, &mut names),
            Some(("cfn", value)) => _ = resolved(value, &mut names),
            Some(("calls", _)) => is_called = true,
            _ => {
                let Some(count) = count(line) else { continue };
                // What follows `calls=` is that of the call.
                if is_shim && !is_called {
                    *counts.entry(plain(function).to_owned()).or_default() += count;
                }
                is_called = false;
            }
        }
    }
    counts
}

/// callgrind knows the object of `.text` alone, not of `.text.hot`.
fn is_shim_object(name: &str) -> bool {
    name.ends_with("/libaclsan.so") || name == "???"
}

/// The count of a line that has a position before it.
fn count(line: &str) -> Option<u64> {
    let is_position = |c: char| c.is_ascii_digit() || "+-*".contains(c);
    let (_, count) = line
        .rsplit_once(' ')
        .filter(|_| line.starts_with(is_position))?;
    count.parse().ok()
}

/// callgrind numbers the levels of a recursion: `name'2`.
fn plain(name: &str) -> &str {
    let without = name.trim_end_matches(|c: char| c.is_ascii_digit());
    without.strip_suffix('\'').unwrap_or(name)
}

/// The name that `(number)` or, where it first occurs, `(number) name` means.
fn resolved<'a>(value: &'a str, known: &mut HashMap<&'a str, &'a str>) -> &'a str {
    match value.split_once(' ') {
        Some((number, name)) => {
            known.insert(number, name);
            name
        }
        None => known.get(value).copied().unwrap_or_default(),
    }
}
