//! Manual pages: the command, each of its commands, `aclsan.toml`, the rules.

use aclsan_render::text::chinese;
use aclsan_rules::judge::registry::RULES;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::book::visible;
use super::roff::{Page, escaped};
use super::titles::Titles;
use crate::commands::cli::{Cli, Locale};
use crate::commands::{help, manual};
use crate::io::markdown::{Block, blocks};

/// Columns of options in Chinese, within the 80 of a terminal.
const COLUMNS: usize = 70;

/// Names of files and their texts, for a folder `man`: Chinese pages are below `zh_CN` there.
pub fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for (locale, folder) in [(Locale::English, ""), (Locale::Chinese, "zh_CN/")] {
        let mut root = Cli::command();
        if locale == Locale::Chinese {
            root = root.term_width(0);
        }
        root.build();
        let maker = Maker {
            locale,
            titles: Titles::of(locale),
        };
        pages.push((format!("{folder}man1/aclsan.1"), maker.own(&root)));
        for command in visible(&root).filter(|command| command.get_name() != "help") {
            let name = format!("{folder}man1/aclsan-{}.1", command.get_name());
            pages.push((name, maker.one(command)));
        }
        pages.push((format!("{folder}man5/aclsan.toml.5"), maker.options()));
        pages.push((format!("{folder}man7/aclsan-rules.7"), maker.rules()));
    }
    pages
}

/// Makes pages in one language.
struct Maker {
    locale: Locale,
    titles: &'static Titles,
}

impl Maker {
    fn page(&self, name: &str, section: u8, about: &str) -> Page {
        Page::new(name, section, self.titles.name, about)
    }

    fn own(&self, root: &Command) -> String {
        let mut page = self.page("aclsan", 1, &self.about(root));
        page.section(self.titles.synopsis);
        page.markdown(&blocks(self.titles.own_synopsis), 2);
        page.section(self.titles.description);
        page.markdown(&blocks(self.titles.own_description), 2);
        page.section(self.titles.commands);
        for command in visible(root).filter(|command| command.get_name() != "help") {
            let name = format!("aclsan-{}(1)", command.get_name());
            page.item(&name, &self.about(command));
        }
        self.options_of(&mut page, root);
        page.section(self.titles.exit_status);
        for (code, meaning) in ["0", "1", "2", "3"].iter().zip(self.titles.codes) {
            page.item(code, meaning);
        }
        page.markdown(&blocks(self.titles.code_of_run), 2);
        let pages = ["aclsan-run(1)", "aclsan-report(1)", "aclsan-check(1)"];
        self.see_also(&mut page, &pages, &["aclsan.toml(5)", "aclsan-rules(7)"]);
        page.finish()
    }

    fn one(&self, command: &Command) -> String {
        let name = command.get_name();
        let mut page = self.page(&format!("aclsan-{name}"), 1, &self.about(command));
        page.section(self.titles.synopsis);
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage:").trim();
        page.raw(&format!("{}\n", escaped(usage)));
        page.section(self.titles.description);
        let text = match self.locale {
            Locale::English => manual(name),
            Locale::Chinese => chinese::manual(name).unwrap_or_default().to_owned(),
        };
        page.markdown(&blocks(&text), 2);
        self.options_of(&mut page, command);
        self.see_also(
            &mut page,
            &["aclsan(1)"],
            &["aclsan.toml(5)", "aclsan-rules(7)"],
        );
        page.finish()
    }

    fn about(&self, command: &Command) -> String {
        let english = command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        match self.locale {
            Locale::English => english,
            Locale::Chinese => chinese::help(&english).map_or(english, str::to_owned),
        }
    }

    /// The section of options: by clap_mangen, or as `--help` prints them in Chinese, which clap_mangen cannot.
    fn options_of(&self, page: &mut Page, command: &Command) {
        if self.locale == Locale::English {
            let mut text = Vec::new();
            Man::new(command.clone())
                .render_options_section(&mut text)
                .expect("memory can be written");
            page.raw(&String::from_utf8_lossy(&text));
            return;
        }
        let help = help::in_chinese(&command.clone().render_long_help().to_string(), COLUMNS);
        let options = help.lines().skip_while(|line| *line != "选项：").skip(1);
        let options: Vec<&str> = options.collect();
        page.section(self.titles.options);
        page.markdown(&[Block::Code(options.join("\n").trim_end().to_owned())], 2);
    }

    fn options(&self) -> String {
        let mut page = self.page("aclsan.toml", 5, self.titles.about_options);
        page.section(self.titles.description);
        page.markdown(&without_title(self.titles.options_page), 1);
        let pages = ["aclsan-run(1)", "aclsan-check(1)", "aclsan-rules(7)"];
        self.see_also(&mut page, &pages, &[]);
        page.finish()
    }

    fn rules(&self) -> String {
        let mut page = self.page("aclsan-rules", 7, self.titles.about_rules);
        page.section(self.titles.description);
        // The table would repeat the names below.
        let text: Vec<Block> = without_title(self.titles.rules_page)
            .into_iter()
            .filter(|block| !matches!(block, Block::Table(_)))
            .collect();
        page.markdown(&text, 1);
        for rule in RULES {
            page.section(rule.name);
            let english = rule.page();
            let text = match self.locale {
                Locale::English => english,
                Locale::Chinese => chinese::page(rule.name, &english).unwrap_or(english),
            };
            let (head, severity) = (self.titles.severity, rule.severity.name());
            page.markdown(&blocks(&format!("{text}\n\n{head}{severity}")), 2);
        }
        self.see_also(&mut page, &["aclsan-explain(1)", "aclsan-check(1)"], &[]);
        page.finish()
    }

    fn see_also(&self, page: &mut Page, commands: &[&str], others: &[&str]) {
        page.section(self.titles.see_also);
        page.raw(&format!(
            "{}\n",
            escaped(&[commands, others].concat().join(", "))
        ));
    }
}

fn without_title(page: &str) -> Vec<Block> {
    let blocks = blocks(page).into_iter();
    blocks
        .filter(|block| !matches!(block, Block::Heading(1, _)))
        .collect()
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

    #[test]
    fn each_page_is_there_in_chinese() {
        let pages = pages();
        let names = |folder: &str| -> Vec<String> {
            let named = pages
                .iter()
                .filter_map(|(name, _)| name.strip_prefix(folder));
            named.map(str::to_owned).collect()
        };
        assert_eq!(
            names("man")
                .iter()
                .map(|name| format!("man{name}"))
                .collect::<Vec<_>>(),
            names("zh_CN/")
        );
        for (name, text) in pages.iter().filter(|(name, _)| name.starts_with("zh_CN/")) {
            assert!(
                text.contains("\n.SH 名称\n") && text.contains("\n.SH 参见\n"),
                "{name}"
            );
            assert!(
                !text.contains(".SH OPTIONS") && !text.contains("DESCRIPTION"),
                "{name}"
            );
        }
        let (_, run) = pages
            .iter()
            .find(|(name, _)| name == "zh_CN/man1/aclsan-run.1")
            .expect("its page");
        assert!(
            run.contains("\n.SH 选项\n") && run.contains("\\-\\-simulate"),
            "{run}"
        );
    }
}
