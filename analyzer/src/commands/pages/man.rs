//! Manual pages: the command, each of its commands, `aclsan.toml`, the rules.

use aclsan_rules::judge::registry::RULES;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::book::visible;
use super::roff::{Page, escaped};
use crate::commands::cli::Cli;
use crate::commands::manual;
use crate::io::markdown::{Block, blocks};

/// Pages of the book that are manual pages, too.
const OPTIONS: &str = include_str!("../../../../docs/en/options.md");
const RULES_PAGE: &str = include_str!("../../../../docs/en/rules.md");

/// Names of files and their texts.
pub fn pages() -> Vec<(String, String)> {
    let mut root = Cli::command();
    root.build();
    let mut pages = vec![("man1/aclsan.1".to_owned(), own(&root))];
    for command in visible(&root).filter(|command| command.get_name() != "help") {
        let name = command.get_name();
        pages.push((format!("man1/aclsan-{name}.1"), one(command)));
    }
    pages.push(("man5/aclsan.toml.5".to_owned(), options()));
    pages.push(("man7/aclsan-rules.7".to_owned(), rules()));
    pages
}

fn own(root: &Command) -> String {
    let mut page = Page::new("aclsan", 1, &about(root));
    page.section("SYNOPSIS");
    page.markdown(&blocks("`aclsan` *command* [*options*] …"), 2);
    page.section("DESCRIPTION");
    page.markdown(
        &blocks(
            "Finds memory mistakes, leaks and fragmentation in programs that use Ascend NPU memory through AscendCL. `aclsan run` starts \
             a program with a library preloaded that watches its calls, prints findings as they happen, and writes an event log. \
             The other commands read such logs, on any machine.",
        ),
        2,
    );
    page.section("COMMANDS");
    for command in visible(root).filter(|command| command.get_name() != "help") {
        page.item(
            &format!("aclsan-{}(1)", command.get_name()),
            &about(command),
        );
    }
    page.raw(&options_of(root));
    page.section("EXIT STATUS");
    page.item("0", "clean");
    page.item(
        "1",
        "findings at or above `--fail-on`, or a budget exceeded",
    );
    page.item("2", "usage, or an unreadable log");
    page.item("3", "nothing observed: no AscendCL call");
    page.markdown(
        &blocks("`aclsan run` exits with the program's own code; see aclsan-run(1)."),
        2,
    );
    see_also(
        &mut page,
        &[
            "aclsan-run(1)",
            "aclsan-report(1)",
            "aclsan-check(1)",
            "aclsan.toml(5)",
            "aclsan-rules(7)",
        ],
    );
    page.finish()
}

fn one(command: &Command) -> String {
    let name = command.get_name();
    let mut page = Page::new(&format!("aclsan-{name}"), 1, &about(command));
    page.section("SYNOPSIS");
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    page.raw(&format!("{}\n", escaped(usage)));
    page.section("DESCRIPTION");
    page.markdown(&blocks(&manual(name)), 2);
    page.raw(&options_of(command));
    see_also(
        &mut page,
        &["aclsan(1)", "aclsan.toml(5)", "aclsan-rules(7)"],
    );
    page.finish()
}

fn about(command: &Command) -> String {
    command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// The section of options, by clap_mangen.
fn options_of(command: &Command) -> String {
    let mut text = Vec::new();
    let man = Man::new(command.clone());
    man.render_options_section(&mut text)
        .expect("memory can be written");
    String::from_utf8_lossy(&text).into_owned()
}

fn options() -> String {
    let mut page = Page::new(
        "aclsan.toml",
        5,
        "options of aclsan, and what a team agrees on for its checks",
    );
    page.section("DESCRIPTION");
    page.markdown(&without_title(OPTIONS), 1);
    see_also(
        &mut page,
        &["aclsan-run(1)", "aclsan-check(1)", "aclsan-rules(7)"],
    );
    page.finish()
}

fn rules() -> String {
    let mut page = Page::new("aclsan-rules", 7, "what aclsan reports");
    page.section("DESCRIPTION");
    // The table would repeat the names below.
    let text: Vec<Block> = without_title(RULES_PAGE)
        .into_iter()
        .filter(|block| !matches!(block, Block::Table(_)))
        .collect();
    page.markdown(&text, 1);
    for rule in RULES {
        page.section(rule.name);
        page.markdown(
            &blocks(&format!(
                "{}\n\nSeverity: {}",
                rule.page(),
                rule.severity.name()
            )),
            2,
        );
    }
    see_also(&mut page, &["aclsan-explain(1)", "aclsan-check(1)"]);
    page.finish()
}

fn without_title(page: &str) -> Vec<Block> {
    let blocks = blocks(page).into_iter();
    blocks
        .filter(|block| !matches!(block, Block::Heading(1, _)))
        .collect()
}

fn see_also(page: &mut Page, pages: &[&str]) {
    page.section("SEE ALSO");
    page.raw(&format!("{}\n", escaped(&pages.join(", "))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_page_for_each_command_the_file_and_the_rules() {
        let pages = pages();
        let page = |name: &str| {
            let found = pages.iter().find(|(file, _)| file == name);
            found
                .map(|(_, text)| text.as_str())
                .unwrap_or_else(|| panic!("no {name}"))
        };
        assert!(page("man1/aclsan.1").contains("aclsan\\-run(1)"));
        assert!(page("man1/aclsan-run.1").contains(".SH OPTIONS"));
        assert!(page("man5/aclsan.toml.5").contains("stack_depth"));
        assert!(page("man7/aclsan-rules.7").contains(".SH double\\-free"));
        assert!(
            !pages
                .iter()
                .any(|(_, text)| text.contains("\n**") || text.contains("```"))
        );
        assert!(pages.iter().all(|(_, text)| text.starts_with(".TH ")));
    }
}
