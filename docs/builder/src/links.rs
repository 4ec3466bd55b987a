//! Checks that links within the book lead to a page and a heading.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::Outcome;

/// Checks every page below `folder`, and returns the number of links.
pub fn check(folder: &Path) -> Outcome<usize> {
    let mut pages = BTreeMap::new();
    read(&fs::canonicalize(folder)?, &mut pages)?;
    let ids: BTreeMap<&PathBuf, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, page)| (path, values(page, "id").collect()))
        .collect();
    let mut count = 0;
    let mut wrong = Vec::new();
    for (path, page) in &pages {
        // All pages in one: its links are those of the pages, from another folder.
        if path.ends_with("print.html") || path.ends_with("404.html") {
            continue;
        }
        for link in values(page, "href").chain(values(page, "src")) {
            if link.contains(':') || link.is_empty() {
                continue;
            }
            count += 1;
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap_or(Path::new("/")).join(file),
            };
            let target = fs::canonicalize(&target).unwrap_or(target);
            let has_heading =
                heading.is_empty() || ids.get(&target).is_some_and(|ids| ids.contains(heading));
            if !target.exists() || !has_heading {
                wrong.push(format!("{}: {link}", path.display()));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(count),
        false => Err(format!("links that lead nowhere:\n{}", wrong.join("\n")).into()),
    }
}

fn read(folder: &Path, pages: &mut BTreeMap<PathBuf, String>) -> Outcome<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read(&path, pages)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let page = fs::read_to_string(&path)?;
            pages.insert(path, page);
        }
    }
    Ok(())
}

/// Values of an attribute, outside of scripts.
fn values<'p>(page: &'p str, attribute: &str) -> impl Iterator<Item = &'p str> {
    let mark = format!(" {attribute}=\"");
    let mut rest = page;
    std::iter::from_fn(move || {
        let at = rest.find(&mark)? + mark.len();
        let end = at + rest[at..].find('"')?;
        let value = &rest[at..end];
        rest = &rest[end..];
        Some(value)
    })
}
