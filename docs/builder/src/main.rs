#![forbid(unsafe_code)]
//! Builds the book: `aclsan-book ACLSAN FOLDER`, where ACLSAN is the command, which writes the pages of rules and commands.
//!
//! mdBook does the rest, as a library: its program also has a server and a watcher, and takes minutes to build. The HTML is in
//! `FOLDER/html`; it needs no network. A link within the book that leads nowhere fails the build.

mod chinese;
mod interface;
mod links;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mdbook_driver::MDBook;
use mdbook_driver::config::Config;

/// Everything that can go wrong ends the program with a sentence.
type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A language's folder, the book's title and description in it.
const BOOKS: [(&str, &str, &str, &str); 2] = [
    (
        "en",
        "en",
        "aclsan",
        "Memory mistakes, leaks and fragmentation on Ascend NPUs",
    ),
    ("zh", "zh-CN", "aclsan", "昇腾 NPU 上的内存错误、泄漏和碎片"),
];

/// Sends readers to their language.
const INDEX: &str = r#"<!DOCTYPE html>
<meta charset="utf-8">
<title>aclsan</title>
<script>location.replace((navigator.language || "").startsWith("zh") ? "zh/index.html" : "en/index.html")</script>
<p><a href="en/index.html">English</a> · <a href="zh/index.html">中文</a></p>
"#;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(aclsan), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: aclsan-book ACLSAN FOLDER".into());
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let pages = folder.join("pages");
    let status = Command::new(&aclsan)
        .args(["pages", "book"])
        .arg(&pages)
        .status();
    let status = status.map_err(|error| format!("cannot run {}: {error}", aclsan.display()))?;
    if !status.success() {
        return Err(format!("`{} pages book` failed: {status}", aclsan.display()).into());
    }
    for (name, language, title, description) in BOOKS {
        let source = pages.join(name);
        sources::place(&root, name, &source)?;
        let book = folder.join("html").join(name);
        build(&source, &book, language, title, description)?;
        if name == "zh" {
            interface::translate(&book)?;
        }
    }
    fs::write(folder.join("html/index.html"), INDEX)?;
    let checked = links::check(&folder.join("html"))?;
    println!(
        "{}: {checked} links checked",
        folder.join("html/index.html").display()
    );
    Ok(())
}

fn build(source: &Path, to: &Path, language: &str, title: &str, description: &str) -> Outcome<()> {
    let source = fs::canonicalize(source)?;
    let mut config = Config::default();
    let text = |value: &str| value.to_owned();
    config.set("book.title", text(title))?;
    config.set("book.description", text(description))?;
    config.set("book.language", text(language))?;
    config.set("book.src", ".")?;
    fs::create_dir_all(to)?;
    config.set("build.build-dir", fs::canonicalize(to)?)?;
    config.set("build.create-missing", false)?;
    config.set(
        "output.html.additional-js",
        ["languages.js", "chinese-search.js"],
    )?;
    config.set("output.html.additional-css", ["book.css"])?;
    config.set("output.html.search.limit-results", 20)?;
    config.set("output.html.fold.enable", true)?;
    config.set("output.html.fold.level", 0)?;
    MDBook::load_with_config(source, config)?.build()?;
    Ok(())
}
