//! Puts the pages of `docs` beside the generated ones, with links that hold within the book.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::{Outcome, chinese};

/// Styles and scripts beside the pages.
const FILES: [(&str, &str); 3] = [
    ("languages.js", include_str!("../page/languages.js")),
    (
        "chinese-search.js",
        include_str!("../page/chinese-search.js"),
    ),
    ("book.css", include_str!("../page/book.css")),
];

/// Copies the pages of `docs/LANGUAGE` into `to`, which has `rules` and `commands`.
pub fn place(root: &Path, language: &str, to: &Path) -> Outcome<()> {
    for entry in fs::read_dir(root.join("docs").join(language))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_owned();
        let mut page = fs::read_to_string(&path)?;
        page = if name == "SUMMARY.md" {
            with_generated(&page, to)?
        } else {
            within(&page, root, to)?
        };
        fs::write(to.join(name), page)?;
    }
    if language == "zh" {
        join_lines(to)?;
    }
    for (name, text) in FILES {
        fs::write(to.join(name), text)?;
    }
    Ok(())
}

/// Joins the lines of Chinese paragraphs in all pages below `folder`.
fn join_lines(folder: &Path) -> Outcome<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            join_lines(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "md")
            && !path.ends_with("SUMMARY.md")
        {
            let page = fs::read_to_string(&path)?;
            fs::write(&path, chinese::joined(&page))?;
        }
    }
    Ok(())
}

/// The summary, with the generated pages below `rules.md` and `commands.md`.
fn with_generated(summary: &str, pages: &Path) -> Outcome<String> {
    let mut whole = String::new();
    for line in summary.lines() {
        let _ = writeln!(whole, "{line}");
        for folder in ["rules", "commands"] {
            if !line.contains(&format!("({folder}.md)")) {
                continue;
            }
            for name in in_order(pages, folder)? {
                let _ = writeln!(whole, "  - [{name}]({folder}/{name}.md)");
            }
        }
    }
    Ok(whole)
}

/// Names of a folder's pages, in the order in which the page above lists them.
fn in_order(pages: &Path, folder: &str) -> Outcome<Vec<String>> {
    let index = fs::read_to_string(pages.join("../order").join(format!("{folder}.txt")))?;
    Ok(index.lines().map(str::to_owned).collect())
}

/// Links that leave `docs`: those to the source of a generated page lead to the page; pictures are copied; of others the text remains, or the file in the project's repository.
fn within(page: &str, root: &Path, to: &Path) -> Outcome<String> {
    let repository = repository(root)?;
    let mut done = String::new();
    let mut rest = page;
    while let Some(at) = rest.find("](../../") {
        let end = at + rest[at..].find(')').ok_or("a link without an end")?;
        let target = &rest[at + "](../../".len()..end];
        let start = rest[..at].rfind('[').ok_or("a link without a text")?;
        let is_picture = rest[..start].ends_with('!');
        let text = &rest[start + 1..at];
        done.push_str(&rest[..start]);
        if let Some(page) = generated(target) {
            let _ = write!(done, "[{text}]({page})");
        } else if is_picture {
            let name = Path::new(target)
                .file_name()
                .unwrap_or_default()
                .to_string_lossy();
            fs::copy(root.join(target), to.join(&*name))?;
            let _ = write!(done, "[{text}]({name})");
        } else if let Some(repository) = &repository {
            let _ = write!(done, "[{text}]({repository}/blob/main/{target})");
        } else {
            let _ = write!(done, "{text} (`{target}`)");
        }
        rest = &rest[end + 1..];
    }
    done.push_str(rest);
    Ok(done)
}

/// The page that is made of a rule's or a command's source.
fn generated(target: &str) -> Option<String> {
    let folders = [
        ("reports/rules/src/rules/", "rules"),
        ("reports/chinese/src/pages/", "rules"),
        ("analyzer/src/commands/", "commands"),
        ("reports/chinese/src/manuals/", "commands"),
    ];
    folders.iter().find_map(|(sources, pages)| {
        let name = target.strip_prefix(sources)?.rsplit_once('.')?.0;
        let name = name.trim_end_matches("/mod").replace('_', "-");
        Some(format!("{pages}/{name}.md"))
    })
}

/// The project's repository, if `Cargo.toml` names it.
fn repository(root: &Path) -> Outcome<Option<String>> {
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let line = manifest
        .lines()
        .find_map(|line| line.strip_prefix("repository = "));
    Ok(line.map(|value| value.trim().trim_matches('"').to_owned()))
}
