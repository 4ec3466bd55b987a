//! `aclsan explain RULE`: prints a rule's page: what it reports, why it matters, an example, what it cannot see.
//!
//! Pages are in English. With `--lang zh`, a Chinese summary of what the rule reports comes first.

use std::process::ExitCode;

use aclsan_render::text::Locale;
use aclsan_rules::judge::registry::rule;
use anyhow::bail;

use crate::io::language::{locale, localized};
use crate::io::output;
use crate::policy::rule_names::unknown;

/// Which rule.
#[derive(clap::Args)]
pub struct Args {
    /// A rule's name, as `aclsan rules` lists them
    #[arg(value_name = "RULE")]
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
    let page = found.page();
    let (page, severity) = (page.trim_end(), found.severity.name());
    let head = match locale() {
        Locale::English => String::new(),
        Locale::Chinese => format!(
            "{}：{}（{severity}）\n以下说明只有英文。\n\n",
            found.name,
            localized(found.summary)
        ),
    };
    output::write(format!("{head}{page}\n\nSeverity: {severity}\n").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
