//! The list of hazards in the crate's documentation, and the tests that it names.

use std::collections::BTreeSet;

use crate::checkout::{File, files};

/// Names of the tests of a file.
fn tests(file: &File) -> Vec<&str> {
    let behind = file.text.split("#[test]").skip(1);
    behind
        .filter_map(|text| text.split_once("fn ")?.1.split_once('(').map(|part| part.0))
        .collect()
}

/// Names in backticks in the second column of the tables.
fn named(file: &File) -> Vec<&str> {
    let rows = file.text.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.split('|').nth(2));
    let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    names.filter(|name| name.matches('_').count() > 1).collect()
}

#[test]
fn each_hazard_has_its_tests_and_each_test_its_hazard() {
    let files = files();
    let lists = files
        .iter()
        .filter(|file| file.name.starts_with("shim/hazards/"));
    let listed: BTreeSet<&str> = lists.clone().flat_map(named).collect();
    assert!(listed.len() > 40, "the lists were found");
    let rust = files.iter().filter(|file| file.is_rust());
    let all: BTreeSet<&str> = rust.flat_map(tests).collect();
    let gone: Vec<_> = listed.difference(&all).collect();
    assert!(
        gone.is_empty(),
        "shim/hazards names no such tests: {gone:#?}"
    );
    let hazards = files
        .iter()
        .filter(|file| file.name.starts_with("tests/scenarios/hazards"));
    let unlisted: Vec<_> = hazards
        .flat_map(tests)
        .filter(|test| !listed.contains(test))
        .collect();
    assert!(
        unlisted.is_empty(),
        "no list in shim/hazards names {unlisted:#?}"
    );
    let library = files.iter().find(|file| file.name == "shim/lib.rs");
    let library = &library.expect("the shim").text;
    for list in lists {
        let included = format!("include_str!(\"hazards/{}\")", list.last());
        assert!(library.contains(&included), "shim/lib.rs lacks {included}");
    }
}

/// `file NAME` for each limit that the code states.
fn stated<'a>(files: &[&'a File]) -> BTreeSet<(&'a str, &'a str)> {
    let limits = |file: &&'a File| {
        let code = file.text.split("#[cfg(test)]\nmod tests").next();
        let lines = code.unwrap_or_default().lines().map(str::trim_start);
        let constants = lines.filter_map(|line| {
            line.split_once("const ")
                .filter(|(before, _)| before.starts_with("pub") || before.is_empty())
        });
        let names = constants.filter_map(|(_, rest)| rest.split_once(':').map(|(name, _)| name));
        let names = names.filter(|name| {
            ["MAX_", "MOST_", "LIMIT_"]
                .iter()
                .any(|such| name.starts_with(such))
        });
        let file = file.name.strip_prefix("shim/").unwrap_or(&file.name);
        names.map(move |name| (file, name)).collect::<Vec<_>>()
    };
    files.iter().flat_map(limits).collect()
}

/// The same, of the first column of the list.
fn listed(list: &File) -> BTreeSet<(&str, &str)> {
    let rows = list.text.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let mut file = "";
    let quoted = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    quoted
        .filter_map(|word| match word.ends_with(".rs") {
            true => {
                file = word;
                None
            }
            false => Some((file, word)),
        })
        .collect()
}

#[test]
fn every_limit_is_listed() {
    let files = files();
    let list = files
        .iter()
        .find(|file| file.name == "shim/hazards/limits.md")
        .expect("the list");
    let rooms = ["shim/", "reports/rules/src/"];
    let of_rooms = files
        .iter()
        .filter(|file| file.is_rust() && !file.name.starts_with("shim/companion/"));
    let of_rooms: Vec<&File> = of_rooms
        .filter(|file| rooms.iter().any(|room| file.name.starts_with(room)))
        .collect();
    let (stated, listed) = (stated(&of_rooms), listed(list));
    let (unlisted, gone): (Vec<_>, Vec<_>) = (
        stated.difference(&listed).collect(),
        listed.difference(&stated).collect(),
    );
    assert!(stated.len() > 50, "the limits were found");
    assert!(
        unlisted.is_empty() && gone.is_empty(),
        "shim/hazards/limits.md lacks {unlisted:#?}, and has {gone:#?}"
    );
}
