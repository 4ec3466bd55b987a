//! Pages of the book: one for each rule and each command, in both languages.

use aclsan_render::text::chinese;
use aclsan_rules::evidence::rule::Rule;
use aclsan_rules::judge::registry::RULES;
use clap::{Command, CommandFactory};

use crate::commands::cli::{Cli, Locale};
use crate::commands::{help, manual};

/// Columns of the options of a command.
const COLUMNS: usize = 90;

/// Names of files and their texts. Those in `order` list the others for the summary.
pub fn pages() -> Vec<(String, String)> {
    let lines = |names: Vec<&str>| names.join("\n") + "\n";
    let root = Cli::command();
    let rules = RULES.iter().map(|rule| rule.name).collect();
    let commands = visible(&root).map(Command::get_name).collect();
    let mut pages = vec![
        ("order/rules.txt".to_owned(), lines(rules)),
        ("order/commands.txt".to_owned(), lines(commands)),
    ];
    for (locale, folder) in [(Locale::English, "en"), (Locale::Chinese, "zh")] {
        for rule in RULES {
            pages.push((
                format!("{folder}/rules/{}.md", rule.name),
                rule_page(rule, locale),
            ));
        }
        for command in visible(&root) {
            let name = format!("{folder}/commands/{}.md", command.get_name());
            pages.push((name, command_page(command.clone(), locale)));
        }
    }
    pages
}

/// The commands that `--help` lists.
pub fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
}

fn rule_page(rule: &Rule, locale: Locale) -> String {
    let english = rule.page();
    let page = match locale {
        Locale::English => english,
        Locale::Chinese => chinese::page(rule.name, &english).unwrap_or(english),
    };
    // The first line names the rule, as the title does.
    let first = page.split_once('：').filter(|_| locale == Locale::Chinese);
    let (_, text) = first
        .or_else(|| page.split_once(": "))
        .unwrap_or(("", &page));
    let (name, severity) = (rule.name, rule.severity.name());
    let judged = match (locale, rule.is_live) {
        (Locale::English, true) => ", judged at the call: ",
        (Locale::English, false) => ", judged from the log: ",
        (Locale::Chinese, true) => "，调用时判断：",
        (Locale::Chinese, false) => "，据日志判断：",
    };
    format!("# {name}\n\n*{severity}*{judged}{text}\n")
}

fn command_page(command: Command, locale: Locale) -> String {
    let name = command.get_name().to_owned();
    let manual = match locale {
        Locale::English => manual(&name),
        Locale::Chinese => chinese::manual(&name).unwrap_or_default().to_owned(),
    };
    let mut root = Cli::command().term_width(match locale {
        Locale::English => COLUMNS,
        Locale::Chinese => 0,
    });
    root.build();
    let mut command = root.find_subcommand(&name).cloned().unwrap_or(command);
    let options = command.render_long_help().to_string();
    let (heading, options) = match locale {
        Locale::English => ("Options", options),
        Locale::Chinese => ("选项", help::in_chinese(&options, COLUMNS)),
    };
    format!(
        "# aclsan {name}\n\n{}\n\n## {heading}\n\n```text\n{}\n```\n",
        manual.trim_end(),
        options.trim_end()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_and_command_has_a_page_in_both_languages() {
        let pages = pages();
        let count = |folder: &str| {
            pages
                .iter()
                .filter(|(name, _)| name.starts_with(folder))
                .count()
        };
        assert_eq!(count("en/rules/"), RULES.len());
        assert_eq!(count("zh/rules/"), RULES.len());
        assert_eq!(count("en/commands/"), count("zh/commands/"));
        let written = pages.iter().filter(|(name, _)| name.ends_with(".md"));
        assert!(
            written.clone().count() > 100
                && written.clone().all(|(_, text)| text.starts_with("# "))
        );
        let (_, page) = pages
            .iter()
            .find(|(name, _)| name == "en/rules/double-free.md")
            .expect("its page");
        assert!(
            page.starts_with(
                "# double-free\n\n*error*, judged at the call: a block was released twice."
            ),
            "{page}"
        );
        let (_, page) = pages
            .iter()
            .find(|(name, _)| name == "en/commands/pack.md")
            .expect("its page");
        assert!(
            page.contains("\n## Options\n") && page.contains("--force"),
            "{page}"
        );
    }
}
