//! `aclsan explain RULE`: prints a rule's page: what it reports, why it matters, an example, how to fix it, what it cannot see.
//!
//! With `--lang zh`, in Chinese. The example is the same.

use std::process::ExitCode;

use aclsan_render::text::Locale;
use aclsan_render::text::chinese::page;
use aclsan_rules::judge::registry::rule;
use anyhow::bail;

use super::help::width;
use crate::io::language::locale;
use crate::io::markdown::terminal::lay_out;
use crate::io::output;
use crate::policy::rule_names::{self, unknown};

/// Columns before the text below a heading.
const INDENT: usize = 2;

/// Which rule.
#[derive(clap::Args)]
pub struct Args {
    /// A rule's name, as `aclsan rules` lists them
    #[arg(value_name = "RULE", value_parser = rule_names::hints(), hide_possible_values = true)]
    rule: String,
}

/// Prints the page.
///
/// # Errors
/// If no rule has that name; the message suggests the nearest ones.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Some(found) = rule(&args.rule) else {
        bail!(unknown(&args.rule));
    };
    let english = found.page();
    let severity = found.severity.name();
    let chinese = match locale() {
        Locale::English => None,
        Locale::Chinese => page(found.name, &english),
    };
    let (page, word) = match chinese {
        Some(chinese) => (chinese, "级别："),
        None => (english, "Severity: "),
    };
    let page = lay_out(&page, width(), INDENT);
    output::write(format!("{page}\n{word}{severity}\n").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use aclsan_rules::judge::registry::RULES;
    use clap::CommandFactory;

    use super::*;
    use crate::commands::cli::Cli;
    use crate::commands::manual;
    use crate::io::fold::columns;

    /// The names in backticks, outside of the example.
    fn names(page: &str) -> BTreeSet<String> {
        let text: String = page.split("```").step_by(2).collect();
        let text = text.replace('\n', " ");
        let names = text.split('`').skip(1).step_by(2);
        names.map(|name| name.replace(' ', "")).collect()
    }

    #[test]
    fn every_rule_has_a_chinese_page_with_the_names_of_the_english_one() {
        let mut missing = Vec::new();
        for rule in RULES {
            let english = rule.page();
            let chinese = page(rule.name, &english).unwrap_or_default();
            let (english, chinese) = (names(&english), names(&chinese));
            missing.extend(
                english
                    .difference(&chinese)
                    .map(|name| format!("{}: {name}", rule.name)),
            );
            missing.extend(
                chinese
                    .difference(&english)
                    .map(|name| format!("{}: not in English: {name}", rule.name)),
            );
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }

    /// Rules' pages and manuals, in both languages.
    fn texts() -> Vec<String> {
        let rules = RULES.iter().flat_map(|rule| {
            let english = rule.page();
            [page(rule.name, &english), Some(english)]
        });
        let root = Cli::command();
        let manuals = root.get_subcommands().flat_map(|command| {
            let name = command.get_name();
            let chinese = aclsan_render::text::chinese::manual(name);
            [chinese.map(str::to_owned), Some(manual(name))]
        });
        rules.chain(manuals).flatten().collect()
    }

    #[test]
    fn pages_and_manuals_fit_72_columns_without_marks_of_markdown() {
        let texts = texts();
        assert!(texts.len() > 140, "{}", texts.len());
        for text in texts {
            let laid_out = lay_out(&text, 72, INDENT);
            for line in laid_out.lines() {
                // Code is as wide as it is written, but for its comments.
                let is_code = line.starts_with("    ");
                assert!(is_code || columns(line) <= 72, "{line}");
                let marks = ["```", "|--", "](", "## "];
                assert!(!marks.iter().any(|mark| line.contains(mark)), "{line}");
                assert!(is_code || !line.contains("**"), "{line}");
            }
        }
    }
}
