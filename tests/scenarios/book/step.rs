//! Every English page has a Chinese one with the same headings, programs, commands and quotations.

use std::collections::BTreeSet;

use crate::blocks;
use crate::run::{read, without_comments};

/// Longest README: a reader should see what it is, and where the rest is.
const MAX_README_LINES: usize = 150;

/// Names of a folder's pages.
pub fn pages(folder: &str) -> BTreeSet<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder);
    let files = std::fs::read_dir(path).expect("a folder of pages");
    files
        .filter_map(|file| file.expect("an entry").file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
        .collect()
}

/// Levels of the headings, and for each block of programs and commands what a translation leaves as it is.
fn skeleton(page: &str) -> Vec<String> {
    let mut is_inside = false;
    let mut found = Vec::new();
    for line in page.lines() {
        is_inside ^= line.starts_with("```");
        if !is_inside && line.starts_with('#') {
            found.push(line.split(' ').next().unwrap_or_default().to_owned());
        }
        // Tables have the same rows, and pages the same generated tables.
        if !is_inside && (line.starts_with('|') || line.starts_with("<!--")) {
            let is_row = line.starts_with('|');
            found.push(if is_row {
                "| row".to_owned()
            } else {
                line.to_owned()
            });
        }
    }
    for block in blocks::of(page) {
        found.push(format!("```{} {:?}", block.language, block.word));
        if block.output.is_none() {
            found.push(without_comments(&block));
        }
    }
    found
}

fn compare(english: &str, chinese: &str, is_glossary: bool) {
    let (one, other) = (skeleton(&read(english)), skeleton(&read(chinese)));
    // The glossaries are sorted, each in its language, and explain what its readers look up.
    let keep = |line: &&String| !(is_glossary && line.as_str() == "| row");
    let one: Vec<&String> = one.iter().filter(keep).collect();
    let other: Vec<&String> = other.iter().filter(keep).collect();
    let differs = one.iter().zip(&other).position(|(one, other)| one != other);
    if let Some(at) = differs {
        panic!(
            "{chinese} is not in step with {english}:\n{}\n{}",
            one[at], other[at]
        );
    }
    assert_eq!(
        one.len(),
        other.len(),
        "{chinese} is not in step with {english}"
    );
}

#[test]
fn chinese_pages_are_in_step_with_english_ones() {
    let english = pages("docs/en");
    assert!(english.len() > 20, "{english:?}");
    assert_eq!(english, pages("docs/zh"));
    for name in english.iter().filter(|name| *name != "SUMMARY") {
        let page = |language| format!("docs/{language}/{name}.md");
        compare(&page("en"), &page("zh"), name == "glossary");
    }
    compare("README.md", "README.zh.md", false);
}

#[test]
fn both_summaries_list_all_pages_in_one_order() {
    let links = |language| {
        let summary = read(&format!("docs/{language}/SUMMARY.md"));
        let parts = summary.split("](").skip(1);
        let links = parts.filter_map(|part| Some(part.split_once(".md)")?.0.to_owned()));
        links.collect::<Vec<_>>()
    };
    let english = links("en");
    assert_eq!(english, links("zh"));
    let mut listed: BTreeSet<String> = english.into_iter().collect();
    listed.insert("SUMMARY".to_owned());
    assert_eq!(listed, pages("docs/en"));
}

#[test]
fn readme_is_short() {
    for name in ["README.md", "README.zh.md"] {
        let lines = read(name).lines().count();
        assert!(lines <= MAX_README_LINES, "{name} has {lines} lines");
    }
}
