//! Links in documents lead to existing files.

use crate::checkout::{files, root};

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
            if !folder.join(target).exists() {
                wrong.push(format!("{}: {target}", document.name));
            }
        }
    }
    assert!(links > 100, "documents were found");
    assert_eq!(wrong, [""; 0], "no such files");
}
