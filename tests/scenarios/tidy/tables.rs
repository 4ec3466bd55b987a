//! Tables of the book against the code that they describe, in both languages.
//!
//! They are between `<!-- name -->` and `<!-- /name -->`; `SNAPSHOTS=overwrite` rewrites them. Their links lead to the sources of rules' pages
//! and manuals, so that they hold where the repository is read; in the book they lead to the pages made of these.

use std::collections::BTreeSet;
use std::fmt::Write;

use aclsan_chinese::{Table, help};
use aclsan_options::KEYS;
use aclsan_rules::api::functions::FUNCTIONS;
use aclsan_rules::judge::registry::RULES;
use snapbox::assert::{Action, DEFAULT_ACTION_ENV};
use snapbox::report::Palette;
use snapbox::{Assert, IntoData};

use crate::checkout::{read, root};

/// Compares the table `name` of a page with `wanted`, or writes it.
fn check(page: &str, name: &str, wanted: &str) {
    let text = read(page);
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let find = |mark: &str, from: usize| {
        let at = text[from..].find(mark);
        from + at.unwrap_or_else(|| panic!("{page} has no {mark}"))
    };
    let start = find(&open, 0) + open.len();
    let end = find(&close, start);
    if Action::with_env_var(DEFAULT_ACTION_ENV) == Some(Action::Overwrite) {
        let fresh = format!("{}{wanted}{}", &text[..start], &text[end..]);
        std::fs::write(root().join(page), fresh).expect("the page can be written");
        return;
    }
    Assert::new()
        .palette(Palette::plain())
        .try_eq(None, wanted.into_data(), text[start..end].into_data().raw())
        .unwrap_or_else(|difference| {
            let how = "SNAPSHOTS=overwrite cargo test -p aclsan-tests --test tidy";
            panic!("the table `{name}` of {page} is outdated; `{how}` updates it:\n{difference}")
        });
}

#[test]
fn rules() {
    let chinese = Table::default();
    let mut tables = [
        String::from("| rule | severity | judged | reports |\n|---|---|---|---|\n"),
        String::from("| 规则 | 级别 | 判断 | 报告 |\n|---|---|---|---|\n"),
    ];
    for rule in RULES {
        let when = match rule.is_live {
            true => ["at the call", "调用时"],
            false => ["from the log", "据日志"],
        };
        let translated = chinese.translate(rule.summary);
        let translated = translated.unwrap_or_else(|| panic!("not in Chinese: {}", rule.summary));
        let page = rule.name.replace('-', "_");
        let pages = [
            format!("../../reports/rules/src/rules/{page}.rs"),
            format!("../../reports/chinese/src/pages/{page}.md"),
        ];
        let columns = pages.iter().zip(when).zip([rule.summary, &translated]);
        for (table, ((page, when), what)) in tables.iter_mut().zip(columns) {
            let (name, severity) = (rule.name, rule.severity.name());
            let _ = writeln!(
                table,
                "| [`{name}`]({page}) | {severity} | {when} | {what} |"
            );
        }
    }
    check("docs/en/rules.md", "rules", &tables[0]);
    check("docs/zh/rules.md", "rules", &tables[1]);
}

#[test]
fn options() {
    let mut tables = [
        String::from("| key | default | meaning |\n|---|---|---|\n"),
        String::from("| 键 | 默认 | 含义 |\n|---|---|---|\n"),
    ];
    for key in KEYS {
        let default = |none: &str| match key.default {
            "" => none.to_owned(),
            default => format!("`{default}`"),
        };
        let meaning = key.meaning.trim_end_matches('.');
        let chinese = help(meaning).unwrap_or_else(|| panic!("not in Chinese: {meaning}"));
        let _ = writeln!(
            tables[0],
            "| `{}` | {} | {meaning} |",
            key.name,
            default("none")
        );
        let _ = writeln!(
            tables[1],
            "| `{}` | {} | {chinese} |",
            key.name,
            default("无")
        );
    }
    check("docs/en/options.md", "options", &tables[0]);
    check("docs/zh/options.md", "options", &tables[1]);
}

#[test]
fn verbs() {
    let source = read("analyzer/src/commands/mod.rs");
    let (_, rest) = source
        .split_once("pub enum Command {\n")
        .expect("the commands");
    let (rows, _) = rest.split_once("\n}\n").expect("their end");
    let mut tables = [
        String::from("| command | does |\n|---|---|\n"),
        String::from("| 命令 | 作用 |\n|---|---|\n"),
    ];
    let mut what = "";
    let mut is_hidden = false;
    for row in rows.lines().map(str::trim) {
        if let Some(line) = row.strip_prefix("///") {
            what = line.trim();
            is_hidden = false;
        } else if row.contains("hide = true") {
            is_hidden = true;
        } else if let Some((variant, _)) = row
            .split_once('(')
            .filter(|_| !is_hidden && !row.starts_with('#'))
        {
            let name = variant.to_lowercase();
            let chinese = help(what).unwrap_or_else(|| panic!("not in Chinese: {what}"));
            let manual = format!("../../analyzer/src/commands/{name}");
            let source = match root().join("docs/en").join(&manual).is_dir() {
                true => format!("{manual}/mod.rs"),
                false => format!("{manual}.rs"),
            };
            let translated = format!("../../reports/chinese/src/manuals/{name}.md");
            let _ = writeln!(tables[0], "| [`{name}`]({source}) | {what} |");
            let _ = writeln!(tables[1], "| [`{name}`]({translated}) | {chinese} |");
        }
    }
    check("docs/en/commands.md", "verbs", &tables[0]);
    check("docs/zh/commands.md", "verbs", &tables[1]);
}

/// Names as one paragraph of code, in order.
fn paragraph<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: BTreeSet<&str> = names.collect();
    let mut lines = vec![String::new()];
    for name in names {
        let last = lines.len() - 1;
        if lines[last].len() + name.len() + 3 > 118 {
            lines.push(String::new());
        }
        let line = lines.last_mut().expect("there is one");
        let _ = write!(line, "{}`{name}`", if line.is_empty() { "" } else { " " });
    }
    lines.join("\n") + "\n"
}

#[test]
fn every_function() {
    let both = |name: &str, wanted: &str| {
        for language in ["en", "zh"] {
            check(&format!("docs/{language}/functions.md"), name, wanted);
        }
    };
    // The rest are annotations, C++ and libc.
    let is_of_runtime = |name: &&str| {
        let prefixes = ["acl", "hi_mpi", "Hccl", "rt"];
        prefixes.iter().any(|prefix| name.starts_with(prefix)) && !name.starts_with("aclsan")
    };
    let watched = FUNCTIONS.iter().map(|function| function.name);
    both("watched", &paragraph(watched.filter(is_of_runtime)));
    let unhooked = read("shim/calls/ascend/unhooked.txt");
    for part in unhooked.split("\n[").skip(1) {
        let (reason, names) = part.split_once(']').expect("a key");
        let (_, names) = names.split_once('\n').expect("names below it");
        both(reason, &paragraph(names.split_whitespace()));
    }
    let unmodelled = read("tests/simulator/more_exports.h");
    let lists = unmodelled.split("UNMODELLED_EXPORTS(X) \\\n").skip(1);
    let rows = lists.flat_map(|list| list.lines().take_while(|line| line.starts_with("    X(")));
    let names = rows.map(|row| row[6..].split(')').next().unwrap_or_default());
    both("unmodelled", &paragraph(names));
}
