//! README.md's tables against the code they describe.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use aclsan_rules::judge::registry::RULES;
use snapbox::assert::{Action, DEFAULT_ACTION_ENV};
use snapbox::report::Palette;
use snapbox::{Assert, IntoData};

use crate::checkout::{read, root};

/// Only one test at a time rewrites the page.
static PAGE: Mutex<()> = Mutex::new(());

/// Compares the table `name` with `wanted`, or writes it.
fn check(name: &str, wanted: &str) {
    let _page = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let readme = read("README.md");
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let start = readme
        .find(&open)
        .unwrap_or_else(|| panic!("README.md has no {open}"))
        + open.len();
    let end = readme[start..]
        .find(&close)
        .unwrap_or_else(|| panic!("README.md has no {close}"))
        + start;
    if Action::with_env_var(DEFAULT_ACTION_ENV) == Some(Action::Overwrite) {
        let fresh = format!("{}{wanted}{}", &readme[..start], &readme[end..]);
        std::fs::write(root().join("README.md"), fresh).expect("README.md can be written");
        return;
    }
    Assert::new()
        .palette(Palette::plain())
        .try_eq(
            None,
            wanted.into_data(),
            readme[start..end].into_data().raw(),
        )
        .unwrap_or_else(|difference| {
            let how = "SNAPSHOTS=overwrite cargo test -p aclsan-tests --test tidy";
            panic!("the table `{name}` of README.md is outdated; `{how}` updates it:\n{difference}")
        });
}

#[test]
fn rules() {
    let mut table = String::from("| rule | severity | judged | what |\n|---|---|---|---|\n");
    for rule in RULES {
        let judged = if rule.is_live {
            "at the call"
        } else {
            "from the log"
        };
        let _ = writeln!(
            table,
            "| `{}` | {} | {judged} | {} |",
            rule.name,
            rule.severity.name(),
            rule.summary
        );
    }
    check("rules", &table);
}

#[test]
fn options() {
    let source = read("shim/options/lib.rs");
    let (_, rest) = source
        .split_once("\noptions! {\n")
        .expect("the table of options");
    let (rows, _) = rest.split_once("\n}\n").expect("its end");
    let mut table = String::from("| key | default | meaning |\n|---|---|---|\n");
    let mut meaning = Vec::new();
    for row in rows.lines().map(str::trim) {
        if let Some(line) = row.strip_prefix("///") {
            meaning.push(line.trim());
            continue;
        }
        let (key, _) = row.split_once(':').expect("a row has a key");
        let (_, shown) = row
            .rsplit_once(", \"")
            .expect("a row ends in its shown default");
        let shown = match shown.trim_end_matches("\";") {
            "" => "none".to_owned(),
            shown => format!("`{shown}`"),
        };
        let meaning = std::mem::take(&mut meaning).join(" ");
        let _ = writeln!(
            table,
            "| `{key}` | {shown} | {} |",
            meaning.trim_end_matches('.')
        );
    }
    check("options", &table);
}

#[test]
fn verbs() {
    let source = read("analyzer/src/commands/mod.rs");
    let (_, rest) = source
        .split_once("pub enum Command {\n")
        .expect("the commands");
    let (rows, _) = rest.split_once("\n}\n").expect("their end");
    let mut table = String::from("| verb | does |\n|---|---|\n");
    let mut what = "";
    for row in rows.lines().map(str::trim) {
        if let Some(line) = row.strip_prefix("///") {
            what = line.trim();
        } else if let Some((variant, _)) = row.split_once('(') {
            let _ = writeln!(table, "| `{}` | {what} |", variant.to_lowercase());
        }
    }
    check("verbs", &table);
}
