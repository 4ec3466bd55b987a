//! `aclsan doctor --pid`: whether a process can be attached to, and which calls would not be seen then.
//!
//! A pointer that the program got from `dlsym` is a word like any other. Words of writable data that hold the address of a call are such
//! pointers, unless the loader has filled them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use aclsan_rules::api::functions::FUNCTIONS;

use super::module::{Mapping, Modules, Read};
use super::target::Target;
use crate::run::doctor::Doctor;
use crate::run::preload;

/// Bytes that are searched, at most; and bytes that are read at once.
const MOST: u64 = 1 << 30;
const PIECE: u64 = 1 << 20;

/// Examines a process.
///
/// # Errors
/// If it ends meanwhile.
pub fn of(pid: i32) -> anyhow::Result<Doctor> {
    let target = match Target::new(pid) {
        Ok(target) => target,
        Err(error) => return Ok(Doctor::of("process", Vec::new(), vec![error.to_string()])),
    };
    let maps = target.maps()?;
    let mut read = Read::new();
    let mut modules = Modules::new(&target.memory, &maps, &mut read);
    let (mut facts, mut problems) = (Vec::new(), Vec::new());
    if modules.mappings.iter().any(|at| at.file() == preload::FILE) {
        facts.push("libaclsan.so is loaded".to_owned());
    }
    let waiting = target.threads()?.waiting.len();
    facts.push(format!(
        "threads that wait where they may be stopped: {waiting}"
    ));
    let calls = calls(&mut modules);
    if calls.is_empty() {
        facts.push("no library with calls of AscendCL is loaded yet".to_owned());
    }
    let (found, is_whole) = pointers(&target, &mut modules, &calls);
    if !is_whole {
        facts.push("only the first GiB of its data was searched for pointers to calls".to_owned());
    }
    for (name, places) in found {
        let places: Vec<String> = places.iter().map(|place| format!("`{place}`")).collect();
        problems.push(format!(
            "the program has fetched pointers to `{name}`, and calls through them are not seen after `aclsan attach`; start it with `aclsan run` to see them; they are in {}",
            places.join(", ")
        ));
    }
    Ok(Doctor::of("process", facts, problems))
}

/// The calls that hooks are for, by address. One that has an `Impl` alias is seen there, however it is called.
fn calls(modules: &mut Modules) -> HashMap<u64, String> {
    let names: HashSet<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
    let libraries = modules.mappings.iter();
    let code: Vec<u64> = libraries
        .filter(|at| at.is_code && at.file() != preload::FILE && at.path.starts_with('/'))
        .map(|at| at.range.0)
        .collect();
    let (mut calls, mut aliases) = (HashMap::new(), HashSet::new());
    for address in code {
        let Some(module) = modules.at(address) else {
            continue;
        };
        for (name, address) in module.functions() {
            let public = name.strip_suffix("Impl").unwrap_or(name);
            if names.contains(public) {
                calls.insert(address, name.to_owned());
                if public != name {
                    aliases.insert(public.to_owned());
                }
            }
        }
    }
    calls.retain(|_, name| !aliases.contains(name));
    calls
}

/// Names, and the files whose data has pointers to them.
type Found = BTreeMap<String, BTreeSet<String>>;

/// Pointers to calls in data; and whether all was searched.
fn pointers(target: &Target, modules: &mut Modules, calls: &HashMap<u64, String>) -> (Found, bool) {
    let (mut found, mut left) = (Found::new(), MOST);
    if calls.is_empty() {
        return (found, true);
    }
    // A library's data goes on in anonymous memory right behind its file's.
    let (mut last, mut end) = (String::new(), 0);
    for mapping in modules.mappings.clone() {
        if !mapping.path.is_empty() || mapping.range.0 != end {
            last.clone_from(&mapping.path);
        }
        end = mapping.range.1;
        let is_known = last == "[heap]" || last.starts_with('/');
        if !mapping.is_data || !is_known || last.ends_with(preload::FILE) {
            continue;
        }
        let size = mapping.range.1 - mapping.range.0;
        let Some(rest) = left.checked_sub(size) else {
            return (found, false);
        };
        left = rest;
        let slots = slots(target, modules, &mapping);
        let place = last.rsplit('/').next().unwrap_or_default();
        for name in words(target, &mapping, &slots).filter_map(|word| calls.get(&word)) {
            let places = found.entry(name.clone()).or_default();
            places.insert(place.to_owned());
        }
    }
    (found, true)
}

/// The words of a mapping, without those that the loader has filled.
fn words<'a>(
    target: &'a Target,
    mapping: &Mapping,
    slots: &'a HashSet<u64>,
) -> impl Iterator<Item = u64> + 'a {
    let (start, end) = mapping.range;
    (start..end).step_by(PIECE as usize).flat_map(move |start| {
        let size = PIECE.min(end - start) as usize;
        let bytes = target.memory.bytes(start, size).unwrap_or_default();
        let places = (start..).step_by(8);
        let words = bytes.chunks_exact(8).zip(places);
        let own = words.filter(|(_, at)| !slots.contains(at));
        own.map(|(word, _)| u64::from_le_bytes(word.try_into().unwrap_or_default()))
            .collect::<Vec<_>>()
    })
}

/// The words of a mapping that the loader has filled.
fn slots(target: &Target, modules: &mut Modules, mapping: &Mapping) -> HashSet<u64> {
    let module = modules.at(mapping.range.0);
    module.map_or_else(HashSet::new, |module| module.slots(&target.memory))
}
