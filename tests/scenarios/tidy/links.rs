//! Links in documents lead to existing files.

use aclsan_rules::judge::registry::RULES;

use crate::checkout::{File, files, root};

/// Pages that `docs/build` writes from the rules' sources and the commands' manuals: they are in no checkout.
fn is_generated(document: &File, target: &str) -> bool {
    let is_page = ["docs/en/", "docs/zh/"]
        .iter()
        .any(|book| document.name.starts_with(book));
    let rule = target
        .strip_prefix("rules/")
        .and_then(|page| page.strip_suffix(".md"));
    let command = target
        .strip_prefix("commands/")
        .and_then(|page| page.strip_suffix(".md"));
    let is_rule = rule.is_some_and(|name| RULES.iter().any(|rule| rule.name == name));
    let is_command = command.is_some_and(|name| {
        let sources = root().join("analyzer/src/commands");
        sources.join(format!("{name}.rs")).exists() || sources.join(name).is_dir()
    });
    is_page && (is_rule || is_command)
}

#[test]
fn every_link_of_a_document_leads_to_a_file() {
    let documents = files()
        .into_iter()
        .filter(|file| file.name.ends_with(".md"));
    let mut wrong = Vec::new();
    let mut links = 0;
    for document in documents {
        let folder = root().join(&document.name);
        let folder = folder.parent().expect("a file is in a folder");
        for part in document.text.split("](").skip(1) {
            let target = part.split([')', '#']).next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            links += 1;
            if !folder.join(target).exists() && !is_generated(&document, target) {
                wrong.push(format!("{}: {target}", document.name));
            }
        }
    }
    assert!(links > 100, "documents were found");
    assert_eq!(wrong, [""; 0], "no such files");
}
