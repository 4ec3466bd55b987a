//! What the two libraries in a process agree on without a common crate: numbers of functions, sizes of tables.

use crate::checkout::read;

/// The text between two markers.
fn between(text: &str, begin: &str, end: &str) -> String {
    let (_, rest) = text
        .split_once(begin)
        .unwrap_or_else(|| panic!("there is no `{begin}`"));
    let (inner, _) = rest
        .split_once(end)
        .unwrap_or_else(|| panic!("there is no `{end}` after it"));
    inner.to_owned()
}

#[test]
fn the_companions_numbers_of_functions_are_their_places_in_the_shims_list() {
    let numbers = between(&read("shim/companion/buffers.rs"), "mod number {", "\n}");
    let numbers = numbers.lines().filter_map(|line| {
        let (name, number) = line
            .trim()
            .strip_prefix("pub const ")?
            .split_once(": u32 = ")?;
        let number: usize = number.trim_end_matches(';').parse().ok()?;
        Some((number, name.to_lowercase()))
    });
    let calls = between(
        &read("shim/calls/host_access.rs"),
        "static LIBC_CALLS",
        "];",
    );
    let calls = calls.split("number(\"").skip(1);
    let calls = calls.filter_map(|call| Some(call.split_once('"')?.0.to_owned()));
    let numbers: Vec<_> = numbers.collect();
    assert!(numbers.len() > 10, "{numbers:?}");
    assert_eq!(numbers, calls.enumerate().collect::<Vec<_>>());
}

#[test]
fn the_table_of_chunks_has_one_size_for_both() {
    let of = |file: &str, name: &str| between(&read(file), &format!("const {name}: usize = "), ";");
    let made = of("shim/companion/chunks.rs", "CAPACITY");
    assert_eq!(made, of("shim/state/companion.rs", "CHUNKS"));
}

#[test]
fn every_shared_word_has_its_place_in_both() {
    let words = |file: &str, begin: &str| between(&read(file), begin, "]");
    let made = words("shim/state/companion.rs", "static RANGES: [AtomicU64; ");
    let seen = words("shim/companion/lib.rs", "[AtomicU64; ");
    assert_eq!(made, seen);
}
