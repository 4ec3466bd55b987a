//! The repository's address and the version have one place each, `Cargo.toml`; files that cannot read it are held to it.

use regex::Regex;

use crate::checkout::{files, read};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// `owner/name`, as `uses:` of an action has it.
fn owner_and_name() -> &'static str {
    REPOSITORY
        .strip_prefix("https://github.com/")
        .unwrap_or_else(|| panic!("{REPOSITORY} is not on GitHub, whose actions the templates use"))
}

/// Lines of `patterns`, whose first group is not `wanted`.
fn others(pattern: &str, wanted: &str) -> (usize, Vec<String>) {
    let pattern = Regex::new(pattern).expect("a regular expression");
    let (mut count, mut wrong) = (0, Vec::new());
    for file in files() {
        if file.name.ends_with("Cargo.lock") || file.name.ends_with("tidy/address.rs") {
            continue;
        }
        for (number, line) in file.text.lines().enumerate() {
            for found in pattern.captures_iter(line) {
                count += 1;
                if &found[1] != wanted {
                    wrong.push(format!("{}:{}: {}", file.name, number + 1, line.trim()));
                }
            }
        }
    }
    (count, wrong)
}

#[test]
fn every_address_of_the_repository_is_that_of_the_manifest() {
    let (count, wrong) = others(
        r"(https?://(?:github|gitee|gitcode|gitlab)\.com/[\w.-]+/aclsan)\b",
        REPOSITORY,
    );
    assert!(count >= 2, "Cargo.toml and CITATION.cff have it");
    assert_eq!(wrong, [""; 0], "not {REPOSITORY}");
    let (_, wrong) = others(r"uses: +([\w.-]+/aclsan)/", owner_and_name());
    assert_eq!(wrong, [""; 0], "not {}", owner_and_name());
}

#[test]
fn every_pinned_version_is_that_of_the_manifest() {
    let pinned = [
        r"aclsan==(\d[\w.]*)",
        r"/aclsan/\.github/actions/\w+@v(\d[\w.]*)",
        r"\baclsan[-_](\d+\.\d+\.\d+)\b",
    ];
    for pattern in pinned {
        let (_, wrong) = others(pattern, VERSION);
        assert_eq!(wrong, [""; 0], "not {VERSION}");
    }
}

#[test]
fn the_change_log_and_the_citation_have_the_version_and_one_date() {
    let citation = read("CITATION.cff");
    let value = |key: &str| {
        let line = citation.lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or_else(|| panic!("CITATION.cff has no `{key}`"))
            .trim()
    };
    assert_eq!(value("version:"), VERSION);
    let heading = format!("## [{VERSION}] - {}", value("date-released:"));
    let log = read("CHANGELOG.md");
    assert_eq!(
        log.lines().find(|line| line.starts_with("## [")),
        Some(heading.as_str())
    );
}
