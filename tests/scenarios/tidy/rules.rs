//! A rule's name is in five places: its file, the catalog, the book's table (see `tables`), a program that it reports, and a look-alike that
//! it does not.

use std::collections::BTreeSet;

use aclsan_rules::judge::registry::RULES;

use crate::checkout::files;

fn snake(name: &str) -> String {
    name.replace('-', "_")
}

/// Names of files in folders that begin with `folder`, without `extension`.
fn stems(folder: &str, extension: &str) -> BTreeSet<String> {
    let files = files();
    let ours = files.iter().filter(|file| file.name.starts_with(folder));
    ours.filter_map(|file| file.last().strip_suffix(extension).map(str::to_owned))
        .collect()
}

#[test]
fn every_rule_is_a_file_and_every_file_a_rule() {
    let mut files = stems("reports/rules/src/rules/", ".rs");
    files.remove("mod");
    let named: BTreeSet<String> = RULES.iter().map(|rule| snake(rule.name)).collect();
    assert_eq!(named.len(), RULES.len(), "a name is taken twice");
    assert_eq!(files, named);
}

#[test]
fn every_rule_has_a_program_that_it_reports_and_one_that_it_does_not() {
    let mut programs = stems("tests/programs/", ".c");
    programs.extend(stems("tests/programs/", ".cpp"));
    for rule in RULES {
        let name = snake(rule.name);
        assert!(
            programs.contains(&name),
            "there is no tests/programs/*/{name}.c"
        );
        assert!(
            programs.contains(&format!("{name}_silent")),
            "there is no tests/programs/*/{name}_silent.c"
        );
    }
}

#[test]
fn every_rule_of_folding_has_a_program_where_it_folds_and_one_where_it_does_not() {
    let folding = stems("reports/rules/src/consequences/", ".rs");
    let programs = stems("tests/programs/consequences/", ".c");
    let rules = folding
        .iter()
        .filter(|name| !["mod", "recent"].contains(&name.as_str()));
    for rule in rules {
        for program in [rule.clone(), format!("{rule}_apart")] {
            let path = format!("tests/programs/consequences/{program}.c");
            assert!(programs.contains(&program), "there is no {path}");
        }
    }
}

#[test]
fn the_rule_that_a_program_is_named_for_is_in_its_report() {
    let files = files();
    for rule in RULES {
        let report = format!("/{}.report", snake(rule.name));
        for file in files.iter().filter(|file| file.name.ends_with(&report)) {
            assert!(
                file.text.contains(&format!(": aclsan: {}: ", rule.name)),
                "{} does not report {}",
                file.name,
                rule.name
            );
        }
    }
}

#[test]
fn every_page_says_what_why_how_and_what_not() {
    let wanted = [
        "What it reports",
        "Why it matters",
        "Example",
        "How to fix it",
        "What it cannot see",
    ];
    for rule in RULES {
        let page = rule.page();
        let headings: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .collect();
        assert_eq!(headings, wanted, "{}", rule.name);
        assert!(page.contains("\nSource: "), "{} names no source", rule.name);
    }
}
