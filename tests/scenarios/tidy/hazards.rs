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
